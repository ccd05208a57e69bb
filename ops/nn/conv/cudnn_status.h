// What cuDNN's return codes are as statuses.
//
//   WB_RETURN_IF_ERROR(CudnnStatus(code, "launching a convolution"));
//
// Thread safety: the library keeps the text that belongs to the last failure of each thread.
#ifndef WARPBEAM_OPS_NN_CONV_CUDNN_STATUS_H_
#define WARPBEAM_OPS_NN_CONV_CUDNN_STATUS_H_

#include "graph/types/errors.h"

namespace warpbeam {

// `status` is a cudnnStatus_t.
Status CudnnStatus(int status, absl::string_view doing);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_CONV_CUDNN_STATUS_H_
