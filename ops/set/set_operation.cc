// DenseToDenseSetOperation, DenseToSparseSetOperation, SparseToSparseSetOperation: the difference,
// the intersection or the union of each two sets, as a sparse tensor of sorted rows.
#include <iterator>

#include "absl/strings/ascii.h"
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/set/value_sets.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

using SetTypes = TypeList<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, std::string>;

enum class Operation { kAMinusB, kBMinusA, kIntersection, kUnion };

StatusOr<Operation> OperationOf(absl::string_view name) {
  const std::string lower = absl::AsciiStrToLower(name);
  if (lower == "a-b") return Operation::kAMinusB;
  if (lower == "b-a") return Operation::kBMinusA;
  if (lower == "intersection") return Operation::kIntersection;
  if (lower == "union") return Operation::kUnion;
  return InvalidArgument("'set_operation' must be a-b, b-a, intersection or union, but is '", name,
                         "'");
}

template <typename T>
std::vector<T> Combine(Operation op, const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> out;
  const auto to = std::back_inserter(out);
  switch (op) {
    case Operation::kAMinusB:
      std::set_difference(a.begin(), a.end(), b.begin(), b.end(), to);
      break;
    case Operation::kBMinusA:
      std::set_difference(b.begin(), b.end(), a.begin(), a.end(), to);
      break;
    case Operation::kIntersection:
      std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), to);
      break;
    case Operation::kUnion:
      std::set_union(a.begin(), a.end(), b.begin(), b.end(), to);
      break;
  }
  return out;
}

template <typename T>
using Sets = std::vector<ValueSet<T>>;

// Both lists are by ascending group; groups that neither has give nothing.
template <typename T>
Sets<T> CombineGroups(Operation op, const Sets<T>& a, const Sets<T>& b) {
  const std::vector<T> none;
  Sets<T> out;
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const bool has_a = i < a.size() && (j == b.size() || a[i].group <= b[j].group);
    const bool has_b = j < b.size() && (i == a.size() || b[j].group <= a[i].group);
    const int64_t group = has_a ? a[i].group : b[j].group;
    std::vector<T> values = Combine(op, has_a ? a[i].values : none, has_b ? b[j].values : none);
    if (!values.empty()) out.push_back({group, std::move(values)});
    if (has_a) ++i;
    if (has_b) ++j;
  }
  return out;
}

template <typename T>
Status Write(KernelContext& ctx, const Sets<T>& sets, const Shape& groups) {
  int64_t count = 0, largest = 0;
  for (const ValueSet<T>& s : sets) {
    count += static_cast<int64_t>(s.values.size());
    largest = std::max(largest, static_cast<int64_t>(s.values.size()));
  }
  const int rank = groups.rank() + 1;
  WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, Shape({count, rank})));
  WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(1, Shape({count})));
  WB_ASSIGN_OR_RETURN(Tensor * shape, ctx.Allocate(2, Shape({rank})));
  std::vector<int64_t> dims(groups.dims().begin(), groups.dims().end());
  dims.push_back(largest);
  WB_RETURN_IF_ERROR(WriteIndices(dims, shape));
  int64_t* to = indices->data<int64_t>();
  T* out = values->data<T>();
  for (const ValueSet<T>& s : sets) {
    for (size_t i = 0; i < s.values.size(); ++i, to += rank) {
      int64_t rest = s.group;
      for (int d = rank - 1; d-- > 0; rest /= groups.dim(d)) to[d] = rest % groups.dim(d);
      to[rank - 1] = static_cast<int64_t>(i);
      *out++ = s.values[i];
    }
  }
  return OkStatus();
}

