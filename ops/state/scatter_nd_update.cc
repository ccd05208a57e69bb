// ScatterNd*, ResourceScatterNd*: slices of a variable changed by index tuples.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/scatter_rows.h"
#include "ops/array/kernel_types.h"
#include "ops/array/strided_copy.h"
#include "ops/state/update_checks.h"
#include "ops/state/variable_access.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status CheckStatic(const PartialShape& value, const PartialShape& indices,
                   const PartialShape& updates) {
  if (!value.IsFullyDefined() || !indices.IsFullyDefined() || !updates.IsFullyDefined()) {
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(Shape v, value.AsShape());
  WB_ASSIGN_OR_RETURN(Shape i, indices.AsShape());
  WB_ASSIGN_OR_RETURN(Shape u, updates.AsShape());
  return CheckScatterShapes(i, u, v);
}

Status ScatterNdUpdateShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(CheckStatic(c.input(0), c.input(1), c.input(2)));
  c.set_output(0, c.input(0));
  return OkStatus();
}

Status ResourceScatterNdShape(ShapeContext& c) {
  if (c.input_handle(0).empty()) return OkStatus();
  return CheckStatic(c.input_handle(0)[0].shape, c.input(1), c.input(2));
}

// One kernel for both kinds of variable: the schema says which it is.
template <ScatterOp op, bool is_resource>
class ScatterNdUpdateKernel final : public Kernel {
 public:
  explicit ScatterNdUpdateKernel(BadIndex bad) : bad_(bad) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(BadIndex bad, BadIndexPolicy(init.attrs));
    return std::make_unique<ScatterNdUpdateKernel>(bad);
  }
  Status Compute(KernelContext& ctx) override {
    if constexpr (is_resource) {
      WB_ASSIGN_OR_RETURN(std::shared_ptr<Variable> v, finder_.Find(ctx, 0));
      return Scatter(ctx, *v);
    } else {
      WB_ASSIGN_OR_RETURN(RefVariable * v, RefInput(ctx, 0));
      WB_RETURN_IF_ERROR(Scatter(ctx, *v));
      ctx.set_output_ref(0, v);
      return OkStatus();
    }
  }

 private:
  Status Scatter(KernelContext& ctx, Variable& variable) const {
    const Tensor& indices = ctx.input(1);
    const Tensor& updates = ctx.input(2);
    return ModifyVariable(ctx, variable, [&](Tensor& value) -> Status {
      WB_RETURN_IF_ERROR(CheckTupleUpdates(value, indices, updates));
      WB_ASSIGN_OR_RETURN(std::vector<int64_t> rows, FlattenIndices(indices, value.shape(), bad_));
      const int k = static_cast<int>(indices.dim(indices.rank() - 1));
      return ScatterRows(op, value.dtype(), value.raw_data(), rows,
                         ElementsOf(value.shape(), k, value.rank()), {updates.raw_data()});
    });
  }

  const BadIndex bad_;
  VariableFinder finder_;
};

template <ScatterOp op>
using RefKernel = ScatterNdUpdateKernel<op, false>;
template <ScatterOp op>
using ResourceKernel = ScatterNdUpdateKernel<op, true>;

WB_OP("ScatterNdUpdate")
    .Input("ref: Ref(T)")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = true")
    .Attr("bad_indices_policy: string = ''")
    .Shape(ScatterNdUpdateShape);
WB_KERNEL("ScatterNdUpdate", RefKernel<ScatterOp::kUpdate>)
    .Cpu({{"T", kPlainTypes | TypeSet{DType::kString}}, {"Tindices", kIndexTypes}})
    .Gpu({{"T", kFloatingTypes | kUnsignedTypes | kComplexTypes |
                    TypeSet{DType::kInt16, DType::kInt64, DType::kInt8}},
          {"Tindices", kIndexTypes}});
