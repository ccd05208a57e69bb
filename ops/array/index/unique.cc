// Unique and its kin: the distinct elements, or slices along an axis, in the order of appearance.
// ListDiff: the elements of one list that are not in another.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/index/unique_input.h"
#include "ops/array/kernel_types.h"
#include "ops/array/strided_copy.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/index_writer.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/running_step.h"

namespace warpbeam {
namespace {

using UniqueTypes = TypeList<Half, BFloat16, float, double, int8_t, int16_t, int32_t, int64_t,
                             uint8_t, uint16_t, uint32_t, uint64_t, bool, std::string>;

Status UniqueShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  c.set_output(0, PartialShape({-1}));
  c.set_output(1, c.input(0).has_rank() ? c.input(0) : PartialShape({-1}));
  if (c.num_outputs() == 3) c.set_output(2, PartialShape({-1}));
  return OkStatus();
}

Status UniqueV2Shape(ShapeContext& c) {
  const PartialShape& x = c.input(0);
  PartialShape out = x.has_rank() ? PartialShape::UnknownOfRank(x.rank()) : PartialShape();
  int64_t picked = -1;
  if (x.has_rank()) {
    WB_ASSIGN_OR_RETURN(std::optional<Dims> axis, ConstantIndices(c, 1));
    if (axis && axis->size() <= 1) {
      WB_ASSIGN_OR_RETURN(int a, ResolveAxis(axis->empty() ? 0 : (*axis)[0], x.rank()));
      out = x;
      picked = x.dim(a);
      out.set_dim(a, -1);
    }
  }
  c.set_output(0, std::move(out));
  c.set_output(1, PartialShape({picked}));
  if (c.num_outputs() == 3) c.set_output(2, PartialShape({-1}));
  return OkStatus();
}

Status ListDiffShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  WB_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  c.set_output(0, PartialShape({-1}));
  c.set_output(1, PartialShape({-1}));
  return OkStatus();
}

// The type that values of T are compared as: integers of one size are equal where their bits are.
template <typename T>
auto ComparedAs() {
  if constexpr (std::is_same_v<T, bool>) {
    return TypeTag<uint8_t>();
  } else if constexpr (std::is_integral_v<T>) {
    return TypeTag<std::make_unsigned_t<T>>();
  } else {
    return TypeTag<T>();
  }
}

// What is equal where values of T are: one of three types, so that a hash map is compiled three
// times, not fourteen.
template <typename T>
auto Key(const T& v) {
  if constexpr (std::is_same_v<T, std::string>) {
    return absl::string_view(v);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<uint64_t>(v);
  } else {
    return static_cast<double>(v);
  }
}

// The slices along an axis. How they are hashed and compared depends on their type; the hash map of
// them does not.
struct Slices {
  const void* data;
  int64_t outer, n, inner;
  size_t (*hash)(const Slices&, int64_t slice);
  bool (*equal)(const Slices&, int64_t a, int64_t b);

  template <typename T>
  const T* Row(int64_t o, int64_t slice) const {
    return static_cast<const T*>(data) + (o * n + slice) * inner;
  }
};

template <typename T>
size_t HashOfSlice(const Slices& s, int64_t slice) {
  using Next = std::pair<size_t, decltype(Key(T()))>;
  size_t hash = 0;
  for (int64_t o = 0; o < s.outer; ++o) {
    const T* row = s.Row<T>(o, slice);
    for (int64_t i = 0; i < s.inner; ++i) hash = absl::Hash<Next>()(Next(hash, Key(row[i])));
  }
  return hash;
}

template <typename T>
bool SlicesAreEqual(const Slices& s, int64_t a, int64_t b) {
  for (int64_t o = 0; o < s.outer; ++o) {
    if (!std::equal(s.Row<T>(o, a), s.Row<T>(o, a) + s.inner, s.Row<T>(o, b))) return false;
  }
  return true;
}

struct SliceHash {
  const Slices* slices;
  size_t operator()(int64_t slice) const { return slices->hash(*slices, slice); }
};
struct SliceEqual {
  const Slices* slices;
  bool operator()(int64_t a, int64_t b) const { return slices->equal(*slices, a, b); }
};

struct Distinct {
  std::vector<int64_t> first;  // position of each distinct slice
  std::vector<int64_t> counts;
};

