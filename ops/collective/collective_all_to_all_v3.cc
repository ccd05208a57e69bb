// CollectiveAllToAllV3: row p of the tensor of rank q becomes row q of what rank p gets, in a
// communicator or, with their places in their row in the place of ranks, in each of its subgroups.
#include <algorithm>
#include <cstring>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/collective/all_to_all.h"
#include "ops/collective/collective_communicator.h"
#include "ops/collective/group_assignment.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class CollectiveAllToAllV3Kernel final : public CommunicatorKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<CollectiveAllToAllV3Kernel>();
    WB_RETURN_IF_ERROR(kernel->Init(init));
    return kernel;
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    StatusOr<Turn> turn = Begin(ctx, kAllToAll);
    if (!turn.ok()) return done(turn.status());
    Status prepared =
        ctx.input(2).num_elements() == 0 ? PrepareAll(&*turn) : PrepareSubgroup(ctx, &*turn);
    if (!prepared.ok()) return done(std::move(prepared));
    JoinCollective(ctx, std::move(turn->call), std::move(done));
  }

 private:
  // Pieces are exchanged by the members' places, which need not be in the order of their ranks.
  static Status PrepareAll(Turn* turn) {
    const CollectiveCommunicator& communicator = *turn->communicator;
    WB_RETURN_IF_ERROR(CheckPieces(turn->call.shape, communicator.size()));
    const std::vector<int32_t>& ranks = communicator.terms().ranks;
    turn->call.combine = ExchangePieces;
    if (std::is_sorted(ranks.begin(), ranks.end())) return OkStatus();
    const std::vector<int64_t> to(ranks.begin(), ranks.end());
    turn->call.pack = [to](KernelContext& context, const Tensor& pieces) {
      return RowsInOrder(context, pieces, to);
    };
    std::vector<int64_t> from;
    for (int32_t rank = 0; rank < communicator.size(); ++rank) {
      from.push_back(communicator.PlaceOf(rank));
    }
    turn->call.take = [from](KernelContext& context, const Tensor& pieces) {
      return RowsInOrder(context, pieces, from);
    };
    return OkStatus();
  }

  static Status PrepareSubgroup(const KernelContext& ctx, Turn* turn) {
    const int32_t rank = turn->communicator->terms().rank;
    WB_ASSIGN_OR_RETURN(const GroupAssignment groups,
                        GroupAssignment::Read(ctx.input(2), turn->communicator->size()));
    const Span<const int32_t> row = groups.RowOf(rank);
    WB_RETURN_IF_ERROR(CheckPieces(turn->call.shape, static_cast<int64_t>(row.size())));
    const auto place = static_cast<size_t>(std::find(row.begin(), row.end(), rank) - row.begin());
    groups.Gather(&turn->call);
    turn->call.take = [groups, rank, place, communicator = turn->communicator,
                       dtype = turn->call.dtype, shape = turn->call.shape](
                          KernelContext& context, const Tensor& all) -> StatusOr<Tensor> {
      WB_ASSIGN_OR_RETURN(
          const std::vector<Tensor> inputs,
          groups.InputsOf(context, groups.RowOf(rank), *communicator, all, dtype, shape));
      WB_ASSIGN_OR_RETURN(Tensor pieces, context.AllocateTemp(dtype, shape));
      const size_t piece = pieces.bytes() / inputs.size();
      auto* out = static_cast<char*>(pieces.raw_data());
      for (const Tensor& input : inputs) {
        if (piece > 0) {
          memcpy(out, static_cast<const char*>(input.raw_data()) + place * piece, piece);
        }
        out += piece;
      }
      return pieces;
    };
    return OkStatus();
  }
};

WB_OP("CollectiveAllToAllV3")
    .Role(OpRole::kCollective)
    .Input("input: T")
    .Input("communicator: resource")
    .Input("group_assignment: int32")
    .Output("data: T")
    .Attr("T: {bfloat16, float, half, double, int32, int64}")
    .Attr("timeout_seconds: float = 0")
    .Stateful()
    .DistributedCommunication()
    .Shape(shapes::Unchanged);
WB_KERNEL("CollectiveAllToAllV3", CollectiveAllToAllV3Kernel)
    .Cpu()
    .Gpu()
    .HostMemory({"communicator", "group_assignment"})
    .Async()
    .Unbounded();
WB_GPU_KERNEL("CollectiveAllToAllV3", CollectiveAllToAllV3Kernel);

}  // namespace
}  // namespace warpbeam
