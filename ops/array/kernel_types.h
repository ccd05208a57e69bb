// Sets of dtypes that kernel declarations of data-moving ops share.
//
//   WB_KERNEL("Pack", PackKernel).Cpu({{"T", kMovableTypes | kQuantizedTypes}});
//
// TensorFlow keeps int32 tensors of many GPU kernels in host memory (they are shapes and indices
// far more often than data); `kPlainTypesButInt32` is what then lives on the device.
//
// Thread safety: constants.
#ifndef WARPBEAM_OPS_ARRAY_KERNEL_TYPES_H_
#define WARPBEAM_OPS_ARRAY_KERNEL_TYPES_H_

#include "graph/types/dtype.h"

namespace warpbeam {

inline constexpr TypeSet kFloat8Types = {DType::kFloat8E5M2, DType::kFloat8E4M3FN};
inline constexpr TypeSet kObjectTypes = {DType::kString, DType::kResource, DType::kVariant};
inline constexpr TypeSet kPlainTypes = kNumberTypes | TypeSet{DType::kBool};
inline constexpr TypeSet kPlainTypesButInt32 =
    kFloatingTypes | kUnsignedTypes | kComplexTypes |
    TypeSet{DType::kInt8, DType::kInt16, DType::kInt64, DType::kBool};
// Everything that can be copied, quantised types and those of less than a byte excepted.
inline constexpr TypeSet kMovableTypes = kPlainTypes | kFloat8Types | kObjectTypes;
// What a GPU kernel that only passes tensors on keeps in host memory.
inline constexpr TypeSet kHostedTypes = {DType::kInt32, DType::kResource, DType::kString};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_KERNEL_TYPES_H_
