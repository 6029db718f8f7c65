// Books that extend others: which books lie below, and what a layer adds, replaces and switches off by id.
#include <algorithm>
#include <filesystem>
#include <set>

#include "core/text.hpp"
#include "rules/reading.hpp"

namespace steelyard::rules {

namespace fs = std::filesystem;

using load::Document;
using load::Fields;
using load::Node;

namespace {

std::string advice(const std::string& word, const std::vector<std::string>& known, const std::string& otherwise) {
  const auto near = nearest_words(word, known, 1);
  return near.empty() ? otherwise : "did you mean " + near[0] + "?";
}

class Chain {
 public:
  explicit Chain(Issues& issues) : issues_(issues) {}

  std::vector<Layer> below(std::string name, std::vector<Document> documents) {
    std::vector<Layer> layers;
    if (const auto [document, node] = extends_of(documents); node) layers = base(*document, *node);
    layers.push_back({std::move(name), std::move(documents), false});
    return layers;
  }

 private:
  std::pair<const Document*, const Node*> extends_of(const std::vector<Document>& documents) {
    std::pair<const Document*, const Node*> first;
    for (const Document& document : documents) {
      const Node* node = document.root.find("extends");
      if (!node) continue;
      if (node->kind != Node::Kind::scalar) {
        issue(document, *node, "extends: expected the name of a book, found " + load::describe(*node), "write reference, field_guide or a folder");
      } else if (!first.second) {
        first = {&document, node};
      } else if (first.second->text != node->text) {
        issue(document, *node, "extends: a book extends one other; " + first.first->file + " extends '" + first.second->text + "'",
              "keep one of them");
      }
    }
    return first;
  }

  std::vector<Layer> base(const Document& document, const Node& node) {
    if (node.text == "reference" || node.text == "field_guide") {
      std::vector<Document> documents = schema_documents(), rules = embedded_documents(node.text);
      documents.insert(documents.end(), std::make_move_iterator(rules.begin()), std::make_move_iterator(rules.end()));
      return {{node.text, std::move(documents), true}};
    }
    std::error_code error;
    const fs::path folder = (fs::path(document.file).parent_path() / node.text).lexically_normal();
    if (!fs::is_directory(folder, error)) {
      issue(document, node, "extends: no book '" + node.text + "'",
            advice(node.text, {"reference", "field_guide"}, "write reference, field_guide, or a folder as seen from this file"));
      return {};
    }
    if (!seen_.insert(fs::weakly_canonical(folder, error)).second) {
      issue(document, node, "extends: '" + node.text + "' extends itself, by way of this file", "let the lowest book extend reference or none");
      return {};
    }
    std::vector<Layer> layers = below(folder.filename().string(), folder_documents(folder, issues_));
    if (layers.size() == 1) {
      std::vector<Document> facts = schema_documents();
      auto& lowest = layers.front().documents;
      lowest.insert(lowest.begin(), std::make_move_iterator(facts.begin()), std::make_move_iterator(facts.end()));
    }
    return layers;
  }

  void issue(const Document& document, const Node& node, const std::string& message, const std::string& fix) {
    issues_.push_back(document.issue(document.at(node), message, fix));
  }

  Issues& issues_;
  std::set<fs::path> seen_;
};

class Amendment {
 public:
  Amendment(const Document& document, BookData& book, Issues& issues)
      : document_(document), book_(book), issues_(issues), layer_(static_cast<int>(book.layers.size()) - 1) {}

  void run() {
    const Node& root = document_.root;
    if (layer_ == 0) return refuse_without_base();
    if (const Node* extends = root.find("extends")) layer().where = document_.at(*extends);
    if (const Node* off = root.find("off"); off && expect_list(*off, "off", "write [id of a rule or decision, ...]")) {
      for (const Node& node : off->items) switch_off(node);
    }
    if (const Node* replace = root.find("replace"); replace && expect_list(*replace, "replace", "write `- id: ...` items")) {
      for (const Node& node : replace->items) replace_one(node);
    }
    if (const Node* add = root.find("add"); add && expect_list(*add, "add", "write `- {to: ..., rules: [...]}` items")) {
      load::each_map(document_, *add, issues_, "add", [&](Fields& fields) { add_rules(fields); });
    }
  }

 private:
  struct Place {
    DecisionData* decision = nullptr;
    std::size_t rule = 0;
  };

  LayerData& layer() { return book_.layers.back(); }
  void issue(const SourceLocation& where, const std::string& message, const std::string& fix) {
    issues_.push_back(document_.issue(where, message, fix));
  }

  bool expect_list(const Node& node, const std::string& key, const std::string& fix) {
    if (node.kind == Node::Kind::list) return true;
    issue(document_.at(node), key + ": expected a list, found " + load::describe(node), fix);
    return false;
  }

  void refuse_without_base() {
    for (const load::Entry& entry : document_.root.entries) {
      const bool amends = entry.key == "off" || entry.key == "replace" || entry.key == "add";
      if (amends) issue(document_.at(entry), entry.key + ": this book extends no other", "add `extends: reference`, or take this out");
    }
  }

  Place find_rule(const std::string& id) {
    for (DecisionData& decision : book_.decisions) {
      if (decision.policy == HitPolicy::expression) continue;
      for (std::size_t at = 0; at < decision.rules.size(); ++at) {
        if (decision.rules[at].id == id) return {&decision, at};
      }
    }
    return {};
  }

  DecisionData* find_decision(const std::string& id) {
    const auto found = std::find_if(book_.decisions.begin(), book_.decisions.end(), [&](const DecisionData& decision) { return decision.id == id; });
    return found == book_.decisions.end() ? nullptr : &*found;
  }

