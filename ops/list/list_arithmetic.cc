// ZerosLike and AddN of variants: of numbers, lists, maps, optionals and ragged tensors, element by
// element. Gradients of loops that carry them need both.
#include <cstring>
#include <utility>

#include "graph/io/variant_codec.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/strided_copy.h"
#include "ops/data/optional.h"
#include "ops/list/tensor_list.h"
#include "ops/list/tensor_map.h"
#include "ops/ragged/ragged_variant.h"
#include "ops/state/elements_here.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Lists of lists of lists…: a graph can build them as deep as it likes.
constexpr int kMaxDepth = 64;

Status CheckDepth(int depth) {
  if (depth < kMaxDepth) return OkStatus();
  return InvalidArgument("lists lie within lists more than ", kMaxDepth, " deep");
}

StatusOr<Tensor> ZerosLike(KernelContext& ctx, const Tensor& tensor, int depth);

StatusOr<Variant> ZeroList(KernelContext& ctx, const TensorList& list, int depth) {
  TensorList made(list.dtype, list.element_shape, list.max_elements);
  WB_RETURN_IF_ERROR(made.Resize(list.size()));
  for (size_t k = 0; k < list.elements.size(); ++k) {
    if (!list.elements[k].has_value()) continue;
    WB_ASSIGN_OR_RETURN(const Tensor element, list.elements[k].Get(ctx));
    WB_ASSIGN_OR_RETURN(Tensor zero, ZerosLike(ctx, element, depth));
    made.elements[k] = KeptTensor::Of(ctx, std::move(zero));
  }
  return Variant::Of<TensorList>(std::move(made));
}

// The variant of a number, made anew by `make` from the numbers in `variants`; without a value when
// they are none of the types that variants have.
template <class Make>
Variant OfNumbers(const Variant& a, const Variant& b, Make make) {
  const auto of = [&](auto zero) -> Variant {
    using T = decltype(zero);
    const T *x = a.get<T>(), *y = b.get<T>();
    return x != nullptr && y != nullptr ? Variant::Of<T>(make(*x, *y)) : Variant();
  };
  for (Variant number : {of(int32_t()), of(float()), of(double()), of(bool())}) {
    if (number.has_value()) return number;
  }
  return Variant();
}

// Sums of integers wrap, of truths are "or".
template <typename T>
T Sum(T x, T y) {
  if constexpr (std::is_same_v<T, int32_t>) {
    return static_cast<int32_t>(static_cast<uint32_t>(x) + static_cast<uint32_t>(y));
  } else {
    return static_cast<T>(x + y);
  }
}

StatusOr<Variant> ZeroOptional(KernelContext& ctx, const Element* element, int depth) {
  if (element == nullptr) return OptionalToTensor(nullptr).scalar<Variant>();
  Element zeros;
  for (const Tensor& component : *element) {
    WB_ASSIGN_OR_RETURN(Tensor zero, ZerosLike(ctx, component, depth));
    zeros.push_back(std::move(zero));
  }
  return OptionalToTensor(&zeros).scalar<Variant>();
}

StatusOr<Variant> ZeroVariant(KernelContext& ctx, const Variant& variant, int depth) {
  if (const TensorList* list = variant.get<TensorList>()) return ZeroList(ctx, *list, depth);
  if (const TensorMap* map = variant.get<TensorMap>()) {
    TensorMap made(*map);
    for (auto& item : made.entries) {
      WB_ASSIGN_OR_RETURN(item.second.value, ZerosLike(ctx, item.second.value, depth));
    }
    return Variant::Of<TensorMap>(std::move(made));
  }
  if (const RaggedVariant* ragged = variant.get<RaggedVariant>()) {
    RaggedVariant made = *ragged;
    WB_ASSIGN_OR_RETURN(made.values, ZerosLike(ctx, ragged->values, depth));
    return Variant::Of<RaggedVariant>(std::move(made));
  }
  if (IsOptional(variant)) return ZeroOptional(ctx, ElementOf(variant), depth);
  Variant zero = OfNumbers(variant, variant, [](auto x, auto) { return decltype(x)(); });
  if (zero.has_value()) return zero;
  return Internal("No unary variant unary_op function found for op ZEROS_LIKE Variant type_name: ",
                  VariantTypeName(variant));
}