// Numbers the distinct ones of n keys in `seen`, an empty map from a key to its number.
template <typename Seen, typename MakeKey>
Distinct FindDistinct(Seen seen, int64_t n, MakeKey make_key, const IndexWriter& index) {
  Distinct d;
  constexpr int64_t kSlicesBetweenLooks = 4096;
  for (int64_t i = 0; i < n; ++i) {
    if (i % kSlicesBetweenLooks == 0 && RunningStep::IsOver()) break;
    auto [it, is_new] = seen.try_emplace(make_key(i), static_cast<int64_t>(d.first.size()));
    if (is_new) {
      d.first.push_back(i);
      d.counts.push_back(0);
    }
    ++d.counts[static_cast<size_t>(it->second)];
    index.Set(i, it->second);
  }
  return d;
}

template <typename T>
Distinct FindDistinctElements(const Tensor& x, const IndexWriter& index) {
  const T* data = static_cast<const T*>(x.raw_data());
  return FindDistinct(
      absl::flat_hash_map<decltype(Key(T())), int64_t>(), x.num_elements(),
      [&](int64_t i) { return Key(data[i]); }, index);
}

Distinct FindDistinctSlices(const Slices& slices, const IndexWriter& index) {
  using Seen = absl::flat_hash_map<int64_t, int64_t, SliceHash, SliceEqual>;
  return FindDistinct(
      Seen(0, SliceHash{&slices}, SliceEqual{&slices}), slices.n, [](int64_t i) { return i; },
      index);
}

// Of x as `outer` rows of n slices of `inner` elements each.
StatusOr<Distinct> FindDistinct(const Tensor& x, int64_t outer, int64_t n, int64_t inner,
                                const IndexWriter& index) {
  // Slices without elements are alike, and how many there are need not fit any memory.
  if (inner == 0) outer = 0;
  Distinct found;
  WB_RETURN_IF_ERROR(DispatchTypes(UniqueTypes{}, x.dtype(), [&](auto tag) -> Status {
    using T = typename decltype(ComparedAs<typename decltype(tag)::type>())::type;
    if (outer == 1 && inner == 1) {
      found = FindDistinctElements<T>(x, index);
    } else {
      found = FindDistinctSlices(
          {x.raw_data(), outer, n, inner, &HashOfSlice<T>, &SlicesAreEqual<T>}, index);
    }
    return OkStatus();
  }));
  return found;
}

Status Write(KernelContext& ctx, int output, const std::vector<int64_t>& values) {
  WB_ASSIGN_OR_RETURN(Tensor * t,
                      ctx.Allocate(output, Shape({static_cast<int64_t>(values.size())})));
  return WriteIndices(values, t);
}

Status UniqueAlong(KernelContext& ctx, int axis) {
  const Tensor& x = ctx.input(0);
  const int64_t outer = ElementsOf(x.shape(), 0, axis);
  const int64_t inner = ElementsOf(x.shape(), axis + 1, x.rank());
  const int64_t n = x.dim(axis);
  WB_RETURN_IF_ERROR(CheckUniqueNumbers(n, ctx.output_type(1)));
  WB_ASSIGN_OR_RETURN(Tensor * index, ctx.Allocate(1, Shape({n})));
  WB_ASSIGN_OR_RETURN(const Distinct d, FindDistinct(x, outer, n, inner, IndexWriter(index)));
  const int64_t count = static_cast<int64_t>(d.first.size());
  WB_ASSIGN_OR_RETURN(Shape shape, x.shape().WithDim(axis, count));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  const int64_t copied = y->num_elements() > 0 ? outer : 0;
  for (int64_t o = 0; o < copied; ++o) {
    for (int64_t i = 0; i < count; ++i) {
      CopyElements(
          x.dtype(), Advance(y->raw_data(), x.dtype(), (o * count + i) * inner),
          Advance(x.raw_data(), x.dtype(), (o * n + d.first[static_cast<size_t>(i)]) * inner),
          inner);
    }
  }
  return ctx.num_outputs() == 3 ? Write(ctx, 2, d.counts) : OkStatus();
}

Status RunUnique(KernelContext& ctx) {
  WB_RETURN_IF_ERROR(CheckUniqueInput(ctx.input(0)));
  return UniqueAlong(ctx, 0);
}

