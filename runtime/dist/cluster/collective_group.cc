#include "runtime/dist/cluster/collective_group.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "graph/io/tensor_io.h"
#include "graph/types/shown_name.h"
#include "proto/worker.pb.h"
#include "runtime/dist/cluster/remote_status.h"
#include "runtime/dist/cluster/task_name.h"
#include "runtime/dist/requests/request_id.h"

namespace warpbeam {
namespace {

// All tasks know of the group when one does, but for a message under way.
constexpr std::chrono::seconds kExchange{30};
// A connection that has broken says less than what is soon known of its task.
constexpr std::chrono::seconds kReason{2};
// How often it is asked whether somebody still waits for another task.
constexpr std::chrono::milliseconds kStillWanted{10};
constexpr char kAddress[] = "warpbeam;address;";
constexpr char kEnd[] = "warpbeam;end;";
constexpr char kGpuId[] = "warpbeam;gpus;";

}  // namespace

StatusOr<std::shared_ptr<CollectiveGroup>> CollectiveGroup::Create(
    const std::string& task, const tensorflow::CompleteGroupResponse& formed,
    Environment environment) {
  std::shared_ptr<CollectiveGroup> group(new CollectiveGroup(task, std::move(environment)));
  WB_RETURN_IF_ERROR(group->Read(formed));
  return group;
}

Status CollectiveGroup::Read(const tensorflow::CompleteGroupResponse& formed) {
  generation_ = formed.generation();
  key_ = formed.group_key();
  size_ = formed.group_size();
  if (size_ <= 0 || size_ != formed.device_attributes_size()) {
    return InvalidArgument("the group ", key_, " is of ", size_, ", but has ",
                           formed.device_attributes_size(), " members");
  }
  std::vector<std::string> names;
  for (const tensorflow::DeviceAttributes& device : formed.device_attributes()) {
    const std::string name(TaskOfDevice(device.name()));
    if (names.empty() || names.back() != name) {
      if (std::find(names.begin(), names.end(), name) != names.end()) {
        return InvalidArgument("the members of ", ShownName(name), " do not stand together");
      }
      names.push_back(name);
      members_.push_back(0);
      Task& task = tasks_.emplace_back();
      task.name = name;
      if (name == task_) {
        rank_ = static_cast<int>(names.size()) - 1;
      } else {
        WB_ASSIGN_OR_RETURN(task.peer, environment_.peers->Find(name));
      }
    }
    ++members_.back();
    if (name != task_) {
      elsewhere_.push_back(device.name());
      continue;
    }
    if (here_.empty() || here_.back().first != device.name()) here_.emplace_back(device.name(), 0);
    ++here_.back().second;
  }
  if (rank_ < 0) return InvalidArgument("the group ", key_, " has no member on ", task_);
  if (rank_ == 0) order_ = std::make_unique<ExecutionOrder>(std::move(names));
  return OkStatus();
}

bool CollectiveGroup::IsKey(absl::string_view key) {
  return absl::StartsWith(key, kAddress) || absl::StartsWith(key, kEnd) ||
         absl::StartsWith(key, kGpuId);
}

int CollectiveGroup::RankOfFirst(int task) const {
  return std::accumulate(members_.begin(), members_.begin() + task, 0);
}

void CollectiveGroup::UseGpus() {
  GpuGroup::Environment environment;
  environment.size = size_;
  environment.first_rank = RankOfFirst(rank_);
  environment.others = absl::StrJoin(elsewhere_, ", ");
  environment.exchange_id = [this](const GpuGroup::GivesUp& gives_up) {
    return ExchangeGpuId(gives_up);
  };
  gpus_ = std::make_shared<GpuGroup>(std::move(environment));
}

CollectiveGroup::~CollectiveGroup() { End(Cancelled("the group is not used any more")); }

bool CollectiveGroup::HasMember(const std::string& device, int index) const {
  return std::any_of(here_.begin(), here_.end(), [&](const auto& members) {
    return members.first == device && index < members.second;
  });
}

bool CollectiveGroup::has_ended() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return !ended_.ok();
}

