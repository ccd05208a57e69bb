// From a DType known at run time to a C++ type known at compile time.
//
//   return DispatchTypes<float, double>(x.dtype(), [&](auto tag) -> Status {
//     using T = typename decltype(tag)::type;
//     return Run<T>(ctx);
//   });
//
// Kernels that only move data care about the size of an element, not its meaning:
// `DispatchElements` names one unsigned type per size, and the C++ class of strings, resources and
// variants, whose copies are assignments. So a Transpose is compiled eight times, not thirty.
//
// Thread safety: pure. Errors: UNIMPLEMENTED naming the dtype when it is none of those listed; the
// function's own status otherwise.
#ifndef WARPBEAM_OPS_LAUNCH_DISPATCH_H_
#define WARPBEAM_OPS_LAUNCH_DISPATCH_H_

#include <string>
#include <utility>

#include "graph/types/dtype.h"
#include "graph/types/errors.h"
#include "graph/types/tensor.h"
#include "ops/launch/type_list.h"

namespace warpbeam {

namespace internal {
Status UnsupportedDType(DType dtype);
}  // namespace internal

// fn(TypeTag<T>{}) for the T of `Ts` whose DType is `dtype`.
template <typename... Ts, typename Fn>
Status DispatchTypes(DType dtype, Fn&& fn) {
  Status status;
  const DType base = BaseType(dtype);
  const bool found = ((base == DTypeOf<Ts>::value && ((status = fn(TypeTag<Ts>{})), true)) || ...);
  return found ? status : internal::UnsupportedDType(dtype);
}
template <typename... Ts, typename Fn>
Status DispatchTypes(TypeList<Ts...>, DType dtype, Fn&& fn) {
  return DispatchTypes<Ts...>(dtype, std::forward<Fn>(fn));
}

// int32 and int64: index arguments.
template <typename Fn>
Status DispatchIndex(DType dtype, Fn&& fn) {
  return DispatchTypes<int32_t, int64_t>(dtype, std::forward<Fn>(fn));
}

// An element of 16 bytes (complex128) that is only moved.
struct Bytes16 {
  uint64_t word[2];
  friend bool operator==(Bytes16 a, Bytes16 b) {
    return a.word[0] == b.word[0] && a.word[1] == b.word[1];
  }
};

// fn(TypeTag<T>{}) for a T that has the element size of a plain dtype, or the class of a string,
// resource or variant dtype. A kernel that cannot meet those may use DispatchPlainElements.
template <typename Fn>
Status DispatchPlainElements(DType dtype, Fn&& fn) {
  if (!IsPlainData(dtype)) return internal::UnsupportedDType(dtype);
  switch (DTypeSize(dtype)) {
    case 1:
      return fn(TypeTag<uint8_t>{});
    case 2:
      return fn(TypeTag<uint16_t>{});
    case 4:
      return fn(TypeTag<uint32_t>{});
    case 8:
      return fn(TypeTag<uint64_t>{});
    case 16:
      return fn(TypeTag<Bytes16>{});
    default:
      return internal::UnsupportedDType(dtype);
  }
}
template <typename Fn>
Status DispatchElements(DType dtype, Fn&& fn) {
  switch (BaseType(dtype)) {
    case DType::kString:
      return fn(TypeTag<std::string>{});
    case DType::kResource:
      return fn(TypeTag<ResourceHandle>{});
    case DType::kVariant:
      return fn(TypeTag<Variant>{});
    default:
      return DispatchPlainElements(dtype, std::forward<Fn>(fn));
  }
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LAUNCH_DISPATCH_H_
