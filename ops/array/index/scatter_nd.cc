// ScatterNd: updates added into zeros. TensorScatter*, ScatterNdNonAliasingAdd: into a copy of a
// tensor.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/index/scatter_rows.h"
#include "ops/array/kernel_types.h"
#include "ops/array/strided_copy.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Checks indices and updates against a partly known tensor shape, as far as they are known.
Status CheckPartial(const PartialShape& indices, const PartialShape& updates,
                    const PartialShape& shape) {
  WB_ASSIGN_OR_RETURN(Shape i, indices.AsShape());
  WB_ASSIGN_OR_RETURN(Shape u, updates.AsShape());
  WB_ASSIGN_OR_RETURN(Shape s, shape.AsShape());
  return CheckScatterShapes(i, u, s);
}

Status ScatterNdShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1).status());
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(2));
  if (shape.IsFullyDefined() && c.input(0).IsFullyDefined() && c.input(1).IsFullyDefined()) {
    WB_RETURN_IF_ERROR(CheckPartial(c.input(0), c.input(1), shape));
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status TensorScatterShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRankAtLeast(1, 1).status());
  if (c.input(0).IsFullyDefined() && c.input(1).IsFullyDefined() && c.input(2).IsFullyDefined()) {
    WB_RETURN_IF_ERROR(CheckPartial(c.input(1), c.input(2), c.input(0)));
  }
  return shapes::Unchanged(c);
}

Status ScatterInto(ScatterOp op, BadIndex bad, const Tensor& indices, const Tensor& updates,
                   Tensor* to) {
  WB_RETURN_IF_ERROR(CheckScatterShapes(indices.shape(), updates.shape(), to->shape()));
  WB_ASSIGN_OR_RETURN(std::vector<int64_t> rows, FlattenIndices(indices, to->shape(), bad));
  const int k = static_cast<int>(indices.dim(indices.rank() - 1));
  return ScatterRows(op, to->dtype(), to->raw_data(), rows, ElementsOf(to->shape(), k, to->rank()),
                     {updates.raw_data()});
}

class ScatterNdKernel final : public Kernel {
 public:
  explicit ScatterNdKernel(BadIndex bad) : bad_(bad) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(BadIndex bad, BadIndexPolicy(init.attrs));
    return std::make_unique<ScatterNdKernel>(bad);
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(Shape shape, ReadShape(ctx.input(2), "shape"));
    WB_RETURN_IF_ERROR(CheckScatterShapes(ctx.input(0).shape(), ctx.input(1).shape(), shape));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    ZeroRange(ctx, y->dtype(), y->raw_data(), y->num_elements());
    return ScatterInto(ScatterOp::kAdd, bad_, ctx.input(0), ctx.input(1), y);
  }

 private:
  const BadIndex bad_;
};

template <ScatterOp op>
class TensorScatterKernel final : public Kernel {
 public:
  explicit TensorScatterKernel(BadIndex bad) : bad_(bad) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(BadIndex bad, BadIndexPolicy(init.attrs));
    return std::make_unique<TensorScatterKernel>(bad);
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    if (x.rank() < 1) return InvalidArgument("the tensor must be at least a vector");
    WB_RETURN_IF_ERROR(CheckScatterShapes(ctx.input(1).shape(), ctx.input(2).shape(), x.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.ForwardOrAllocate({0}, 0, x.shape()));
    if (y->raw_data() != x.raw_data()) {
      CopyRange(ctx, x.dtype(), y->raw_data(), x.raw_data(), x.num_elements());
    }
    return ScatterInto(op, bad_, ctx.input(1), ctx.input(2), y);
  }

 private:
  const BadIndex bad_;
};

