// How a tensor's elements repeat where it broadcasts to a larger shape, as a launch of fused nodes
// can be told (runtime/kernel/gpu_program.h).
//
//   RepetitionOf(Shape({5}), Shape({3, 5}))      // run 1, period 5
//   RepetitionOf(Shape({3, 1}), Shape({3, 5}))   // run 5, period 3
//
// Internal to runtime/lower/. Thread safety: a pure function. Errors: none; nothing for shapes that
// do not broadcast, for those whose elements repeat in another way, such as [2, 1, 3] in [2, 4, 3],
// and for results of 2^30 elements and more.
#ifndef WARPBEAM_RUNTIME_LOWER_REPETITION_H_
#define WARPBEAM_RUNTIME_LOWER_REPETITION_H_

#include <optional>

#include "graph/types/shape.h"
#include "runtime/kernel/gpu_program.h"

namespace warpbeam {

std::optional<GpuProgram::Repetition> RepetitionOf(const Shape& from, const Shape& to);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_LOWER_REPETITION_H_
