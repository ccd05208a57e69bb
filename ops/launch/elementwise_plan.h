// ElementwisePlan: where the inputs of an elementwise launch on a GPU stand.
//
// A launch has fewer than 2^31 elements, so that places are found with numbers of 32 bits and
// without dividing; larger tensors are launched in parts. What does not depend on an op's functor
// is compiled here, once, and not in each of a thousand kernels.
//
//   const ElementwiseLayout layout = {/*inputs=*/2, /*pack=*/4, /*out_bytes=*/4, {4, 4}};
//   const ElementwisePlan plan = PlanElementwise(args, layout);
//   uint32_t at[2];
//   plan.Locate(plan.packed ? 10 : 40, at);          // of the 10th pack, or of element 40
//
// Ownership: addresses are the caller's. Thread safety: values. Errors: those of the launches, the
// first of which ends LaunchInParts.
#ifndef WARPBEAM_OPS_LAUNCH_ELEMENTWISE_PLAN_H_
#define WARPBEAM_OPS_LAUNCH_ELEMENTWISE_PLAN_H_

#include <cstddef>
#include <cstdint>

#include "ops/launch/broadcast.h"
#include "ops/launch/gpu_block.h"
#include "ops/launch/gpu_launch.h"
#include "ops/launch/index_division.h"
#include "ops/launch/pass.h"

namespace warpbeam {

// What a plan has to know of the elements.
struct ElementwiseLayout {
  int inputs = 0;
  int pack = 1;  // neighbours that a thread would take at once
  size_t out_bytes = 0;
  size_t in_bytes[Broadcast::kMaxInputs] = {};
};

struct ElementwisePlan {
  static constexpr int64_t kMostElements = IndexDivision::kLimit / 2;

  uint32_t count = 0;
  int rank = 0;         // 0: all inputs are like the output
  bool packed = false;  // addresses and rows allow for packs
  const void* inputs[Broadcast::kMaxInputs] = {};
  IndexDivision by[Broadcast::kMaxDims];
  uint32_t dims[Broadcast::kMaxDims] = {};  // the last in packs, if packed
  uint32_t strides[Broadcast::kMaxInputs][Broadcast::kMaxDims] = {};

  // Of the pack or the element `index`, where there is a rank.
  template <int kInputs>
  WB_BLOCK void Locate(uint32_t index, uint32_t (&at)[kInputs]) const {
    for (int i = 0; i < kInputs; ++i) at[i] = 0;
    WB_ROLLED
    for (int d = rank - 1; d > 0; --d) {
      const uint32_t outer = by[d].Quotient(index);
      const uint32_t rest = index - outer * dims[d];
      for (int i = 0; i < kInputs; ++i) at[i] += rest * strides[i][d];
      index = outer;
    }
    for (int i = 0; i < kInputs; ++i) at[i] += index * strides[i][0];
  }
};

// Of at most kMostElements.
ElementwisePlan PlanElementwise(const GpuElementwiseArgs& args, const ElementwiseLayout& layout);

// Launches parts of at most `most` elements each, one after the other; nothing where there is none.
int LaunchInParts(const GpuElementwiseArgs& args, const ElementwiseLayout& layout,
                  GpuElementwiseLaunch launch, int64_t most = ElementwisePlan::kMostElements);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LAUNCH_ELEMENTWISE_PLAN_H_