WB_KERNEL("ScatterNdUpdate", RefKernel<ScatterOp::kUpdate>)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tindices", kIndexTypes}})
    .HostMemory({"ref", "indices", "updates", "output_ref"});

WB_OP("ScatterNdAdd")
    .Input("ref: Ref(T)")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("bad_indices_policy: string = ''")
    .Shape(ScatterNdUpdateShape);
WB_KERNEL("ScatterNdAdd", RefKernel<ScatterOp::kAdd>)
    .Cpu({{"T", kPlainTypes}, {"Tindices", kIndexTypes}})
    .Gpu({{"T", kFloatingTypes | kUnsignedTypes | kComplexTypes |
                    TypeSet{DType::kInt16, DType::kInt64, DType::kInt8}},
          {"Tindices", kIndexTypes}});
WB_KERNEL("ScatterNdAdd", RefKernel<ScatterOp::kAdd>)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tindices", kIndexTypes}})
    .HostMemory({"ref", "indices", "updates", "output_ref"});

WB_OP("ScatterNdSub")
    .Input("ref: Ref(T)")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("bad_indices_policy: string = ''")
    .Shape(ScatterNdUpdateShape);
WB_KERNEL("ScatterNdSub", RefKernel<ScatterOp::kSub>)
    .Cpu({{"T", kPlainTypes}, {"Tindices", kIndexTypes}})
    .Gpu({{"T", kFloatingTypes | kUnsignedTypes | kComplexTypes |
                    TypeSet{DType::kInt16, DType::kInt64, DType::kInt8}},
          {"Tindices", kIndexTypes}});
WB_KERNEL("ScatterNdSub", RefKernel<ScatterOp::kSub>)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tindices", kIndexTypes}})
    .HostMemory({"ref", "indices", "updates", "output_ref"});

WB_OP("ScatterNdMin")
    .Input("ref: Ref(T)")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("bad_indices_policy: string = ''")
    .Shape(ScatterNdUpdateShape);
WB_KERNEL("ScatterNdMin", RefKernel<ScatterOp::kMin>)
    .Cpu({{"T", kRealTypes}, {"Tindices", kIndexTypes}})
    .Gpu({{"T",
           kFloatingTypes | kUnsignedTypes | TypeSet{DType::kInt16, DType::kInt64, DType::kInt8}},
          {"Tindices", kIndexTypes}});
WB_KERNEL("ScatterNdMin", RefKernel<ScatterOp::kMin>)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tindices", kIndexTypes}})
    .HostMemory({"ref", "indices", "updates", "output_ref"});

WB_OP("ScatterNdMax")
    .Input("ref: Ref(T)")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("bad_indices_policy: string = ''")
    .Shape(ScatterNdUpdateShape);
WB_KERNEL("ScatterNdMax", RefKernel<ScatterOp::kMax>)
    .Cpu({{"T", kRealTypes}, {"Tindices", kIndexTypes}})
    .Gpu({{"T",
           kFloatingTypes | kUnsignedTypes | TypeSet{DType::kInt16, DType::kInt64, DType::kInt8}},
          {"Tindices", kIndexTypes}});
WB_KERNEL("ScatterNdMax", RefKernel<ScatterOp::kMax>)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tindices", kIndexTypes}})
    .HostMemory({"ref", "indices", "updates", "output_ref"});

WB_OP("ResourceScatterNdUpdate")
    .Input("ref: resource")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = true")
    .Attr("bad_indices_policy: string = ''")
    .Stateful()
    .Shape(ResourceScatterNdShape);
WB_KERNEL("ResourceScatterNdUpdate", ResourceKernel<ScatterOp::kUpdate>)
    .Cpu({{"T", kPlainTypes | TypeSet{DType::kString}}, {"Tindices", kIndexTypes}})
    .Gpu({{"T", kFloatingTypes | kUnsignedTypes | kComplexTypes |
                    TypeSet{DType::kInt16, DType::kInt64, DType::kInt8}},
          {"Tindices", kIndexTypes}})
    .HostMemory({"ref"});
