#include <algorithm>

#include "catalog/names.hpp"
#include "core/text.hpp"

namespace steelyard {

ModelIndex::ModelIndex(const std::deque<Model>& models) {
  const auto put = [&](const std::string& name, const Model* model) {
    auto& found = table_[name_key(name)];
    if (std::find(found.begin(), found.end(), model) == found.end()) found.push_back(model);
  };
  for (const Model& model : models) {
    put(model.id, &model);
    put(model.id.substr(model.id.rfind('/') + 1), &model);
    for (const std::string& alias : model.aliases) put(alias, &model);
  }
  for (const auto& [key, found] : table_) keys_.push_back(key);
  std::sort(keys_.begin(), keys_.end());
}

NameMatch<Model> ModelIndex::find(std::string_view name) const {
  NameMatch<Model> match;
  const std::string key = name_key(name);
  if (const auto found = table_.find(key); found != table_.end()) {
    match.candidates = found->second;
    return match;
  }
  for (const std::string& near : nearest_words(key, keys_)) {
    for (const Model* model : table_.at(near)) {
      if (std::find(match.nearest.begin(), match.nearest.end(), model->id) == match.nearest.end()) match.nearest.push_back(model->id);
    }
  }
  return match;
}

}  // namespace steelyard
