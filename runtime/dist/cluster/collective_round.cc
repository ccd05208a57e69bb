#include "runtime/dist/cluster/collective_round.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <future>
#include <numeric>

#include "runtime/comm/gpu_endpoint.h"
#include "runtime/comm/staged_member.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {
namespace {

// Appends a piece of the tensor's bytes to what is at `out`.
void CopyPiece(const Tensor& tensor, int64_t piece, int64_t bytes, char** out) {
  if (bytes == 0) return;
  memcpy(*out, static_cast<const char*>(tensor.raw_data()) + piece * bytes,
         static_cast<size_t>(bytes));
  *out += bytes;
}

// To the end of its step. One that is being cancelled runs its callbacks, of which this may be one.
void StopListening(const MeetingMember& member, StepContext::Token token) {
  StepContext& step = *member.ctx->step();
  if (!step.IsCancelled()) step.RemoveCallback(token);
}

}  // namespace

StatusOr<int> CollectiveRound::Add(KernelContext* ctx, CollectiveCall* call,
                                   const AsyncKernel::Done& done, StepContext::Token token) {
  int index = 0;
  Status status;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (is_closed_ || is_executing_) return NotFound("the round is over");
    status = CheckAgreement(terms_, *call);
    is_refused_ |= !status.ok();
    for (const Member& m : members_) index += m.own.member.device == call->member.device;
    members_.push_back({{std::move(call->member), ctx, std::move(call->take), done}, token, {}});
  }
  if (!status.ok()) Close(status);
  return index;
}

void CollectiveRound::Found(StatusOr<std::shared_ptr<CollectiveGroup>> group) {
  if (!group.ok()) return Close(group.status());
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!MayBeginLocked()) return;
    group_ = *std::move(group);
    if (static_cast<int>(members_.size()) < group_->members_here()) return;
    BeginLocked();
    execution_.step = tie_.step;
    execution_.instance = key_.second;
    execution_.round = tie_.step == 0 ? group_->NextRound(key_.second) : table_.NextRound(key_);
  }
  table_.Remove(key_, this);
  if (group_->is_of_one_task()) return Meet(terms_, TakeMembers());
  if (MayStayOnGpus()) return Execute();
  Stage([self = shared_from_this(), of = group_](const Status& staged) {
    if (staged.ok()) return self->Execute();
    of->Withdraw(self->execution_, staged);
    self->Close(staged);
  });
}

void CollectiveRound::BeginLocked() {
  is_executing_ = true;
  still_to_tell_ = members_.size();
  std::sort(members_.begin(), members_.end(), [](const Member& a, const Member& b) {
    return ComesBefore(a.own.member, b.own.member);
  });
}

bool CollectiveRound::MayStayOnGpus() const {
  if (!group_->uses_gpus() || !HasGpuCommunicators(terms_.dtype)) return false;
  std::vector<const MeetingMember*> here;
  for (const Member& member : members_) here.push_back(&member.own);
  return MayMeetOnGpus(terms_, here);
}

void CollectiveRound::Stage(Then then) {
  std::vector<MeetingMember> all;
  for (const Member& member : members_) all.push_back(member.own);
  StageAllOnHost(std::move(all), [self = shared_from_this(), then = std::move(then)](
                                     const Status& staged, std::vector<MeetingMember> members) {
    {
      std::lock_guard<std::mutex> lock(self->mutex_);
      for (size_t i = 0; i < self->members_.size(); ++i) {
        self->members_[i].own = std::move(members[i]);
      }
    }
    then(staged);
  });
}

Status CollectiveRound::StageAndWait() {
  const auto staged = std::make_shared<std::promise<Status>>();
  std::future<Status> result = staged->get_future();
  Stage([staged](const Status& status) { staged->set_value(status); });
  return result.get();
}

