// GradientDifferences: the ops whose kind of gradient is not TensorFlow's (tf_no_gradient.txt).
// gradient_differences.tsv is the list of them that is checked in.
//
//   WB_ASSIGN_OR_RETURN(const DifferenceMap found, GradientDifferences());
//   found.at("Foo") == "ours: differentiable, theirs: unregistered"
//
// Paths are relative to the top of the repository, which is the working directory.
//
// Ownership: values. Thread safety: any thread. Errors: NOT_FOUND without TensorFlow's lists, and
// what the registration of gradients has met.
#ifndef WARPBEAM_TESTS_GOLDEN_GRADIENT_DIFFERENCES_H_
#define WARPBEAM_TESTS_GOLDEN_GRADIENT_DIFFERENCES_H_

#include "graph/types/errors.h"
#include "tests/golden/difference_map.h"

namespace warpbeam {

inline constexpr char kGradientDifferencesFile[] = "tests/golden/gradient_differences.tsv";

StatusOr<DifferenceMap> GradientDifferences();

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_GOLDEN_GRADIENT_DIFFERENCES_H_
