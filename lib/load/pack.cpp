// The byte form of a tree, shared by the generator and the library.
#include "load/embedded.hpp"

namespace steelyard::load {

namespace {

void put_number(std::string& bytes, std::size_t value) {
  for (; value >= 128; value /= 128) bytes += static_cast<char>(128 + value % 128);
  bytes += static_cast<char>(value);
}

void put_text(std::string& bytes, const std::string& text) {
  put_number(bytes, text.size());
  bytes += text;
}

void put_node(std::string& bytes, const Node& node) {
  bytes += static_cast<char>(static_cast<int>(node.kind) + (node.quoted ? 16 : 0));
  put_number(bytes, static_cast<std::size_t>(node.line));
  put_number(bytes, static_cast<std::size_t>(node.column));
  if (node.kind == Node::Kind::scalar) put_text(bytes, node.text);
  if (node.kind == Node::Kind::list) {
    put_number(bytes, node.items.size());
    for (const Node& item : node.items) put_node(bytes, item);
  }
  if (node.kind == Node::Kind::map) {
    put_number(bytes, node.entries.size());
    for (const Entry& entry : node.entries) {
      put_text(bytes, entry.key);
      put_number(bytes, static_cast<std::size_t>(entry.line));
      put_number(bytes, static_cast<std::size_t>(entry.column));
      put_node(bytes, entry.value);
    }
  }
}

// Reads what `pack` wrote; the bytes come from our own generator, so they are not checked again.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

  Node node() {
    const int head = static_cast<unsigned char>(bytes_[at_++]);
    Node node;
    node.kind = static_cast<Node::Kind>(head & 15);
    node.quoted = (head & 16) != 0;
    node.line = static_cast<int>(number());
    node.column = static_cast<int>(number());
    if (node.kind == Node::Kind::scalar) node.text = text();
    if (node.kind == Node::Kind::list) {
      node.items.resize(number());
      for (Node& item : node.items) item = this->node();
    }
    if (node.kind == Node::Kind::map) {
      node.entries.resize(number());
      for (Entry& entry : node.entries) read(entry);
    }
    return node;
  }

 private:
  void read(Entry& entry) {
    entry.key = text();
    entry.line = static_cast<int>(number());
    entry.column = static_cast<int>(number());
    entry.value = node();
  }
  std::size_t number() {
    std::size_t value = 0;
    for (std::size_t shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= static_cast<std::size_t>(byte & 127) << shift;
      if (byte < 128) return value;
    }
  }
  std::string text() {
    const std::size_t size = number();
    at_ += size;
    return std::string(bytes_.substr(at_ - size, size));
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace

std::string pack(const Node& node) {
  std::string bytes;
  put_node(bytes, node);
  return bytes;
}

Node unpack(std::string_view bytes) { return Unpacker(bytes).node(); }

}  // namespace steelyard::load