StatusOr<Tensor> ZerosLike(KernelContext& ctx, const Tensor& tensor, int depth) {
  WB_RETURN_IF_ERROR(CheckDepth(depth));
  WB_ASSIGN_OR_RETURN(Tensor zeros, ctx.AllocateTemp(tensor.dtype(), tensor.shape()));
  if (tensor.dtype() != DType::kVariant) {
    WB_RETURN_IF_ERROR(ZeroHere(ctx, zeros.dtype(), zeros.raw_data(), zeros.num_elements()));
    return zeros;
  }
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    WB_ASSIGN_OR_RETURN(zeros.data<Variant>()[i],
                        ZeroVariant(ctx, tensor.data<Variant>()[i], depth + 1));
  }
  return zeros;
}

StatusOr<Tensor> Add(KernelContext& ctx, const Tensor& a, const Tensor& b, int depth);

StatusOr<TensorList> AddLists(KernelContext& ctx, const TensorList& a, const TensorList& b,
                              int depth) {
  WB_RETURN_IF_ERROR(a.CheckDType(b.dtype));
  if (a.size() != b.size()) {
    return InvalidArgument("Trying to add two lists of tensors with different lengths: ", a.size(),
                           " and ", b.size());
  }
  WB_ASSIGN_OR_RETURN(
      PartialShape shape,
      MergeShapes(a.element_shape, b.element_shape,
                  "Trying to add two lists of tensors with incompatible element shapes"));
  TensorList sum(a.dtype, std::move(shape));
  sum.elements = a.elements;
  for (size_t k = 0; k < sum.elements.size(); ++k) {
    if (!b.elements[k].has_value()) continue;
    if (!sum.elements[k].has_value()) {
      sum.elements[k] = b.elements[k];
      continue;
    }
    WB_ASSIGN_OR_RETURN(const Tensor x, a.elements[k].Get(ctx));
    WB_ASSIGN_OR_RETURN(const Tensor y, b.elements[k].Get(ctx));
    WB_ASSIGN_OR_RETURN(Tensor z, Add(ctx, x, y, depth + 1));
    sum.elements[k] = KeptTensor::Of(ctx, std::move(z));
  }
  return sum;
}

// What only one of the maps has stays as it is.
StatusOr<TensorMap> AddMaps(KernelContext& ctx, const TensorMap& a, const TensorMap& b, int depth) {
  TensorMap sum(a);
  for (const TensorMap::Entry* entry : b.InOrder()) {
    WB_ASSIGN_OR_RETURN(std::string key, TensorMap::KeyOf(entry->key));
    const auto at = sum.entries.find(key);
    if (at == sum.entries.end()) {
      sum.Set(std::move(key), entry->key, entry->value);
    } else {
      WB_ASSIGN_OR_RETURN(at->second.value, Add(ctx, at->second.value, entry->value, depth));
    }
  }
  return sum;
}

StatusOr<RaggedVariant> AddRagged(KernelContext& ctx, const RaggedVariant& a,
                                  const RaggedVariant& b, int depth) {
  const auto same = [](const Tensor& x, const Tensor& y) {
    return x.dtype() == y.dtype() && x.shape() == y.shape() &&
           memcmp(x.raw_data(), y.raw_data(), x.bytes()) == 0;
  };
  if (a.splits.size() != b.splits.size()) {
    return InvalidArgument("Can't add RaggedTensorVariants of different ragged rank. One is ",
                           a.splits.size(), " and the other is ", b.splits.size());
  }
  for (size_t k = 0; k < a.splits.size(); ++k) {
    if (same(a.splits[k], b.splits[k])) continue;
    return InvalidArgument("Can't add RaggedTensorVariants with different row_splits.");
  }
  RaggedVariant sum = a;
  WB_ASSIGN_OR_RETURN(sum.values, Add(ctx, a.values, b.values, depth));
  return sum;
}

StatusOr<Variant> AddOptionals(KernelContext& ctx, const Element* a, const Element* b, int depth) {
  if ((a == nullptr) != (b == nullptr)) {
    return InvalidArgument("Cannot add optionals because one has a value and the other doesn't.");
  }
  if (a == nullptr) return OptionalToTensor(nullptr).scalar<Variant>();
  if (a->size() != b->size()) {
    return InvalidArgument(
        "Cannot add optionals because they have different numbers of components (", a->size(),
        " vs. ", b->size(), ").");
  }
  Element sum;
  for (size_t i = 0; i < a->size(); ++i) {
    WB_ASSIGN_OR_RETURN(Tensor component, Add(ctx, (*a)[i], (*b)[i], depth));
    sum.push_back(std::move(component));
  }
  return OptionalToTensor(&sum).scalar<Variant>();
}