std::vector<MeetingMember> CollectiveRound::TakeMembers() {
  std::vector<MeetingMember> all;
  for (size_t i = 0; i < members_.size(); ++i) {
    MeetingMember& own = members_[i].own;
    all.push_back({std::move(own.member), own.ctx, std::move(own.take),
                   [self = shared_from_this(), i](const Status& s) { self->Told(i, s); }});
  }
  return all;
}

std::shared_ptr<const GpuGroup::Work> CollectiveRound::WorkOnGpus() {
  if (!MayStayOnGpus()) return nullptr;
  auto work = std::make_shared<GpuGroup::Work>();
  for (const Member& member : members_) {
    work->devices.push_back(&member.own.member.gpu->device());
  }
  work->timeout_seconds = terms_.timeout_seconds;
  work->is_cancelled = [self = shared_from_this()] {
    return std::any_of(self->members_.begin(), self->members_.end(),
                       [](const Member& member) { return member.own.ctx->IsCancelled(); });
  };
  work->enqueue = [self = shared_from_this()](GpuTasks tasks) {
    MeetOnGpusOfTasks(self->terms_, self->TakeMembers(), std::move(tasks));
  };
  return work;
}

Status CollectiveRound::CheckMixed(int64_t round) const {
  if (tie_.step == 0) {
    return Unimplemented("group_key ", key_.first, ", instance_key ", key_.second,
                         ": the group has members on tasks of TensorFlow's, of which the session ",
                         "does not know; its device filters have to let them pass");
  }
  if (round == 0 && !tie_.is_looped) return OkStatus();
  return Unimplemented("group_key ", key_.first, ", instance_key ", key_.second,
                       ": a collective with tasks of TensorFlow's in a loop");
}

void CollectiveRound::FoundMixed(const std::shared_ptr<MixedGroup>& group) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!MayBeginLocked()) return;
    if (static_cast<int>(members_.size()) < group->members_here()) return;
    mixed_ = group;
    BeginLocked();
  }
  const Status status = CheckMixed(table_.NextRound(key_));
  table_.Remove(key_, this);
  if (!status.ok()) return Close(status);
  Stage([self = shared_from_this()](const Status& staged) {
    staged.ok() ? self->ExecuteMixed() : self->Close(staged);
  });
}

void CollectiveRound::ExecuteMixed() {
  MixedGroup::Call call;
  call.members = TakeInputs();
  for (const Member& member : members_) call.contexts.push_back(member.own.ctx);
  call.step = tie_.step;
  call.instance = key_.second;
  call.terms = &terms_;
  mixed_->Execute(std::move(call),
                  [self = shared_from_this()](const Status& executed, std::vector<Tensor> results) {
                    for (size_t i = 0; executed.ok() && i < results.size(); ++i) {
                      self->members_[i].result = std::move(results[i]);
                    }
                    self->Close(executed);
                  });
}

void CollectiveRound::Execute() {
  ExecutionOrder::Terms terms;
  terms.kind = terms_.kind;
  terms.dtype = terms_.dtype;
  terms.shape = terms_.shape;
  terms.graph_key = terms_.graph_key;
  for (size_t i = 0; i < members_.size(); ++i) {
    if (!members_[i].own.member.is_source) continue;
    terms.has_source = true;
    terms.source_member = static_cast<int>(i);
  }
  const std::shared_ptr<CollectiveGroup> group = group_;
  CollectiveGroup::Doing doing;
  doing.on_host = [self = shared_from_this(), &group = *group](TaskCommunicator* tasks,
                                                               int source) {
    return self->Work(group, tasks, source);
  };
  doing.on_gpus = WorkOnGpus();
  group->Execute(execution_, std::move(terms), std::move(doing),
                 [self = shared_from_this()](const Status& status) { self->Close(status); });
}

std::vector<CollectiveMember> CollectiveRound::TakeInputs() {
  std::vector<CollectiveMember> inputs;
  for (Member& member : members_) inputs.push_back(std::move(member.own.member));
  return inputs;
}

