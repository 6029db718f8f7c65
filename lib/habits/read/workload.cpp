// A workload of our own beside other files: its keys count like everybody else's.
#include "habits/readers.hpp"

namespace steelyard::habits {

namespace {

constexpr const char* sections[] = {"parallel", "batch", "work", "serving", "inputs", "needs", "software", "constraints", "lora"};

bool is_section(const std::string& key) {
  for (const char* section : sections) {
    if (key == section) return true;
  }
  return false;
}

void take(const load::Document& document, const load::Entry& entry, const std::string& field, Notes& notes) {
  if (entry.value.kind == load::Node::Kind::null) return;
  const Said said{field, {}, false, document.at(entry), false};
  if (entry.value.kind == load::Node::Kind::scalar && !entry.value.quoted && entry.value.text == "auto")
    return notes.leave_open(said, "auto: left to the engine");
  notes.take(field, load::to_value(entry.value), said, "workload");
}

}  // namespace

bool is_workload(const Sayings& said) {
  if (said.has("task")) return true;
  for (const Said& one : said.all()) {
    const std::string head = one.key.substr(0, one.key.find('.'));
    if (head == "constraints" || head == "serving" || head == "work" || head == "parallel") return true;
  }
  return false;
}

void read_workload(const load::Document& document, Notes& notes) {
  for (const load::Entry& entry : document.root.entries) {
    if (is_section(entry.key) && entry.value.kind == load::Node::Kind::map) {
      for (const load::Entry& inner : entry.value.entries) take(document, inner, entry.key + "." + inner.key, notes);
    } else if (entry.key == "model" && entry.value.kind == load::Node::Kind::scalar) {
      take(document, entry, "model.name", notes);
    } else {
      take(document, entry, entry.key, notes);
    }
  }
}

}  // namespace steelyard::habits
