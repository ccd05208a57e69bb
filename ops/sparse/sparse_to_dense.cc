// SparseToDense: a dense tensor of a default value with values set at given indices.
#include "ops/sparse/sparse_to_dense.h"

#include <algorithm>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/kernel_types.h"
#include "ops/array/strided_copy.h"
#include "ops/launch/dispatch.h"
#include "ops/sparse/sparse_tensor.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

StatusOr<DensePlan> MakeDensePlan(const KernelContext& ctx) {
  const Tensor &indices = ctx.input(0), &shape = ctx.input(1);
  const Tensor &values = ctx.input(2), &otherwise = ctx.input(3);
  if (indices.rank() > 2) {
    return InvalidArgument(
        "'sparse_indices' must be a scalar, a vector or a matrix, but has shape ",
        indices.shape().ToString());
  }
  if (shape.rank() != 1) {
    return InvalidArgument("'output_shape' must be a vector, but has shape ",
                           shape.shape().ToString());
  }
  DensePlan plan;
  plan.count = indices.rank() > 0 ? indices.dim(0) : 1;
  plan.rank = indices.rank() > 1 ? indices.dim(1) : 1;
  if (shape.dim(0) != plan.rank) {
    return InvalidArgument("output_shape has incorrect number of elements: ", shape.dim(0),
                           " should be: ", plan.rank);
  }
  if (values.rank() > 1 || (values.rank() == 1 && values.dim(0) != plan.count)) {
    return InvalidArgument("sparse_values has incorrect shape ", values.shape().ToString(),
                           ", should be [] or [", plan.count, "]");
  }
  if (otherwise.rank() != 0) {
    return InvalidArgument("default_value should be a scalar, but has shape ",
                           otherwise.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(plan.shape, ReadShape(shape, "output_shape"));
  return plan;
}

namespace {

Status DenseFromShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(1));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// The indices of an op that also takes a scalar or a vector for them.
struct Places {
  Dims indices;
  int64_t count;
  int64_t rank;
  const int64_t* row(int64_t i) const { return indices.data() + i * rank; }
};

// Where in the dense tensor each value goes.
StatusOr<Dims> FlatPlaces(const Places& p, const Shape& shape, bool ordered) {
  Dims flat(static_cast<size_t>(p.count));
  const int rank = shape.rank();
  const auto strides = RowMajorStrides(shape);
  for (int64_t i = 0; i < p.count; ++i) {
    int64_t at = 0;
    for (int d = 0; d < rank; ++d) {
      const int64_t x = p.row(i)[d];
      if (x < 0 || x >= shape.dim(d)) {
        return InvalidArgument("indices[", i, "] = ", RowToString(p.row(i), rank),
                               " is out of bounds: need 0 <= index < ", shape.ToString());
      }
      at += x * strides[static_cast<size_t>(d)];
    }
    if (ordered && i > 0 && at <= flat[static_cast<size_t>(i - 1)]) {
      const bool repeated = at == flat[static_cast<size_t>(i - 1)];
      return InvalidArgument("indices[", i, "] = ", RowToString(p.row(i), rank), " is ",
                             repeated ? "repeated" : "out of order",
                             "; without 'validate_indices' neither matters");
    }
    flat[static_cast<size_t>(i)] = at;
  }
  return flat;
}

class SparseToDenseKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<SparseToDenseKernel>();
    WB_ASSIGN_OR_RETURN(kernel->validate_, init.attr<bool>("validate_indices"));
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    const Tensor &values = ctx.input(2), &otherwise = ctx.input(3);
    WB_ASSIGN_OR_RETURN(const DensePlan plan, MakeDensePlan(ctx));
    const Shape& shape = plan.shape;
    Places places = {{}, plan.count, plan.rank};
    WB_ASSIGN_OR_RETURN(places.indices, ReadIndices(ctx.input(0), "sparse_indices"));
    WB_ASSIGN_OR_RETURN(const Dims flat, FlatPlaces(places, shape, validate_));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    FillRange(ctx, y->dtype(), y->raw_data(), otherwise.raw_data(), y->num_elements());
    return DispatchElements(y->dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      const T* from = values.data<T>();
      const int64_t step = values.rank();
      T* to = y->data<T>();
      for (size_t i = 0; i < flat.size(); ++i) to[flat[i]] = from[static_cast<int64_t>(i) * step];
      return OkStatus();
    });
  }

 private:
  bool validate_ = true;
};

// The values' gradient is what stands at their places, the default's all the rest.
Status SparseToDenseGradient(GradContext& c) {
  const OutputRef values = c.Emit("GatherNd", {c.dy(0), c.x(0)});
  c.set_dx(2, values);
  const auto total = [&](OutputRef x) {
    return c.Emit("Sum",
                  {x, c.Emit("Range", {c.Scalar<int32_t>(0), c.RankOf(x), c.Scalar<int32_t>(1)})});
  };
  c.set_dx(3, c.Sub(total(c.dy(0)), total(values)));
  return OkStatus();
}

constexpr TypeSet kDenseTypes = kPlainTypes | TypeSet{DType::kString, DType::kQInt8, DType::kQUInt8,
                                                      DType::kQInt16, DType::kQUInt16};

WB_OP("SparseToDense")
    .Input("sparse_indices: Tindices")
    .Input("output_shape: Tindices")
    .Input("sparse_values: T")
    .Input("default_value: T")
    .Output("dense: T")
    .Attr("validate_indices: bool = true")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Shape(DenseFromShape);
WB_KERNEL("SparseToDense", SparseToDenseKernel)
    .Cpu({{"T", kDenseTypes}, {"Tindices", kIndexTypes}})
    .Gpu({{"T", kRealTypes | TypeSet{DType::kBool}}, {"Tindices", kIndexTypes}})
    .HostMemory({"output_shape", "default_value"});
WB_GRADIENT("SparseToDense", SparseToDenseGradient);

}  // namespace
}  // namespace warpbeam
