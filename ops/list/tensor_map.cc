// EmptyTensorMap, TensorMapSize, TensorMapHasKey, TensorMapInsert, TensorMapLookup, TensorMapErase,
// TensorMapStackKeys: maps from tensors to tensors.
#include "ops/list/tensor_map.h"

#include <algorithm>
#include <utility>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/strided_copy.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

StatusOr<std::string> TensorMap::KeyOf(const Tensor& key) {
  const bool is_text = key.dtype() == DType::kString;
  if (!is_text && !IsPlainData(key.dtype())) {
    return InvalidArgument("a tensor of ", DTypeName(key.dtype()), " cannot be a key");
  }
  std::string bytes = absl::StrCat(static_cast<int>(key.dtype()), key.shape().ToString());
  if (!is_text) {
    bytes.append(static_cast<const char*>(key.raw_data()), key.bytes());
    return bytes;
  }
  for (const std::string& s : key.flat<std::string>()) absl::StrAppend(&bytes, s.size(), ":", s);
  return bytes;
}

void TensorMap::Set(std::string key_bytes, Tensor key, Tensor value) {
  const auto [at, is_new] = entries.try_emplace(std::move(key_bytes));
  if (is_new) {
    at->second.key = std::move(key);
    at->second.order = next_order++;
  }
  at->second.value = std::move(value);
}

std::vector<const TensorMap::Entry*> TensorMap::InOrder() const {
  std::vector<const Entry*> all;
  for (const auto& item : entries) all.push_back(&item.second);
  std::sort(all.begin(), all.end(),
            [](const Entry* a, const Entry* b) { return a->order < b->order; });
  return all;
}

StatusOr<const TensorMap*> MapInput(const KernelContext& ctx, int input) {
  const Tensor& t = ctx.input(input);
  if (t.dtype() != DType::kVariant || t.rank() != 0) {
    return InvalidArgument("Input map must be a scalar. Saw: ", DTypeName(t.dtype()),
                           t.shape().ToString());
  }
  const TensorMap* map = t.scalar<Variant>().get<TensorMap>();
  if (map != nullptr) return map;
  return InvalidArgument("Input handle is not a map. Saw: ", t.scalar<Variant>().type_name());
}

namespace {

Tensor MapToTensor(TensorMap map) {
  return Tensor::Scalar<Variant>(Variant::Of<TensorMap>(std::move(map)));
}

// Gives out the first input's map, changed by `change`: in place where nobody else can see it.
template <class Change>
Status ChangeMap(KernelContext& ctx, Change change) {
  WB_ASSIGN_OR_RETURN(const TensorMap* map, MapInput(ctx, 0));
  if (ctx.CanForward(0) && map->weak_from_this().use_count() == 1) {
    WB_RETURN_IF_ERROR(change(const_cast<TensorMap*>(map)));
    ctx.set_output(0, ctx.input(0));
    return OkStatus();
  }
  TensorMap copy(*map);
  WB_RETURN_IF_ERROR(change(&copy));
  ctx.set_output(0, MapToTensor(std::move(copy)));
  return OkStatus();
}

Status RunEmpty(KernelContext& ctx) {
  ctx.set_output(0, MapToTensor(TensorMap()));
  return OkStatus();
}

Status RunSize(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const TensorMap* map, MapInput(ctx, 0));
  ctx.set_output(0, Tensor::Scalar(static_cast<int32_t>(map->entries.size())));
  return OkStatus();
}

Status RunHasKey(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const TensorMap* map, MapInput(ctx, 0));
  WB_ASSIGN_OR_RETURN(const std::string key, TensorMap::KeyOf(ctx.input(1)));
  ctx.set_output(0, Tensor::Scalar(map->entries.count(key) > 0));
  return OkStatus();
}

Status RunInsert(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(std::string key, TensorMap::KeyOf(ctx.input(1)));
  return ChangeMap(ctx, [&](TensorMap* map) {
    map->Set(std::move(key), ctx.input(1), ctx.input(2));
    return OkStatus();
  });
}

Status Missing(absl::string_view attempt, const Tensor& key) {
  return InvalidArgument("Trying to ", attempt, ". Could not find key ", key.ToString(), ".");
}

Status RunLookup(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const TensorMap* map, MapInput(ctx, 0));
  WB_ASSIGN_OR_RETURN(const std::string key, TensorMap::KeyOf(ctx.input(1)));
  const auto at = map->entries.find(key);
  if (at == map->entries.end()) return Missing("lookup non-existent key", ctx.input(1));
  const Tensor& value = at->second.value;
  if (value.dtype() != ctx.output_type(0)) {
    return InvalidArgument("Type mismatch: actual ", DTypeName(value.dtype()), " vs. expect ",
                           DTypeName(ctx.output_type(0)));
  }
  ctx.set_output(0, value);
  return OkStatus();
}

