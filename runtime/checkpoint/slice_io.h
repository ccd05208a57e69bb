// TensorSlice to its wire message and back, for the files of runtime/checkpoint.
//
//   WB_ASSIGN_OR_RETURN(TensorSlice slice, SliceFromProto(proto));
//
// Thread safety: pure. Errors: DATA_LOSS for extents that are none.
#ifndef WARPBEAM_RUNTIME_CHECKPOINT_SLICE_IO_H_
#define WARPBEAM_RUNTIME_CHECKPOINT_SLICE_IO_H_

#include "runtime/checkpoint/tensor_slice.h"

namespace tensorflow {
class TensorSliceProto;
}  // namespace tensorflow

namespace warpbeam {

StatusOr<TensorSlice> SliceFromProto(const tensorflow::TensorSliceProto& proto);
void SliceToProto(const TensorSlice& slice, tensorflow::TensorSliceProto* proto);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_CHECKPOINT_SLICE_IO_H_
