#include "decide/3_stack/library.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "load/embedded.hpp"
#include "load/fields.hpp"

namespace steelyard::stack {

namespace {

using load::Fields;

Known known(Fields& fields, const std::string& key) {
  const std::string text = fields.text(key).value_or("");
  if (text.empty()) return {};
  if (const auto version = parse_version(text)) return {text, version->number()};
  fields.fault(key, key + ": expected a version, found '" + text + "'", "write digits and points such as \"12.4\"");
  return {};
}

std::vector<int> integers(Fields& fields, const std::string& key) {
  std::vector<int> numbers;
  for (const std::string& text : fields.texts(key)) {
    if (const auto number = parse_integer(text)) {
      numbers.push_back(static_cast<int>(*number));
    } else {
      fields.fault(key, key + ": expected whole numbers, found '" + text + "'", "write [50, 60]");
    }
  }
  return numbers;
}

std::vector<std::string> keys(const std::vector<std::string>& names) {
  std::vector<std::string> result;
  for (const std::string& name : names) result.push_back(name_key(name));
  return result;
}

CudaRelease read_release(Fields& fields) {
  CudaRelease release{known(fields, "cuda"), known(fields, "linux"), known(fields, "windows"), fields.integer("branch").value_or(0), {}};
  release.compat_branches = integers(fields, "compat_branches");
  return release;
}

Wheel read_wheel(Fields& fields) {
  Wheel wheel;
  wheel.variant = fields.required_text("variant");
  wheel.cuda = known(fields, "cuda");
  wheel.driver = known(fields, "driver");
  wheel.glibc = known(fields, "glibc");
  wheel.sm = integers(fields, "sm");
  wheel.ptx = fields.integer("ptx");
  wheel.nccl = fields.text("nccl").value_or("");
  wheel.cudnn = fields.text("cudnn").value_or("");
  wheel.is_default = fields.flag("default").value_or(false);
  wheel.unlisted = fields.flag("unlisted").value_or(false);
  return wheel;
}

Needs read_needs(Fields& fields) {
  Needs needs{known(fields, "from"), known(fields, "to"), known(fields, "cuda"), known(fields, "driver"), known(fields, "glibc"), {}, {}, {}, {}};
  needs.cuda_majors = integers(fields, "cuda_majors");
  needs.min_sm = fields.integer("min_sm");
  needs.max_sm = fields.integer("max_sm");
  needs.cudnn = fields.integer("cudnn");
  return needs;
}

OtherBoard read_board(Fields& fields) {
  return {keys(fields.texts("names")), fields.integer("sm"), fields.text("class").value_or(""), fields.text("module").value_or("")};
}

KnownBad read_known_bad(Fields& fields) {
  KnownBad bad;
  bad.id = fields.required_text("id");
  bad.code = fields.required_text("code");
  bad.what = fields.required_text("what");
  bad.workaround = fields.text("workaround").value_or("");
  bad.module = fields.text("module").value_or("");
  bad.from = known(fields, "from");
  bad.below = known(fields, "below");
  bad.good = known(fields, "good");
  bad.chips = keys(fields.texts("chips"));
  bad.gpus_min = fields.integer("gpus_min").value_or(1);
  fields.text("source");
  return bad;
}

// Reads one file of data/stacks: `each("releases", function)` calls the function for every map of that list.
class File {
 public:
  File(const std::string& name, Issues& issues) : document_(load::embedded_document("data/stacks/" + name)), issues_(issues) {}

  void each(const std::string& key, const std::function<void(Fields&)>& read) {
    const load::Node* list = document_.root.find(key);
    if (!list) return issues_.push_back(document_.issue(document_.at(document_.root), key + " is missing", "add the list"));
    load::each_map(document_, *list, issues_, key, [&](Fields& fields) { read_whole(fields, read); });
  }
  void each_in(Fields& outer, const std::string& key, const std::function<void(Fields&)>& read) {
    if (const load::Node* list = outer.node(key)) load::each_map(document_, *list, issues_, key, [&](Fields& fields) { read_whole(fields, read); });
  }

 private:
  static void read_whole(Fields& fields, const std::function<void(Fields&)>& read) {
    read(fields);
    fields.finish();
  }

