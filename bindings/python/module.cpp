// The compiled half of the Python package: JSON text in, JSON text out; steelyard/__init__.py makes it pleasant.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <filesystem>
#include <steelyard/evidence.hpp>
#include <steelyard/habits.hpp>
#include <steelyard/launch.hpp>
#include <steelyard/lint.hpp>
#include <steelyard/stack.hpp>
#include <steelyard/steelyard.hpp>

#include "parts.hpp"

namespace py = pybind11;
using namespace steelyard;

namespace {

// `calibration`: a JSON list of paths and calibrations; empty for none.
Advisor make_advisor(const std::string& rules, const std::vector<std::string>& catalogs, const std::string& calibration = {},
                     Language language = Language::english) {
  Advisor advisor = value_or_throw(Advisor::with_rules(rules, {}, language));
  if (!calibration.empty()) {
    const Value given = value_or_throw(parse_value(calibration, "calibration"));
    advisor = advisor.with_calibrations(value_or_throw(calibrations_from_value(given, "calibration")));
  }
  if (catalogs.empty()) return advisor;
  std::vector<std::filesystem::path> paths(catalogs.begin(), catalogs.end());
  Imported imported = load_offers(paths, advisor.catalog());
  if (imported.offers.empty() && has_errors(imported.issues)) throw LoadError(std::move(imported.issues));
  return advisor.with_catalog(advisor.catalog().with_offers(std::move(imported.offers)));
}

Date parse_today(const std::string& text) {
  if (const auto date = parse_date(text)) return *date;
  throw LoadError(
      {Issue{Severity::error, {"today", 0, 0}, "expected a date such as 2026-11-30, found '" + text + "'", "write the date in that form", {}}});
}

std::string select_cluster(const std::string& workload, const std::string& rules, const std::vector<std::string>& catalogs,
                           const std::string& calibration, const std::string& today, std::size_t top) {
  const Advisor advisor = make_advisor(rules, catalogs, calibration);
  const Workload job = value_or_throw(parse_workload(workload, "workload", advisor.catalog()));
  return to_json(to_value(advisor.select_cluster(job, {parse_today(today), 1, std::max<std::size_t>(top, 10)}), top));
}

std::string explain(const std::string& workload, const std::string& offer, const std::string& rules, const std::vector<std::string>& catalogs,
                    const std::string& calibration, const std::string& today) {
  const Advisor advisor = make_advisor(rules, catalogs, calibration);
  const Workload job = value_or_throw(parse_workload(workload, "workload", advisor.catalog()));
  return to_json(to_value(value_or_throw(advisor.explain(job, offer, {parse_today(today), 1}))));
}

std::string compare(const std::string& workload, const std::string& one, const std::string& other, const std::string& rules,
                    const std::vector<std::string>& catalogs, const std::string& calibration, const std::string& today) {
  const Advisor advisor = make_advisor(rules, catalogs, calibration);
  const Workload job = value_or_throw(parse_workload(workload, "workload", advisor.catalog()));
  return to_json(to_value(value_or_throw(advisor.compare(job, one, other, {parse_today(today), 1}))));
}

std::string report_page(const std::string& workload, const std::string& format, const std::string& lang, const std::string& rules,
                        const std::vector<std::string>& catalogs, const std::string& calibration, const std::string& today, std::size_t top) {
  const auto language = value_or_throw(parse_language(lang));
  const Advisor advisor = make_advisor(rules, catalogs, calibration, format == "csv" ? Language::english : language);
  const Workload job = value_or_throw(parse_workload(workload, "workload", advisor.catalog()));
  const Decision decision = advisor.select_cluster(job, {parse_today(today), 1});
  if (format == "html") return report::html(decision, top, language);
  if (format == "markdown") return report::markdown(decision, top, language);
  if (format == "csv") return report::csv(decision);
  return report::text(decision, top, language);
}

std::string launch(const std::string& workload, const std::string& offer, const std::string& framework, const std::string& rules,
                   const std::vector<std::string>& catalogs, const std::string& calibration, const std::string& today) {
  const Advisor advisor = make_advisor(rules, catalogs, calibration);
  const Workload job = value_or_throw(parse_workload(workload, "workload", advisor.catalog()));
  return to_json(to_value(value_or_throw(launch_offer(advisor, job, offer, framework, parse_today(today)))));
}

std::string understand(const std::vector<std::pair<std::string, std::string>>& files) {
  std::vector<InputText> inputs;
  for (const auto& [name, text] : files) inputs.push_back({name, text});
  return to_json(to_value(value_or_throw(understand_inputs(inputs, Catalog::embedded()))));
}

std::string load_catalog(const std::vector<std::string>& paths) {
  std::vector<std::filesystem::path> files(paths.begin(), paths.end());
  const Imported imported = load_offers(files, Catalog::embedded());
  Value answer = Value::map();
  answer["offers"] = Value::list();
  for (const Offer& offer : imported.offers) answer["offers"].push_back(to_value(offer));
  answer["issues"] = (*to_value(imported.issues).find("issues"));
  return to_json(answer);
}

std::string lint(const std::vector<std::pair<std::string, std::string>>& files, const std::string& today) {
  const Date day = parse_today(today);
  Value findings = Value::list();
  for (const auto& [name, text] : files) {
    for (const Finding& finding : lint_text(text, name, day, Catalog::embedded())) findings.push_back(to_value(finding));
  }
  return to_json(findings);
}

std::string verify(const std::string& promise, const std::vector<std::pair<std::string, std::string>>& files) {
  const Configuration promised = value_or_throw(parse_configuration(promise, "promise", Catalog::embedded()));
  std::vector<EvidenceFile> evidence;
  for (const auto& [name, text] : files) evidence.push_back({name, text});
  return to_json(to_value(Evidence::embedded().verify(promised, evidence)));
}

std::string acceptance(const std::string& configuration) {
  return to_json(Evidence::embedded().acceptance(value_or_throw(parse_configuration(configuration, "configuration", Catalog::embedded()))));
}

std::string estimate(const std::string& workload, const std::string& configuration, const std::string& rules, const std::string& calibration) {
  const Advisor advisor = make_advisor(rules, {}, calibration);
  const Workload job = value_or_throw(parse_workload(workload, "workload", advisor.catalog()));
  const Configuration box = value_or_throw(parse_configuration(configuration, "configuration", advisor.catalog()));
  return to_json(to_value(advisor.estimate(job, box)));
}

std::string check_stack_text(const std::string& stack, const std::string& rules) {
  const Advisor advisor = make_advisor(rules, {});
  const StackRequest request = value_or_throw(parse_stack(stack, "stack"));
  return to_json(to_value(check_stack(request, advisor.catalog(), advisor.book())));
}

std::string read_tool_output_text(const std::string& text) { return to_json(to_value(Evidence::embedded().read(text))); }

std::string calibrate_here(const std::string& backend, double budget_s, const std::string& today) {
  CalibrateOptions options;
  options.backend = backend;
  options.budget_s = budget_s;
  options.date = to_string(parse_today(today));
  options.cancelled = [] {
    const py::gil_scoped_acquire lock;
    return PyErr_CheckSignals() != 0;
  };
  const CalibrationRun run = calibrate(options);
  if (run.cancelled) {
    const py::gil_scoped_acquire lock;
    throw py::error_already_set();
  }
  return to_json(to_value(run.calibration));
}

// A LoadError of Python with its `issues`, as the answers of the other verbs hold them.
void raise(const py::object& type, const LoadError& error) {
  const py::object issues = py::module_::import("json").attr("loads")(to_json(*to_value(error.issues()).find("issues")));
  const py::object raised = type(error.what());
  raised.attr("issues") = issues;
  PyErr_SetObject(type.ptr(), raised.ptr());
}

std::string diagnose(const std::string& text) { return to_json(to_value(Evidence::embedded().diagnose(text))); }

}  // namespace

