// CollectiveReduceV3: every member of a communicator gets the sum (product, minimum, maximum) of
// all members' tensors, or of those of its subgroup.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/collective/collective_communicator.h"
#include "ops/collective/group_assignment.h"
#include "ops/collective/reduction.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class CollectiveReduceV3Kernel final : public CommunicatorKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<CollectiveReduceV3Kernel>();
    WB_RETURN_IF_ERROR(kernel->Init(init));
    WB_ASSIGN_OR_RETURN(const std::string reduction, init.attr<std::string>("reduction"));
    WB_ASSIGN_OR_RETURN(kernel->merge_, ParseMergeOp(reduction));
    return kernel;
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    StatusOr<Turn> turn = Begin(ctx, kReduction);
    if (!turn.ok()) return done(turn.status());
    Status made = ctx.input(2).num_elements() == 0
                      ? MakeReduction(merge_, /*divides=*/false, &turn->call)
                      : PrepareSubgroup(ctx, &*turn);
    if (!made.ok()) return done(std::move(made));
    JoinCollective(ctx, std::move(turn->call), std::move(done));
  }

 private:
  Status PrepareSubgroup(const KernelContext& ctx, Turn* turn) const {
    WB_ASSIGN_OR_RETURN(const GroupAssignment groups,
                        GroupAssignment::Read(ctx.input(2), turn->communicator->size()));
    groups.Gather(&turn->call);
    turn->call.take = [groups, merge = merge_, communicator = turn->communicator,
                       dtype = turn->call.dtype, shape = turn->call.shape](
                          KernelContext& context, const Tensor& all) -> StatusOr<Tensor> {
      const Span<const int32_t> row = groups.RowOf(communicator->terms().rank);
      WB_ASSIGN_OR_RETURN(const std::vector<Tensor> inputs,
                          groups.InputsOf(context, row, *communicator, all, dtype, shape));
      return Reduce(context, merge, /*divides=*/false, inputs);
    };
    return OkStatus();
  }

  MergeOp merge_ = MergeOp::kAdd;
};

WB_OP("CollectiveReduceV3")
    .Role(OpRole::kCollective)
    .Input("input: T")
    .Input("communicator: resource")
    .Input("group_assignment: int32")
    .Output("data: T")
    .Attr("T: {bfloat16, float, half, double, int32, int64}")
    .Attr("reduction: {'Min', 'Max', 'Mul', 'Add'}")
    .Attr("timeout_seconds: float = 0")
    .Stateful()
    .DistributedCommunication()
    .Shape(shapes::Unchanged);
WB_KERNEL("CollectiveReduceV3", CollectiveReduceV3Kernel)
    .Cpu()
    .Gpu()
    .HostMemory({"communicator", "group_assignment"})
    .Async()
    .Unbounded();
WB_GPU_KERNEL("CollectiveReduceV3", CollectiveReduceV3Kernel);

}  // namespace
}  // namespace warpbeam
