// Resolves the names of an expression and checks kinds and units before anything runs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rules/language/expr.hpp"

namespace steelyard::rules {

/// What is known of a fact, a decision or a local input under its number.
struct Meaning {
  int slot = -1;
  Type type = Type::any;
  Unit unit;
  bool fact = false;                                // keys that a map fact lacks are unknown; keys that a decision lacks are faults
  const std::vector<std::string>* keys = nullptr;   // of a map, where known
  const std::vector<std::string>* words = nullptr;  // the texts that a text can be, where known
};

/// Names that an expression may use.
class Scope {
 public:
  virtual ~Scope() = default;
  virtual std::optional<Meaning> find(const std::string& name) const = 0;
  virtual const Meaning* meaning(int slot) const = 0;
  /// A number for messages about a part of a fact ("offer.tags.iso").
  virtual int name_number(const std::string& name) const = 0;
  virtual std::vector<std::string> known_names() const = 0;
  /// A function of the program, or null.
  virtual std::shared_ptr<const Model> model(const std::string&) const { return nullptr; }
  virtual std::vector<std::string> model_names() const { return {}; }
};

/// Replaces names by slots and functions by their numbers. Unknown names: faults in a book; in strict mode they fail when reached.
void resolve(Expr& expr, const Scope& scope, ExprMode mode, Faults& faults);
/// Kinds and units, bottom up; folds what is constant. Only for books, after `resolve`. Texts of folded values live in `heap`.
void check(Expr& expr, const Scope& scope, Heap& heap, Faults& faults);
/// Calls `visit` with every slot that the expression reads.
void each_slot(const Expr& expr, const std::function<void(int)>& visit);
/// The same with every function of the program that it calls.
void each_model(const Expr& expr, const std::function<void(const Model&)>& visit);
/// A bare number takes a unit; a number in another unit of the same dimension is converted to it. A fault where dimensions differ.
void convert(Expr& expr, const Unit& wanted, Faults& faults, const std::string& what);

}  // namespace steelyard::rules