  load::Document document_;
  Issues& issues_;
};

void read_cuda(Library& library, Issues& issues) {
  File file("cuda.yaml", issues);
  file.each("releases", [&](Fields& fields) { library.releases.push_back(read_release(fields)); });
  file.each("families", [&](Fields& fields) {
    library.families.push_back({fields.integer("major").value_or(0), known(fields, "linux"), known(fields, "windows")});
  });
  file.each("architectures", [&](Fields& fields) {
    library.architectures.push_back({fields.integer("sm").value_or(0), known(fields, "first"), known(fields, "last")});
  });
}

void read_torch(Library& library, Issues& issues) {
  File file("pytorch.yaml", issues);
  file.each("releases", [&](Fields& fields) {
    TorchRelease release{known(fields, "version"), fields.text("date").value_or(""), fields.text("python").value_or(""), fields.texts("rocm"), {}};
    file.each_in(fields, "wheels", [&](Fields& wheel) { release.wheels.push_back(read_wheel(wheel)); });
    library.torch.push_back(std::move(release));
  });
}

void read_frameworks(Library& library, Issues& issues) {
  File file("frameworks.yaml", issues);
  file.each("frameworks", [&](Fields& fields) {
    Framework framework{fields.required_text("name"), keys(fields.texts("aliases")), fields.text("on").value_or(""), {}};
    fields.text("source");
    file.each_in(fields, "releases", [&](Fields& needs) { framework.releases.push_back(read_needs(needs)); });
    library.frameworks.push_back(std::move(framework));
  });
  file.each("features", [&](Fields& fields) {
    library.features.push_back({fields.required_text("name"), fields.integer("min_sm").value_or(0), fields.texts("words")});
    fields.text("source");
  });
}

void read_images(Library& library, Issues& issues) {
  File file("images.yaml", issues);
  file.each("images", [&](Fields& fields) {
    Image image{fields.required_text("image"), fields.required_text("tag"),         known(fields, "cuda"),           known(fields, "torch"),
                known(fields, "driver"),       integers(fields, "compat_branches"), fields.text("nccl").value_or("")};
    fields.text("ubuntu"), fields.text("python");
    library.images.push_back(std::move(image));
  });
}

void read_hosts(Library& library, Issues& issues) {
  File systems("systems.yaml", issues);
  systems.each("systems", [&](Fields& fields) {
    std::vector<std::string> names = fields.texts("aliases");
    names.push_back(fields.required_text("name"));
    library.systems.push_back({keys(names), fields.text("version").value_or(""), known(fields, "glibc")});
  });
  File drivers("drivers.yaml", issues);
  drivers.each("known_bad", [&](Fields& fields) { library.known_bad.push_back(read_known_bad(fields)); });
}

void read_boards(Library& library, Issues& issues) {
  File file("other_boards.yaml", issues);
  file.each("boards", [&](Fields& fields) { library.boards.push_back(read_board(fields)); });
  file.each("families", [&](Fields& fields) { library.chip_families.push_back(read_board(fields)); });
  file.each("branches", [&](Fields& fields) {
    library.last_branches.emplace_back(fields.integer("sm_below").value_or(0), fields.integer("last_branch").value_or(0));
  });
  File vendors("other_vendors.yaml", issues);
  vendors.each("stacks", [&](Fields& fields) {
    library.vendors.push_back({fields.required_text("vendor"), fields.required_text("about")});
    fields.text("note");
  });
  vendors.each("rocm", [&](Fields& fields) {
    library.rocm.push_back({fields.required_text("gfx"), known(fields, "first"), known(fields, "vllm")});
    fields.text("note");
  });
}

}  // namespace

Loaded<Library> load_library() {
  Library library;
  Issues issues;
  read_cuda(library, issues);
  read_torch(library, issues);
  read_frameworks(library, issues);
  read_images(library, issues);
  read_hosts(library, issues);
  read_boards(library, issues);
  if (has_errors(issues)) return {std::nullopt, issues};
  return {std::move(library), issues};
}

const Library& Library::embedded() {
  static const Library library = value_or_throw(load_library());
  return library;
}

const CudaFamily* Library::family(int major) const {
  const auto found = std::find_if(families.begin(), families.end(), [&](const CudaFamily& one) { return one.major == major; });
  return found == families.end() ? nullptr : &*found;
}

const Architecture* Library::architecture(int sm) const {
  const auto found = std::find_if(architectures.begin(), architectures.end(), [&](const Architecture& one) { return one.sm == sm; });
  return found == architectures.end() ? nullptr : &*found;
}

const TorchRelease* Library::torch_release(const Version& version) const {
  if (version.parts.size() < 2) return nullptr;
  const auto found = std::find_if(torch.begin(), torch.end(), [&](const TorchRelease& one) { return one.version.number == version.minor_number(); });
  return found == torch.end() ? nullptr : &*found;
}

const Framework* Library::framework(std::string_view name) const {
  const std::string key = name_key(name);
  const auto found = std::find_if(frameworks.begin(), frameworks.end(), [&](const Framework& one) {
    return name_key(one.name) == key || std::find(one.aliases.begin(), one.aliases.end(), key) != one.aliases.end();
  });
  return found == frameworks.end() ? nullptr : &*found;
}

const VendorStack* Library::vendor(std::string_view name) const {
  const auto found = std::find_if(vendors.begin(), vendors.end(), [&](const VendorStack& one) { return one.vendor == name; });
  return found == vendors.end() ? nullptr : &*found;
}

const CudaRelease* Library::release(const Version& cuda, bool newest) const {
  const CudaRelease* chosen = nullptr;
  for (const CudaRelease& one : releases) {
    if (one.cuda.number == cuda.number() && cuda.parts.size() > 2) return &one;
    const bool same_minor = one.cuda.number >= cuda.minor_number() && one.cuda.number < cuda.minor_number() + 0.001;
    if (same_minor && !(newest && chosen)) chosen = &one;  // newest first in the list: the last one met is the first update
  }
  return chosen;
}

const CudaRelease* Library::newest_covered(double driver, bool windows) const {
  for (const CudaRelease& one : releases) {
    const Known& own = windows ? one.windows : one.linux;
    if (own && own.number <= driver) return &one;
  }
  return nullptr;
}

}  // namespace steelyard::stack
