// NumPy's .npy files, to feed tensors and to save them.
//
//   WB_ASSIGN_OR_RETURN(Tensor t, ReadNpy("x.npy"));
//   WB_RETURN_IF_ERROR(WriteNpy(t, "y.npy"));
//
// What is read and written is in frontend/npy/npy.h.
//
// Thread safety: pure. Errors: NOT_FOUND or FAILED_PRECONDITION for a file that cannot be opened,
// INVALID_ARGUMENT for one that is no .npy file, is cut off or holds another kind of elements,
// UNIMPLEMENTED for a tensor that NumPy has no type for; all name the file.
#ifndef WARPBEAM_TOOLS_CLI_NPY_H_
#define WARPBEAM_TOOLS_CLI_NPY_H_

#include <string>

#include "graph/types/tensor.h"

namespace warpbeam {
namespace cli {

StatusOr<Tensor> ReadNpy(const std::string& path);
Status WriteNpy(const Tensor& tensor, const std::string& path);

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_NPY_H_
