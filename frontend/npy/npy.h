// NumPy's .npy format: tensors as the bytes of such files.
//
//   WB_ASSIGN_OR_RETURN(Tensor t, ParseNpy(bytes));
//   WB_ASSIGN_OR_RETURN(std::string same, FormatNpy(t));
//
// Read: little-endian booleans, integers, halfs, floats, doubles and complex numbers, byte strings
// ('S'), and UCS-4 strings ('U', to UTF-8), in C or Fortran order. Written: the same; bfloat16 as
// float, which holds every value of it, and strings as 'S' of the longest one's length.
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for bytes that are no .npy file, are cut off or
// hold another kind of elements, UNIMPLEMENTED for a tensor that NumPy has no type for.
#ifndef WARPBEAM_FRONTEND_NPY_NPY_H_
#define WARPBEAM_FRONTEND_NPY_NPY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "graph/types/tensor.h"

namespace warpbeam {
namespace frontend {

struct NpyHeader {
  std::string type;  // with byte order: "<f4"
  bool fortran_order = false;
  std::vector<int64_t> dims;
};

// Takes the header off the front; what is left are the elements.
StatusOr<NpyHeader> TakeNpyHeader(absl::string_view* bytes);
// The type of a header for numbers and booleans, "<f4" or "|b1"; "" where NumPy has none.
std::string NpyNumberType(DType dtype);

StatusOr<Tensor> ParseNpy(absl::string_view bytes);
StatusOr<std::string> FormatNpy(const Tensor& tensor);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_NPY_NPY_H_
