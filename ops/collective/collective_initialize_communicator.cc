// CollectiveInitializeCommunicator: waits until the members of all ranks of a group have come, and
// gives each a communicator for what they do together from then on.
#include <algorithm>
#include <vector>

#include "absl/strings/str_format.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/collective/collective_communicator.h"
#include "ops/state/step_resource.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// The collectives of a communicator are numbered from 0; this is what comes before them.
constexpr char kInstance[] = "-1";

struct Arguments {
  int64_t group = 0, rank = 0, size = 0;
};

StatusOr<Arguments> ReadArguments(const KernelContext& ctx) {
  Arguments arguments;
  WB_ASSIGN_OR_RETURN(arguments.group, KeyAt(ctx, 0, "group_key"));
  WB_ASSIGN_OR_RETURN(arguments.rank, KeyAt(ctx, 1, "rank"));
  WB_ASSIGN_OR_RETURN(arguments.size, KeyAt(ctx, 2, "group_size"));
  if (arguments.size <= 0) {
    return InvalidArgument("group_size must be positive integer but got ", arguments.size);
  }
  if (arguments.rank < 0) {
    return InvalidArgument("rank must be non-negative integer but got ", arguments.rank);
  }
  if (arguments.rank >= arguments.size) {
    return InvalidArgument("rank must be less than group size but got ", arguments.rank,
                           " >= ", arguments.size);
  }
  return arguments;
}

// Every member sees the same ranks, and finds the same.
Status CheckRanks(const std::string& group, const std::vector<int32_t>& ranks) {
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto count = std::count(ranks.begin(), ranks.end(), static_cast<int32_t>(rank));
    if (count == 1) continue;
    return InvalidArgument(kAbortedBy, count, " of the ", ranks.size(),
                           " members of group_key=", group, " have rank ", rank,
                           "; each must have a rank of its own");
  }
  return OkStatus();
}

class InitializeCommunicatorKernel final : public MemberKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<InitializeCommunicatorKernel>();
    WB_ASSIGN_OR_RETURN(kernel->timeout_seconds_, init.attr<float>("timeout_seconds"));
    kernel->InitMember(init);
    return kernel;
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    const StatusOr<Arguments> arguments = ReadArguments(ctx);
    if (!arguments.ok()) return done(arguments.status());
    CollectiveCall call;
    call.group = absl::StrCat(arguments->group);
    call.instance = kInstance;
    call.group_size = arguments->size;
    call.kind = kGather;
    call.dtype = DType::kInt32;
    call.shape = Shape({1});
    call.timeout_seconds = timeout_seconds_;
    call.member = Member();
    call.member.gpu = nullptr;  // the rank lies in host memory
    const auto rank = static_cast<int32_t>(arguments->rank);
    call.member.input = Tensor::Vector<int32_t>({rank});
    call.combine = GatherInputs;
    call.take = [this, group = call.group, rank](KernelContext& context, const Tensor& ranks) {
      return Handle(context, group, rank, ranks);
    };
    JoinCollective(ctx, std::move(call), std::move(done));
  }

 private:
  StatusOr<Tensor> Handle(const KernelContext& ctx, const std::string& group, int32_t rank,
                          const Tensor& ranks) const {
    CollectiveCommunicator::Terms terms;
    terms.group = group;
    terms.rank = rank;
    terms.ranks.assign(ranks.flat<int32_t>().begin(), ranks.flat<int32_t>().end());
    WB_RETURN_IF_ERROR(CheckRanks(group, terms.ranks));
    terms.timeout_seconds = timeout_seconds_;
    terms.node = Member().node;
    return NewStepHandle(ctx, DType::kResource, "collective_op_group",
                         absl::StrFormat("%s:r%04d", group, rank),
                         std::make_shared<CollectiveCommunicator>(std::move(terms)));
  }

  double timeout_seconds_ = 0;
};

WB_OP("CollectiveInitializeCommunicator")
    .Role(OpRole::kCollective)
    .Input("group_key: int32")
    .Input("rank: int32")
    .Input("group_size: int32")
    .Output("communicator: resource")
    .Attr("communication_hint: string = 'auto'")
    .Attr("timeout_seconds: float = 0")
    .Stateful()
    .DistributedCommunication()
    .Shape(shapes::Scalar);
WB_KERNEL("CollectiveInitializeCommunicator", InitializeCommunicatorKernel)
    .Cpu()
    .Gpu()
    .HostMemory({"group_key", "rank", "group_size", "communicator"})
    .Async()
    .Unbounded();

}  // namespace
}  // namespace warpbeam
