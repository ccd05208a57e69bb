// The methods of TensorFlow's services that a server answers, as gRPC's bytes.
//
//   const GrpcMethod& method = GrpcMethods()[i];
//   if (method.handler != nullptr) status = method.handler(master, &request, nullptr, &response);
//
// Ownership: none; a request is used up. Thread safety: any thread; a handler lasts as long as its
// step. Errors: INVALID_ARGUMENT for bytes that are no such request; those of Master and Worker;
// RESOURCE_EXHAUSTED for an answer that does not fit into a message.
#ifndef WARPBEAM_RUNTIME_DIST_GRPC_METHODS_H_
#define WARPBEAM_RUNTIME_DIST_GRPC_METHODS_H_

#include <functional>

#include "absl/types/span.h"
#include "runtime/dist/cluster/client_accounts.h"
#include "runtime/dist/master.h"

namespace grpc {
class ByteBuffer;
}  // namespace grpc

namespace warpbeam {

struct GrpcMethod {
  using Handler = absl::Status (*)(Master& master, grpc::ByteBuffer* request,
                                   Cancellation* cancellation, grpc::ByteBuffer* response);
  // Of one that leaves something behind, for which its client is charged.
  using Keeper = absl::Status (*)(Master& master, grpc::ByteBuffer* request,
                                  Cancellation* cancellation, Charge charge,
                                  grpc::ByteBuffer* response);

  // RecvTensor has neither a handler nor a keeper: ReceiveTensor answers it.
  bool is_receive() const { return handler == nullptr && keeper == nullptr; }

  const char* name;
  Handler handler;
  Keeper keeper = nullptr;
  Holding keeps = {};  // besides the request's bytes
};

absl::Span<const GrpcMethod> GrpcMethods();

// Takes an answer, once, on any thread.
using GrpcDone = std::function<void(absl::Status status, grpc::ByteBuffer response)>;

// A call that waits without a thread: `done` is called when the task has sent the tensor.
Worker::Receiving ReceiveTensor(Master& master, grpc::ByteBuffer* request, GrpcDone done);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_GRPC_METHODS_H_
