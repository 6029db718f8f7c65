// Comma-separated values after RFC 4180, read record by record over a text that stays in place.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::catalog {

/// Fields are views into the text; only a field with doubled quotes is copied. Line ends may be LF or CRLF; a byte order mark is skipped.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text);

  /// Reads the next record; false at the end. Empty lines are no records.
  bool next();

  std::size_t size() const { return fields_.size(); }
  /// A field of the record, without its quotes; empty beyond the last one.
  std::string_view operator[](std::size_t index) const { return index < fields_.size() ? fields_[index].text : std::string_view(); }
  /// Place of the record and of a field in it: 1-based line and byte column. A field on a later line of its record counts from the record.
  int line() const { return record_line_; }
  int column(std::size_t index) const;
  /// The record as it stands in the text.
  std::string_view raw() const { return text_.substr(record_start_, position_ - record_start_); }
  /// A quote was opened and never closed: the rest of the text is one field.
  bool unclosed() const { return unclosed_; }

 private:
  struct Field {
    std::string_view text;
    std::size_t start;
  };

  void read_field();
  std::string_view quoted();

  std::string_view text_;
  std::size_t position_ = 0, record_start_ = 0;
  int line_ = 1, record_line_ = 1;
  bool unclosed_ = false, in_record_ = false;
  std::vector<Field> fields_;
  std::deque<std::string> unescaped_;
};

}  // namespace steelyard::catalog
