#include "runtime/dist/recv_tensor_reader.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>

#include <string>
#include <utility>

#include "graph/io/tensor_io.h"
#include "proto/worker.pb.h"
#include "runtime/dist/lane/lane_frame.h"
#include "runtime/dist/tensor_pieces.h"

namespace warpbeam {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;
using tensorflow::RecvTensorResponse;
using tensorflow::TensorProto;

constexpr uint32_t LengthDelimited(int field) { return static_cast<uint32_t>(field) << 3 | 2; }
constexpr uint32_t kTensor = LengthDelimited(RecvTensorResponse::kTensorFieldNumber);
constexpr uint32_t kIsDead = RecvTensorResponse::kIsDeadFieldNumber << 3;
constexpr uint32_t kRequireAck = RecvTensorResponse::kRequireAckFieldNumber << 3;
constexpr uint32_t kContent = LengthDelimited(TensorProto::kTensorContentFieldNumber);

Status Malformed() {
  return InvalidArgument("the answer to a RecvTensor is no ",
                         RecvTensorResponse::descriptor()->full_name());
}

// A tensor of what `head` says, if `size` bytes are its values as they lie in memory; else none.
StatusOr<Tensor> TensorFor(const std::string& head, size_t size) {
  if (size < kSharedBytes) return Tensor();
  StatusOr<Tensor> tensor = TensorForValues(head, size);
  if (IsInvalidArgument(tensor.status())) return Tensor();
  return tensor;
}

// A TensorProto, until the limit of `in`.
StatusOr<Tensor> ReadTensor(CodedInputStream* in) {
  std::string head;  // all fields but the values
  std::string content;
  Tensor tensor;
  while (const uint32_t tag = in->ReadTag()) {
    if (tag != kContent) {
      StringOutputStream copy(&head);
      CodedOutputStream out(&copy);
      if (!WireFormatLite::SkipField(in, tag, &out)) return Malformed();
      continue;
    }
    uint32_t size = 0;
    if (!in->ReadVarint32(&size) || static_cast<int64_t>(size) > in->BytesUntilLimit()) {
      return Malformed();
    }
    WB_ASSIGN_OR_RETURN(tensor, TensorFor(head, size));
    const bool is_read = tensor.has_value() ? in->ReadRaw(tensor.raw_data(), static_cast<int>(size))
                                            : in->ReadString(&content, static_cast<int>(size));
    if (!is_read) return Malformed();
  }
  if (tensor.has_value()) return tensor;
  TensorProto proto;
  if (!proto.ParseFromString(head)) return Malformed();
  if (!content.empty()) proto.set_tensor_content(std::move(content));
  return TensorFromProto(proto);
}

}  // namespace

StatusOr<Rendezvous::Value> ReadRecvTensorReply(google::protobuf::io::ZeroCopyInputStream* wire,
                                                bool* require_ack) {
  CodedInputStream in(wire);
  in.SetTotalBytesLimit(INT32_MAX);
  Rendezvous::Value value;
  bool has_tensor = false;
  while (const uint32_t tag = in.ReadTag()) {
    if (tag == kTensor) {
      uint32_t size = 0;
      if (!in.ReadVarint32(&size) || size > INT32_MAX) return Malformed();
      const CodedInputStream::Limit limit = in.PushLimit(static_cast<int>(size));
      WB_ASSIGN_OR_RETURN(value.tensor, ReadTensor(&in));
      has_tensor = true;
      if (in.BytesUntilLimit() != 0) return Malformed();
      in.PopLimit(limit);
    } else if (tag == kIsDead) {
      uint64_t is_dead = 0;
      if (!in.ReadVarint64(&is_dead)) return Malformed();
      value.is_dead = is_dead != 0;
    } else if (tag == kRequireAck) {
      uint64_t is_required = 0;
      if (!in.ReadVarint64(&is_required)) return Malformed();
      if (require_ack != nullptr) *require_ack = is_required != 0;
    } else if (!WireFormatLite::SkipField(&in, tag)) {
      return Malformed();
    }
  }
  if (!in.ConsumedEntireMessage()) return Malformed();
  if (value.is_dead) value.tensor = Tensor();
  if (!value.is_dead && !has_tensor) return Malformed();
  return value;
}

}  // namespace warpbeam
