// Messages as gRPC carries them: bytes in, bytes out, for generated services copy what they send.
//
//   tensorflow::RunGraphRequest request;
//   WB_RETURN_IF_ERROR(ReadMessage(wire, &request));       // uses the bytes up
//   WB_RETURN_IF_ERROR(WriteMessage(response, &out));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for bytes that are no such message,
// RESOURCE_EXHAUSTED for a message that is too large for one.
#ifndef WARPBEAM_RUNTIME_DIST_GRPC_MESSAGES_H_
#define WARPBEAM_RUNTIME_DIST_GRPC_MESSAGES_H_

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include "graph/types/errors.h"

namespace warpbeam {

template <class Message>
Status ReadMessage(grpc::ByteBuffer* wire, Message* message) {
  const grpc::Status status = grpc::SerializationTraits<Message>::Deserialize(wire, message);
  if (status.ok()) return OkStatus();
  return InvalidArgument("the request is no ", Message::descriptor()->full_name());
}

template <class Message>
Status WriteMessage(const Message& message, grpc::ByteBuffer* wire) {
  bool owned = false;
  const grpc::Status status = grpc::SerializationTraits<Message>::Serialize(message, wire, &owned);
  if (status.ok()) return OkStatus();
  return ResourceExhausted("the answer, a ", Message::descriptor()->full_name(), " of ",
                           message.ByteSizeLong(), " bytes, does not fit into one message");
}

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_GRPC_MESSAGES_H_
