#include "ops/launch/elementwise_plan.h"

#include <algorithm>

namespace warpbeam {
namespace {

bool IsAligned(const void* address, size_t bytes) {
  return reinterpret_cast<uintptr_t>(address) % bytes == 0;
}

// Whether every input's rows begin where a pack does, or repeat one element.
bool FitPacks(const GpuElementwiseArgs& args, const ElementwiseLayout& layout, int rank) {
  const Broadcast& from = args.plan;
  const auto pack = static_cast<size_t>(layout.pack);
  const int last = rank - 1;
  if (layout.pack == 1 || !IsAligned(args.output, pack * layout.out_bytes)) return false;
  if (rank > 0 && from.dims[last] % layout.pack != 0) return false;
  for (int i = 0; i < layout.inputs; ++i) {
    if (rank > 0 && from.strides[i][last] == 0) continue;
    if (!IsAligned(args.inputs[i], pack * layout.in_bytes[i])) return false;
    for (int d = 0; d < last; ++d) {
      if (from.strides[i][d] % layout.pack != 0) return false;
    }
  }
  return true;
}

// The elements from `first` on, of a part that is `args` otherwise; `steps` are the inputs'.
void Advance(const ElementwiseLayout& layout, int64_t first, const int64_t* steps,
             GpuElementwiseArgs* args) {
  for (int i = 0; i < layout.inputs; ++i) {
    args->inputs[i] = static_cast<const char*>(args->inputs[i]) +
                      steps[i] * static_cast<int64_t>(layout.in_bytes[i]);
  }
  args->output = static_cast<char*>(args->output) + first * static_cast<int64_t>(layout.out_bytes);
}

void DropOutermost(Broadcast* plan) {
  for (int d = 0; d + 1 < plan->rank; ++d) {
    plan->dims[d] = plan->dims[d + 1];
    for (auto& strides : plan->strides) strides[d] = strides[d + 1];
  }
  --plan->rank;
}

}  // namespace

ElementwisePlan PlanElementwise(const GpuElementwiseArgs& args, const ElementwiseLayout& layout) {
  ElementwisePlan plan;
  const Broadcast& from = args.plan;
  plan.count = static_cast<uint32_t>(args.count);
  plan.rank = args.broadcasts ? from.rank : 0;
  plan.packed = FitPacks(args, layout, plan.rank);
  std::copy_n(args.inputs, layout.inputs, plan.inputs);
  const int64_t pack = plan.packed ? layout.pack : 1;
  for (int d = 0; d < plan.rank; ++d) {
    const bool last = d == plan.rank - 1;
    plan.dims[d] = static_cast<uint32_t>(last ? from.dims[d] / pack : from.dims[d]);
    plan.by[d] = IndexDivision(plan.dims[d]);
    for (int i = 0; i < layout.inputs; ++i) {
      plan.strides[i][d] = static_cast<uint32_t>(from.strides[i][d] * (last ? pack : 1));
    }
  }
  return plan;
}

int LaunchInParts(const GpuElementwiseArgs& args, const ElementwiseLayout& layout,
                  GpuElementwiseLaunch launch, int64_t most) {
  if (args.count == 0) return 0;
  if (args.count <= most) return launch(args);
  // Along the outermost dimension, which is all there is where nothing broadcasts.
  const int64_t rows = args.broadcasts ? args.plan.dims[0] : args.count;
  const int64_t inner = args.count / rows;
  const int64_t at_once = std::max<int64_t>(1, most / inner);
  for (int64_t row = 0; row < rows; row += at_once) {
    GpuElementwiseArgs part = args;
    const int64_t taken = std::min(at_once, rows - row);
    int64_t steps[Broadcast::kMaxInputs];
    for (int i = 0; i < layout.inputs; ++i) {
      steps[i] = row * (args.broadcasts ? args.plan.strides[i][0] : 1);
    }
    Advance(layout, row * inner, steps, &part);
    part.count = taken * inner;
    part.plan.count = part.count;
    part.plan.dims[0] = taken;
    if (taken == 1 && part.plan.rank > 1) DropOutermost(&part.plan);
    if (const int error = LaunchInParts(part, layout, launch, most); error != 0) return error;
  }
  return 0;
}

}  // namespace warpbeam
