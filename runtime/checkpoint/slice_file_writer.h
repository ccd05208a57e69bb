// SliceFileWriter: writes a version 1 checkpoint, one table file of tensors and parts of tensors,
// byte for byte as TensorFlow does.
//
//   SliceFileWriter writer;
//   WB_RETURN_IF_ERROR(writer.Add("w", full_shape, slice, tensor));
//   WB_RETURN_IF_ERROR(writer.Write("/m/model-00000-of-00001"));
//
// Values are kept until Write, which brings the file to the disk under its name, whole or not at
// all. Thread safety: one thread. Errors: UNIMPLEMENTED and INVALID_ARGUMENT (TensorFlow's codes)
// for types that the format does not hold; INTERNAL for a name that was used with another shape.
#ifndef WARPBEAM_RUNTIME_CHECKPOINT_SLICE_FILE_WRITER_H_
#define WARPBEAM_RUNTIME_CHECKPOINT_SLICE_FILE_WRITER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/checkpoint/tensor_slice.h"

namespace warpbeam {

class SliceFileWriter {
 public:
  Status Add(const std::string& name, const Shape& full, const TensorSlice& slice,
             const Tensor& tensor);
  Status Write(absl::string_view path) const;

 private:
  struct Stored {
    Shape full;
    DType dtype;
    std::vector<TensorSlice> slices;
  };
  std::vector<Stored> tensors_;
  std::map<std::string, size_t> index_of_;      // in tensors_, by name
  std::map<std::string, std::string> records_;  // by key
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_CHECKPOINT_SLICE_FILE_WRITER_H_