StatusOr<Variant> AddVariants(KernelContext& ctx, const Variant& a, const Variant& b, int depth) {
  if (a.get<TensorMap>() != nullptr && b.get<TensorMap>() != nullptr) {
    WB_ASSIGN_OR_RETURN(TensorMap map,
                        AddMaps(ctx, *a.get<TensorMap>(), *b.get<TensorMap>(), depth));
    return Variant::Of<TensorMap>(std::move(map));
  }
  if (a.get<RaggedVariant>() != nullptr && b.get<RaggedVariant>() != nullptr) {
    WB_ASSIGN_OR_RETURN(RaggedVariant ragged,
                        AddRagged(ctx, *a.get<RaggedVariant>(), *b.get<RaggedVariant>(), depth));
    return Variant::Of<RaggedVariant>(std::move(ragged));
  }
  if (IsOptional(a) && IsOptional(b)) {
    return AddOptionals(ctx, ElementOf(a), ElementOf(b), depth);
  }
  Variant number = OfNumbers(a, b, [](auto x, auto y) { return Sum(x, y); });
  if (number.has_value()) return number;
  if (a.get<TensorList>() == nullptr) {
    return Internal("No unary variant binary_op function found for op ADD Variant type_name: ",
                    VariantTypeName(a));
  }
  WB_ASSIGN_OR_RETURN(const TensorList* first, ListFromVariant(a));
  WB_ASSIGN_OR_RETURN(const TensorList* second, ListFromVariant(b));
  WB_ASSIGN_OR_RETURN(TensorList list, AddLists(ctx, *first, *second, depth));
  return Variant::Of<TensorList>(std::move(list));
}

StatusOr<Tensor> Add(KernelContext& ctx, const Tensor& a, const Tensor& b, int depth) {
  WB_RETURN_IF_ERROR(CheckDepth(depth));
  if (a.dtype() != b.dtype()) {
    return InvalidArgument("elements that are added must be of one dtype, not ",
                           DTypeName(a.dtype()), " and ", DTypeName(b.dtype()));
  }
  if (a.shape() != b.shape()) {
    return InvalidArgument("elements that are added must be of one shape, not ",
                           a.shape().ToString(), " and ", b.shape().ToString());
  }
  if (a.dtype() != DType::kVariant && !kNumberTypes.contains(a.dtype())) {
    return InvalidArgument("there is no sum of ", DTypeName(a.dtype()), " values");
  }
  WB_ASSIGN_OR_RETURN(Tensor sum, ctx.AllocateTemp(a.dtype(), a.shape()));
  if (a.dtype() != DType::kVariant) {
    WB_RETURN_IF_ERROR(CopyHere(ctx, a.dtype(), sum.raw_data(), a.raw_data(), a.num_elements()));
    WB_RETURN_IF_ERROR(AddHere(ctx, sum, b));
    return sum;
  }
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    WB_ASSIGN_OR_RETURN(sum.data<Variant>()[i],
                        AddVariants(ctx, a.data<Variant>()[i], b.data<Variant>()[i], depth + 1));
  }
  return sum;
}

Status RunZerosLike(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(Tensor zeros, ZerosLike(ctx, ctx.input(0), 0));
  ctx.set_output(0, std::move(zeros));
  return OkStatus();
}

Status RunAddN(KernelContext& ctx) {
  Tensor sum = ctx.input(0);
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    WB_ASSIGN_OR_RETURN(sum, Add(ctx, sum, ctx.input(i), 0));
  }
  ctx.set_output(0, std::move(sum));
  return OkStatus();
}

// The other dtypes of both ops are in ops/array and ops/math.
constexpr TypeSet kVariants = {DType::kVariant};
// Apart, so that what GPUs have for numbers is not attached to these: what they are given and give
// lies in host memory.
WB_KERNEL("ZerosLike", FunctionKernel<RunZerosLike>).Cpu({{"T", kVariants}});
WB_KERNEL("ZerosLike", FunctionKernel<RunZerosLike>).Gpu({{"T", kVariants}});
WB_KERNEL("AddN", FunctionKernel<RunAddN>).Cpu({{"T", kVariants}});
WB_KERNEL("AddN", FunctionKernel<RunAddN>).Gpu({{"T", kVariants}});

}  // namespace
}  // namespace warpbeam
