#include "runtime/dist/grpc_methods.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <utility>

#include "proto/master.pb.h"
#include "proto/worker.pb.h"
#include "runtime/dist/byte_buffer.h"
#include "runtime/dist/step_messages.h"
#include "runtime/dist/tensor_pieces.h"

namespace warpbeam {
namespace {

template <class Message>
absl::Status Parse(grpc::ByteBuffer* wire, Message* message) {
  const grpc::Status status = grpc::SerializationTraits<Message>::Deserialize(wire, message);
  if (status.ok()) return absl::OkStatus();
  return InvalidArgument("the request is no ", Message::descriptor()->full_name());
}

template <class Message>
absl::Status Write(const Message& message, grpc::ByteBuffer* wire) {
  bool owned = false;
  const grpc::Status status = grpc::SerializationTraits<Message>::Serialize(message, wire, &owned);
  if (status.ok()) return absl::OkStatus();
  return ResourceExhausted("the answer, a ", Message::descriptor()->full_name(), " of ",
                           message.ByteSizeLong(), " bytes, does not fit into one message");
}

template <class Request, class Response,
          absl::Status (Master::*method)(const Request&, Cancellation*, Response*)>
absl::Status Answer(Master& master, grpc::ByteBuffer* wire, Cancellation* cancellation,
                    grpc::ByteBuffer* out) {
  Request request;
  Response response;
  WB_RETURN_IF_ERROR(Parse(wire, &request));
  WB_RETURN_IF_ERROR((master.*method)(request, cancellation, &response));
  return Write(response, out);
}

template <class Request, class Response, absl::Status (Master::*method)(const Request&, Response*)>
absl::Status Answer(Master& master, grpc::ByteBuffer* wire, Cancellation*, grpc::ByteBuffer* out) {
  Request request;
  Response response;
  WB_RETURN_IF_ERROR(Parse(wire, &request));
  WB_RETURN_IF_ERROR((master.*method)(request, &response));
  return Write(response, out);
}

absl::Status RunStep(Master& master, grpc::ByteBuffer* wire, Cancellation* cancellation,
                     grpc::ByteBuffer* out) {
  tensorflow::RunStepRequest request;
  WB_RETURN_IF_ERROR(Parse(wire, &request));
  RunStepReply reply;
  WB_RETURN_IF_ERROR(master.RunStep(request, cancellation, &reply));
  *out = ToByteBuffer(reply.TakePieces());
  return absl::OkStatus();
}

absl::Status RunCallable(Master& master, grpc::ByteBuffer* wire, Cancellation* cancellation,
                         grpc::ByteBuffer* out) {
  tensorflow::RunCallableRequest request;
  tensorflow::RunCallableResponse response;
  WB_RETURN_IF_ERROR(Parse(wire, &request));
  WB_RETURN_IF_ERROR(master.RunCallable(request, cancellation, &response));
  return Write(response, out);
}

template <class Request, class Response,
          absl::Status (Master::*method)(const Request&, Response*, Charge)>
absl::Status Keep(Master& master, grpc::ByteBuffer* wire, Cancellation*, Charge charge,
                  grpc::ByteBuffer* out) {
  Request request;
  Response response;
  WB_RETURN_IF_ERROR(Parse(wire, &request));
  WB_RETURN_IF_ERROR((master.*method)(request, &response, std::move(charge)));
  return Write(response, out);
}

absl::Status MakeCallable(Master& master, grpc::ByteBuffer* wire, Cancellation* cancellation,
                          Charge charge, grpc::ByteBuffer* out) {
  tensorflow::MakeCallableRequest request;
  tensorflow::MakeCallableResponse response;
  WB_RETURN_IF_ERROR(Parse(wire, &request));
  WB_RETURN_IF_ERROR(master.MakeCallable(request, cancellation, &response, std::move(charge)));
  return Write(response, out);
}

template <class Request, class Response,
          absl::Status (Worker::*method)(const Request&, Response*, Charge)>
absl::Status WorkerKeep(Master& master, grpc::ByteBuffer* wire, Cancellation*, Charge charge,
                        grpc::ByteBuffer* out) {
  Request request;
  Response response;
  WB_RETURN_IF_ERROR(Parse(wire, &request));
  WB_RETURN_IF_ERROR((master.worker().*method)(request, &response, std::move(charge)));
  return Write(response, out);
}

// The same, of this task as a worker.
template <class Request, class Response, absl::Status (Worker::*method)(const Request&, Response*)>
absl::Status WorkerAnswer(Master& master, grpc::ByteBuffer* wire, Cancellation*,
                          grpc::ByteBuffer* out) {
  Request request;
  Response response;
  WB_RETURN_IF_ERROR(Parse(wire, &request));
  WB_RETURN_IF_ERROR((master.worker().*method)(request, &response));
  return Write(response, out);
}

absl::Status RunGraph(Master& master, grpc::ByteBuffer* wire, Cancellation* cancellation,
                      grpc::ByteBuffer* out) {
  tensorflow::RunGraphRequest request;
  tensorflow::RunGraphResponse response;
  WB_RETURN_IF_ERROR(Parse(wire, &request));
  WB_RETURN_IF_ERROR(master.worker().RunGraph(request, cancellation, &response));
  return Write(response, out);
}

constexpr Holding kSession = {1, 0, 0};
constexpr Holding kGraph = {0, 1, 0};

#define WB_MASTER_METHOD(name)                                                       \
  {                                                                                  \
    "/tensorflow.MasterService/" #name,                                              \
        Answer<tensorflow::name##Request, tensorflow::name##Response, &Master::name> \
  }
#define WB_WORKER_METHOD(name)                                                             \
  {                                                                                        \
    "/tensorflow.WorkerService/" #name,                                                    \
        WorkerAnswer<tensorflow::name##Request, tensorflow::name##Response, &Worker::name> \
  }
#define WB_KEEPING(service, keep, name, what)                                             \
  {                                                                                       \
    "/tensorflow." #service "Service/" #name, nullptr,                                    \
        keep<tensorflow::name##Request, tensorflow::name##Response, &service::name>, what \
  }
constexpr GrpcMethod kMethods[] = {
    {"/tensorflow.MasterService/RunStep", RunStep},
    {"/tensorflow.MasterService/RunCallable", RunCallable},
    WB_KEEPING(Master, Keep, CreateSession, kSession),
    WB_KEEPING(Master, Keep, ExtendSession, Holding()),
    WB_MASTER_METHOD(PartialRunSetup),
    WB_MASTER_METHOD(CloseSession),
    WB_MASTER_METHOD(ListDevices),
    WB_MASTER_METHOD(Reset),
    {"/tensorflow.MasterService/MakeCallable", nullptr, MakeCallable, kGraph},
    WB_MASTER_METHOD(ReleaseCallable),
    {"/tensorflow.WorkerService/RunGraph", RunGraph},
    {"/tensorflow.WorkerService/RecvTensor", nullptr},
    WB_WORKER_METHOD(GetStatus),
    WB_KEEPING(Worker, WorkerKeep, CreateWorkerSession, kSession),
    WB_WORKER_METHOD(DeleteWorkerSession),
    WB_KEEPING(Worker, WorkerKeep, RegisterGraph, kGraph),
    WB_WORKER_METHOD(DeregisterGraph),
    WB_WORKER_METHOD(CleanupGraph),
    WB_WORKER_METHOD(CleanupAll),
    WB_WORKER_METHOD(MarkRecvFinished),
    WB_WORKER_METHOD(Logging),
    WB_WORKER_METHOD(Tracing),
};
#undef WB_KEEPING
#undef WB_WORKER_METHOD
#undef WB_MASTER_METHOD

}  // namespace

absl::Span<const GrpcMethod> GrpcMethods() { return kMethods; }

Worker::Receiving ReceiveTensor(Master& master, grpc::ByteBuffer* wire, GrpcDone done) {
  tensorflow::RecvTensorRequest request;
  if (absl::Status read = Parse(wire, &request); !read.ok()) {
    done(std::move(read), {});
    return {};
  }
  // A request without a number cannot be told of again.
  const bool require_ack = master.worker().asks_for_word() && request.request_id() != 0;
  return master.worker().RecvTensor(
      request, [done = std::move(done), require_ack](absl::StatusOr<Rendezvous::Value> value) {
        if (!value.ok()) return done(value.status(), {});
        auto pieces = RecvTensorReply(*value, require_ack);
        if (!pieces.ok()) return done(pieces.status(), {});
        done(absl::OkStatus(), ToByteBuffer(*std::move(pieces)));
      });
}

}  // namespace warpbeam
