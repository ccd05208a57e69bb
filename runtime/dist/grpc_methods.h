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

#include "graph/types/span.h"
#include "runtime/dist/cluster/client_accounts.h"
#include "runtime/dist/master.h"
#include "runtime/dist/waiting_calls.h"

namespace warpbeam {

struct GrpcMethod {
  using Handler = Status (*)(Master& master, grpc::ByteBuffer* request, Cancellation* cancellation,
                             grpc::ByteBuffer* response);
  // Of one that leaves something behind, for which its client is charged.
  using Keeper = Status (*)(Master& master, grpc::ByteBuffer* request, Cancellation* cancellation,
                            Charge charge, grpc::ByteBuffer* response);

  bool waits() const { return waiter != nullptr; }

  const char* name;
  Handler handler;
  Keeper keeper = nullptr;
  Holding keeps = {};               // besides the request's bytes
  WaitingHandler waiter = nullptr;  // of a call that waits without a thread, and has nothing else
};

Span<const GrpcMethod> GrpcMethods();

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_GRPC_METHODS_H_