Status RunErase(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const std::string key, TensorMap::KeyOf(ctx.input(1)));
  return ChangeMap(ctx, [&](TensorMap* map) {
    if (map->entries.erase(key) > 0) return OkStatus();
    return Missing("erase non-existent item", ctx.input(1));
  });
}

Status RunStackKeys(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const TensorMap* map, MapInput(ctx, 0));
  if (map->entries.empty()) {
    return InvalidArgument("TensorMapStackKeys cannot be called on empty map.");
  }
  const std::vector<const TensorMap::Entry*> all = map->InOrder();
  const Shape& one = all[0]->key.shape();
  for (const TensorMap::Entry* entry : all) {
    if (entry->key.dtype() != ctx.output_type(0)) {
      return InvalidArgument("Key does not match requested dtype.");
    }
    if (entry->key.shape() != one) return InvalidArgument("Keys must all have the same shape.");
  }
  std::vector<int64_t> dims = {static_cast<int64_t>(all.size())};
  dims.insert(dims.end(), one.dims().begin(), one.dims().end());
  WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, shape));
  void* to = out->raw_data();
  for (const TensorMap::Entry* entry : all) {
    CopyElements(out->dtype(), to, entry->key.raw_data(), one.num_elements());
    to = Advance(to, out->dtype(), one.num_elements());
  }
  return OkStatus();
}

Status InsertGradient(GradContext& c) {
  const OutputRef dmap = c.dy(0), key = c.x(1), value = c.x(2);
  const DType type = c.type(value);
  // Only where something flows into the key is there anything to look up.
  const OutputRef there = c.Emit("TensorMapHasKey", {dmap, key});
  const auto map_of = c.EmitAll("Switch", {dmap, there}),
             key_of = c.EmitAll("Switch", {key, there});
  const auto value_of = c.EmitAll("Switch", {value, there});
  if (map_of.size() != 2 || key_of.size() != 2 || value_of.size() != 2) return c.status();
  const OutputRef found =
      c.Emit("TensorMapLookup", {map_of[1], key_of[1]}, {{"value_dtype", type}});
  const OutputRef rest = c.Emit("TensorMapErase", {map_of[1], key_of[1]}, {{"value_dtype", type}});
  c.set_dx(0, c.Emit("Merge", {{map_of[0], rest}}));
  c.set_dx(2, c.Emit("Merge", {{c.ZerosLike(value_of[0]), found}}));
  return OkStatus();
}

Status LookupGradient(GradContext& c) {
  c.set_dx(0, c.Emit("TensorMapInsert", {c.Emit("EmptyTensorMap", {}), c.x(1), c.dy(0)}));
  return OkStatus();
}

Status EraseGradient(GradContext& c) {
  c.set_dx(0, c.dy(0));
  return OkStatus();
}

WB_OP("EmptyTensorMap").Output("handle: variant").Shape(shapes::Scalar);
WB_KERNEL("EmptyTensorMap", FunctionKernel<RunEmpty>).Cpu();
WB_NO_GRADIENT("EmptyTensorMap");

WB_OP("TensorMapSize").Input("input_handle: variant").Output("size: int32").Shape(shapes::Scalar);
WB_KERNEL("TensorMapSize", FunctionKernel<RunSize>).Cpu();

WB_OP("TensorMapHasKey")
    .Input("input_handle: variant")
    .Input("key: key_dtype")
    .Output("has_key: bool")
    .Attr("key_dtype: type")
    .Shape(shapes::Scalar);
WB_KERNEL("TensorMapHasKey", FunctionKernel<RunHasKey>).Cpu();

WB_OP("TensorMapInsert")
    .Input("input_handle: variant")
    .Input("key: key_dtype")
    .Input("value: value_dtype")
    .Output("output_handle: variant")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .Shape(shapes::Scalar);
WB_KERNEL("TensorMapInsert", FunctionKernel<RunInsert>).Cpu();
WB_GRADIENT("TensorMapInsert", InsertGradient);

WB_OP("TensorMapLookup")
    .Input("input_handle: variant")
    .Input("key: key_dtype")
    .Output("value: value_dtype")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .Shape(shapes::Unknown);
WB_KERNEL("TensorMapLookup", FunctionKernel<RunLookup>).Cpu();
WB_GRADIENT("TensorMapLookup", LookupGradient);

WB_OP("TensorMapErase")
    .Input("input_handle: variant")
    .Input("key: key_dtype")
    .Output("output_handle: variant")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .Shape(shapes::Scalar);
WB_KERNEL("TensorMapErase", FunctionKernel<RunErase>).Cpu();
WB_GRADIENT("TensorMapErase", EraseGradient);

WB_OP("TensorMapStackKeys")
    .Input("input_handle: variant")
    .Output("keys: key_dtype")
    .Attr("key_dtype: type")
    .Shape(shapes::Unknown);
WB_KERNEL("TensorMapStackKeys", FunctionKernel<RunStackKeys>).Cpu();

}  // namespace
}  // namespace warpbeam
