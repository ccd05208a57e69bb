#include "runtime/dist/cluster/step_collectives.h"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "graph/passes/loop_frames.h"
#include "runtime/dist/cluster/remote_status.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

// Between a step's cancellation and the round that the member has joined, or is about to.
class Cancelling {
 public:
  void Cancel(Status why) {
    std::shared_ptr<CollectiveRound> round;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      why_ = std::move(why);
      round = round_.lock();
    }
    if (round != nullptr) round->GiveUp(why_);
  }
  // The member is in it.
  void Set(const std::shared_ptr<CollectiveRound>& round) {
    std::unique_lock<std::mutex> lock(mutex_);
    round_ = round;
    const Status why = why_;
    lock.unlock();
    if (!why.ok()) round->GiveUp(why);
  }

 private:
  std::mutex mutex_;
  std::weak_ptr<CollectiveRound> round_;
  Status why_;
};

void Watch(const std::shared_ptr<CollectiveRound>& round, double seconds) {
  StatusOr<std::thread> thread = NewThread([round, seconds] {
    if (round->WaitUntilClosed(seconds)) return;
    round->GiveUp(round->TimedOut());
  });
  if (!thread.ok()) return round->GiveUp(thread.status());
  thread->detach();
}

}  // namespace

StatusOr<bool> HasLoopedCollective(const StepBounds& bounds) {
  GraphPart part;
  part.graph = bounds.graph;
  part.feeds = bounds.feeds;
  part.fetches = bounds.fetches;
  part.targets = bounds.targets;
  part.Prune();
  if (!part.HasOp([](const OpSchema& op) { return op.role == OpRole::kCollective; })) return false;
  if (!HasLoops(part)) return false;
  WB_ASSIGN_OR_RETURN(const LoopFrames loops, FindLoopFrames(*part.graph, part.nodes, part.feeds));
  return std::any_of(part.nodes.begin(), part.nodes.end(), [&](NodeId id) {
    return part.graph->node(id).role() == OpRole::kCollective && loops.frame_of[id] != 0;
  });
}

void StepCollectives::Join(KernelContext& ctx, CollectiveCall call, AsyncKernel::Done done) {
  TaskCollectives::Member member;
  int32_t instance = 0;
  if (!absl::SimpleAtoi(call.group, &member.group) || !absl::SimpleAtoi(call.instance, &instance) ||
      call.group_size > std::numeric_limits<int32_t>::max()) {
    return done(InvalidArgument("group_key, instance_key and group_size are of 32 bits, not ",
                                call.group, ", ", call.instance, " and ", call.group_size));
  }
  const bool is_shared = scope_->Shares(member.group);
  if (is_shared) {
    std::lock_guard<std::mutex> lock(mutex_);
    joined_.insert(member.group);
  }
  // One master's members are of one step.
  if (is_shared) call.graph_key = scope_->graph_key;
  member.identity = scope_->identity;
  member.scope = is_shared ? scope_->identity->cluster : scope_->session;
  member.group_size = static_cast<int32_t>(call.group_size);
  member.kind = call.kind;
  member.leader = scope_->leader;
  member.device = call.member.device;
  member.asks_nccl = scope_->asks_nccl;
  member.place = call.member.placed_on;
  const double timeout = call.timeout_seconds;
  const auto cancelling = std::make_shared<Cancelling>();
  StepContext* const step = ctx.step();
  const StepContext::Token token = step->OnCancel([cancelling, step] {
    cancelling->Cancel(Cancelled("the step has ended: ", step->cancel_reason().message()));
  });
  if (token == StepContext::kAlreadyCancelled) return done(Cancelled("the step has ended"));
  const bool is_counted = is_shared && !scope_->by_number;
  RoundTable& table = is_counted ? task_.shared_rounds(member.scope) : rounds_;
  const CollectiveRound::Tie tie = {is_counted ? 0 : step_id_, is_shared, scope_->has_loops};
  const CollectiveRound::Key key(member.group, instance);
  std::shared_ptr<CollectiveRound> round;
  StatusOr<int> index = -1;
  do {
    round = table.Open(key, tie, call);
    index = round->Add(&ctx, &call, done, token);
  } while (!index.ok());
  // The member may be through already, and its step with it; the round is there.
  member.index = *index;
  TaskCollectives& task = task_;
  cancelling->Set(round);
  if (timeout > 0) Watch(round, timeout);
  task.Find(member, round);
}

void StepCollectives::Fail(const Status& why) {
  std::set<int32_t> groups = scope_->shared_groups;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    groups.insert(joined_.begin(), joined_.end());
  }
  for (const int32_t group : groups) task_.EndGroup(scope_->identity->cluster, group, why);
  // Tasks of TensorFlow's that wait for pieces of the step are told by them.
  if (scope_->by_number) task_.buffers()->Fail(step_id_, ToldBy(scope_->identity->task, why));
}

}  // namespace warpbeam