Status CollectiveRound::Work(const CollectiveGroup& group, TaskCommunicator* tasks, int source) {
  WB_RETURN_IF_ERROR(StageAndWait());
  StatusOr<Tensor> result = Internal("no such collective: ", terms_.kind);
  if (terms_.kind == kReduction || terms_.kind == kReduceScatter) {
    result = Reduce(tasks);
  } else if (terms_.kind == kAllToAll) {
    result = AllToAll(group, tasks);
  } else if (terms_.kind == kGather || terms_.kind == kPackedGather) {
    result = Gather(group, tasks);
  } else if (terms_.kind == kBroadcast) {
    result = Broadcast(group, tasks, source);
  }
  if (!result.ok()) return result.status();
  if (HasShares(terms_.kind)) {
    SetShares(group, *result);
  } else {
    for (Member& member : members_) member.result = *result;
  }
  return OkStatus();
}

// Of an exchange of pieces the result is of this task's members alone.
void CollectiveRound::SetShares(const CollectiveGroup& group, const Tensor& all) {
  const bool is_of_all = terms_.kind == kReduceScatter;
  const std::vector<int>& counts = group.members();
  const auto before = std::accumulate(counts.begin(), counts.begin() + group.rank(), int64_t{0});
  int64_t place = is_of_all ? before : 0;
  const int64_t of = is_of_all ? group.size() : static_cast<int64_t>(members_.size());
  for (Member& member : members_) member.result = ShareAt(all, place++, of);
}

StatusOr<Tensor> CollectiveRound::Reduce(TaskCommunicator* tasks) {
  KernelContext& ctx = *members_[0].own.ctx;
  WB_ASSIGN_OR_RETURN(Tensor sum, terms_.part(ctx, TakeInputs()));
  WB_RETURN_IF_ERROR(tasks->AllReduce(sum.raw_data(), sum.num_elements(),
                                      static_cast<int64_t>(DTypeSize(sum.dtype())), terms_.merge));
  return terms_.finish(ctx, std::move(sum));
}

