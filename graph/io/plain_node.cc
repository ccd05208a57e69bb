#include "graph/io/plain_node.h"

#include <algorithm>

namespace warpbeam {
namespace {

constexpr size_t kMostAttrBytes = 512;
constexpr size_t kMostKnown = 4096;

// Takes a number off the front; false where the bytes end first.
bool TakeVarint(absl::string_view* bytes, uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (bytes->empty()) return false;
    const auto byte = static_cast<unsigned char>(bytes->front());
    bytes->remove_prefix(1);
    *value |= static_cast<uint64_t>(byte & 127) << shift;
    if (byte < 128) return true;
  }
  return false;
}

bool IsAscii(absl::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

}  // namespace

bool PlainNode::Read(absl::string_view message) {
  name_ = op_ = device_ = absl::string_view();
  inputs_.clear();
  attrs_.clear();
  if (!ReadFields(message)) return false;
  key_.assign(op_.data(), op_.size());
  key_.push_back('\0');
  key_.append(attrs_);
  return true;
}

bool PlainNode::ReadFields(absl::string_view message) {
  enum : uint64_t { kName = 1, kOp = 2, kInput = 3, kDevice = 4, kAttr = 5 };
  constexpr uint64_t kBytesType = 2;
  while (!message.empty()) {
    uint64_t tag = 0, length = 0;
    if (!TakeVarint(&message, &tag) || (tag & 7) != kBytesType) return false;
    if (!TakeVarint(&message, &length) || length > message.size()) return false;
    const absl::string_view value = message.substr(0, length);
    message.remove_prefix(length);
    const uint64_t field = tag >> 3;
    if (field == kAttr) {
      if (attrs_.size() + length > kMostAttrBytes) return false;
      // The length, in two bytes, keeps two attributes from reading like one.
      attrs_.push_back(static_cast<char>(length & 255));
      attrs_.push_back(static_cast<char>(length >> 8));
      attrs_.append(value.data(), value.size());
      continue;
    }
    if (!IsAscii(value)) return false;
    if (field == kInput) {
      inputs_.push_back(value);
    } else if (field == kName || field == kOp || field == kDevice) {
      (field == kName ? name_ : field == kOp ? op_ : device_) = value;
    } else {
      return false;
    }
  }
  return true;
}

NodeSpec PlainNode::ToSpec(const AttrMap& attrs) const {
  NodeSpec spec;
  spec.name.assign(name_.data(), name_.size());
  spec.op.assign(op_.data(), op_.size());
  spec.device.assign(device_.data(), device_.size());
  spec.inputs.reserve(inputs_.size());
  for (absl::string_view input : inputs_) spec.inputs.emplace_back(input);
  spec.attrs = attrs;
  return spec;
}

const AttrMap* KnownAttrs::Find(const PlainNode& node) const {
  const auto found = attrs_.find(node.key());
  return found == attrs_.end() ? nullptr : &found->second;
}

void KnownAttrs::Keep(const PlainNode& node, const NodeSpec& spec) {
  if (!spec.unknown_fields.empty()) return;
  if (attrs_.size() >= kMostKnown) attrs_.clear();
  attrs_.emplace(node.key(), spec.attrs);
}

}  // namespace warpbeam
