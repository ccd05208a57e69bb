#include "runtime/dist/cluster/gpu_group.h"

#include <chrono>
#include <utility>

namespace warpbeam {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

StatusOr<std::shared_ptr<GpuCommunicator>> GpuGroup::Communicator(const Work& work) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (communicator_ != nullptr) return communicator_;
  }
  // All tasks are ready for the collective that the communicator is made for.
  const double seconds = SecondsToConnect(work.timeout_seconds);
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(seconds));
  const GivesUp gives_up = [&] {
    return is_over_->load() || work.is_cancelled() || Clock::now() >= until;
  };
  StatusOr<std::shared_ptr<GpuCommunicator>> joined = Join(work, gives_up);
  if (joined.ok()) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (is_over_->load()) return Aborted("the group has ended");
    communicator_ = *joined;
    return joined;
  }
  if (work.is_cancelled()) {
    return Cancelled("the step is over, before the GPUs of all tasks were connected");
  }
  if (is_over_->load() || Clock::now() < until) return joined;
  return DeadlineExceeded("Collective has timed out connecting GPUs of several tasks by NCCL. In ",
                          seconds,
                          " s these have not joined, or not all of them: ", environment_.others,
                          "; servers that cannot connect so go through host memory with "
                          "--nccl=false");
}

StatusOr<std::shared_ptr<GpuCommunicator>> GpuGroup::Join(const Work& work,
                                                          const GivesUp& gives_up) {
  GpuRanks ranks;
  WB_ASSIGN_OR_RETURN(ranks.id, environment_.exchange_id(gives_up));
  ranks.size = environment_.size;
  ranks.first = environment_.first_rank;
  ranks.devices = work.devices;
  ranks.is_over = [is_over = is_over_] { return is_over->load(); };
  return JoinGpuCommunicator(ranks, gives_up);
}

void GpuGroup::Abort() {
  std::shared_ptr<GpuCommunicator> communicator;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    communicator.swap(communicator_);
  }
  if (communicator != nullptr) communicator->Abort();
}

}  // namespace warpbeam