StatusOr<Tensor> CollectiveRound::Gather(const CollectiveGroup& group, TaskCommunicator* tasks) {
  const Tensor& own = members_[0].own.member.input;
  const auto piece = static_cast<int64_t>(own.bytes());
  WB_ASSIGN_OR_RETURN(const Shape shape, own.shape().WithDim(0, group.size() * own.dim(0)));
  WB_ASSIGN_OR_RETURN(Tensor all, members_[0].own.ctx->AllocateTemp(own.dtype(), shape));
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

// A piece from each member to each, which is a row of the one's tensor and becomes one of the
// other's. Between two tasks they go in the order of the receivers, then of the senders.
StatusOr<Tensor> CollectiveRound::AllToAll(const CollectiveGroup& group, TaskCommunicator* tasks) {
  KernelContext& ctx = *members_[0].own.ctx;
  const std::vector<CollectiveMember> inputs = TakeInputs();
  const std::vector<int>& counts = group.members();
  const auto here = static_cast<int64_t>(inputs.size());
  const auto piece = static_cast<int64_t>(inputs[0].input.bytes()) / group.size();
  WB_ASSIGN_OR_RETURN(const Shape shape, terms_.shape.WithDim(0, here * group.size()));
  WB_ASSIGN_OR_RETURN(Tensor sent, ctx.AllocateTemp(terms_.dtype, shape));
  WB_ASSIGN_OR_RETURN(const Tensor come, ctx.AllocateTemp(terms_.dtype, shape));
  std::vector<std::vector<int64_t>> bytes;
  for (const int from : counts) {
    std::vector<int64_t>& row = bytes.emplace_back();
    for (const int to : counts) row.push_back(from * to * piece);
  }
  auto* out = static_cast<char*>(sent.raw_data());
  for (int64_t to = 0; to < group.size(); ++to) {
    for (const CollectiveMember& from : inputs) CopyPiece(from.input, to, piece, &out);
  }
  void* const into = const_cast<void*>(come.raw_data());
  WB_RETURN_IF_ERROR(tasks->AllToAll(sent.raw_data(), into, bytes));
  // What is for one member comes together; what was sent is not needed any more.
  out = static_cast<char*>(sent.raw_data());
  for (int64_t to = 0; to < here; ++to) {
    int64_t before = 0;  // pieces from tasks of lower ranks
    for (const int count : counts) {
      for (int64_t from = 0; from < count; ++from) {
        CopyPiece(come, before + to * count + from, piece, &out);
      }
      before += here * count;
    }
  }
  return sent;
}

StatusOr<Tensor> CollectiveRound::Broadcast(const CollectiveGroup& group, TaskCommunicator* tasks,
                                            int source) {
  Tensor value;
  KernelContext& ctx = *members_[0].own.ctx;
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

void CollectiveRound::GiveUp(const Status& why) {
  std::shared_ptr<CollectiveGroup> group;
  std::shared_ptr<MixedGroup> mixed;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (is_closed_) return;
    if (is_executing_) group = group_;
    if (is_executing_) mixed = mixed_;
  }
  if (mixed != nullptr) return mixed->Cancel(tie_.step, key_.second, why);
  if (group == nullptr) return Close(why);
  // In a step of another master it is an error that nobody has asked for.
  const bool is_told = tie_.is_shared && IsCancelled(why);
  group->Withdraw(execution_, is_told ? Aborted(why.message()) : why);
}

void CollectiveRound::Close(const Status& status) {
  std::vector<Member> members;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (std::exchange(is_closed_, true)) return;
    members.swap(members_);
    group_ = nullptr;
    mixed_ = nullptr;
    closing_.notify_all();
  }
  table_.Remove(key_, this);
  for (Member& member : members) {
    StopListening(member.own, member.token);
    if (!status.ok()) {
      member.own.done(status);
      continue;
    }
    StatusOr<Tensor> result = std::move(member.result);
    KernelContext& ctx = *member.own.ctx;
    if (member.own.take != nullptr) result = member.own.take(ctx, *std::move(result));
    if (result.ok()) ctx.set_output(0, *std::move(result));
    member.own.done(result.status());
  }
}

void CollectiveRound::Told(size_t i, const Status& status) {
  Member member;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    member = std::move(members_[i]);
    if (--still_to_tell_ == 0) {
      is_closed_ = true;
      group_ = nullptr;
      closing_.notify_all();
    }
  }
  StopListening(member.own, member.token);
  member.own.done(status);
}

bool CollectiveRound::is_closed() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return is_closed_;
}

Status CollectiveRound::TimedOut() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<CollectiveMember> came;
  for (const Member& member : members_) {
    // What executes has given its inputs away, and is told by the tasks' names.
    if (!is_executing_) came.push_back(member.own.member);
  }
  if (!is_executing_) return warpbeam::TimedOut(terms_, came);
  return DeadlineExceeded(
      "Collective has timed out waiting for other workers. Of group_key=", terms_.group,
      ", instance ", terms_.instance, ", all members have come here");
}

bool CollectiveRound::WaitUntilClosed(double seconds) {
  std::unique_lock<std::mutex> lock(mutex_);
  return closing_.wait_for(lock, std::chrono::duration<double>(seconds),
                           [this] { return is_closed_; });
}

std::shared_ptr<CollectiveRound> RoundTable::Open(CollectiveRound::Key key,
                                                  CollectiveRound::Tie tie,
                                                  const CollectiveCall& call) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<CollectiveRound>& round = open_[key];
  if (round == nullptr) {
    CollectiveCall terms = call;
    terms.member = CollectiveMember();
    round = std::make_shared<CollectiveRound>(this, key, tie, std::move(terms));
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
