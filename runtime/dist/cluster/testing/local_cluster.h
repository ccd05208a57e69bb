// LocalCluster: a cluster in one process: tasks that send each other the messages of a real one,
// without a network.
//
//   WB_ASSIGN_OR_RETURN(auto cluster, LocalCluster::Create({{"worker", 0}, {"ps", 0}}, options));
//   WB_ASSIGN_OR_RETURN(auto session, cluster->NewSession(graph));    // its master: the first task
//   cluster->Script("/job:ps/replica:0/task:0", [](absl::string_view call) {
//     return call == "RunGraph" ? Unavailable("gone") : OkStatus();
//   });
//
// A script is asked before each call of a task; what it returns instead of OK is the answer. With
// RepeatRequests every RunGraph and RecvTensor comes twice, as from a task that has lost the answer
// to the first, and the second answer is the one that counts. With SpeakPlainly tasks do what they
// do in a cluster with TensorFlow's.
//
// Ownership: outlives its sessions. Thread safety: any thread; scripts are set before the calls
// that they are for. Errors: those of the tasks.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_TESTING_LOCAL_CLUSTER_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_TESTING_LOCAL_CLUSTER_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/dist/cluster/worker.h"
#include "runtime/session/session.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {

// How members of collectives that are on several tasks meet.
struct LocalCollectives {
  MakeTaskCommunicator communicators;  // null: not at all
  bool is_encrypted = false;           // what tasks tell each other
  bool may_use_nccl = true;            // WorkerOptions
  bool asks_nccl = false;              // of sessions
};

class LocalCluster {
 public:
  using CallScript = std::function<Status(absl::string_view call)>;

  // `options` are those of each task.
  static StatusOr<std::unique_ptr<LocalCluster>> Create(
      const std::vector<std::pair<std::string, int>>& tasks, const SessionOptions& options,
      const LocalCollectives& collectives = {});
  ~LocalCluster();

  // The master is the task of this number, in the order in which they were given.
  StatusOr<std::unique_ptr<Session>> NewSession(std::shared_ptr<Graph> graph,
                                                bool is_isolated = false, int task = 0);
  void Script(const std::string& task, CallScript script);
  void RepeatRequests();
  // From now on tasks take each other for TensorFlow's: what Warpbeam's tasks tell each other
  // besides is lost on the way. Before sessions are made.
  void SpeakPlainly();
  Worker& worker(int task) { return *workers_[static_cast<size_t>(task)]; }
  // How often a task was called so.
  int calls(const std::string& task, const std::string& call) const;

 private:
  class Peer;
  struct Scripts;

  LocalCluster() = default;

  SessionOptions options_;
  bool asks_nccl_ = false;
  std::shared_ptr<Scripts> scripts_;
  std::shared_ptr<PeerDirectory> directory_;
  std::vector<std::unique_ptr<Worker>> workers_;
  CallThreads threads_;  // of steps; they end before the workers
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_TESTING_LOCAL_CLUSTER_H_