  std::vector<std::string> ids(bool rules) const {
    std::vector<std::string> all;
    for (const DecisionData& decision : book_.decisions) {
      all.push_back(decision.id);
      if (!rules || decision.policy == HitPolicy::expression) continue;
      for (const RuleData& rule : decision.rules) all.push_back(rule.id);
    }
    return all;
  }

  // The rows of a changed table speak of the table as it was: the layer brings its own.
  static void changed(DecisionData& decision) { decision.tests.clear(); }

  void switch_off(const Node& node) {
    if (node.kind != Node::Kind::scalar)
      return issue(document_.at(node), "off: expected the id of a rule or decision, found " + load::describe(node), "write its id");
    const std::string& id = node.text;
    if (!off_.insert(id).second) return issue(document_.at(node), "off: '" + id + "' stands twice", "keep one of them");
    const Place place = find_rule(id);
    DecisionData* decision = place.decision ? nullptr : find_decision(id);
    if (!place.decision && !decision)
      return issue(document_.at(node), "off: no rule or decision '" + id + "' in the books below",
                   advice(id, ids(true), "name a rule or decision by its id"));
    const int from = decision ? decision->layer : place.decision->rules[place.rule].layer;
    if (from == layer_) return issue(document_.at(node), "off: '" + id + "' is of this book itself", "take it out where it stands");
    if (place.decision && place.decision->rules.size() == 1) {
      return issue(document_.at(node), "off: '" + id + "' is the last rule of " + place.decision->id,
                   "switch " + place.decision->id + " off, or replace the rule");
    }
    ++layer().off;
    layer().switched_off.emplace_back(id, document_.at(node));
    if (decision) {
      book_.decisions.erase(book_.decisions.begin() + (decision - book_.decisions.data()));
    } else {
      changed(*place.decision);
      place.decision->rules.erase(place.decision->rules.begin() + static_cast<std::ptrdiff_t>(place.rule));
    }
  }

  void replace_one(const Node& node) {
    const Node* id = node.find("id");
    if (!id || id->kind != Node::Kind::scalar)
      return issue(document_.at(node), "replace: id is missing", "write the id of the rule or decision below");
    const Place place = find_rule(id->text);
    DecisionData* decision = place.decision ? nullptr : find_decision(id->text);
    const bool own = (decision && decision->layer == layer_) || (place.decision && place.decision->rules[place.rule].layer == layer_);
    if (own) return issue(document_.at(*id), "replace: '" + id->text + "' is of this book itself", "change it where it stands");
    if (place.decision) {
      Node rules;
      rules.kind = Node::Kind::list;
      rules.items.push_back(node);
      changed(*place.decision);
      DecisionReader(document_, book_, issues_).amend(*place.decision, rules, DecisionReader::Amend::replace, place.rule);
    } else if (decision) {
      book_.decisions.erase(book_.decisions.begin() + (decision - book_.decisions.data()));
      DecisionReader(document_, book_, issues_).read(node);
      mark(book_.decisions.back());
    } else {
      return issue(document_.at(*id), "replace: no rule or decision '" + id->text + "' in the books below",
                   advice(id->text, ids(true), "add it instead"));
    }
    ++layer().replaced;
  }

  void mark(DecisionData& decision) const {
    decision.layer = layer_;
    for (RuleData& rule : decision.rules) rule.layer = layer_;
  }

  void add_rules(Fields& fields) {
    const std::string to = fields.required_text("to");
    const auto before = fields.text("before");
    const Node* rules = fields.node("rules");
    DecisionData* decision = find_decision(to);
    if (!to.empty() && !decision)
      fields.fault("to", "add: to: no table '" + to + "' in the books below", advice(to, ids(false), "write a new one under `decisions:`"));
    if (decision && decision->policy == HitPolicy::expression) {
      fields.fault("to", "add: to: '" + to + "' is an expression, it has no rules", "replace it");
      decision = nullptr;
    }
    if (decision) add_to(*decision, before, rules, fields);
    fields.node("tests");
    fields.finish();
  }

  void add_to(DecisionData& decision, const std::optional<std::string>& before, const Node* rules, Fields& fields) {
    std::size_t place = 0;
    if (before) {
      const Place found = find_rule(*before);
      if (found.decision != &decision) {
        std::vector<std::string> known;
        for (const RuleData& rule : decision.rules) known.push_back(rule.id);
        return fields.fault("before", "add: before: no rule '" + *before + "' in " + decision.id,
                            advice(*before, known, "its rules: " + join(known, ", ")));
      }
      place = found.rule;
    }
    if (rules && rules->kind != Node::Kind::list) {
      return fields.fault("rules", "add: rules: expected a list, found " + load::describe(*rules),
                          "write `- {id: ..., when: ..., then: ..., because: ...}` items");
    }
    if (!rules && !fields.has("tests")) return fields.fault("rules", "add: rules is missing", "add `rules: [...]`");
    DecisionReader reader(document_, book_, issues_);
    if (rules) {
      changed(decision);
      layer().added += static_cast<int>(rules->items.size());
      reader.amend(decision, *rules, DecisionReader::Amend::insert, place);
    }
    reader.amend_tests(decision, fields);
  }

  const Document& document_;
  BookData& book_;
  Issues& issues_;
  int layer_;
  std::set<std::string> off_;
};

}  // namespace

std::vector<Layer> chain_of_books(std::string name, std::vector<Document> documents, Issues& issues) {
  return Chain(issues).below(std::move(name), std::move(documents));
}

void apply_layer(const Document& document, BookData& book, Issues& issues) { Amendment(document, book, issues).run(); }

}  // namespace steelyard::rules
