// GpuGroup: the communicator that spans the GPUs of a group of collectives whose members are on
// several tasks, each on a GPU of its own; as one of the tasks has it.
//
//   GpuGroup gpus(environment);                            // of a CollectiveGroup
//   StatusOr<std::shared_ptr<GpuCommunicator>> all = gpus.Communicator(work);
//   gpus.GiveUp();                                         // the group has ended
//   gpus.Abort();                                          // and where it may be waited for
//
// It is made when it is first asked for, which all tasks do in the same execution: one of them
// makes the id, the others ask it for that, and then all join.
//
// Ownership: devices are the members', which outlive their calls. Thread safety: Communicator on
// the group's thread, everything else on any. Errors: DEADLINE_EXCEEDED naming the tasks that this
// one waits for; CANCELLED with the members' step; those of JoinGpuCommunicator.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_GPU_GROUP_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_GPU_GROUP_H_

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/comm/gpu_communicator.h"
#include "runtime/comm/gpu_meeting.h"

namespace warpbeam {

class GpuGroup {
 public:
  // What the members of this task do in an execution.
  struct Work {
    std::vector<Device*> devices;  // in the order of the members
    double timeout_seconds = 0;    // 0: none
    std::function<bool()> is_cancelled;
    std::function<void(GpuTasks tasks)> enqueue;
  };
  using GivesUp = std::function<bool()>;
  struct Environment {
    int size = 0;        // members of all tasks
    int first_rank = 0;  // the first one of this task
    std::string others;  // the devices of the other tasks' members, for messages
    // The id of the communicator, made here or asked for. ABORTED where it gives up.
    std::function<StatusOr<std::string>(const GivesUp& gives_up)> exchange_id;
  };

  explicit GpuGroup(Environment environment) : environment_(std::move(environment)) {}

  StatusOr<std::shared_ptr<GpuCommunicator>> Communicator(const Work& work);
  int first_rank() const { return environment_.first_rank; }
  const std::string& others() const { return environment_.others; }
  // Nothing waits for other tasks any more.
  void GiveUp() { is_over_->store(true); }
  // Ends what is under way; it may wait for streams to come by.
  void Abort();

 private:
  StatusOr<std::shared_ptr<GpuCommunicator>> Join(const Work& work, const GivesUp& gives_up);

  const Environment environment_;
  const std::shared_ptr<std::atomic<bool>> is_over_ = std::make_shared<std::atomic<bool>>(false);
  std::mutex mutex_;                               // of what follows
  std::shared_ptr<GpuCommunicator> communicator_;  // once it is made, until it is aborted
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_GPU_GROUP_H_
