#include "runtime/dist/run_step_reply.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <utility>

#include "graph/io/tensor_io.h"
#include "proto/master.pb.h"

namespace warpbeam {
namespace {

using google::protobuf::io::CodedOutputStream;

// The key of a field of bytes or of a message.
constexpr uint32_t Key(int field) { return static_cast<uint32_t>(field) << 3 | 2; }

constexpr uint32_t kTensorOfReply = Key(tensorflow::RunStepResponse::kTensorFieldNumber);
constexpr uint32_t kNameOfTensor = Key(tensorflow::NamedTensorProto::kNameFieldNumber);
constexpr uint32_t kValueOfTensor = Key(tensorflow::NamedTensorProto::kTensorFieldNumber);
constexpr uint32_t kContent = Key(tensorflow::TensorProto::kTensorContentFieldNumber);

// The bytes of a key below 16 and a length.
size_t HeaderSize(size_t length) { return 1 + CodedOutputStream::VarintSize64(length); }

void WriteHeader(uint32_t key, size_t length, CodedOutputStream* out) {
  out->WriteTag(key);
  out->WriteVarint64(length);
}

}  // namespace

std::string& RunStepReply::tail() {
  if (pieces_.empty() || pieces_.back().values.has_value()) pieces_.emplace_back();
  return pieces_.back().bytes;
}

absl::Status RunStepReply::Count(size_t bytes) {
  size_ += static_cast<int64_t>(bytes);
  if (size_ <= INT32_MAX) return absl::OkStatus();
  return ResourceExhausted("the fetches have at least ", size_,
                           " bytes and do not fit into one message of at most 2 GiB");
}

absl::Status RunStepReply::Add(const std::string& name, const Tensor& tensor) {
  const bool shares =
      tensor.has_value() && IsPlainData(tensor.dtype()) && tensor.bytes() >= kSharedBytes;
  if (!shares) {
    tensorflow::RunStepResponse one;
    tensorflow::NamedTensorProto* const named = one.add_tensor();
    named->set_name(name);
    WB_RETURN_IF_ERROR(TensorToProto(tensor, TensorForm::kContent, named->mutable_tensor()));
    WB_RETURN_IF_ERROR(Count(one.ByteSizeLong()));
    Append(one);
    return absl::OkStatus();
  }
  // The message without values, then the values as its last field.
  tensorflow::TensorProto head;
  WB_RETURN_IF_ERROR(TensorToProto(tensor.Rows(0, 0), TensorForm::kContent, &head));
  ShapeToProto(tensor.shape(), head.mutable_tensor_shape());
  const size_t content = HeaderSize(tensor.bytes()) + tensor.bytes();
  const size_t value = head.ByteSizeLong() + content;
  const size_t named = HeaderSize(name.size()) + name.size() + HeaderSize(value) + value;
  WB_RETURN_IF_ERROR(Count(HeaderSize(named) + named));
  {
    google::protobuf::io::StringOutputStream stream(&tail());
    CodedOutputStream out(&stream);
    WriteHeader(kTensorOfReply, named, &out);
    WriteHeader(kNameOfTensor, name.size(), &out);
    out.WriteString(name);
    WriteHeader(kValueOfTensor, value, &out);
    head.SerializeToCodedStream(&out);
    WriteHeader(kContent, tensor.bytes(), &out);
  }
  pieces_.back().values = tensor;
  return absl::OkStatus();
}

void RunStepReply::Append(const tensorflow::RunStepResponse& part) {
  part.AppendPartialToString(&tail());
}

void RunStepReply::Clear() {
  pieces_.clear();
  size_ = 0;
}

std::vector<RunStepReply::Piece> RunStepReply::TakePieces() {
  size_ = 0;
  return std::exchange(pieces_, {});
}

}  // namespace warpbeam