// The operands that are sparse take three inputs each.
template <bool kFirstSparse, bool kSecondSparse>
class SetOperationKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<SetOperationKernel>();
    WB_ASSIGN_OR_RETURN(const std::string name, init.attr<std::string>("set_operation"));
    WB_ASSIGN_OR_RETURN(kernel->operation_, OperationOf(name));
    WB_ASSIGN_OR_RETURN(kernel->validate_, init.attr<bool>("validate_indices"));
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    constexpr int kSecond = kFirstSparse ? 3 : 1;
    return DispatchTypes(SetTypes{}, ctx.output_type(1), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      Sets<T> a, b;
      WB_ASSIGN_OR_RETURN(const Shape groups, (Read<T, kFirstSparse>(ctx, 0, "set1", &a)));
      WB_ASSIGN_OR_RETURN(const Shape others, (Read<T, kSecondSparse>(ctx, kSecond, "set2", &b)));
      if (groups != others) {
        return InvalidArgument("both tensors must have the same dimensions but the last, but have ",
                               groups.ToString(), " and ", others.ToString());
      }
      return Write(ctx, CombineGroups(operation_, a, b), groups);
    });
  }

 private:
  template <typename T, bool kSparse>
  StatusOr<Shape> Read(KernelContext& ctx, int first, const char* name, Sets<T>* sets) const {
    if constexpr (kSparse) {
      WB_ASSIGN_OR_RETURN(const SparseView x, ReadSparse(ctx, first, name));
      WB_RETURN_IF_ERROR(DenseShape(x).status());
      WB_ASSIGN_OR_RETURN(*sets, SetsOfSparse<T>(x, validate_));
      return GroupShape(x.dims);
    } else {
      WB_ASSIGN_OR_RETURN(*sets, SetsOfDense<T>(ctx.input(first)));
      return GroupShape(ctx.input(first).shape().dims());
    }
  }

  Operation operation_ = Operation::kUnion;
  bool validate_ = true;
};

StatusOr<int64_t> RankOf(const ShapeContext& c, bool is_sparse, int first) {
  int64_t rank = c.input(first).has_rank() ? c.input(first).rank() : -1;
  if (is_sparse) {
    WB_ASSIGN_OR_RETURN(const PartialShape indices, SparseInputShape(c, first));
    rank = indices.dim(1);
  }
  if (rank == 0 || rank == 1) {
    return InvalidArgument("sets need a tensor of at least two dimensions, input ", first, " has ",
                           rank);
  }
  return rank;
}

template <bool kFirstSparse, bool kSecondSparse>
Status SetOperationShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const int64_t a, RankOf(c, kFirstSparse, 0));
  WB_ASSIGN_OR_RETURN(const int64_t b, RankOf(c, kSecondSparse, kFirstSparse ? 3 : 1));
  WB_ASSIGN_OR_RETURN(const int64_t rank, MergeExtents(a, b));
  SetSparseOutput(c, 0, -1, rank);
  return OkStatus();
}

using DenseToDense = SetOperationKernel<false, false>;
using DenseToSparse = SetOperationKernel<false, true>;
using SparseToSparse = SetOperationKernel<true, true>;

WB_OP("DenseToDenseSetOperation")
    .Input("set1: T")
    .Input("set2: T")
    .Output("result_indices: int64")
    .Output("result_values: T")
    .Output("result_shape: int64")
    .Attr("set_operation: string")
    .Attr("validate_indices: bool = true")
    .Attr("T: {int8, int16, int32, int64, uint8, uint16, string}")
    .Shape(SetOperationShape<false, false>);
WB_KERNEL("DenseToDenseSetOperation", DenseToDense).Cpu({{"T", TypeSetOf(SetTypes{})}});
WB_NO_GRADIENT("DenseToDenseSetOperation");

WB_OP("DenseToSparseSetOperation")
    .Input("set1: T")
    .Input("set2_indices: int64")
    .Input("set2_values: T")
    .Input("set2_shape: int64")
    .Output("result_indices: int64")
    .Output("result_values: T")
    .Output("result_shape: int64")
    .Attr("set_operation: string")
    .Attr("validate_indices: bool = true")
    .Attr("T: {int8, int16, int32, int64, uint8, uint16, string}")
    .Shape(SetOperationShape<false, true>);
WB_KERNEL("DenseToSparseSetOperation", DenseToSparse).Cpu({{"T", TypeSetOf(SetTypes{})}});
WB_NO_GRADIENT("DenseToSparseSetOperation");

WB_OP("SparseToSparseSetOperation")
    .Input("set1_indices: int64")
    .Input("set1_values: T")
    .Input("set1_shape: int64")
    .Input("set2_indices: int64")
    .Input("set2_values: T")
    .Input("set2_shape: int64")
    .Output("result_indices: int64")
    .Output("result_values: T")
    .Output("result_shape: int64")
    .Attr("set_operation: string")
    .Attr("validate_indices: bool = true")
    .Attr("T: {int8, int16, int32, int64, uint8, uint16, string}")
    .Shape(SetOperationShape<true, true>);
WB_KERNEL("SparseToSparseSetOperation", SparseToSparse).Cpu({{"T", TypeSetOf(SetTypes{})}});
WB_NO_GRADIENT("SparseToSparseSetOperation");

}  // namespace
}  // namespace warpbeam
