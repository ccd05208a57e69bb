#include "runtime/dist/grpc_methods.h"

#include <grpcpp/grpcpp.h>

#include <utility>

#include "proto/master.pb.h"
#include "proto/worker.pb.h"
#include "runtime/dist/byte_buffer.h"
#include "runtime/dist/grpc_messages.h"
#include "runtime/dist/step_messages.h"

namespace warpbeam {
namespace {

template <class Request, class Response,
          Status (Master::*method)(const Request&, Cancellation*, Response*)>
Status Answer(Master& master, grpc::ByteBuffer* wire, Cancellation* cancellation,
              grpc::ByteBuffer* out) {
  Request request;
  Response response;
  WB_RETURN_IF_ERROR(ReadMessage(wire, &request));
  WB_RETURN_IF_ERROR((master.*method)(request, cancellation, &response));
  return WriteMessage(response, out);
}

template <class Request, class Response, Status (Master::*method)(const Request&, Response*)>
Status Answer(Master& master, grpc::ByteBuffer* wire, Cancellation*, grpc::ByteBuffer* out) {
  Request request;
  Response response;
  WB_RETURN_IF_ERROR(ReadMessage(wire, &request));
  WB_RETURN_IF_ERROR((master.*method)(request, &response));
  return WriteMessage(response, out);
}

Status RunStep(Master& master, grpc::ByteBuffer* wire, Cancellation* cancellation,
               grpc::ByteBuffer* out) {
  tensorflow::RunStepRequest request;
  WB_RETURN_IF_ERROR(ReadMessage(wire, &request));
  RunStepReply reply;
  WB_RETURN_IF_ERROR(master.RunStep(request, cancellation, &reply));
  *out = ToByteBuffer(reply.TakePieces());
  return OkStatus();
}

Status RunCallable(Master& master, grpc::ByteBuffer* wire, Cancellation* cancellation,
                   grpc::ByteBuffer* out) {
  tensorflow::RunCallableRequest request;
  tensorflow::RunCallableResponse response;
  WB_RETURN_IF_ERROR(ReadMessage(wire, &request));
  WB_RETURN_IF_ERROR(master.RunCallable(request, cancellation, &response));
  return WriteMessage(response, out);
}

template <class Request, class Response,
          Status (Master::*method)(const Request&, Response*, Charge)>
Status Keep(Master& master, grpc::ByteBuffer* wire, Cancellation*, Charge charge,
            grpc::ByteBuffer* out) {
  Request request;
  Response response;
  WB_RETURN_IF_ERROR(ReadMessage(wire, &request));
  WB_RETURN_IF_ERROR((master.*method)(request, &response, std::move(charge)));
  return WriteMessage(response, out);
}

Status MakeCallable(Master& master, grpc::ByteBuffer* wire, Cancellation* cancellation,
                    Charge charge, grpc::ByteBuffer* out) {
  tensorflow::MakeCallableRequest request;
  tensorflow::MakeCallableResponse response;
  WB_RETURN_IF_ERROR(ReadMessage(wire, &request));
  WB_RETURN_IF_ERROR(master.MakeCallable(request, cancellation, &response, std::move(charge)));
  return WriteMessage(response, out);
}

template <class Request, class Response,
          Status (Worker::*method)(const Request&, Response*, Charge)>
Status WorkerKeep(Master& master, grpc::ByteBuffer* wire, Cancellation*, Charge charge,
                  grpc::ByteBuffer* out) {
  Request request;
  Response response;
  WB_RETURN_IF_ERROR(ReadMessage(wire, &request));
  WB_RETURN_IF_ERROR((master.worker().*method)(request, &response, std::move(charge)));
  return WriteMessage(response, out);
}

// The same, of this task as a worker.
template <class Request, class Response, Status (Worker::*method)(const Request&, Response*)>
Status WorkerAnswer(Master& master, grpc::ByteBuffer* wire, Cancellation*, grpc::ByteBuffer* out) {
  Request request;
  Response response;
  WB_RETURN_IF_ERROR(ReadMessage(wire, &request));
  WB_RETURN_IF_ERROR((master.worker().*method)(request, &response));
  return WriteMessage(response, out);
}

Status RunGraph(Master& master, grpc::ByteBuffer* wire, Cancellation* cancellation,
                grpc::ByteBuffer* out) {
  tensorflow::RunGraphRequest request;
  tensorflow::RunGraphResponse response;
  WB_RETURN_IF_ERROR(ReadMessage(wire, &request));
  WB_RETURN_IF_ERROR(master.worker().RunGraph(request, cancellation, &response));
  return WriteMessage(response, out);
}

Status GetStepSequence(Master& master, grpc::ByteBuffer* wire, Cancellation*,
                       grpc::ByteBuffer* out) {
  tensorflow::GetStepSequenceRequest request;
  tensorflow::GetStepSequenceResponse response;
  WB_RETURN_IF_ERROR(ReadMessage(wire, &request));
  master.worker().collectives().numbers().Answer(request, &response);
  return WriteMessage(response, out);
}

constexpr GrpcMethod Waiting(const char* name, WaitingHandler waiter) {
  return {name, nullptr, nullptr, {}, waiter};
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
    Waiting("/tensorflow.WorkerService/RecvTensor", WaitForTensor),
    Waiting("/tensorflow.WorkerService/RecvBuf", WaitForBytes),
    Waiting("/tensorflow.WorkerService/CompleteGroup", WaitForGroup),
    Waiting("/tensorflow.WorkerService/CompleteInstance", WaitForInstance),
    {"/tensorflow.WorkerService/GetStepSequence", GetStepSequence},
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

Span<const GrpcMethod> GrpcMethods() { return kMethods; }

}  // namespace warpbeam
