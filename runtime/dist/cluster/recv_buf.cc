#include "runtime/dist/cluster/recv_buf.h"

#include "proto/worker.pb.h"

namespace warpbeam {

absl::string_view BytesIn(const Tensor& answer) {
  if (answer.dtype() == DType::kString) return answer.scalar<std::string>();
  return absl::string_view(static_cast<const char*>(answer.raw_data()), answer.bytes());
}

void PackBytes(absl::string_view bytes, tensorflow::RecvBufResponse* response) {
  tensorflow::RecvBufRespExtra pieces;
  pieces.add_tensor_content(std::string(bytes));
  response->set_num_bytes(static_cast<int64_t>(bytes.size()));
  response->mutable_transport_options()->PackFrom(pieces);
}

StatusOr<std::string> BytesOf(const tensorflow::RecvBufResponse& response) {
  tensorflow::RecvBufRespExtra pieces;
  if (!response.transport_options().UnpackTo(&pieces)) {
    return InvalidArgument("an answer to RecvBuf has no bytes in it, but '",
                           response.transport_options().type_url(), "'");
  }
  std::string bytes;
  for (const std::string& piece : pieces.tensor_content()) bytes += piece;
  return bytes;
}

}  // namespace warpbeam
