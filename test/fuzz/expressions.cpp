#include "expressions.hpp"

#include <optional>

#include "rules/language/expression.hpp"
#include "rules/language/parser.hpp"

namespace steelyard::fuzz {

namespace {

using namespace rules;

/// Names x (a number), s (a text), b (a flag) and l (a list), as facts of a rule would be.
class Names : public Scope {
 public:
  std::optional<Meaning> find(const std::string& name) const override {
    for (int at = 0; at < count; ++at) {
      if (name.size() == 1 && name[0] == letters[at]) return meanings_[at];
    }
    return std::nullopt;
  }
  const Meaning* meaning(int slot) const override { return slot >= 0 && slot < count ? &meanings_[slot] : nullptr; }
  int name_number(const std::string&) const override { return 0; }
  std::vector<std::string> known_names() const override { return {"x", "s", "b", "l"}; }

  static constexpr int count = 4;

 private:
  static constexpr char letters[] = "xsbl";
  Meaning meanings_[count] = {{.slot = 0}, {.slot = 1}, {.slot = 2}, {.slot = 3}};
};

class Values : public Frame {
 public:
  explicit Values(ExprMode mode) : Frame(Names::count, mode) {}

 protected:
  Datum compute(int slot) override {
    switch (slot) {
      case 0: return Datum(std::int64_t{9223372036854775807});
      case 1: return heap().text("text, with 12.5 and \xc3\xa9");
      case 2: return Datum(true);
      default: return heap().list({Datum(std::int64_t{-1}), Datum(0.5), heap().text("x")});
    }
  }
};

void run(std::string_view source, ExprMode mode) {
  Heap heap;
  auto parsed = parse_expression(source, mode, heap);
  if (!std::holds_alternative<Expr>(parsed)) return;
  Expr& expr = std::get<Expr>(parsed);
  const Names names;
  Faults faults;
  resolve(expr, names, mode, faults);
  if (faults.empty()) check(expr, names, heap, faults);
  if (!faults.empty()) return;
  Values values(mode);
  (void)spoken(evaluate(expr, values), 3);
}

}  // namespace

void expression(std::string_view bytes) {
  for (const ExprMode mode : {ExprMode::strict, ExprMode::book}) run(bytes, mode);
  Heap heap;
  Faults faults;
  (void)parse_sentence(std::string(bytes), {}, heap, faults);
}

}  // namespace steelyard::fuzz
