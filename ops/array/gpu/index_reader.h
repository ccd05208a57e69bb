// IndexReader: indices of any integer type in a GPU's memory, read as 64-bit numbers, so that what
// goes by indices is compiled once for all their types.
//
//   IndexReader indices(ctx.input(1));                   // on the host
//   const int64_t at = indices[i];                       // in both passes
//
// Thread safety: reads only. Errors: none; kernels are declared for types that it knows.
#ifndef WARPBEAM_OPS_ARRAY_GPU_INDEX_READER_H_
#define WARPBEAM_OPS_ARRAY_GPU_INDEX_READER_H_

#include <cstdint>

#include "ops/launch/pass.h"
#if WB_HOST_PASS
#include "graph/types/tensor.h"
#endif

namespace warpbeam {

struct IndexReader {
  const void* at = nullptr;
  int bytes = 8;  // of an index; uint8 is -1

  IndexReader() = default;
#if WB_HOST_PASS
  explicit IndexReader(const Tensor& t)
      : at(t.raw_data()),
        bytes(t.dtype() == DType::kUInt8 ? -1 : static_cast<int>(DTypeSize(t.dtype()))) {}
#endif
  WB_HD int64_t operator[](int64_t i) const {
    switch (bytes) {
      case 4:
        return static_cast<const int32_t*>(at)[i];
      case 8:
        return static_cast<const int64_t*>(at)[i];
      case 2:
        return static_cast<const int16_t*>(at)[i];
      case 1:
        return static_cast<const int8_t*>(at)[i];
      default:
        return static_cast<const uint8_t*>(at)[i];
    }
  }
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_GPU_INDEX_READER_H_
