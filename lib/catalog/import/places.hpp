// Zones and regions as catalogs write them.
#pragma once

#include <string>
#include <string_view>

namespace steelyard::catalog {

/// The region of a place: "us-east-1" for "us-east-1a", "use1-az1" and "use1-atl2-az1"; "us-central1" for "us-central1-a";
/// "eu-amsterdam-1" for "eu-amsterdam-1-AD-1"; any other text as it is.
std::string region_of_place(std::string_view place);

}  // namespace steelyard::catalog
