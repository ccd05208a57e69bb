// SilentPeer: a task that answers every call with UNIMPLEMENTED, for tests that script a few of them.
//
//   class LatePeer final : public SilentPeer { absl::Status GetStatus(…) override … };
//
// Ownership: nothing. Thread safety: any thread. Errors: UNIMPLEMENTED.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_TESTING_SILENT_PEER_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_TESTING_SILENT_PEER_H_

#include <memory>

#include "proto/worker.pb.h"
#include "runtime/dist/cluster/worker_peer.h"

namespace warpbeam {

class SilentPeer : public WorkerPeer {
 public:
#define WB_SILENT_CALL(call)                                                                \
  absl::Status call(const tensorflow::call##Request&, int64_t, tensorflow::call##Response*) \
      override {                                                                            \
    return absl::UnimplementedError("this task does not speak: " #call);                    \
  }
  WB_SILENT_CALL(GetStatus)
  WB_SILENT_CALL(CreateWorkerSession)
  WB_SILENT_CALL(DeleteWorkerSession)
  WB_SILENT_CALL(RegisterGraph)
  WB_SILENT_CALL(DeregisterGraph)
  WB_SILENT_CALL(CleanupAll)
#undef WB_SILENT_CALL
  std::shared_ptr<PendingCall> RunGraph(tensorflow::RunGraphRequest, int64_t,
                                        RunGraphDone done) override {
    done(absl::UnimplementedError("this task does not speak: RunGraph"), {});
    return nullptr;
  }
  std::shared_ptr<PendingCall> RecvTensor(tensorflow::RecvTensorRequest,
                                          Rendezvous::Receiver receiver) override {
    receiver(absl::UnimplementedError("this task does not speak: RecvTensor"));
    return nullptr;
  }
  void CleanupGraph(tensorflow::CleanupGraphRequest, int64_t) override {}
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_TESTING_SILENT_PEER_H_
