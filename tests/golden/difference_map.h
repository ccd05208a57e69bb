// DifferenceMap: what differs from TensorFlow, in words, by op; and the files of lines
// "op<TAB>what" that hold such maps. Lines that begin with '#' are comments.
//
//   WB_ASSIGN_OR_RETURN(const DifferenceMap listed, ReadDifferences(kKernelDifferencesFile));
//   DifferencesText(listed) == "Foo\tGPU lacks half\n"
//
// Ownership: values. Thread safety: any thread. Errors: NOT_FOUND for a file that is not there.
#ifndef WARPBEAM_TESTS_GOLDEN_DIFFERENCE_MAP_H_
#define WARPBEAM_TESTS_GOLDEN_DIFFERENCE_MAP_H_

#include <map>
#include <string>

#include "graph/types/errors.h"

namespace warpbeam {

using DifferenceMap = std::map<std::string, std::string>;

// An op without a tab behind it stands for an empty text.
StatusOr<DifferenceMap> ReadDifferences(const std::string& path);

// The text of the file.
std::string DifferencesText(const DifferenceMap& differences);

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_GOLDEN_DIFFERENCE_MAP_H_
