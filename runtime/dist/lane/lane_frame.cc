#include "runtime/dist/lane/lane_frame.h"

#include <cstring>
#include <utility>

#include "graph/io/dtype_io.h"
#include "graph/io/tensor_io.h"
#include "proto/tensor.pb.h"
#include "runtime/memory/pool_allocator.h"

namespace warpbeam {
namespace {

// Below, a message that has the values in it costs less than finding their place.
constexpr size_t kApartBytes = 4096;

template <class Number>
void AppendNumber(Number number, std::string* out) {
  out->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

template <class Number>
Number TakeNumber(absl::string_view* bytes) {
  Number number;
  std::memcpy(&number, bytes->data(), sizeof(number));
  bytes->remove_prefix(sizeof(number));
  return number;
}

LaneFrame FrameOf(LaneHeader header, absl::string_view head) {
  header.head_bytes = static_cast<uint32_t>(head.size());
  LaneFrame frame;
  frame.bytes.reserve(sizeof(header) + head.size());
  frame.bytes.append(reinterpret_cast<const char*>(&header), sizeof(header));
  frame.bytes.append(head.data(), head.size());
  return frame;
}

LaneHeader HeaderOf(LaneKind kind, uint64_t id) {
  LaneHeader header;
  header.kind = kind;
  header.id = id;
  return header;
}

// Bools are checked one by one when they are read.
bool IsSentAsItLies(const Tensor& tensor) {
  return IsPlainData(tensor.dtype()) && tensor.dtype() != DType::kBool &&
         tensor.bytes() >= kApartBytes;
}

}  // namespace

LaneFrame HelloFrame(const LaneHello& hello) {
  std::string head = hello.token;
  AppendNumber(hello.lane, &head);
  head.push_back(hello.is_bulk ? 1 : 0);
  return FrameOf(HeaderOf(LaneKind::kHello, 0), head);
}

LaneFrame AskFrame(uint64_t id, int64_t step_id, absl::string_view key) {
  std::string head;
  head.reserve(sizeof(step_id) + key.size());
  AppendNumber(step_id, &head);
  head.append(key.data(), key.size());
  return FrameOf(HeaderOf(LaneKind::kAsk, id), head);
}

LaneFrame ForgetFrame(uint64_t id) { return FrameOf(HeaderOf(LaneKind::kForget, id), ""); }

LaneFrame ErrorFrame(uint64_t id, const Status& error) {
  LaneHeader header = HeaderOf(LaneKind::kError, id);
  header.status = static_cast<uint32_t>(error.code());
  return FrameOf(header, error.message());
}

StatusOr<LaneFrame> ValueFrame(uint64_t id, const Rendezvous::Value& value) {
  LaneHeader header = HeaderOf(LaneKind::kValue, id);
  if (value.is_dead) {
    header.flags = LaneHeader::kDead;
    return FrameOf(header, "");
  }
  tensorflow::TensorProto proto;
  if (!IsSentAsItLies(value.tensor)) {
    WB_RETURN_IF_ERROR(TensorToProto(value.tensor, TensorForm::kContent, &proto));
    if (proto.ByteSizeLong() > kMostHeadBytes) {
      return ResourceExhausted("a tensor whose message has ", proto.ByteSizeLong(),
                               " bytes; the most that is sent is ", kMostHeadBytes);
    }
    return FrameOf(header, proto.SerializeAsString());
  }
  proto.set_dtype(static_cast<tensorflow::DataType>(NumberOf(value.tensor.dtype())));
  ShapeToProto(PartialShape(value.tensor.shape()), proto.mutable_tensor_shape());
  header.value_bytes = value.tensor.bytes();
  LaneFrame frame = FrameOf(header, proto.SerializeAsString());
  frame.values = value.tensor;
  return frame;
}

Status CheckHeader(const LaneHeader& header, uint32_t most_head_bytes) {
  const auto kind = static_cast<uint16_t>(header.kind);
  if (header.magic != LaneHeader::kMagic || kind < 1 || kind > 5) {
    return InvalidArgument("what came is no frame of a lane");
  }
  if (header.head_bytes > most_head_bytes) {
    return InvalidArgument("a frame with a head of ", header.head_bytes, " bytes; the most is ",
                           most_head_bytes);
  }
  if (header.value_bytes > 0 && header.kind != LaneKind::kValue) {
    return InvalidArgument("a frame of kind ", kind, " has no values");
  }
  return OkStatus();
}

StatusOr<LaneHello> ParseHello(absl::string_view head) {
  if (head.size() != LaneHello::kTokenBytes + sizeof(uint64_t) + 1) {
    return InvalidArgument("a lane begins with a hello, not with ", head.size(), " bytes");
  }
  LaneHello hello;
  hello.token = std::string(head.substr(0, LaneHello::kTokenBytes));
  head.remove_prefix(LaneHello::kTokenBytes);
  hello.lane = TakeNumber<uint64_t>(&head);
  hello.is_bulk = head[0] != 0;
  return hello;
}

StatusOr<LaneAsk> ParseAsk(absl::string_view head) {
  if (head.size() <= sizeof(int64_t)) return InvalidArgument("an ask without a key");
  LaneAsk ask;
  ask.step_id = TakeNumber<int64_t>(&head);
  ask.key = std::string(head);
  return ask;
}

StatusOr<Tensor> TensorForValues(const std::string& head, uint64_t bytes) {
  tensorflow::TensorProto proto;
  if (!proto.ParseFromString(head)) return InvalidArgument("a value's head is no TensorProto");
  WB_ASSIGN_OR_RETURN(const DType dtype, DTypeFromNumber(static_cast<int>(proto.dtype())));
  WB_ASSIGN_OR_RETURN(const PartialShape partial, ShapeFromProto(proto.tensor_shape()));
  if (!partial.IsFullyDefined() || !IsPlainData(dtype) || dtype == DType::kBool) {
    return InvalidArgument("values of a ", DTypeName(dtype), " of shape ", partial.ToString(),
                           " are not sent as they lie");
  }
  WB_ASSIGN_OR_RETURN(const Shape shape, partial.AsShape());
  const uint64_t element = DTypeSize(dtype);
  if (bytes % element != 0 || static_cast<uint64_t>(shape.num_elements()) != bytes / element) {
    return InvalidArgument(bytes, " bytes of values for a ", DTypeName(dtype), " of shape ",
                           shape.ToString());
  }
  return Tensor::Allocate(dtype, shape, PoolAllocator::Process());
}

StatusOr<Tensor> ParseTensor(const std::string& head) {
  tensorflow::TensorProto proto;
  if (!proto.ParseFromString(head)) return InvalidArgument("a value's head is no TensorProto");
  return TensorFromProto(proto);
}

}  // namespace warpbeam
