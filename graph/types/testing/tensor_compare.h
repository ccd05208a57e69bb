// Says whether two tensors are the same within a tolerance, and if not, where they differ.
//
//   Status s = CompareTensors(got, want, {/*rtol=*/1e-5, /*atol=*/1e-6});
//   // "element [1,2]: got 1.5, expected 1.25 (3 of 12 differ)"
//
// Numbers agree when |got - want| <= atol + rtol * |want|, complex ones by their absolute value;
// NaN equals NaN. Strings, booleans, and numbers where both tolerances are 0 must be equal. Types
// and shapes must be equal always. Types that are only stored (8-bit floats, quantised and 4-bit
// integers) are compared by their bits.
//
// Thread safety: pure. Errors: INVALID_ARGUMENT telling the difference.
#ifndef WARPBEAM_GRAPH_TYPES_TESTING_TENSOR_COMPARE_H_
#define WARPBEAM_GRAPH_TYPES_TESTING_TENSOR_COMPARE_H_

#include "graph/types/tensor.h"

namespace warpbeam {

struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

Status CompareTensors(const Tensor& got, const Tensor& want, Tolerance tolerance);
// Only types and shapes.
Status CompareForm(const Tensor& got, const Tensor& want);

// What a tensor of random numbers must look like; the deviation is the population's.
struct ExpectedStatistics {
  double mean = 0;
  double mean_tolerance = 0;
  double stddev = 0;
  double stddev_tolerance = 0;
  double min = 0;
  double max = 0;
};
Status CompareStatistics(const Tensor& got, const ExpectedStatistics& want);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_TYPES_TESTING_TENSOR_COMPARE_H_
