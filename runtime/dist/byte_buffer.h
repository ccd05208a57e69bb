// ToByteBuffer: a message in pieces, as gRPC sends it, without copying the values of large tensors.
//
//   *out = ToByteBuffer(reply.TakePieces());
//
// Ownership: the buffer shares the tensors' memory, which nobody may write to until it is sent.
// Thread safety: pure. Errors: none.
#ifndef WARPBEAM_RUNTIME_DIST_BYTE_BUFFER_H_
#define WARPBEAM_RUNTIME_DIST_BYTE_BUFFER_H_

#include <vector>

#include "runtime/dist/tensor_pieces.h"

namespace grpc {
class ByteBuffer;
}  // namespace grpc

namespace warpbeam {

grpc::ByteBuffer ToByteBuffer(std::vector<WirePiece> pieces);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_BYTE_BUFFER_H_
