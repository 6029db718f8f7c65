#include "estimate/efficiencies.hpp"

#include "load/embedded.hpp"

namespace steelyard::estimate {

double FittedFamily::parameter(std::string_view name, double otherwise) const {
  const auto found = parameters.find(name);
  return found == parameters.end() ? otherwise : found->second;
}

double FittedFamily::width(std::string_view kind) const {
  const auto found = interval_widths.find(kind);
  return found == interval_widths.end() ? interval_width : found->second;
}

namespace {

std::vector<FittedLevel> read_levels(const load::Document& document, const load::Node& list, Issues& issues) {
  std::vector<FittedLevel> out;
  load::each_map(document, list, issues, "level", [&](load::Fields& fields) {
    FittedLevel level;
    level.name = fields.required_text("name");
    level.sigma = fields.required_number("sigma", 1e-9, 10);
    level.offset = fields.required_number("offset", -10, 10);
    out.push_back(level);
  });
  return out;
}

std::vector<LevelCell> read_cells(const load::Document& document, const load::Node& list, std::size_t levels, Issues& issues) {
  std::vector<LevelCell> out;
  load::each_map(document, list, issues, "cell", [&](load::Fields& fields) {
    LevelCell cell;
    cell.precision = fields.required_number("precision", 0);
    for (const std::string& text : fields.texts("levels")) {
      const int index = std::atoi(text.c_str());
      if (index < 0 || index >= static_cast<int>(levels)) return fields.fault("levels", "'" + text + "' is no index of the levels above");
      cell.levels.push_back(index);
    }
    out.push_back(std::move(cell));
  });
  return out;
}

}  // namespace

FittedFamily embedded_family(const std::string& name) {
  const std::string file = "data/efficiency/" + name + ".yaml";
  Issues issues;  // the shipped files are checked by a test
  for (const std::string_view known : load::embedded_names(file))
    if (known == file) return read_fitted(load::embedded_document(known), issues);
  return {};
}

FittedFamily read_fitted(const load::Document& document, Issues& issues) {
  FittedFamily out;
  load::Fields fields(document, document.root, issues, "efficiency file");
  for (const char* about : {"rows", "errors"}) fields.node(about);
  out.noise = fields.number("noise", 0, 1).value_or(out.noise);
  out.interval_width = fields.number("interval_width", 0, 10).value_or(out.interval_width);
  if (const load::Node* widths = fields.node("interval_widths")) {
    load::Fields kinds(document, *widths, issues, "interval_widths");
    for (const load::Entry& entry : widths->entries) out.interval_widths[entry.key] = kinds.required_number(entry.key, 0, 10);
  }
  if (const load::Node* list = fields.node("parameters"))
    load::each_map(document, *list, issues, "parameter", [&](load::Fields& entry) {
      out.parameters[entry.required_text("name")] = entry.required_number("value", 0);
      for (const char* about : {"spread", "prior", "prior_spread"}) entry.number(about);
    });
  if (const load::Node* sigmas = fields.node("sigmas")) {
    load::Fields kinds(document, *sigmas, issues, "sigmas");
    for (const load::Entry& entry : sigmas->entries) out.sigmas[entry.key] = kinds.required_number(entry.key, 0, 10);
  }
  const load::Node* levels = fields.node("levels");
  const load::Node* cells = fields.node("cells");
  if (!levels || !cells) return out;
  std::vector<FittedLevel> table = read_levels(document, *levels, issues);
  std::vector<LevelCell> list = read_cells(document, *cells, table.size(), issues);
  out.offsets = Offsets(std::move(table), std::move(list));
  return out;
}

namespace {

TrainEfficiencies embedded_train() {
  TrainEfficiencies out;
  out.fitted = embedded_family("train");
  out.parameters = ParameterSet(out.fitted.parameters);
  Issues issues;
  for (const std::string_view name : load::embedded_names("data/efficiency/frameworks.yaml"))
    out.software = read_software(load::embedded_document(name), issues);
  return out;
}

}  // namespace

const Efficiencies& Efficiencies::embedded() {
  static const Efficiencies shipped{embedded_train()};
  return shipped;
}

}  // namespace steelyard::estimate
