// What the kernels of DataFormatDimMap and DataFormatVecPermute have in common, whatever device
// they are on.
//
//   WB_ASSIGN_OR_RETURN(const Formats formats, ReadFormats(init));
//   WB_ASSIGN_OR_RETURN(const std::vector<int> places, PermutedPlaces(formats, x.shape()));
//
// Thread safety: pure functions. Errors: INVALID_ARGUMENT for formats that are none, that differ in
// their letters, or that do not fit the numbers.
#ifndef WARPBEAM_OPS_NN_DATA_FORMAT_H_
#define WARPBEAM_OPS_NN_DATA_FORMAT_H_

#include <string>
#include <vector>

#include "graph/types/errors.h"
#include "graph/types/shape.h"
#include "runtime/kernel/kernel.h"

namespace warpbeam {

struct Formats {
  std::string from, to;
};

StatusOr<Formats> ReadFormats(const KernelInit& init);
// Where each dimension of the first format is in the second.
std::vector<int> MappedPlaces(const Formats& formats);
// Which number, or pair, each one of the result is, for numbers of this shape: one a dimension, or
// one a dimension that is neither batch nor channels.
StatusOr<std::vector<int>> PermutedPlaces(const Formats& formats, const Shape& shape);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_DATA_FORMAT_H_
