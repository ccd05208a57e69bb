#include "runtime/dist/step_messages.h"

#include <utility>

#include "proto/master.pb.h"

namespace warpbeam {

std::string& NamedTensorPieces::tail() {
  if (pieces_.empty() || pieces_.back().values.has_value()) pieces_.emplace_back();
  return pieces_.back().bytes;
}

Status NamedTensorPieces::Count(size_t bytes) {
  size_ += static_cast<int64_t>(bytes);
  if (size_ <= INT32_MAX) return OkStatus();
  return ResourceExhausted("the tensors of a step have at least ", size_,
                           " bytes and do not fit into one message of at most 2 GiB");
}

Status NamedTensorPieces::Add(const std::string& name, const Tensor& tensor) {
  constexpr int kName = tensorflow::NamedTensorProto::kNameFieldNumber;
  constexpr int kTensor = tensorflow::NamedTensorProto::kTensorFieldNumber;
  WB_ASSIGN_OR_RETURN(TensorMessage message, WriteTensor(tensor));
  const size_t named = HeaderSize(kName, name.size()) + name.size() +
                       HeaderSize(kTensor, message.size()) + message.size();
  WB_RETURN_IF_ERROR(Count(HeaderSize(field_, named) + named));
  std::string& bytes = tail();
  AppendHeader(field_, named, &bytes);
  AppendHeader(kName, name.size(), &bytes);
  bytes += name;
  AppendHeader(kTensor, message.size(), &bytes);
  bytes += message.head;
  pieces_.back().values = std::move(message.values);
  return OkStatus();
}

RunStepReply::RunStepReply() : NamedTensorPieces(tensorflow::RunStepResponse::kTensorFieldNumber) {}

void RunStepReply::Append(const tensorflow::RunStepResponse& part) {
  part.AppendPartialToString(&tail());
}

RunStepCall::RunStepCall() : NamedTensorPieces(tensorflow::RunStepRequest::kFeedFieldNumber) {}

void RunStepCall::Append(const tensorflow::RunStepRequest& part) {
  part.AppendPartialToString(&tail());
}

void NamedTensorPieces::Clear() {
  pieces_.clear();
  size_ = 0;
}

std::vector<WirePiece> NamedTensorPieces::TakePieces() {
  size_ = 0;
  return std::exchange(pieces_, {});
}

}  // namespace warpbeam
