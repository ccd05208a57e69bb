// SampleSets: where the samples of distributions with parameters stand, in ops whose `shape` input
// is the whole result's: its last dimensions are those of the parameters.
//
//   WB_ASSIGN_OR_RETURN(SampleSets sets, SampleSets::Make(ctx.input(0), {&counts.shape()}));
//   WB_ASSIGN_OR_RETURN(Tensor* y, ctx.Allocate(0, sets.shape));
//   sets.ForEach(ctx, stream, 200, [&](int64_t set, const Philox& own, int64_t at) {
//     y->data<T>()[at] = samplers[set].Sample(own);
//   });
//
// Samples are numbered set by set and stored sample by sample; each has its own stretch of the
// stream. Thread safety: values. Errors: INVALID_ARGUMENT for parameters that do not broadcast or
// that the shape does not end in.
#ifndef WARPBEAM_OPS_RANDOM_SAMPLE_SETS_H_
#define WARPBEAM_OPS_RANDOM_SAMPLE_SETS_H_

#include <initializer_list>

#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/launch/broadcast.h"
#include "ops/random/random_stream.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {

struct SampleSets {
  Shape shape;       // of the result
  Shape parameters;  // of all parameters together

  static StatusOr<SampleSets> Make(const Tensor& shape,
                                   std::initializer_list<const Shape*> parameters) {
    SampleSets sets;
    WB_ASSIGN_OR_RETURN(sets.shape, ReadShape(shape, "shape"));
    for (const Shape* own : parameters) {
      const Shape before = sets.parameters;
      WB_RETURN_IF_ERROR(MakeBroadcast({&before, own}, nullptr, &sets.parameters));
    }
    const auto all = sets.shape.dims(), end = sets.parameters.dims();
    if (end.size() > all.size() || !std::equal(end.begin(), end.end(), all.end() - end.size())) {
      return InvalidArgument(
          "Shape passed in must end with broadcasted shape: ", sets.shape.ToString(),
          " does not end in ", sets.parameters.ToString());
    }
    return sets;
  }

  int64_t count() const { return parameters.num_elements(); }

  // The values of a parameter, one for each set.
  template <typename T>
  StatusOr<std::vector<T>> Spread(const Tensor& parameter) const {
    Broadcast plan;
    Shape result;
    WB_RETURN_IF_ERROR(MakeBroadcast({&parameter.shape(), &parameters}, &plan, &result));
    std::vector<T> values(static_cast<size_t>(count()));
    for (int64_t i = 0; i < count(); ++i) {
      int64_t at[Broadcast::kMaxInputs];
      plan.Locate(i, at);
      values[static_cast<size_t>(i)] = parameter.data<T>()[at[0]];
    }
    return values;
  }

  // fn(set, stream, place in the result)
  template <typename Fn>
  void ForEach(const KernelContext& ctx, const Philox& stream, int64_t ns_per_sample,
               const Fn& fn) const {
    ForEachApart(
        ctx, stream, ns_per_sample, [](int64_t) { return kBlocksPerElement; }, fn);
  }
  // The same, where sample i of a set begins i * blocks_of_set(set) blocks on.
  template <typename Blocks, typename Fn>
  void ForEachApart(const KernelContext& ctx, const Philox& stream, int64_t ns_per_sample,
                    const Blocks& blocks_of_set, const Fn& fn) const {
    const int64_t all = shape.num_elements();
    if (all == 0) return;
    const int64_t sets = count(), per_set = all / sets;
    StoppableFor(ctx, all, ns_per_sample, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t set = i / per_set;
        fn(set, stream.After(static_cast<uint64_t>(i) * blocks_of_set(set)),
           i % per_set * sets + set);
      }
    });
  }
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RANDOM_SAMPLE_SETS_H_
