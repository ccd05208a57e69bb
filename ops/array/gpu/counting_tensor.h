// Tensors with values that differ from place to place, for tests of what GPUs move.
//
//   const Tensor x = CountingTensor(DType::kHalf, Shape({3, 5}));
//
// Thread safety: pure. Errors: an empty tensor when there is no memory, and for types that are no
// numbers.
#ifndef WARPBEAM_OPS_ARRAY_GPU_COUNTING_TENSOR_H_
#define WARPBEAM_OPS_ARRAY_GPU_COUNTING_TENSOR_H_

#include "graph/types/tensor.h"
#include "ops/launch/dispatch.h"

namespace warpbeam {

// Numbers from -50 to 50, which each type holds or wraps; booleans alternate irregularly.
inline Tensor CountingTensor(DType dtype, const Shape& shape) {
  auto x = Tensor::Allocate(dtype, shape);
  if (!x.ok()) return Tensor();
  const int64_t count = x->num_elements();
  if (dtype == DType::kBool) {
    for (int64_t i = 0; i < count; ++i) x->data<bool>()[i] = i * 7 % 5 % 2 != 0;
    return *std::move(x);
  }
  const Status filled = DispatchTypes(NumberTypeList{}, dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < count; ++i) {
      const auto value = static_cast<int>(i * 37 % 101) - 50;
      if constexpr (std::is_integral_v<T>) {
        x->data<T>()[i] = static_cast<T>(value);
      } else {
        x->data<T>()[i] = T(static_cast<float>(value));
      }
    }
    return OkStatus();
  });
  return filled.ok() ? *std::move(x) : Tensor();
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_GPU_COUNTING_TENSOR_H_
