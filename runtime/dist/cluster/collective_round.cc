#include "runtime/dist/cluster/collective_round.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

absl::StatusOr<int> CollectiveRound::Add(KernelContext* ctx, CollectiveCall* call,
                                         const AsyncKernel::Done& done, StepContext::Token token) {
  int index = 0;
  absl::Status status;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (is_closed_ || is_executing_) return NotFound("the round is over");
    status = CheckAgreement(terms_, *call);
    for (const Member& member : members_) index += member.member.device == call->member.device;
    members_.push_back({ctx, std::move(call->member), done, token});
  }
  if (!status.ok()) Close(status);
  return index;
}

void CollectiveRound::Found(absl::StatusOr<std::shared_ptr<CollectiveGroup>> group) {
  if (!group.ok()) return Close(group.status());
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (is_closed_ || is_executing_) return;
    group_ = *std::move(group);
    if (static_cast<int>(members_.size()) < group_->members_here()) return;
    is_executing_ = true;
    std::sort(members_.begin(), members_.end(),
              [](const Member& a, const Member& b) { return ComesBefore(a.member, b.member); });
    execution_.step = step_;
    execution_.instance = key_.second;
    execution_.round = step_ == 0 ? group_->NextRound(key_.second) : table_.NextRound(key_);
  }
  Execute();
}

void CollectiveRound::Execute() {
  table_.Remove(key_, this);
  ExecutionOrder::Terms terms;
  terms.kind = terms_.kind;
  terms.dtype = terms_.dtype;
  terms.shape = terms_.shape;
  const auto num_sources =
      std::count_if(members_.begin(), members_.end(),
                    [](const Member& member) { return member.member.is_source; });
  terms.has_source = num_sources > 0;
  const std::shared_ptr<CollectiveGroup> group = group_;
  group->Execute(
      execution_, std::move(terms),
      [self = shared_from_this(), &group = *group](TaskCommunicator* tasks, int source) {
        return self->Work(group, tasks, source);
      },
      [self = shared_from_this()](const absl::Status& status) { self->Close(status); });
}

std::vector<CollectiveMember> CollectiveRound::TakeInputs() {
  std::vector<CollectiveMember> inputs;
  for (Member& member : members_) inputs.push_back(std::move(member.member));
  return inputs;
}

absl::Status CollectiveRound::Work(const CollectiveGroup& group, TaskCommunicator* tasks,
                                   int source) {
  absl::StatusOr<Tensor> result = Internal("no such collective: ", terms_.kind);
  if (tasks == nullptr) {
    result = terms_.combine(*members_[0].ctx, TakeInputs());
  } else if (terms_.kind == kReduction) {
    result = Reduce(tasks);
  } else if (terms_.kind == kGather) {
    result = Gather(group, tasks);
  } else if (terms_.kind == kBroadcast) {
    result = Broadcast(group, tasks, source);
  }
  if (result.ok()) result_ = *std::move(result);
  return result.status();
}

absl::StatusOr<Tensor> CollectiveRound::Reduce(TaskCommunicator* tasks) {
  KernelContext& ctx = *members_[0].ctx;
  WB_ASSIGN_OR_RETURN(Tensor sum, terms_.part(ctx, TakeInputs()));
  WB_RETURN_IF_ERROR(tasks->AllReduce(sum.raw_data(), sum.num_elements(),
                                      static_cast<int64_t>(DTypeSize(sum.dtype())), terms_.merge));
  return terms_.finish(ctx, std::move(sum));
}

absl::StatusOr<Tensor> CollectiveRound::Gather(const CollectiveGroup& group,
                                               TaskCommunicator* tasks) {
  const auto piece = static_cast<int64_t>(members_[0].member.input.bytes());
  WB_ASSIGN_OR_RETURN(const Shape shape,
                      terms_.shape.WithDim(0, group.size() * terms_.shape.dim(0)));
  WB_ASSIGN_OR_RETURN(Tensor all, members_[0].ctx->AllocateTemp(terms_.dtype, shape));
  std::vector<int64_t> bytes;
  int64_t before = 0;
  for (size_t rank = 0; rank < group.members().size(); ++rank) {
    if (static_cast<int>(rank) < group.rank()) before += group.members()[rank];
    bytes.push_back(group.members()[rank] * piece);
  }
  auto* out = static_cast<char*>(all.raw_data()) + before * piece;
  for (const CollectiveMember& member : TakeInputs()) {
    if (piece > 0) memcpy(out, member.input.raw_data(), static_cast<size_t>(piece));
    out += piece;
  }
  WB_RETURN_IF_ERROR(tasks->AllGather(all.raw_data(), bytes));
  return all;
}

absl::StatusOr<Tensor> CollectiveRound::Broadcast(const CollectiveGroup& group,
                                                  TaskCommunicator* tasks, int source) {
  Tensor value;
  KernelContext& ctx = *members_[0].ctx;
  if (source == group.rank()) {
    for (CollectiveMember& member : TakeInputs()) {
      if (member.is_source) value = std::move(member.input);
    }
  } else {
    WB_ASSIGN_OR_RETURN(value, ctx.AllocateTemp(terms_.dtype, terms_.shape));
  }
  // The source's is only read.
  WB_RETURN_IF_ERROR(tasks->Broadcast(const_cast<void*>(std::as_const(value).raw_data()),
                                      static_cast<int64_t>(value.bytes()), source));
  return value;
}

void CollectiveRound::GiveUp(const absl::Status& why) {
  std::shared_ptr<CollectiveGroup> group;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (is_closed_) return;
    if (is_executing_) group = group_;
  }
  if (group == nullptr) return Close(why);
  // In a step of another master it is an error that nobody has asked for.
  const bool is_told = step_ == 0 && absl::IsCancelled(why);
  group->Withdraw(execution_, is_told ? absl::AbortedError(why.message()) : why);
}

void CollectiveRound::Close(const absl::Status& status) {
  std::vector<Member> members;
  Tensor result;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (std::exchange(is_closed_, true)) return;
    members.swap(members_);
    result = std::move(result_);
    group_ = nullptr;
    closing_.notify_all();
  }
  table_.Remove(key_, this);
  for (Member& member : members) {
    // One that is being cancelled runs its callbacks, of which this may be one.
    StepContext& step = *member.ctx->step();
    if (!step.IsCancelled()) step.RemoveCallback(member.token);
    if (status.ok()) member.ctx->set_output(0, result);
    member.done(status);
  }
}

bool CollectiveRound::is_closed() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return is_closed_;
}

bool CollectiveRound::WaitUntilClosed(double seconds) {
  std::unique_lock<std::mutex> lock(mutex_);
  return closing_.wait_for(lock, std::chrono::duration<double>(seconds),
                           [this] { return is_closed_; });
}

std::shared_ptr<CollectiveRound> RoundTable::Open(CollectiveRound::Key key, int64_t step,
                                                  const CollectiveCall& call) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<CollectiveRound>& round = open_[key];
  if (round == nullptr) {
    CollectiveCall terms = call;
    terms.member = CollectiveMember();
    round = std::make_shared<CollectiveRound>(this, key, step, std::move(terms));
  }
  return round;
}

void RoundTable::Remove(CollectiveRound::Key key, const CollectiveRound* round) {
  std::shared_ptr<CollectiveRound> gone;
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = open_.find(key);
  if (found == open_.end() || found->second.get() != round) return;
  gone = std::move(found->second);
  open_.erase(found);
}

int64_t RoundTable::NextRound(CollectiveRound::Key key) {
  std::lock_guard<std::mutex> lock(mutex_);
  return rounds_[key]++;
}

}  // namespace warpbeam
