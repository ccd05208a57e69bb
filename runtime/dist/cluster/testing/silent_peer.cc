#include "runtime/dist/cluster/testing/silent_peer.h"

#include "proto/worker.pb.h"

namespace warpbeam {

#define WB_SILENT_CALL(call)                                         \
  Status SilentPeer::call(const tensorflow::call##Request&, int64_t, \
                          tensorflow::call##Response*) {             \
    return Unimplemented("this task does not speak: " #call);        \
  }
WB_SILENT_CALL(GetStatus)
WB_SILENT_CALL(CreateWorkerSession)
WB_SILENT_CALL(DeleteWorkerSession)
WB_SILENT_CALL(RegisterGraph)
WB_SILENT_CALL(DeregisterGraph)
WB_SILENT_CALL(CleanupAll)
WB_SILENT_CALL(GetStepSequence)
#undef WB_SILENT_CALL

std::shared_ptr<WorkerPeer::PendingCall> SilentPeer::RunGraph(tensorflow::RunGraphRequest, int64_t,
                                                              RunGraphDone done) {
  done(Unimplemented("this task does not speak: RunGraph"), {});
  return nullptr;
}

std::shared_ptr<WorkerPeer::PendingCall> SilentPeer::RecvTensor(tensorflow::RecvTensorRequest,
                                                                Rendezvous::Receiver receiver) {
  receiver(Unimplemented("this task does not speak: RecvTensor"));
  return nullptr;
}

std::shared_ptr<WorkerPeer::PendingCall> SilentPeer::CompleteGroup(tensorflow::CompleteGroupRequest,
                                                                   GroupDone done) {
  done(Unimplemented("this task does not speak: CompleteGroup"), {});
  return nullptr;
}

std::shared_ptr<WorkerPeer::PendingCall> SilentPeer::CompleteInstance(
    tensorflow::CompleteInstanceRequest, InstanceDone done) {
  done(Unimplemented("this task does not speak: CompleteInstance"), {});
  return nullptr;
}

std::shared_ptr<WorkerPeer::PendingCall> SilentPeer::RecvBuf(tensorflow::RecvBufRequest,
                                                             BytesDone done) {
  done(Unimplemented("this task does not speak: RecvBuf"));
  return nullptr;
}

void SilentPeer::CleanupGraph(tensorflow::CleanupGraphRequest, int64_t) {}

}  // namespace warpbeam
