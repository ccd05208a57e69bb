// Ops in any order: those whose kernels for GPUs add floats to one place, or write there, in the
// order in which threads come, so that results may have other bits in every run. Deterministic
// sessions refuse them on GPUs (determinism_checks.h).
//
//   const bool refused = IsInAnyOrderOnGpus("ScatterNd", DType::kFloat);
//
// They stand in one table, which `tools/lint` holds to the kernels: each source of ops with atomic
// sums, but for those that only count, has one of its ops here.
//
// Thread safety: a pure function. Errors: none; an op that is not known is in order.
#ifndef WARPBEAM_RUNTIME_EFFECTS_ANY_ORDER_H_
#define WARPBEAM_RUNTIME_EFFECTS_ANY_ORDER_H_

#include "absl/strings/string_view.h"
#include "graph/types/dtype.h"

namespace warpbeam {

// `dtype` is that of the op's first output.
bool IsInAnyOrderOnGpus(absl::string_view op, DType dtype);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_EFFECTS_ANY_ORDER_H_
