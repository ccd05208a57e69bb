// The bytes of an answer to RecvBuf, as TensorFlow packs them: in pieces, in a message of their
// own.
//
//   PackBytes("…", &response);
//   WB_ASSIGN_OR_RETURN(const std::string bytes, BytesOf(response));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for an answer with something else in it.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_RECV_BUF_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_RECV_BUF_H_

#include <string>

#include "graph/types/errors.h"

namespace tensorflow {
class RecvBufResponse;
}  // namespace tensorflow

namespace warpbeam {

void PackBytes(const std::string& bytes, tensorflow::RecvBufResponse* response);
StatusOr<std::string> BytesOf(const tensorflow::RecvBufResponse& response);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_RECV_BUF_H_
