// The wire forms of a step's request and answer, in pieces that can be sent one after the other.
//
// The values of a large tensor are not copied: a piece holds the tensor itself, whose memory is
// sent. Small ones, and those that have no raw form, are written as messages are.
//
//   RunStepReply reply;
//   WB_RETURN_IF_ERROR(reply.Add("loss:0", loss));
//   reply.Append(rest);                      // a RunStepResponse with all but the tensors
//   for (WirePiece& piece : reply.TakePieces()) …
//
// Ownership: pieces share their tensors' buffers, which nobody may write to until they are gone.
// Thread safety: one thread at a time. Errors: those of TensorToProto; RESOURCE_EXHAUSTED for more
// than a message can hold.
#ifndef WARPBEAM_RUNTIME_DIST_STEP_MESSAGES_H_
#define WARPBEAM_RUNTIME_DIST_STEP_MESSAGES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/dist/tensor_pieces.h"

namespace tensorflow {
class RunStepRequest;
class RunStepResponse;
}  // namespace tensorflow

namespace warpbeam {

// A message with a field of NamedTensorProtos.
class NamedTensorPieces {
 public:
  explicit NamedTensorPieces(int field) : field_(field) {}

  Status Add(const std::string& name, const Tensor& tensor);
  void Clear();
  std::vector<WirePiece> TakePieces();

 protected:
  std::string& tail();

 private:
  Status Count(size_t bytes);

  const int field_;
  std::vector<WirePiece> pieces_;
  int64_t size_ = 0;
};

// A RunStepResponse: its tensors are the fetches.
class RunStepReply : public NamedTensorPieces {
 public:
  RunStepReply();
  void Append(const tensorflow::RunStepResponse& part);
};

// A RunStepRequest: its tensors are the feeds.
class RunStepCall : public NamedTensorPieces {
 public:
  RunStepCall();
  void Append(const tensorflow::RunStepRequest& part);
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_STEP_MESSAGES_H_