int64_t CollectiveGroup::NextRound(int32_t instance) {
  std::lock_guard<std::mutex> lock(mutex_);
  return rounds_[instance]++;
}

void CollectiveGroup::Start(Done connected) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    has_started_ = true;
  }
  if (is_of_one_task()) return connected(OkStatus());
  const Status started = environment_.threads->Start(
      [self = shared_from_this(), connected] { self->Main(connected); });
  if (started.ok()) return;
  End(started);
  connected(started);
}

void CollectiveGroup::Main(const Done& connected) {
  if (const Status status = Connect(); !status.ok()) {
    End(status);
    std::unique_lock<std::mutex> lock(mutex_);
    const Status why = ended_;
    lock.unlock();
    return connected(why);
  }
  connected(OkStatus());
  ExecuteAll();
  if (gpus_ != nullptr) gpus_->Abort();
}

Status CollectiveGroup::Connect() {
  const MakeTaskCommunicator& make = environment_.peers->communicators();
  if (make == nullptr) {
    return Unimplemented("the tasks have no connections for collectives");
  }
  std::vector<std::string> names;
  for (const Task& task : tasks_) names.push_back(task.name);
  WB_ASSIGN_OR_RETURN(std::shared_ptr<TaskCommunicator> made, make(names, rank_));
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!ended_.ok()) return ended_;
    communicator_ = made;
  }
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<TaskRendezvous> meeting,
                      environment_.meetings->Get(generation_));
  for (int rank = 0; rank < static_cast<int>(tasks_.size()); ++rank) {
    if (rank == rank_) continue;
    WB_RETURN_IF_ERROR(meeting->Send(absl::StrCat(kAddress, rank),
                                     {Tensor::Scalar<std::string>(made->AddressFor(rank))}));
  }
  WB_ASSIGN_OR_RETURN(const std::vector<std::string> addresses, ExchangeAddresses());
  WatchTasks();
  const Status status = made->Connect(addresses);
  return status.ok() ? status : AwaitReason(status);
}

int64_t CollectiveGroup::BeginCall() {
  std::lock_guard<std::mutex> lock(mutex_);
  calls_[next_call_] = nullptr;
  return next_call_++;
}

void CollectiveGroup::Keep(int64_t number, std::shared_ptr<WorkerPeer::PendingCall> call) {
  if (call == nullptr) return;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = calls_.find(number);
    if (found != calls_.end()) found->second = call;
    if (ended_.ok()) return;
  }
  // Whoever ended the group meanwhile did not know the call.
  call->Cancel();
}

void CollectiveGroup::EndCall(int64_t number) {
  std::lock_guard<std::mutex> lock(mutex_);
  calls_.erase(number);
}

void CollectiveGroup::Ask(const Task& task, const std::string& key, WorkerPeer::BytesDone done) {
  tensorflow::RecvBufRequest request;
  request.set_step_id(generation_);
  request.set_buf_rendezvous_key(absl::StrCat(key, rank_));
  request.set_request_id(NewRequestId());
  const int64_t number = BeginCall();
  Keep(number, task.peer->RecvBuf(std::move(request), [self = shared_from_this(), number,
                                                       done](StatusOr<std::string> bytes) {
    self->EndCall(number);
    done(std::move(bytes));
  }));
}

