// The bytes of an answer to RecvBuf, as TensorFlow packs them: in pieces, in a message of their
// own.
//
//   PackBytes(BytesIn(piece), &response);
//   WB_ASSIGN_OR_RETURN(const std::string bytes, BytesOf(response));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for an answer with something else in it.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_RECV_BUF_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_RECV_BUF_H_

#include <string>

#include "absl/strings/string_view.h"
#include "graph/types/errors.h"
#include "graph/types/tensor.h"

namespace tensorflow {
class RecvBufResponse;
}  // namespace tensorflow

namespace warpbeam {

// What a task tells others is a string, pieces of tensors are their elements. A view.
absl::string_view BytesIn(const Tensor& answer);
void PackBytes(absl::string_view bytes, tensorflow::RecvBufResponse* response);
StatusOr<std::string> BytesOf(const tensorflow::RecvBufResponse& response);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_RECV_BUF_H_
