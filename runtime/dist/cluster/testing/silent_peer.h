// SilentPeer: a task that answers every call with UNIMPLEMENTED, for tests that script a few.
//
//   class LatePeer final : public SilentPeer {
//     void CleanupGraph(tensorflow::CleanupGraphRequest, int64_t) override { ++cleaned_; }
//     int cleaned_ = 0;
//   };
//
// Ownership: nothing. Thread safety: any thread. Errors: UNIMPLEMENTED.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_TESTING_SILENT_PEER_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_TESTING_SILENT_PEER_H_

#include <memory>

#include "runtime/dist/cluster/worker_peer.h"

namespace warpbeam {

class SilentPeer : public WorkerPeer {
 public:
#define WB_SILENT_CALL(call)                                     \
  Status call(const tensorflow::call##Request& request, int64_t, \
              tensorflow::call##Response* response) override;
  WB_SILENT_CALL(GetStatus)
  WB_SILENT_CALL(CreateWorkerSession)
  WB_SILENT_CALL(DeleteWorkerSession)
  WB_SILENT_CALL(RegisterGraph)
  WB_SILENT_CALL(DeregisterGraph)
  WB_SILENT_CALL(CleanupAll)
  WB_SILENT_CALL(GetStepSequence)
#undef WB_SILENT_CALL
  std::shared_ptr<PendingCall> RunGraph(tensorflow::RunGraphRequest request, int64_t timeout_ms,
                                        RunGraphDone done) override;
  std::shared_ptr<PendingCall> RecvTensor(tensorflow::RecvTensorRequest request,
                                          Rendezvous::Receiver receiver) override;
  std::shared_ptr<PendingCall> CompleteGroup(tensorflow::CompleteGroupRequest request,
                                             GroupDone done) override;
  std::shared_ptr<PendingCall> CompleteInstance(tensorflow::CompleteInstanceRequest request,
                                                InstanceDone done) override;
  std::shared_ptr<PendingCall> RecvBuf(tensorflow::RecvBufRequest request, BytesDone done) override;
  void CleanupGraph(tensorflow::CleanupGraphRequest request, int64_t timeout_ms) override;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_TESTING_SILENT_PEER_H_
