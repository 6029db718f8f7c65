// One reader a format. Each turns a file's text into offers and issues; `auto` finds the format by the first line.
#pragma once

#include <steelyard/catalog.hpp>
#include <string>
#include <string_view>

namespace steelyard::catalog {

/// A file at hand. The text must outlive the reading.
struct PriceFile {
  std::string_view text;
  std::string name;  // as in messages
  std::string stem;  // without folder and ending: the provider, where the format names none
};

void import_skypilot(const PriceFile& file, const Catalog& facts, Imported& out);
void import_gpuhunt(const PriceFile& file, const Catalog& facts, Imported& out);
void import_aws(const PriceFile& file, const Catalog& facts, Imported& out);
void import_azure(const PriceFile& file, const Catalog& facts, Imported& out);
void import_own(const PriceFile& file, const Catalog& facts, Imported& out);

/// "skypilot" "gpuhunt" "aws" "azure" "steelyard", or empty where the text is none of them.
std::string detect_format(std::string_view text);

/// Why a text is no price list that can be read: what it is instead, or how its columns differ.
Issue unknown_format(std::string_view text, const std::string& file);

/// The offers of one file in the format given or detected.
void import_text(const PriceFile& file, std::string_view format, const Catalog& facts, Imported& out);

}  // namespace steelyard::catalog
