#include "catalog/import/csv.hpp"

#include <algorithm>

namespace steelyard::catalog {

CsvReader::CsvReader(std::string_view text) : text_(text) {
  if (text_.starts_with("\xEF\xBB\xBF")) position_ = 3;
}

int CsvReader::column(std::size_t index) const {
  return index < fields_.size() ? static_cast<int>(fields_[index].start - record_start_) + 1 : static_cast<int>(raw().size()) + 1;
}

bool CsvReader::next() {
  fields_.clear();
  if (unescaped_.size() > 1024) unescaped_.clear();
  while (position_ < text_.size() && (text_[position_] == '\n' || text_[position_] == '\r')) {
    line_ += text_[position_] == '\n';
    ++position_;
  }
  if (position_ >= text_.size()) return false;
  record_start_ = position_;
  record_line_ = line_;
  for (in_record_ = true; in_record_;) read_field();
  return true;
}

/// Reads one field and what ends it: a comma (the record goes on), a line end or the end of the text.
void CsvReader::read_field() {
  const std::size_t start = position_;
  std::string_view value;
  if (position_ < text_.size() && text_[position_] == '"') {
    value = quoted();
  } else {
    const char* const end = text_.data() + text_.size();
    const char* at = text_.data() + position_;
    while (at != end && *at != ',' && *at != '\n') ++at;
    position_ = static_cast<std::size_t>(at - text_.data());
    value = text_.substr(start, position_ - start);
    if (value.ends_with('\r') && (at == end || *at == '\n')) value.remove_suffix(1);
  }
  fields_.push_back({value, start});
  if (position_ < text_.size() && text_[position_] == ',') {
    ++position_;
    return;
  }
  in_record_ = false;
  if (position_ < text_.size()) {
    ++line_;
    ++position_;
  }
}

/// A quoted field; text between its end and the next comma belongs to it, as lenient readers have it.
std::string_view CsvReader::quoted() {
  std::size_t start = ++position_;
  std::string* copy = nullptr;
  for (;;) {
    const std::size_t quote = text_.find('"', position_);
    const std::size_t end = std::min(quote, text_.size());
    line_ +=
        static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(position_), text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    if (quote == std::string_view::npos) {
      unclosed_ = true;
      position_ = text_.size();
      if (copy) copy->append(text_.substr(start));
      return copy ? std::string_view(*copy) : text_.substr(start);
    }
    position_ = quote + 1;
    if (position_ < text_.size() && text_[position_] == '"') {
      if (!copy) copy = &unescaped_.emplace_back();
      copy->append(text_.substr(start, position_ - start));
      start = ++position_;
      continue;
    }
    std::string_view value = text_.substr(start, quote - start);
    if (copy) value = copy->append(value);
    while (position_ < text_.size() && text_[position_] != ',' && text_[position_] != '\n') ++position_;
    return value;
  }
}

}  // namespace steelyard::catalog
