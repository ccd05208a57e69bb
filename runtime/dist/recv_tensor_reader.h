// Reads the answer to a RecvTensor: the values of a large tensor go from the wire's buffers
// straight into its memory. Any other form of the message is read as messages are.
//
//   grpc::ProtoBufferReader bytes(&buffer);
//   WB_ASSIGN_OR_RETURN(Rendezvous::Value value, ReadRecvTensorReply(&bytes));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for what is no RecvTensorResponse, and those of
// TensorFromProto. No more memory is taken than the message has bytes.
#ifndef WARPBEAM_RUNTIME_DIST_RECV_TENSOR_READER_H_
#define WARPBEAM_RUNTIME_DIST_RECV_TENSOR_READER_H_

#include "runtime/comm/rendezvous.h"

namespace google {
namespace protobuf {
namespace io {
class ZeroCopyInputStream;
}  // namespace io
}  // namespace protobuf
}  // namespace google

namespace warpbeam {

// `require_ack` gets whether the sender wants to hear that the tensor is there; null: nobody cares.
StatusOr<Rendezvous::Value> ReadRecvTensorReply(google::protobuf::io::ZeroCopyInputStream* wire,
                                                bool* require_ack = nullptr);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_RECV_TENSOR_READER_H_
