// Rule books from Python: one decision at a time, or many rows. Columns go in and out by the buffer protocol, which all versions of NumPy share and
// which copies nothing.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <steelyard/requests.hpp>
#include <steelyard/rule_rows.hpp>
#include <utility>

#include "parts.hpp"

namespace py = pybind11;
using namespace steelyard;

namespace {

RuleBook load_book(const std::string& rules, const std::string& lang) {
  return value_or_throw(RuleBook::load(rules, {}, value_or_throw(parse_language(lang))));
}

RuleBook book_from_text(const std::string& text, const std::string& file, const std::string& lang) {
  return value_or_throw(RuleBook::from_text(text, file, {}, value_or_throw(parse_language(lang))));
}

std::string decide_one(const RuleBook& book, const std::string& decision, const std::string& facts) {
  return to_json(to_value(book.decide(decision, value_or_throw(parse_value(facts, "facts")))));
}

/// What a column of a decision was written to, for numpy.asarray.
template <class T>
struct Buffer {
  std::vector<T> values;
};

template <class T>
void add_buffer(py::module_& m, const char* name) {
  py::class_<Buffer<T>>(m, name, "Memory of a column; numpy.asarray reads it where it is.", py::buffer_protocol()).def_buffer([](Buffer<T>& buffer) {
    const auto size = static_cast<py::ssize_t>(buffer.values.size());
    return py::buffer_info(buffer.values.data(), sizeof(T), py::format_descriptor<T>::format(), 1, {size}, {sizeof(T)});
  });
}

template <class T>
std::span<const T> span_of(const py::buffer_info& info, const std::string& fact) {
  const bool good = info.ndim == 1 && info.format == py::format_descriptor<T>::format() && (info.size <= 1 || info.strides[0] == sizeof(T));
  if (!good) throw py::type_error(fact + ": expected one contiguous dimension of " + py::format_descriptor<T>::format());
  return {static_cast<const T*>(info.ptr), static_cast<std::size_t>(info.size)};
}

void set_numbers(RuleRows& rows, const std::string& fact, const py::buffer& values) {
  const py::buffer_info info = values.request();
  rows.numbers(fact, span_of<double>(info, fact));
}

void set_flags(RuleRows& rows, const std::string& fact, const py::buffer& values) {
  const py::buffer_info info = values.request();
  rows.flags(fact, span_of<std::uint8_t>(info, fact));
}

void set_texts(RuleRows& rows, const std::string& fact, const std::vector<std::string>& values) { rows.texts(fact, values); }

/// A JSON list; null: unknown.
void set_values(RuleRows& rows, const std::string& fact, const std::string& json) {
  const Value values = value_or_throw(parse_value(json, fact));
  std::vector<std::optional<Value>> all;
  for (const Value& value : values.as_list()) all.push_back(value.is_null() ? std::nullopt : std::optional(value));
  rows.values(fact, all);
}

void set_constant(RuleRows& rows, const std::string& fact, const std::string& json) { rows.constant(fact, value_or_throw(parse_value(json, fact))); }

/// (ids of rules, rule, status, numbers) of each decision.
py::list decide_rows(const RuleRows& rows, const std::vector<std::string>& decisions) {
  std::vector<RuleColumn> columns;
  {
    const py::gil_scoped_release unlocked;
    columns = rows.decide(decisions);
  }
  py::list found;
  for (RuleColumn& column : columns) {
    found.append(py::make_tuple(column.rules, Buffer<std::int32_t>{std::move(column.rule)}, Buffer<std::uint8_t>{std::move(column.status)},
                                Buffer<double>{std::move(column.numbers)}));
  }
  return found;
}

std::string outcome(const RuleRows& rows, const std::string& decision, std::size_t row) { return to_json(to_value(rows.outcome(decision, row))); }

}  // namespace

void add_rule_books(py::module_& m) {
  const auto unlocked = py::call_guard<py::gil_scoped_release>();
  add_buffer<std::int32_t>(m, "Places");
  add_buffer<std::uint8_t>(m, "Statuses");
  add_buffer<double>(m, "Numbers");
  py::class_<RuleBook>(m, "RuleBook", "A book of rules; see steelyard.RuleBook.")
      .def(py::init(&load_book), unlocked, py::arg("rules"), py::arg("lang"))
      .def_static("from_text", &book_from_text, unlocked, py::arg("text"), py::arg("file"), py::arg("lang"))
      .def("name", &RuleBook::name)
      .def("decisions", &RuleBook::decisions)
      .def("facts", &RuleBook::facts)
      .def("decide", &decide_one, unlocked, py::arg("decision"), py::arg("facts"));
  py::class_<RuleRows>(m, "RuleRows", "Facts of many rows; see steelyard.RuleRows.")
      .def(py::init<const RuleBook&, std::size_t>(), py::arg("book"), py::arg("count"))
      .def("numbers", &set_numbers, py::arg("fact"), py::arg("values"))
      .def("flags", &set_flags, py::arg("fact"), py::arg("values"))
      .def("texts", &set_texts, py::arg("fact"), py::arg("values"))
      .def("values", &set_values, py::arg("fact"), py::arg("values"))
      .def("constant", &set_constant, py::arg("fact"), py::arg("value"))
      .def("decide", &decide_rows, py::arg("decisions"))
      .def("outcome", &outcome, unlocked, py::arg("decision"), py::arg("row"));
}