Status RunUniqueV2(KernelContext& ctx) {
  if (ctx.input(1).rank() != 1) {
    return InvalidArgument("axis expects a 1D vector, not shape ", ctx.input(1).shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(Dims axis, ReadIndices(ctx.input(1), "axis"));
  if (axis.size() > 1) return InvalidArgument("only one axis is supported, not ", axis.size());
  if (axis.empty() && ctx.input(0).rank() != 1) return RunUnique(ctx);
  WB_ASSIGN_OR_RETURN(int a, ResolveAxis(axis.empty() ? 0 : axis[0], ctx.input(0).rank()));
  return UniqueAlong(ctx, a);
}

Status RunListDiff(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Tensor& y = ctx.input(1);
  if (x.rank() != 1 || y.rank() != 1) {
    return InvalidArgument("both lists must be vectors, not of shapes ", x.shape().ToString(),
                           " and ", y.shape().ToString());
  }
  std::vector<int64_t> kept;
  WB_RETURN_IF_ERROR(DispatchTypes(UniqueTypes{}, x.dtype(), [&](auto tag) -> Status {
    using T = typename decltype(ComparedAs<typename decltype(tag)::type>())::type;
    absl::flat_hash_set<decltype(Key(T()))> drop;
    const T* from = static_cast<const T*>(x.raw_data());
    const T* dropped = static_cast<const T*>(y.raw_data());
    for (int64_t i = 0; i < y.num_elements(); ++i) drop.insert(Key(dropped[i]));
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      if (!drop.contains(Key(from[i]))) kept.push_back(i);
    }
    return OkStatus();
  }));
  WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape({static_cast<int64_t>(kept.size())})));
  for (size_t i = 0; i < kept.size(); ++i) {
    CopyElements(x.dtype(), Advance(out->raw_data(), x.dtype(), static_cast<int64_t>(i)),
                 Advance(x.raw_data(), x.dtype(), kept[i]), 1);
  }
  return Write(ctx, 1, kept);
}

WB_OP("Unique")
    .Input("x: T")
    .Output("y: T")
    .Output("idx: out_idx")
    .Attr("T: type")
    .Attr("out_idx: {int32, int64} = int32")
    .Shape(UniqueShape);
WB_KERNEL("Unique", FunctionKernel<RunUnique>)
    .Cpu({{"T", kRealTypes | TypeSet{DType::kBool, DType::kString}}, {"out_idx", kIndexTypes}})
    .Gpu({{"T", kRealTypes | TypeSet{DType::kBool}}, {"out_idx", kIndexTypes}});
WB_KERNEL("Unique", FunctionKernel<RunUnique>)
    .Gpu({{"T", TypeSet{DType::kString}}, {"out_idx", kIndexTypes}})
    .HostMemory({"x", "y", "idx"});

WB_OP("UniqueWithCounts")
    .Input("x: T")
    .Output("y: T")
    .Output("idx: out_idx")
    .Output("count: out_idx")
    .Attr("T: type")
    .Attr("out_idx: {int32, int64} = int32")
    .Shape(UniqueShape);
WB_KERNEL("UniqueWithCounts", FunctionKernel<RunUnique>)
    .Cpu({{"T", kRealTypes | TypeSet{DType::kBool, DType::kString}}, {"out_idx", kIndexTypes}})
    .Gpu({{"T", kRealTypes | TypeSet{DType::kBool}}, {"out_idx", kIndexTypes}});

WB_OP("UniqueV2")
    .Input("x: T")
    .Input("axis: Taxis")
    .Output("y: T")
    .Output("idx: out_idx")
    .Attr("T: type")
    .Attr("Taxis: {int32, int64} = int64")
    .Attr("out_idx: {int32, int64} = int32")
    .Shape(UniqueV2Shape);
WB_KERNEL("UniqueV2", FunctionKernel<RunUniqueV2>)
    .Cpu({{"T", kRealTypes | TypeSet{DType::kBool, DType::kString}}, {"out_idx", kIndexTypes}});

WB_OP("UniqueWithCountsV2")
    .Input("x: T")
    .Input("axis: Taxis")
    .Output("y: T")
    .Output("idx: out_idx")
    .Output("count: out_idx")
    .Attr("T: type")
    .Attr("Taxis: {int32, int64} = int64")
    .Attr("out_idx: {int32, int64} = int32")
    .Shape(UniqueV2Shape);
WB_KERNEL("UniqueWithCountsV2", FunctionKernel<RunUniqueV2>)
    .Cpu({{"T", kRealTypes | TypeSet{DType::kBool, DType::kString}}, {"out_idx", kIndexTypes}});

WB_OP("ListDiff")
    .Input("x: T")
    .Input("y: T")
    .Output("out: T")
    .Output("idx: out_idx")
    .Attr("T: type")
    .Attr("out_idx: {int32, int64} = int32")
    .Shape(ListDiffShape);
WB_KERNEL("ListDiff", FunctionKernel<RunListDiff>)
    .Cpu({{"T", kRealTypes | TypeSet{DType::kString}}, {"out_idx", kIndexTypes}});

}  // namespace
}  // namespace warpbeam
