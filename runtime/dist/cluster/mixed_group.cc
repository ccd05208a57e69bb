#include "runtime/dist/cluster/mixed_group.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "graph/io/tensor_io.h"
#include "proto/worker.pb.h"
#include "runtime/dist/cluster/task_name.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {
namespace {

// Of what leaders say, so many are kept.
constexpr size_t kMostKnown = 10000;

// The shape by which TensorFlow knows a collective: that of its result.
StatusOr<Shape> SharedShape(const CollectiveCall& terms) {
  if (terms.kind != kGather) return terms.shape;
  return terms.shape.WithDim(0, terms.shape.dim(0) * terms.group_size);
}

}  // namespace

StatusOr<std::shared_ptr<MixedGroup>> MixedGroup::Create(
    std::shared_ptr<const TaskIdentity> identity, std::string leader,
    const tensorflow::CompleteGroupResponse& formed, Environment environment) {
  std::shared_ptr<MixedGroup> group(
      new MixedGroup(std::move(identity), std::move(leader), std::move(environment)));
  WB_ASSIGN_OR_RETURN(MemberOrder order, OrderMembers(formed));
  if (order.size() != formed.group_size() || order.size() == 0) {
    return InvalidArgument("the group ", formed.group_key(), " is of ", formed.group_size(),
                           ", but has ", order.size(), " members");
  }
  for (const MemberOrder::Member& member : order.members) {
    group->members_here_ += member.task == group->identity_->task ? 1 : 0;
  }
  if (group->members_here_ == 0) {
    return InvalidArgument("the group ", formed.group_key(), " has no member on ",
                           group->identity_->task);
  }
  auto standing = std::make_shared<tensorflow::CompleteGroupRequest>();
  standing->set_group_key(formed.group_key());
  standing->set_group_size(formed.group_size());
  standing->set_device_type(formed.device_type());
  for (const tensorflow::DeviceAttributes& device : formed.device_attributes()) {
    if (TaskOfDevice(device.name()) != group->identity_->task) continue;
    *standing->mutable_device_attributes() = device;
  }
  group->standing_ = std::move(standing);
  group->key_ = formed.group_key();
  group->device_type_ = formed.device_type();
  group->order_ = std::make_shared<const MemberOrder>(std::move(order));
  return group;
}

bool MixedGroup::has_ended() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return !ended_.ok();
}

void MixedGroup::Execute(Call call, Done done) {
  const Key key(call.step, call.instance);
  const auto execution = std::make_shared<MixedExecution>(
      MixedExecution::Environment{identity_, order_, environment_.buffers, call.step, standing_});
  {
    std::unique_lock<std::mutex> lock(mutex_);
    const Status ended = ended_;
    const bool is_first = ended.ok() && running_.emplace(key, execution).second;
    lock.unlock();
    if (!ended.ok()) return done(ended, {});
    if (!is_first) {
      return done(Internal("the collective instance ", call.instance, " of group ", key_,
                           " is executed twice at once in step ", call.step),
                  {});
    }
  }
  const auto shared = std::make_shared<Call>(std::move(call));
  const auto run = [self = shared_from_this(), key, execution, shared, done] {
    std::vector<Tensor> results;
    const Status status = self->Run(shared.get(), execution.get(), &results);
    {
      std::lock_guard<std::mutex> lock(self->mutex_);
      self->running_.erase(key);
      if (!status.ok() && self->ended_.ok()) self->ended_ = status;
    }
    done(status, std::move(results));
  };
  const Status started = environment_.threads->Start(run);
  if (started.ok()) return;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    running_.erase(key);
  }
  done(started, {});
}

Status MixedGroup::Run(Call* call, MixedExecution* execution, std::vector<Tensor>* results) {
  const CollectiveCall& terms = *call->terms;
  if (terms.kind != kReduction && terms.kind != kGather && terms.kind != kBroadcast) {
    return Unimplemented("group ", key_, ", instance ", call->instance,
                         ": with tasks of TensorFlow's there are reductions, gathers and ",
                         "broadcasts alone, no collective of kind ", terms.kind);
  }
  WB_ASSIGN_OR_RETURN(const Shape shape, SharedShape(terms));
  WB_ASSIGN_OR_RETURN(const int source, Agree(*call, shape, execution));
  std::vector<MixedExecution::Member> members;
  for (size_t i = 0; i < call->members.size(); ++i) {
    WB_ASSIGN_OR_RETURN(MixedExecution::Member member, Begin(call, i, shape, source));
    results->push_back(member.tensor);
    members.push_back(std::move(member));
  }
  MixedExecution::Work work;
  work.merge = terms.merge;
  work.finish = [&terms, ctx = call->contexts[0]](const Tensor& piece) -> Status {
    WB_ASSIGN_OR_RETURN(const Tensor finished, terms.finish(*ctx, piece));
    const void* const at = piece.raw_data();
    if (finished.raw_data() != at) {
      memcpy(const_cast<void*>(at), finished.raw_data(), finished.bytes());
    }
    return OkStatus();
  };
  return execution->Transfer(std::move(members), std::move(work));
}

