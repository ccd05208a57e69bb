#include "runtime/dist/waiting_calls.h"

#include <utility>

#include "proto/worker.pb.h"
#include "runtime/dist/byte_buffer.h"
#include "runtime/dist/cluster/recv_buf.h"
#include "runtime/dist/grpc_messages.h"
#include "runtime/dist/tensor_pieces.h"

namespace warpbeam {
namespace {

template <class Message>
void Finish(const Status& status, const Message& response, const CallDone& done) {
  grpc::ByteBuffer out;
  const Status written = status.ok() ? WriteMessage(response, &out) : status;
  done(written, std::move(out));
}

ForgetCall ForgetOf(Worker::Receiving receiving) {
  return [receiving = std::move(receiving)] { return receiving.Forget(); };
}

}  // namespace

ForgetCall WaitForTensor(Master& master, grpc::ByteBuffer* wire, CallDone done) {
  tensorflow::RecvTensorRequest request;
  if (Status read = ReadMessage(wire, &request); !read.ok()) {
    done(std::move(read), {});
    return nullptr;
  }
  // A request without a number cannot be told of again.
  const bool require_ack = master.worker().asks_for_word() && request.request_id() != 0;
  return ForgetOf(master.worker().RecvTensor(
      request, [done = std::move(done), require_ack](StatusOr<Rendezvous::Value> value) {
        if (!value.ok()) return done(value.status(), {});
        auto pieces = RecvTensorReply(*value, require_ack);
        if (!pieces.ok()) return done(pieces.status(), {});
        done(OkStatus(), ToByteBuffer(*std::move(pieces)));
      }));
}

ForgetCall WaitForBytes(Master& master, grpc::ByteBuffer* wire, CallDone done) {
  tensorflow::RecvBufRequest request;
  if (Status read = ReadMessage(wire, &request); !read.ok()) {
    done(std::move(read), {});
    return nullptr;
  }
  return ForgetOf(
      master.worker().RecvBuf(request, [done = std::move(done)](StatusOr<Rendezvous::Value> value) {
        if (!value.ok()) return done(value.status(), {});
        tensorflow::RecvBufResponse response;
        PackBytes(BytesIn(value->tensor), &response);
        Finish(OkStatus(), response, done);
      }));
}

ForgetCall WaitForGroup(Master& master, grpc::ByteBuffer* wire, CallDone done) {
  tensorflow::CompleteGroupRequest request;
  if (Status read = ReadMessage(wire, &request); !read.ok()) {
    done(std::move(read), {});
    return nullptr;
  }
  GroupLeader& leader = master.worker().collectives().leader();
  const int64_t number = leader.CompleteGroup(
      request, [done = std::move(done)](const Status& status,
                                        const tensorflow::CompleteGroupResponse& response) {
        Finish(status, response, done);
      });
  return [&leader, number] { return leader.Forget(number); };
}

ForgetCall WaitForInstance(Master& master, grpc::ByteBuffer* wire, CallDone done) {
  tensorflow::CompleteInstanceRequest request;
  if (Status read = ReadMessage(wire, &request); !read.ok()) {
    done(std::move(read), {});
    return nullptr;
  }
  master.worker().collectives().CompleteInstance(
      request, [done = std::move(done)](const Status& status,
                                        const tensorflow::CompleteInstanceResponse& response) {
        Finish(status, response, done);
      });
  return nullptr;
}

}  // namespace warpbeam
