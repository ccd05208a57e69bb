#include "ops/data/wire_message.h"

namespace warpbeam {
namespace {

enum WireType { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };

}  // namespace

bool MessageReader::Varint(absl::string_view* from, uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64 && !from->empty(); shift += 7) {
    const uint8_t byte = static_cast<uint8_t>(from->front());
    from->remove_prefix(1);
    *value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool MessageReader::Read(MessageField* field, bool* is_passed_over) {
  uint64_t tag = 0;
  if (!Varint(&rest_, &tag)) return false;
  field->id = tag >> 3;
  const uint64_t type = tag & 7;
  if (field->id == 0) return false;
  if (type == kVarint) return Varint(&rest_, &field->number);
  uint64_t size = type == kFixed64 ? 8 : 4;
  if (type == kLengthDelimited) {
    if (!Varint(&rest_, &size)) return false;
  } else if (type != kFixed64 && type != kFixed32) {
    return false;
  }
  if (size > rest_.size()) return false;
  *is_passed_over = type != kLengthDelimited;
  field->is_bytes = true;
  field->bytes = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return true;
}

bool MessageReader::Next(MessageField* field) {
  while (!rest_.empty() && !is_damaged_) {
    bool is_passed_over = false;
    *field = MessageField();
    is_damaged_ = !Read(field, &is_passed_over);
    if (!is_damaged_ && !is_passed_over) return true;
  }
  return false;
}

void MessageWriter::Varint(uint64_t value, std::string* to) {
  for (; value >= 0x80; value >>= 7) to->push_back(static_cast<char>(value | 0x80));
  to->push_back(static_cast<char>(value));
}

void MessageWriter::Number(int field, uint64_t value) {
  if (value == 0) return;
  Varint(static_cast<uint64_t>(field) << 3 | kVarint, &message_);
  Varint(value, &message_);
}

void MessageWriter::Bytes(int field, absl::string_view value) {
  if (value.empty()) return;
  Varint(static_cast<uint64_t>(field) << 3 | kLengthDelimited, &message_);
  Varint(value.size(), &message_);
  message_.append(value.data(), value.size());
}

}  // namespace warpbeam