StatusOr<std::vector<std::string>> CollectiveGroup::ExchangeAddresses() {
  for (const Task& task : tasks_) {
    if (task.peer == nullptr) continue;
    Ask(task, kAddress, [self = shared_from_this(), name = task.name](StatusOr<std::string> bytes) {
      if (!bytes.ok()) return self->End(bytes.status());
      std::lock_guard<std::mutex> lock(self->mutex_);
      self->addresses_[name] = *std::move(bytes);
      self->changed_.notify_all();
    });
  }
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, kExchange,
                    [&] { return !ended_.ok() || addresses_.size() + 1 == tasks_.size(); });
  WB_RETURN_IF_ERROR(ended_);
  std::vector<std::string> all, missing;
  for (const Task& task : tasks_) {
    const auto found = addresses_.find(task.name);
    if (found != addresses_.end()) {
      all.push_back(found->second);
    } else {
      if (task.peer != nullptr) missing.push_back(task.name);
      all.emplace_back();
    }
  }
  if (missing.empty()) return all;
  return DeadlineExceeded("the group ", key_, " of collectives has formed, but for ",
                          kExchange.count(), " s nothing has come from ",
                          absl::StrJoin(missing, ", "));
}

void CollectiveGroup::WatchTasks() {
  for (const Task& task : tasks_) {
    if (task.peer == nullptr) continue;
    Ask(task, kEnd, [self = shared_from_this()](const StatusOr<std::string>& nothing) {
      const Status& why = nothing.status();
      if (why.ok()) return self->End(Internal("a task of the group has ended it"));
      // What a task has told, if it has, is all that there is to say.
      const size_t told = why.message().find("From /job:");
      if (told != absl::string_view::npos) {
        return self->End(Status(why.code(), why.message().substr(told)));
      }
      self->End(Annotate(why, absl::StrCat("the group ", self->key_, " of collectives")));
    });
  }
}

bool CollectiveGroup::NextReady(int64_t number, Ready* ready) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return !ended_.ok() || ready_.count(number) > 0; });
  if (!ended_.ok()) return false;
  const auto found = ready_.find(number);
  *ready = std::move(found->second);
  ready_.erase(found);
  return true;
}

Status CollectiveGroup::AwaitReason(const Status& otherwise) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, kReason, [&] { return !ended_.ok(); });
  return ended_.ok() ? otherwise : ended_;
}

// The first task makes it when it comes here, and the others ask for it.
StatusOr<std::string> CollectiveGroup::ExchangeGpuId(const GpuGroup::GivesUp& gives_up) {
  if (rank_ == 0) {
    WB_ASSIGN_OR_RETURN(std::string id, NewGpuCommunicatorId());
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<TaskRendezvous> meeting,
                        environment_.meetings->Get(generation_));
    for (size_t rank = 1; rank < tasks_.size(); ++rank) {
      WB_RETURN_IF_ERROR(
          meeting->Send(absl::StrCat(kGpuId, rank), {Tensor::Scalar<std::string>(id)}));
    }
    return id;
  }
  Ask(tasks_[0], kGpuId, [self = shared_from_this()](StatusOr<std::string> bytes) {
    if (!bytes.ok()) return self->End(bytes.status());
    std::lock_guard<std::mutex> lock(self->mutex_);
    self->gpu_id_ = *std::move(bytes);
    self->changed_.notify_all();
  });
  std::unique_lock<std::mutex> lock(mutex_);
  while (ended_.ok() && gpu_id_.empty()) {
    changed_.wait_for(lock, kStillWanted);
    lock.unlock();
    const bool is_over = gives_up();
    lock.lock();
    if (is_over && gpu_id_.empty()) return Aborted("nothing has come from ", tasks_[0].name);
  }
  WB_RETURN_IF_ERROR(ended_);
  return gpu_id_;
}

Status CollectiveGroup::EndFor(const Status& why) {
  End(why);
  std::lock_guard<std::mutex> lock(mutex_);
  return ended_;
}

void CollectiveGroup::Explain(const Status& why, bool names_who, const GpuTasks::Told& answer) {
  if (names_who || has_ended()) return answer(EndFor(why));
  // Whoever calls must not wait, and another task may be the one that is late.
  const Status started = environment_.threads->Start([self = shared_from_this(), why, answer] {
    const Status otherwise(
        why.code(),
        absl::StrCat(why.message(), "; members of other tasks: ", self->gpus_->others()));
    answer(self->EndFor(self->AwaitReason(otherwise)));
  });
  if (!started.ok()) answer(EndFor(why));
}

