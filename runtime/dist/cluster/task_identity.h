// TaskIdentity: who a task is to a session: its name, and the tasks that it meets. Its devices go
// by that name, too (Worker::device_set).
//
//   std::shared_ptr<const TaskIdentity> own = worker->identity();
//   WB_ASSIGN_OR_RETURN(auto other, worker->IdentityIn(server_def));    // of another cluster
//
// A server has one, of the cluster that it was started with. A client may bring a cluster of its
// own (ConfigProto's cluster_def), in which the same process has another name.
//
// Ownership: shared by the sessions and steps that need it; so it holds no devices, which must not
// end on their own threads. Thread safety: immutable.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_TASK_IDENTITY_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_TASK_IDENTITY_H_

#include <memory>
#include <string>

#include "runtime/dist/cluster/worker_peer.h"

namespace warpbeam {

struct TaskIdentity {
  std::string job;
  int index = 0;
  std::string task;                      // its name (task_name.h)
  std::shared_ptr<PeerDirectory> peers;  // never null
  // Of a client's cluster: all its tasks, by which they know that they mean the same. "": the one
  // that the server was started with.
  std::string cluster;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_TASK_IDENTITY_H_
