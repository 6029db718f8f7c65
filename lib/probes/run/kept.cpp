#include "probes/run/kept.hpp"

#include <cstdint>
#include <cstdio>

#include "probes/run/atomic_file.hpp"

namespace steelyard::probes {

namespace fs = std::filesystem;

namespace {

// FNV-1a: the same name on every run and every system, which std::hash does not promise.
std::string digest(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const char one : text) hash = (hash ^ static_cast<unsigned char>(one)) * 1099511628211ull;
  char out[17] = "";
  std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(hash));
  return out;
}

// As the XDG base directory specification says: a relative path in XDG_STATE_HOME does not count.
fs::path state_folder(const Environment& environment) {
  if (const auto stated = environment("XDG_STATE_HOME"); stated && fs::path(*stated).is_absolute()) return fs::path(*stated) / "steelyard";
  if (const auto home = environment("HOME"); home && fs::path(*home).is_absolute()) return fs::path(*home) / ".local/state/steelyard";
  return {};
}

}  // namespace

fs::path kept_file(const fs::path& out, std::string_view backend, const Environment& environment) {
  const fs::path folder = state_folder(environment);
  std::error_code fault;
  const fs::path place = fs::weakly_canonical(fs::absolute(out, fault), fault);
  if (folder.empty() || fault) return {};
  return folder / ("calibrate-" + digest(place.string() + "\n" + std::string(backend)) + ".yaml");
}

std::optional<std::string> keep(const Calibration& finished, const fs::path& file) {
  std::error_code fault;
  fs::create_directories(file.parent_path(), fault);
  if (fault) return file.parent_path().string() + ": " + fault.message();
  return write_whole(file, to_yaml(finished));
}

std::optional<Calibration> kept(const fs::path& file, const Calibration& now) {
  std::error_code fault;
  if (file.empty() || !fs::exists(file, fault)) return std::nullopt;
  Loaded<Calibration> earlier = load_calibration(file);
  const bool same = earlier.value && earlier.value->date == now.date && earlier.value->machine.cpu == now.machine.cpu &&
                    earlier.value->machine.cpu_threads == now.machine.cpu_threads;
  if (!same) return std::nullopt;
  return std::move(earlier.value);
}

}  // namespace steelyard::probes