void CollectiveGroup::ExecuteOnGpus(const Ready& ready) {
  StatusOr<std::shared_ptr<GpuCommunicator>> communicator =
      gpus_->Communicator(*ready.doing.on_gpus);
  if (!communicator.ok()) {
    const Status& why = communicator.status();
    return ready.done(EndFor(IsCancelled(why) ? why : AwaitReason(why)));
  }
  GpuTasks tasks;
  tasks.communicator = *std::move(communicator);
  tasks.first_rank = static_cast<size_t>(gpus_->first_rank());
  if (ready.place.source >= 0 && ready.place.source < static_cast<int>(tasks_.size())) {
    tasks.source = static_cast<size_t>(RankOfFirst(ready.place.source) + ready.place.source_member);
  }
  tasks.explain = [self = shared_from_this()](const Status& why, bool names_who,
                                              const GpuTasks::Told& answer) {
    self->Explain(why, names_who, answer);
  };
  ready.doing.on_gpus->enqueue(std::move(tasks));
}

void CollectiveGroup::ExecuteOnHost(const Ready& ready) {
  Status status = ready.doing.on_host(communicator_.get(), ready.place.source);
  if (!status.ok()) status = EndFor(AwaitReason(status));
  ready.done(status);
}

void CollectiveGroup::ExecuteAll() {
  Ready ready;
  for (int64_t number = 1; NextReady(number, &ready); ++number) {
    ready.place.on_gpus ? ExecuteOnGpus(ready) : ExecuteOnHost(ready);
    ready = Ready();
  }
  std::map<int64_t, Ready> left;
  Status why;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    left.swap(ready_);
    why = ended_;
  }
  for (auto& [number, late] : left) late.done(why);
}

tensorflow::CompleteInstanceRequest CollectiveGroup::RequestFor(const Execution& execution) const {
  tensorflow::CompleteInstanceRequest request;
  request.set_group_key(key_);
  request.set_group_size(size_);
  request.set_instance_key(execution.instance);
  tensorflow::CollectiveExecution& own = *request.mutable_warpbeam();
  own.set_generation(generation_);
  own.set_rank(rank_);
  own.set_step(execution.step);
  own.set_round(execution.round);
  return request;
}

void CollectiveGroup::Execute(const Execution& execution, ExecutionOrder::Terms terms, Doing doing,
                              Done done) {
  Status ended;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ended = ended_;
  }
  if (!ended.ok()) return done(ended);
  terms.on_gpus = doing.on_gpus != nullptr;
  auto ready = std::make_shared<Ready>(Ready{std::move(doing), std::move(done), {}});
  const auto placed = [self = shared_from_this(), ready](StatusOr<ExecutionOrder::Place> place) {
    self->Placed(std::move(place), std::move(*ready));
  };
  if (order_ != nullptr) return order_->Arrive(execution, rank_, std::move(terms), placed);
  tensorflow::CompleteInstanceRequest request = RequestFor(execution);
  request.set_type(terms.kind);
  request.set_data_type(static_cast<tensorflow::DataType>(terms.dtype));
  ShapeToProto(PartialShape(terms.shape), request.mutable_shape());
  request.set_is_source(terms.has_source);
  request.mutable_warpbeam()->set_source_member(terms.source_member);
  request.mutable_warpbeam()->set_graph_key(terms.graph_key);
  request.mutable_warpbeam()->set_on_gpus(terms.on_gpus);
  const int64_t number = BeginCall();
  Keep(number, tasks_[0].peer->CompleteInstance(
                   std::move(request),
                   [self = shared_from_this(), number, placed](
                       const Status& status, const tensorflow::CompleteInstanceResponse& response) {
                     self->EndCall(number);
                     if (!status.ok()) return placed(status);
                     placed(ExecutionOrder::Place{response.order(), response.source_rank(),
                                                  response.source_member(), response.on_gpus()});
                   }));
}

