// The fields of a protocol buffer message, for messages that the program has no definition of.
//
//   MessageReader reader(bytes);
//   MessageField field;
//   while (reader.Next(&field)) …
//   if (reader.is_damaged()) return DataLoss("…");
//
//   MessageWriter writer;
//   writer.Bytes(2, name);         // what is empty or zero is left out
//
// Ownership: fields are views of the message. Thread safety: one thread at a time.
#ifndef WARPBEAM_OPS_DATA_WIRE_MESSAGE_H_
#define WARPBEAM_OPS_DATA_WIRE_MESSAGE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace warpbeam {

struct MessageField {
  uint64_t id = 0;
  bool is_bytes = false;
  uint64_t number = 0;      // of a varint
  absl::string_view bytes;  // of a string, a message or a packed list
};

class MessageReader {
 public:
  explicit MessageReader(absl::string_view message) : rest_(message) {}
  // False at the end. Numbers of fixed width are passed over.
  bool Next(MessageField* field);
  bool is_damaged() const { return is_damaged_; }

  // Takes a varint from the front.
  static bool Varint(absl::string_view* from, uint64_t* value);

 private:
  bool Read(MessageField* field, bool* is_passed_over);

  absl::string_view rest_;
  bool is_damaged_ = false;
};

class MessageWriter {
 public:
  void Number(int field, uint64_t value);
  void Bytes(int field, absl::string_view value);
  const std::string& message() const { return message_; }

  static void Varint(uint64_t value, std::string* to);

 private:
  std::string message_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_WIRE_MESSAGE_H_