StatusOr<int> MixedGroup::Agree(const Call& call, const Shape& shape, MixedExecution* execution) {
  const CollectiveCall& terms = *call.terms;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = known_.find(call.instance);
    // Whoever says something else is told so by the leader.
    if (found != known_.end() && found->second.kind == terms.kind &&
        found->second.dtype == terms.dtype && found->second.shape == shape) {
      return found->second.source;
    }
  }
  std::vector<tensorflow::CompleteInstanceRequest> requests;
  for (const CollectiveMember& member : call.members) {
    tensorflow::CompleteInstanceRequest& request = requests.emplace_back();
    request.set_name(member.node);
    request.set_type(terms.kind);
    request.set_data_type(static_cast<tensorflow::DataType>(terms.dtype));
    ShapeToProto(PartialShape(shape), request.mutable_shape());
    request.set_group_key(key_);
    request.set_group_size(order_->size());
    request.set_instance_key(call.instance);
    request.set_device_type(device_type_);
    for (const int64_t offset : terms.subdivision_offsets) {
      request.add_subdiv_offset(static_cast<int32_t>(offset));
    }
    request.set_device(member.device);
    request.set_is_source(member.is_source);
  }
  MixedExecution::AskLeader ask;
  if (leader_ == identity_->task) {
    ask = [leader = environment_.leader](const tensorflow::CompleteInstanceRequest& request,
                                         WorkerPeer::InstanceDone done) {
      leader->CompleteInstance(request, std::move(done));
      return nullptr;
    };
  } else {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<WorkerPeer> peer, identity_->peers->Find(leader_));
    ask = [peer](const tensorflow::CompleteInstanceRequest& request,
                 WorkerPeer::InstanceDone done) {
      return peer->CompleteInstance(request, std::move(done));
    };
  }
  WB_ASSIGN_OR_RETURN(const int source, execution->Agree(requests, ask));
  if (terms.kind == kBroadcast && (source < 0 || source >= order_->size())) {
    return InvalidArgument("the leader ", leader_, " says that the source of the broadcast ",
                           call.instance, " of group ", key_, " is the member ", source);
  }
  std::lock_guard<std::mutex> lock(mutex_);
  if (known_.size() >= kMostKnown) known_.clear();
  known_[call.instance] = {terms.kind, terms.dtype, shape, source};
  return source;
}

StatusOr<MixedExecution::Member> MixedGroup::Begin(Call* call, size_t number, const Shape& shape,
                                                   int source) const {
  const CollectiveCall& terms = *call->terms;
  KernelContext& ctx = *call->contexts[number];
  CollectiveMember& own = call->members[number];
  // TensorFlow's: the keys, then the frame of the loop and its iteration, which are outside of all.
  const std::string name = absl::StrCat(key_, ":", call->instance, ":0:0");
  MixedExecution::Member member;
  member.rank = order_->RankOf(own.device);
  if (terms.kind == kReduction) {
    RingPieces pieces;
    pieces.elements = shape.num_elements();
    pieces.element_bytes = static_cast<int64_t>(DTypeSize(terms.dtype));
    pieces.offsets = terms.subdivision_offsets;
    pieces.most_for_device = terms.most_subdivisions;
    WB_ASSIGN_OR_RETURN(member.plan, PlanReduce(*order_, member.rank, pieces, name));
    std::vector<CollectiveMember> alone;
    alone.push_back(std::move(own));
    WB_ASSIGN_OR_RETURN(member.tensor, terms.part(ctx, std::move(alone)));
    return member;
  }
  if (terms.kind == kBroadcast) {
    if (own.is_source != (member.rank == source)) {
      return Internal(kAbortedBy, "Instance ", call->instance, " of group ", key_,
                      " has the source ", source, ", but ", own.device,
                      own.is_source ? " sends" : " receives");
    }
    member.plan = PlanBroadcast(*order_, member.rank, source, shape.num_elements(), name);
    if (own.is_source) {
      member.tensor = std::move(own.input);
    } else {
      WB_ASSIGN_OR_RETURN(member.tensor, ctx.AllocateTemp(terms.dtype, shape));
    }
    return member;
  }
  const int64_t elements = own.input.num_elements();
  member.plan = PlanGather(*order_, member.rank, elements, name);
  WB_ASSIGN_OR_RETURN(member.tensor, ctx.AllocateTemp(terms.dtype, shape));
  if (elements > 0) {
    memcpy(static_cast<char*>(member.tensor.raw_data()) + member.rank * own.input.bytes(),
           std::as_const(own.input).raw_data(), own.input.bytes());
  }
  return member;
}

void MixedGroup::Cancel(int64_t step, int32_t instance, const Status& why) {
  std::shared_ptr<MixedExecution> execution;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = running_.find(Key(step, instance));
    if (found != running_.end()) execution = found->second;
  }
  if (execution != nullptr) execution->Cancel(why);
}

void MixedGroup::End(const Status& why) {
  std::map<Key, std::shared_ptr<MixedExecution>> running;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (ended_.ok()) ended_ = why;
    running = running_;
  }
  for (const auto& [key, execution] : running) execution->Cancel(why);
}

}  // namespace warpbeam
