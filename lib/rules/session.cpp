#include <algorithm>

#include "core/text.hpp"
#include "rules/columns/fact_column.hpp"
#include "rules/session_state.hpp"

namespace steelyard::rules {

Session::State::State(Book the_book, Value the_facts)
    : Frame(static_cast<std::size_t>(the_book.data().slot_count()), ExprMode::book),
      book(std::move(the_book)),
      facts(std::move(the_facts)),
      results(book.data().decisions.size()),
      outcomes(book.data().decisions.size()) {}

void Session::State::start(Value the_facts, std::shared_ptr<const Value> shared) {
  forget_results();
  forget_all();
  own_texts.clear();
  own_values.clear();
  fact_heap.clear();
  facts = std::move(the_facts);
  if (common != shared) {
    from_common.clear();
    common_heap.clear();
    common = std::move(shared);
  }
  if (from_common.empty() || !facts.is_map()) return;
  const Value::Map& own = facts.as_map();
  if (std::any_of(own.begin(), own.end(), [&](const Value::Entry& group) { return common->find(group.first) != nullptr; })) return;
  for (const auto& [slot, value] : from_common) keep(slot, value);
}

void Session::State::add(std::string_view group, Value more) {
  forget_results();
  facts[group] = std::move(more);
  const auto slots = data().fact_groups.find(group);
  if (slots == data().fact_groups.end()) return;
  for (const int slot : slots->second) forget(slot);
}

void Session::State::forget_results() {
  if (!computed) return;
  computed = false;
  forget_computed();
  heap().clear();
  explained.clear();
  explained_briefly.clear();
}

void Session::State::put(int slot, const Datum& value) {
  forget_results();
  keep(slot, value);
}

Datum Session::State::compute(int slot) {
  if (slot < data().first_decision()) return keep(slot, read_fact(slot));
  computed = true;
  if (locals().empty()) return compute_result(slot);
  std::vector<Datum> outer;  // another expression's macro variables must survive
  outer.swap(locals());
  const Datum value = compute_result(slot);
  outer.swap(locals());
  return value;
}

Datum Session::State::compute_result(int slot) {
  if (data().is_decision(slot)) return run_decision(slot);
  const auto [decision, input] = data().computed_inputs[static_cast<std::size_t>(slot - data().first_input())];
  return evaluate(data().decisions[static_cast<std::size_t>(decision)].inputs[static_cast<std::size_t>(input)].expression.expr, *this);
}

Datum Session::State::run_decision(int slot) {
  Result& result = results[static_cast<std::size_t>(slot - data().first_decision())];
  apply(data().decision_at(slot), *this, result);
  return result.output;
}

const Outcome& Session::State::outcome(DecisionId decision, bool brief) {
  decided(decision);
  auto& outcome = outcomes[static_cast<std::size_t>(decision.index)];
  const auto among = [&](const std::vector<int>& written) { return std::find(written.begin(), written.end(), decision.index) != written.end(); };
  if (among(explained) || (brief && among(explained_briefly))) return *outcome;
  if (!outcome) outcome = std::make_unique<Outcome>();
  (brief ? explained_briefly : explained).push_back(decision.index);
  explain(*this, data().decisions[static_cast<std::size_t>(decision.index)], *outcome, brief);
  return *outcome;
}

Datum Session::State::read_fact(int slot) {
  const FactData& fact = data().facts[static_cast<std::size_t>(slot)];
  if (const Value* value = facts.at_path(fact.name)) return fitting(fact, *value, fact_heap);
  if (const Value* value = common ? common->at_path(fact.name) : nullptr) {
    return from_common.emplace_back(slot, fitting(fact, *value, common_heap)).second;
  }
  return fact.on_unknown ? *fact.on_unknown : data().unknowns[static_cast<std::size_t>(slot)];
}

bool fits(Type type, const Value& value) {
  switch (type) {
    case Type::number: return value.is_number();
    case Type::boolean: return value.is_bool();
    case Type::text: return value.is_string();
    case Type::list: return value.is_list();
    case Type::map: return value.is_map();
    default: return true;
  }
}

Datum fitting(const FactData& fact, const Value& value, Heap& heap) {
  const Datum datum = to_datum(value, heap, true);
  if (value.is_null() || fits(fact.type, value)) return datum;
  return heap.error(fact.name + ": expected a " + std::string(type_name(fact.type)) + ", found " + describe(datum));
}

Session::Session(Book book, Value facts) : state_(std::make_unique<State>(std::move(book), std::move(facts))) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

const Book& Session::book() const { return state_->book; }

void Session::reset(Value facts, std::shared_ptr<const Value> common) { state_->start(std::move(facts), std::move(common)); }

void Session::add(std::string_view group, Value facts) { state_->add(group, std::move(facts)); }

bool Session::set(std::string_view name, Value value) {
  const auto found = state_->data().slots.find(std::string(name));
  if (found == state_->data().slots.end()) return false;
  set(FactId{found->second}, std::move(value));
  return true;
}

void Session::set(FactId fact, double value) { state_->put(fact.slot, Datum(value)); }
void Session::set(FactId fact, bool value) { state_->put(fact.slot, Datum(value)); }

void Session::set(FactId fact, std::string_view value) {
  state_->forget_results();
  std::string& text = state_->own_texts[fact.slot];
  text.assign(value);
  state_->put(fact.slot, Datum(&text));
}

void Session::set(FactId fact, Value value) {
  state_->forget_results();
  Value& own = state_->own_values[fact.slot];
  own = std::move(value);
  if (state_->data().is_decision(fact.slot))
    state_->results[static_cast<std::size_t>(fact.slot - state_->data().first_decision())] = {Status::decided, {}, {}, {}};
  state_->put(fact.slot, to_datum(own, state_->fact_heap, true));
}

void Session::set_unknown(FactId fact) { state_->put(fact.slot, state_->data().unknowns[static_cast<std::size_t>(fact.slot)]); }

Status Session::status(DecisionId decision) {
  state_->decided(decision);
  return state_->results[static_cast<std::size_t>(decision.index)].status;
}

int Session::hit(DecisionId decision) {
  state_->decided(decision);
  const auto& yes = state_->results[static_cast<std::size_t>(decision.index)].yes;
  return yes.empty() ? -1 : yes[0];
}

const std::vector<int>& Session::hits(DecisionId decision) {
  state_->decided(decision);
  return state_->results[static_cast<std::size_t>(decision.index)].yes;
}

Value Session::output(DecisionId decision) { return to_value(state_->decided(decision)); }

namespace {

const Datum* entry_of(const Datum& output, std::string_view entry) {
  if (entry.empty()) return &output;
  return output.kind == Kind::map ? find(*output.map, entry) : nullptr;
}

}  // namespace

std::optional<double> Session::number(DecisionId decision, std::string_view entry) {
  const Datum* value = entry_of(state_->decided(decision), entry);
  return value && value->is_number() ? std::optional(value->number()) : std::nullopt;
}

std::optional<bool> Session::flag(DecisionId decision, std::string_view entry) {
  const Datum* value = entry_of(state_->decided(decision), entry);
  return value && value->kind == Kind::boolean ? std::optional(value->boolean) : std::nullopt;
}

std::optional<std::string_view> Session::text(DecisionId decision, std::string_view entry) {
  const Datum* value = entry_of(state_->decided(decision), entry);
  return value && value->kind == Kind::text ? std::optional<std::string_view>(*value->text) : std::nullopt;
}

const Outcome& Session::decide(DecisionId decision) { return state_->outcome(decision, false); }

const Outcome& Session::decide_briefly(DecisionId decision) { return state_->outcome(decision, true); }

const Outcome& Session::decide(std::string_view decision) {
  if (const auto found = book().decision(decision)) return decide(*found);
  const auto near = nearest_words(decision, book().decision_names(), 1);
  state_->no_decision = {};
  state_->no_decision.decision = std::string(decision);
  state_->no_decision.error =
      "no decision " + std::string(decision) + " in book " + book().name() + (near.empty() ? "" : "; did you mean " + near[0] + "?");
  return state_->no_decision;
}

}  // namespace steelyard::rules