WB_KERNEL("ResourceScatterNdUpdate", ResourceKernel<ScatterOp::kUpdate>)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tindices", kIndexTypes}})
    .HostMemory({"ref", "indices", "updates"});

WB_OP("ResourceScatterNdAdd")
    .Input("ref: resource")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = true")
    .Attr("bad_indices_policy: string = ''")
    .Stateful()
    .Shape(ResourceScatterNdShape);
WB_KERNEL("ResourceScatterNdAdd", ResourceKernel<ScatterOp::kAdd>)
    .Cpu({{"T", kPlainTypes}, {"Tindices", kIndexTypes}})
    .Gpu({{"T", kFloatingTypes | kUnsignedTypes | kComplexTypes |
                    TypeSet{DType::kInt16, DType::kInt64, DType::kInt8}},
          {"Tindices", kIndexTypes}})
    .HostMemory({"ref"});
WB_KERNEL("ResourceScatterNdAdd", ResourceKernel<ScatterOp::kAdd>)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tindices", kIndexTypes}})
    .HostMemory({"ref", "indices", "updates"});

WB_OP("ResourceScatterNdSub")
    .Input("ref: resource")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = true")
    .Attr("bad_indices_policy: string = ''")
    .Stateful()
    .Shape(ResourceScatterNdShape);
WB_KERNEL("ResourceScatterNdSub", ResourceKernel<ScatterOp::kSub>)
    .Cpu({{"T", kPlainTypes}, {"Tindices", kIndexTypes}})
    .Gpu({{"T", kFloatingTypes | kUnsignedTypes | kComplexTypes |
                    TypeSet{DType::kInt16, DType::kInt64, DType::kInt8}},
          {"Tindices", kIndexTypes}})
    .HostMemory({"ref"});
WB_KERNEL("ResourceScatterNdSub", ResourceKernel<ScatterOp::kSub>)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tindices", kIndexTypes}})
    .HostMemory({"ref", "indices", "updates"});

WB_OP("ResourceScatterNdMin")
    .Input("ref: resource")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = true")
    .Attr("bad_indices_policy: string = ''")
    .Stateful()
    .Shape(ResourceScatterNdShape);
WB_KERNEL("ResourceScatterNdMin", ResourceKernel<ScatterOp::kMin>)
    .Cpu({{"T", kRealTypes}, {"Tindices", kIndexTypes}})
    .Gpu({{"T",
           kFloatingTypes | kUnsignedTypes | TypeSet{DType::kInt16, DType::kInt64, DType::kInt8}},
          {"Tindices", kIndexTypes}})
    .HostMemory({"ref"});
WB_KERNEL("ResourceScatterNdMin", ResourceKernel<ScatterOp::kMin>)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tindices", kIndexTypes}})
    .HostMemory({"ref", "indices", "updates"});

WB_OP("ResourceScatterNdMax")
    .Input("ref: resource")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = true")
    .Attr("bad_indices_policy: string = ''")
    .Stateful()
    .Shape(ResourceScatterNdShape);
WB_KERNEL("ResourceScatterNdMax", ResourceKernel<ScatterOp::kMax>)
    .Cpu({{"T", kRealTypes}, {"Tindices", kIndexTypes}})
    .Gpu({{"T",
           kFloatingTypes | kUnsignedTypes | TypeSet{DType::kInt16, DType::kInt64, DType::kInt8}},
          {"Tindices", kIndexTypes}})
    .HostMemory({"ref"});
WB_KERNEL("ResourceScatterNdMax", ResourceKernel<ScatterOp::kMax>)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tindices", kIndexTypes}})
    .HostMemory({"ref", "indices", "updates"});

WB_NO_GRADIENT("ScatterNdUpdate");
WB_NO_GRADIENT("ScatterNdAdd");
WB_NO_GRADIENT("ScatterNdSub");

}  // namespace
}  // namespace warpbeam
