#include "runtime/dist/tensor_pieces.h"

#include <chrono>
#include <utility>

#include "graph/io/tensor_io.h"
#include "proto/worker.pb.h"

namespace warpbeam {
namespace {

void AppendVarint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

// Nobody reads a length beyond this.
Status CheckSize(size_t size) {
  if (size <= INT32_MAX) return OkStatus();
  return ResourceExhausted("a tensor of ", size,
                           " bytes does not fit into one message of at most 2 GiB");
}

}  // namespace

StatusOr<TensorMessage> WriteTensor(const Tensor& tensor) {
  TensorMessage message;
  tensorflow::TensorProto proto;
  const bool shares =
      tensor.has_value() && IsPlainData(tensor.dtype()) && tensor.bytes() >= kSharedBytes;
  if (!shares) {
    WB_RETURN_IF_ERROR(TensorToProto(tensor, TensorForm::kContent, &proto));
    WB_RETURN_IF_ERROR(CheckSize(proto.ByteSizeLong()));
    message.head = proto.SerializeAsString();
    return message;
  }
  // The message without values, then the values as its last field.
  WB_RETURN_IF_ERROR(CheckSize(tensor.bytes()));
  WB_RETURN_IF_ERROR(TensorToProto(tensor.Rows(0, 0), TensorForm::kContent, &proto));
  ShapeToProto(tensor.shape(), proto.mutable_tensor_shape());
  message.head = proto.SerializeAsString();
  AppendHeader(tensorflow::TensorProto::kTensorContentFieldNumber, tensor.bytes(), &message.head);
  message.values = tensor;
  return message;
}

void AppendHeader(int field, size_t length, std::string* out) {
  AppendVarint(static_cast<uint64_t>(field) << 3 | 2, out);
  AppendVarint(length, out);
}

size_t HeaderSize(int field, size_t length) {
  std::string header;
  AppendHeader(field, length, &header);
  return header.size();
}

StatusOr<std::vector<WirePiece>> RecvTensorReply(const Rendezvous::Value& value, bool require_ack) {
  tensorflow::RecvTensorResponse head;
  head.set_require_ack(require_ack);
  head.set_is_dead(value.is_dead);
  head.set_send_start_micros(std::chrono::duration_cast<std::chrono::microseconds>(
                                 std::chrono::system_clock::now().time_since_epoch())
                                 .count());
  std::vector<WirePiece> pieces(1);
  pieces[0].bytes = head.SerializeAsString();
  if (value.is_dead) return pieces;
  WB_ASSIGN_OR_RETURN(TensorMessage message, WriteTensor(value.tensor));
  AppendHeader(tensorflow::RecvTensorResponse::kTensorFieldNumber, message.size(),
               &pieces[0].bytes);
  pieces[0].bytes += message.head;
  pieces[0].values = std::move(message.values);
  return pieces;
}

}  // namespace warpbeam
