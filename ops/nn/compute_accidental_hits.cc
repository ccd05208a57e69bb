// ComputeAccidentalHits: which sampled candidates are true classes after all, by the row of the
// true class and the place of the candidate, with the weight that takes them out of a softmax.

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class AccidentalHitsKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const int64_t num_true, init.attr<int64_t>("num_true"));
    return std::make_unique<AccidentalHitsKernel>(num_true);
  }
  explicit AccidentalHitsKernel(int64_t num_true) : num_true_(num_true) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &classes = ctx.input(0), &sampled = ctx.input(1);
    if (classes.rank() != 2 || classes.dim(1) != num_true_) {
      return InvalidArgument("'true_classes' must be a matrix of 'num_true' = ", num_true_,
                             " columns, but has shape ", classes.shape().ToString());
    }
    if (sampled.rank() != 1) {
      return InvalidArgument("'sampled_candidates' must be a vector, but has shape ",
                             sampled.shape().ToString());
    }
    // Where a candidate was sampled twice, its last place counts.
    absl::flat_hash_map<int64_t, int64_t> places;
    for (int64_t i = 0; i < sampled.num_elements(); ++i) places[sampled.data<int64_t>()[i]] = i;
    std::vector<int32_t> rows;
    std::vector<int64_t> hits;
    for (int64_t i = 0; i < classes.num_elements(); ++i) {
      const auto found = places.find(classes.data<int64_t>()[i]);
      if (found == places.end()) continue;
      rows.push_back(static_cast<int32_t>(i / num_true_));
      hits.push_back(found->second);
    }
    const Shape shape({static_cast<int64_t>(hits.size())});
    WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, shape));
    WB_ASSIGN_OR_RETURN(Tensor * ids, ctx.Allocate(1, shape));
    WB_ASSIGN_OR_RETURN(Tensor * weights, ctx.Allocate(2, shape));
    std::copy(rows.begin(), rows.end(), indices->data<int32_t>());
    std::copy(hits.begin(), hits.end(), ids->data<int64_t>());
    std::fill_n(weights->data<float>(), hits.size(), std::numeric_limits<float>::lowest());
    return OkStatus();
  }

 private:
  const int64_t num_true_;
};

Status AccidentalHitsShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape classes, c.WithRank(0, 2));
  WB_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  WB_ASSIGN_OR_RETURN(const int64_t num_true, c.attr<int64_t>("num_true"));
  if (classes.dim(1) >= 0 && classes.dim(1) != num_true) {
    return InvalidArgument("'true_classes' must have 'num_true' = ", num_true, " columns, not ",
                           classes.dim(1));
  }
  for (int i = 0; i < 3; ++i) c.set_output(i, PartialShape({-1}));
  return OkStatus();
}

WB_OP("ComputeAccidentalHits")
    .Input("true_classes: int64")
    .Input("sampled_candidates: int64")
    .Output("indices: int32")
    .Output("ids: int64")
    .Output("weights: float")
    .Attr("num_true: int")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Shape(AccidentalHitsShape);
WB_KERNEL("ComputeAccidentalHits", AccidentalHitsKernel).Cpu();

}  // namespace
}  // namespace warpbeam
