// KernelDifferences: where the declared kernels are not TensorFlow's (tf_kernels.tsv): device
// types, dtypes, arguments in host memory. kernel_differences.tsv is the list of them that is
// checked in.
//
//   WB_ASSIGN_OR_RETURN(const DifferenceMap found, KernelDifferences());
//   found.at("Foo") == "GPU lacks half"
//
// Paths are relative to the top of the repository, which is the working directory.
//
// Ownership: values. Thread safety: any thread. Errors: NOT_FOUND without TensorFlow's list.
#ifndef WARPBEAM_TESTS_GOLDEN_KERNEL_DIFFERENCES_H_
#define WARPBEAM_TESTS_GOLDEN_KERNEL_DIFFERENCES_H_

#include "graph/types/errors.h"
#include "tests/golden/difference_map.h"

namespace warpbeam {

inline constexpr char kKernelDifferencesFile[] = "tests/golden/kernel_differences.tsv";

StatusOr<DifferenceMap> KernelDifferences();

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_GOLDEN_KERNEL_DIFFERENCES_H_