PYBIND11_MODULE(_core, m) {
  m.doc() = "Compiled core of steelyard: JSON text in, JSON text out.";
  static const auto* const load_error = new py::exception<LoadError>(m, "LoadError", PyExc_ValueError);  // as long-lived as the interpreter
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const LoadError& error) {
      raise(*load_error, error);
    }
  });
  const auto unlocked = py::call_guard<py::gil_scoped_release>();
  m.def("select_cluster", &select_cluster, unlocked, py::arg("workload"), py::arg("rules"), py::arg("catalogs"), py::arg("calibration"),
        py::arg("today"), py::arg("top"));
  m.def("explain", &explain, unlocked, py::arg("workload"), py::arg("offer"), py::arg("rules"), py::arg("catalogs"), py::arg("calibration"),
        py::arg("today"));
  m.def("compare", &compare, unlocked, py::arg("workload"), py::arg("one"), py::arg("other"), py::arg("rules"), py::arg("catalogs"),
        py::arg("calibration"), py::arg("today"));
  m.def("report", &report_page, unlocked, py::arg("workload"), py::arg("format"), py::arg("lang"), py::arg("rules"), py::arg("catalogs"),
        py::arg("calibration"), py::arg("today"), py::arg("top"));
  m.def("launch", &launch, unlocked, py::arg("workload"), py::arg("offer"), py::arg("framework"), py::arg("rules"), py::arg("catalogs"),
        py::arg("calibration"), py::arg("today"));
  m.def("understand", &understand, unlocked, py::arg("files"));
  m.def("load_catalog", &load_catalog, unlocked, py::arg("paths"));
  m.def("lint", &lint, unlocked, py::arg("files"), py::arg("today"));
  m.def("verify", &verify, unlocked, py::arg("promise"), py::arg("files"));
  m.def("acceptance", &acceptance, unlocked, py::arg("configuration"));
  m.def("check_stack", &check_stack_text, unlocked, py::arg("stack"), py::arg("rules"));
  m.def("read_tool_output", &read_tool_output_text, unlocked, py::arg("text"));
  m.def("diagnose", &diagnose, unlocked, py::arg("text"));
  m.def("estimate", &estimate, unlocked, py::arg("workload"), py::arg("configuration"), py::arg("rules"), py::arg("calibration"));
  m.def("calibrate", &calibrate_here, unlocked, py::arg("backend"), py::arg("budget_s"), py::arg("today"));
  add_rule_books(m);
}