WB_OP("ScatterNd")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Input("shape: Tindices")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tindices: {int16, int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .Shape(ScatterNdShape);
WB_KERNEL("ScatterNd", ScatterNdKernel)
    .Cpu({{"T", kPlainTypes | TypeSet{DType::kString}}, {"Tindices", kIndexTypes}})
    .Gpu({{"T", kFloatingTypes | kUnsignedTypes | kComplexTypes |
                    TypeSet{DType::kInt16, DType::kInt64, DType::kInt8}},
          {"Tindices", kIndexTypes}})
    .HostMemory({"shape"});
WB_KERNEL("ScatterNd", ScatterNdKernel)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tindices", kIndexTypes}})
    .HostMemory({"indices", "updates", "shape", "output"});

WB_OP("ScatterNdNonAliasingAdd")
    .Input("input: T")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
        "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, bool}")
    .Attr("Tindices: {int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .Shape(TensorScatterShape);
WB_KERNEL("ScatterNdNonAliasingAdd", TensorScatterKernel<ScatterOp::kAdd>)
    .Cpu({{"T", kPlainTypes}, {"Tindices", kIndexTypes}})
    .Gpu({{"T", kFloatingTypes | kUnsignedTypes | kComplexTypes |
                    TypeSet{DType::kInt16, DType::kInt64, DType::kInt8}},
          {"Tindices", kIndexTypes}});
WB_KERNEL("ScatterNdNonAliasingAdd", TensorScatterKernel<ScatterOp::kAdd>)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tindices", kIndexTypes}})
    .HostMemory({"input", "indices", "updates", "output"});

WB_OP("TensorScatterUpdate")
    .Input("tensor: T")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tindices: {int16, int32, int64, uint16}")
    .Attr("bad_indices_policy: string = ''")
    .Shape(TensorScatterShape);
WB_KERNEL("TensorScatterUpdate", TensorScatterKernel<ScatterOp::kUpdate>)
    .Cpu({{"T", kPlainTypes | TypeSet{DType::kString}}, {"Tindices", kIndexTypes}})
    .Gpu({{"T", kComplexTypes | TypeSet{DType::kDouble, DType::kFloat, DType::kInt64}},
          {"Tindices", kIndexTypes}});
WB_KERNEL("TensorScatterUpdate", TensorScatterKernel<ScatterOp::kUpdate>)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tindices", kIndexTypes}})
    .HostMemory({"tensor", "indices", "updates", "output"});

WB_OP("TensorScatterAdd")
    .Input("tensor: T")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .Shape(TensorScatterShape);
WB_KERNEL("TensorScatterAdd", TensorScatterKernel<ScatterOp::kAdd>)
    .Cpu({{"T", kNumberTypes}, {"Tindices", kIndexTypes}})
    .Gpu({{"T", kComplexTypes | TypeSet{DType::kDouble, DType::kFloat, DType::kInt64}},
          {"Tindices", kIndexTypes}});
WB_KERNEL("TensorScatterAdd", TensorScatterKernel<ScatterOp::kAdd>)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tindices", kIndexTypes}})
    .HostMemory({"tensor", "indices", "updates", "output"});

WB_OP("TensorScatterSub")
    .Input("tensor: T")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .Shape(TensorScatterShape);
WB_KERNEL("TensorScatterSub", TensorScatterKernel<ScatterOp::kSub>)
    .Cpu({{"T", kNumberTypes}, {"Tindices", kIndexTypes}})
    .Gpu({{"T", kComplexTypes | TypeSet{DType::kDouble, DType::kFloat, DType::kInt64}},
          {"Tindices", kIndexTypes}});
WB_KERNEL("TensorScatterSub", TensorScatterKernel<ScatterOp::kSub>)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tindices", kIndexTypes}})
    .HostMemory({"tensor", "indices", "updates", "output"});

WB_OP("TensorScatterMin")
    .Input("tensor: T")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .Shape(TensorScatterShape);
WB_KERNEL("TensorScatterMin", TensorScatterKernel<ScatterOp::kMin>)
    .Cpu({{"T", kRealTypes}, {"Tindices", kIndexTypes}})
    .Gpu({{"T", TypeSet{DType::kDouble, DType::kFloat, DType::kInt64}}, {"Tindices", kIndexTypes}});
WB_KERNEL("TensorScatterMin", TensorScatterKernel<ScatterOp::kMin>)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tindices", kIndexTypes}})
    .HostMemory({"tensor", "indices", "updates", "output"});

WB_OP("TensorScatterMax")
    .Input("tensor: T")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .Shape(TensorScatterShape);
WB_KERNEL("TensorScatterMax", TensorScatterKernel<ScatterOp::kMax>)
    .Cpu({{"T", kRealTypes}, {"Tindices", kIndexTypes}})
    .Gpu({{"T", TypeSet{DType::kDouble, DType::kFloat, DType::kInt64}}, {"Tindices", kIndexTypes}});
WB_KERNEL("TensorScatterMax", TensorScatterKernel<ScatterOp::kMax>)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tindices", kIndexTypes}})
    .HostMemory({"tensor", "indices", "updates", "output"});

OutputRef GatherTuples(GradContext& c, OutputRef from, OutputRef indices) {
  return c.Emit("GatherNd", {from, indices});
}

Status ScatterNdGradient(GradContext& c) {
  c.set_dx(1, GatherTuples(c, c.dy(0), c.x(0)));
  return OkStatus();
}
WB_GRADIENT("ScatterNd", ScatterNdGradient);

Status AddTuplesGradient(GradContext& c) {
  c.set_dx(0, c.dy(0));
  c.set_dx(2, GatherTuples(c, c.dy(0), c.x(1)));
  return OkStatus();
}
WB_GRADIENT("ScatterNdNonAliasingAdd", AddTuplesGradient);
WB_GRADIENT("TensorScatterAdd", AddTuplesGradient);

Status SubTuplesGradient(GradContext& c) {
  c.set_dx(0, c.dy(0));
  c.set_dx(2, c.Neg(GatherTuples(c, c.dy(0), c.x(1))));
  return OkStatus();
}
WB_GRADIENT("TensorScatterSub", SubTuplesGradient);

Status UpdateTuplesGradient(GradContext& c) {
  c.set_dx(0, c.Emit("TensorScatterUpdate", {c.dy(0), c.x(1), c.ZerosLike(c.x(2))}));
  c.set_dx(2, GatherTuples(c, c.dy(0), c.x(1)));
  return OkStatus();
}
WB_GRADIENT("TensorScatterUpdate", UpdateTuplesGradient);

// Those that gave the extremum share the gradient.
Status ExtremeTuplesGradient(GradContext& c) {
  const DType type = c.type(c.dy(0));
  const OutputRef kept = c.Cast(c.Emit("Equal", {c.x(0), c.y(0)}), type);
  const OutputRef chosen = c.Cast(c.Emit("Equal", {c.x(2), GatherTuples(c, c.y(0), c.x(1))}), type);
  const OutputRef scattered =
      c.Emit("ScatterNd", {c.x(1), chosen, c.ShapeOf(c.x(0), c.type(c.x(1)))});
  const OutputRef share = c.Div(c.dy(0), c.Add(kept, scattered));
  c.set_dx(0, c.Mul(share, kept));
  c.set_dx(2, c.Mul(GatherTuples(c, share, c.x(1)), chosen));
  return OkStatus();
}
WB_GRADIENT("TensorScatterMin", ExtremeTuplesGradient);
WB_GRADIENT("TensorScatterMax", ExtremeTuplesGradient);

}  // namespace
}  // namespace warpbeam
