// Broadcast: how up to three inputs of different shapes meet element by element (NumPy's rules).
//
// Dimensions that all inputs treat alike are merged, so most operations end up with one or two: a
// tensor and a scalar have one dimension with a stride of 0 for the scalar, a matrix and a row have
// two. In the last dimension every stride is 0 or 1. The struct is plain data and travels to the
// GPU by value.
//
//   Broadcast plan;  Shape out;
//   WB_RETURN_IF_ERROR(MakeBroadcast({&a.shape(), &b.shape()}, &plan, &out));
//   if (plan.is_flat()) …                       // one loop over all elements will do
//
// Thread safety: values. Errors: INVALID_ARGUMENT naming the shapes that do not fit; UNIMPLEMENTED
// for more than kMaxDims dimensions after merging.
#ifndef WARPBEAM_OPS_LAUNCH_BROADCAST_H_
#define WARPBEAM_OPS_LAUNCH_BROADCAST_H_

#include <cstdint>

#include "ops/launch/pass.h"
#if WB_HOST_PASS
#include <initializer_list>

#include "graph/types/errors.h"
#include "graph/types/shape.h"
#endif

namespace warpbeam {

struct Broadcast {
  static constexpr int kMaxDims = 8;
  static constexpr int kMaxInputs = 3;

  int64_t count = 0;  // elements of the result
  int num_inputs = 0;
  int rank = 1;                                // at least 1
  int64_t dims[kMaxDims] = {};                 // outermost first
  int64_t strides[kMaxInputs][kMaxDims] = {};  // in elements; 0 where an input repeats

  int64_t inner() const { return dims[rank - 1]; }
  bool is_flat() const { return rank == 1; }
  // Bit i is set when input i does not change along the last dimension.
  unsigned scalars() const {
    unsigned mask = 0;
    for (int i = 0; i < num_inputs; ++i) {
      if (strides[i][rank - 1] == 0) mask |= 1u << i;
    }
    return mask;
  }
  // Where the inputs' elements for the result's element `index` stand.
  WB_HD void Locate(int64_t index, int64_t* offsets) const {
    for (int i = 0; i < num_inputs; ++i) offsets[i] = 0;
    for (int d = rank - 1; d >= 0; --d) {
      const int64_t at = index % dims[d];
      index /= dims[d];
      for (int i = 0; i < num_inputs; ++i) offsets[i] += at * strides[i][d];
    }
  }
};

#if WB_HOST_PASS

// The plan and the shape of the result; `plan` may be null when only the shape matters.
Status MakeBroadcast(std::initializer_list<const Shape*> inputs, Broadcast* plan, Shape* result);

#endif  // WB_HOST_PASS

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LAUNCH_BROADCAST_H_
