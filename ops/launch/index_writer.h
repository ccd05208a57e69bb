// Writes positions to a tensor of whichever integer type the user asked for.
//
//   IndexWriter index(out);  // int16, uint16, int32 or int64
//   index.Set(i, position);
//
// A kernel that finds positions need not be compiled once for each type that they are written as.
// Finding one takes longer than the choice does. Positions that the type cannot hold are cut off:
// a kernel that may have such says so before. Thread safety: calls for different elements may run
// at once. The tensor must outlive the writer.
#ifndef WARPBEAM_OPS_LAUNCH_INDEX_WRITER_H_
#define WARPBEAM_OPS_LAUNCH_INDEX_WRITER_H_

#include <cstdint>

#include "graph/types/tensor.h"

namespace warpbeam {

class IndexWriter {
 public:
  explicit IndexWriter(Tensor* out) : data_(out->raw_data()), dtype_(out->dtype()) {}

  void Set(int64_t i, int64_t position) const {
    switch (dtype_) {
      case DType::kInt64:
        static_cast<int64_t*>(data_)[i] = position;
        return;
      case DType::kInt32:
        static_cast<int32_t*>(data_)[i] = static_cast<int32_t>(position);
        return;
      default:  // int16 and uint16 are cut off to the same bits
        static_cast<int16_t*>(data_)[i] = static_cast<int16_t>(position);
    }
  }

 private:
  void* const data_;
  const DType dtype_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LAUNCH_INDEX_WRITER_H_