void CollectiveGroup::Placed(StatusOr<ExecutionOrder::Place> place, Ready ready) {
  Status status = place.status();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    // Calls that are cancelled with the group say nothing of why.
    if (!ended_.ok()) status = ended_;
    if (status.ok()) {
      ready.place = *place;
      ready.place.on_gpus &= ready.doing.on_gpus != nullptr;
      ready_[place->number] = std::move(ready);
      changed_.notify_all();
      return;
    }
  }
  ready.done(status);
}

void CollectiveGroup::Withdraw(const Execution& execution, const Status& why) {
  if (is_of_one_task()) return;
  if (order_ != nullptr) return order_->Withdraw(execution, ToldBy(task_, why));
  tensorflow::CompleteInstanceRequest request = RequestFor(execution);
  request.mutable_warpbeam()->set_withdrawn_code(static_cast<int>(why.code()));
  request.mutable_warpbeam()->set_withdrawn_message(std::string(ToldBy(task_, why).message()));
  const int64_t number = BeginCall();
  Keep(number,
       tasks_[0].peer->CompleteInstance(
           std::move(request), [self = shared_from_this(), number](
                                   const Status&, const tensorflow::CompleteInstanceResponse&) {
             self->EndCall(number);
           }));
}

void CollectiveGroup::Arrive(const tensorflow::CompleteInstanceRequest& request,
                             const WorkerPeer::InstanceDone& done) {
  const tensorflow::CollectiveExecution& told = request.warpbeam();
  const Execution execution = {told.step(), told.round(), request.instance_key()};
  tensorflow::CompleteInstanceResponse response;
  response.set_instance_key(request.instance_key());
  if (order_ == nullptr) {
    return done(FailedPrecondition(task_, " is not the first task of the group ", key_), response);
  }
  if (told.withdrawn_code() != 0) {
    order_->Withdraw(execution, Status(static_cast<StatusCode>(told.withdrawn_code()),
                                       told.withdrawn_message()));
    return done(OkStatus(), response);
  }
  StatusOr<PartialShape> partial = ShapeFromProto(request.shape());
  if (!partial.ok()) return done(partial.status(), response);
  StatusOr<Shape> shape = partial->AsShape();
  if (!shape.ok()) return done(shape.status(), response);
  ExecutionOrder::Terms terms;
  terms.kind = request.type();
  terms.dtype = static_cast<DType>(request.data_type());
  terms.shape = *std::move(shape);
  terms.has_source = request.is_source();
  terms.source_member = told.source_member();
  terms.graph_key = told.graph_key();
  terms.on_gpus = told.on_gpus();
  order_->Arrive(execution, told.rank(), std::move(terms),
                 [done, response](StatusOr<ExecutionOrder::Place> place) mutable {
                   if (!place.ok()) return done(place.status(), response);
                   response.set_order(place->number);
                   response.set_source_rank(place->source);
                   response.set_source_member(place->source_member);
                   response.set_on_gpus(place->on_gpus);
                   done(OkStatus(), response);
                 });
}

void CollectiveGroup::End(const Status& why) {
  std::map<int64_t, std::shared_ptr<WorkerPeer::PendingCall>> calls;
  std::shared_ptr<TaskCommunicator> communicator;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!ended_.ok()) return;
    ended_ = why;
    if (!has_started_) return;  // another one speaks for the task
    if (gpus_ != nullptr) gpus_->GiveUp();
    calls.swap(calls_);
    communicator = communicator_;
    changed_.notify_all();
  }
  if (communicator != nullptr) communicator->Abort();
  // The group's thread may itself wait for what GPUs do behind a collective that hangs.
  if (gpus_ != nullptr) {
    environment_.threads->Start([gpus = gpus_] { gpus->Abort(); }).IgnoreError();
  }
  const Status told = ToldBy(task_, why);
  if (order_ != nullptr) order_->End(told);
  if (!is_of_one_task()) environment_.meetings->End(generation_, told);
  for (const auto& [number, call] : calls) {
    if (call != nullptr) call->Cancel();
  }
}

}  // namespace warpbeam
