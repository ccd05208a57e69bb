#include "ops/collective/collective_communicator.h"

#include <algorithm>

#include "ops/state/step_resource.h"

namespace warpbeam {

std::string CollectiveCommunicator::DebugString() const {
  return absl::StrCat("Collective Group with group_key = ", terms_.group, ", group_size = ", size(),
                      ", rank = ", terms_.rank);
}

int64_t CollectiveCommunicator::PlaceOf(int32_t rank) const {
  return std::find(terms_.ranks.begin(), terms_.ranks.end(), rank) - terms_.ranks.begin();
}

Status CommunicatorKernel::Init(KernelInit& init) {
  InitMember(init);
  WB_ASSIGN_OR_RETURN(timeout_seconds_, init.attr<float>("timeout_seconds"));
  return OkStatus();
}

StatusOr<CommunicatorKernel::Turn> CommunicatorKernel::Begin(const KernelContext& ctx,
                                                             int kind) const {
  WB_ASSIGN_OR_RETURN(const auto communicator, FindInStep<CollectiveCommunicator>(ctx, 1));
  const CollectiveCommunicator::Terms& terms = communicator->terms();
  Turn turn;
  turn.call.group = terms.group;
  turn.call.instance = absl::StrCat(communicator->NextInstance());
  turn.call.group_size = communicator->size();
  turn.call.kind = kind;
  turn.call.dtype = ctx.output_type(0);
  turn.call.shape = ctx.input(0).shape();
  turn.call.member = Member();
  turn.call.member.node = terms.node;
  turn.call.member.input = ctx.TakeInput(0);
  turn.call.timeout_seconds = timeout_seconds_ > 0 ? timeout_seconds_ : terms.timeout_seconds;
  turn.communicator = communicator;
  return turn;
}

}  // namespace warpbeam
