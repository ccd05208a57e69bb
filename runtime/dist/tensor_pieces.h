// A tensor's message in pieces that can be sent one after the other: the values of a large tensor
// are not copied but sent from its own memory. Small ones, and those that have no raw form, are
// written as messages are.
//
//   WB_ASSIGN_OR_RETURN(TensorMessage message, WriteTensor(tensor));
//   AppendHeader(field, message.size(), &pieces.back().bytes);
//   pieces.back().bytes += message.head;  pieces.back().values = message.values;
//
// Ownership: pieces share their tensors' buffers, which nobody may write to until they are gone.
// Thread safety: pure functions. Errors: those of TensorToProto; RESOURCE_EXHAUSTED for more than a
// message can hold.
#ifndef WARPBEAM_RUNTIME_DIST_TENSOR_PIECES_H_
#define WARPBEAM_RUNTIME_DIST_TENSOR_PIECES_H_

#include <string>
#include <vector>

#include "graph/types/tensor.h"
#include "runtime/comm/rendezvous.h"

namespace warpbeam {

struct WirePiece {
  std::string bytes;
  Tensor values;  // their raw bytes follow; may be without a value
};

// From here on a tensor's memory is sent as it is: below, copying costs less.
inline constexpr size_t kSharedBytes = size_t{16} << 10;

// A TensorProto: its beginning, and the raw values that end it, if there are any.
struct TensorMessage {
  std::string head;
  Tensor values;
  size_t size() const { return head.size() + (values.has_value() ? values.bytes() : 0); }
};
StatusOr<TensorMessage> WriteTensor(const Tensor& tensor);

// The key of a field of bytes or of a message, and the length of what follows.
void AppendHeader(int field, size_t length, std::string* out);
size_t HeaderSize(int field, size_t length);

// The answer to a RecvTensor: a RecvTensorResponse. `require_ack`: whoever has it is to say so.
StatusOr<std::vector<WirePiece>> RecvTensorReply(const Rendezvous::Value& value,
                                                 bool require_ack = false);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_TENSOR_PIECES_H_
