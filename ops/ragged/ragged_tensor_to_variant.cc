// RaggedTensorToVariant: a ragged tensor as one variant, or each of its rows as one.
// RaggedTensorToVariantGradient: the values that such variants of gradients hold.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/kernel_types.h"
#include "ops/array/strided_copy.h"
#include "ops/ragged/ragged_variant.h"
#include "ops/ragged/row_splits.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

constexpr TypeSet kValueTypes = kPlainTypes | kQuantizedTypes | TypeSet{DType::kString};

Status ToVariantShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const bool is_batched, c.attr<bool>("batched_input"));
  const int levels = c.num_inputs() - 1;
  WB_RETURN_IF_ERROR(c.WithRankAtLeast(levels, levels > 0 || is_batched ? 1 : 0).status());
  for (int k = 0; k < levels; ++k) WB_RETURN_IF_ERROR(c.WithRank(k, 1).status());
  const PartialShape& first = c.input(0);
  const int64_t extent = first.has_rank() && first.rank() > 0 ? first.dim(0) : -1;
  std::vector<int64_t> dims;
  if (is_batched) dims.push_back(levels == 0 || extent < 1 ? extent : extent - 1);
  if (is_batched && levels > 0 && extent < 1) dims[0] = -1;
  c.set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

// The splits of rows [begin, end), which then begin with 0.
StatusOr<Tensor> SplitsOfRows(DType dtype, const RowSplits& splits, int64_t begin, int64_t end) {
  WB_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(dtype, Shape({end - begin + 1})));
  for (int64_t i = begin; i <= end; ++i) {
    const int64_t value = splits[i] - splits[begin];
    if (dtype == DType::kInt32) {
      t.data<int32_t>()[i - begin] = static_cast<int32_t>(value);
    } else {
      t.data<int64_t>()[i - begin] = value;
    }
  }
  return t;
}

class ToVariantKernel final : public Kernel {
 public:
  explicit ToVariantKernel(bool is_batched) : is_batched_(is_batched) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool is_batched, init.attr<bool>("batched_input"));
    return std::make_unique<ToVariantKernel>(is_batched);
  }
  Status Compute(KernelContext& ctx) override {
    const int levels = ctx.num_inputs() - 1;
    const Tensor& values = ctx.input(levels);
    if (values.rank() == 0 && levels > 0) {
      return InvalidArgument(
          "Requires flat_values to have rank>=1 when nested_row_splits is not empty, but is 0.");
    }
    if (values.rank() == 0 && is_batched_) return InvalidArgument("Can't unbatch rank-0 tensor.");
    WB_ASSIGN_OR_RETURN(
        const std::vector<RowSplits> nested,
        ReadNestedSplits(ctx, 0, levels, values.rank() > 0 ? values.dim(0) : 0, /*exact=*/true));
    if (is_batched_) return WriteRows(ctx, nested, values);
    RaggedVariant whole;
    for (int k = 0; k < levels; ++k) whole.splits.push_back(ctx.input(k));
    whole.values = values;
    ctx.set_output(0, Tensor::Scalar<Variant>(Variant::Of(std::move(whole))));
    return OkStatus();
  }

 private:
  static Status WriteRows(KernelContext& ctx, const std::vector<RowSplits>& nested,
                          const Tensor& values) {
    const int64_t rows = nested.empty() ? values.dim(0) : NumRows(nested[0]);
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape({rows})));
    for (int64_t row = 0; row < rows; ++row) {
      RaggedVariant one;
      if (nested.empty()) {
        const Tensor part = values.Rows(row, row + 1);
        WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(values.shape().dims().subspan(1)));
        WB_ASSIGN_OR_RETURN(one.values, part.Reshaped(shape));
      } else {
        int64_t begin = nested[0][row], end = nested[0][row + 1];
        for (size_t k = 1; k < nested.size(); ++k) {
          WB_ASSIGN_OR_RETURN(Tensor splits,
                              SplitsOfRows(ctx.input(0).dtype(), nested[k], begin, end));
          one.splits.push_back(std::move(splits));
          begin = nested[k][begin];
          end = nested[k][end];
        }
        one.values = values.Rows(begin, end);
      }
      out->data<Variant>()[row] = Variant::Of(std::move(one));
    }
    return OkStatus();
  }

  const bool is_batched_;
};

Status ToVariantGradient(GradContext& c) {
  const int levels = c.num_inputs() - 1;
  const OutputRef values = c.x(levels);
  const DType splits_type = c.attr_or<DType>("Tsplits", DType::kInt64);
  const OutputRef splits = levels > 0 ? c.x(0) : c.ScalarOf(splits_type, 0);
  c.set_dx(levels, c.Emit("RaggedTensorToVariantGradient", {c.dy(0), splits, c.ShapeOf(values)},
                          {{"Tvalues", c.type(values)}}));
  return OkStatus();
}

Status GradientShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(2));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// An element without a value stands for zeros: its row was not used.
Status RunToVariantGradient(KernelContext& ctx) {
  const Tensor &variants = ctx.input(0), &splits = ctx.input(1);
  if (variants.rank() > 1) {
    return InvalidArgument("encoded_ragged_grad must be a scalar or a vector, but has shape ",
                           variants.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(const Shape shape, ReadShape(ctx.input(2), "dense_values_shape"));
  RowSplits rows;
  if (splits.rank() > 0) {
    WB_ASSIGN_OR_RETURN(rows, ReadRowSplits(splits, "row_splits"));
  }
  const int64_t width = shape.rank() > 0 ? ElementsOf(shape, 1, shape.rank()) : 1;
  std::vector<int64_t> sizes;
  int64_t total = 0;
  for (int64_t i = 0; i < variants.num_elements(); ++i) {
    if (variants.data<Variant>()[i].has_value()) {
      WB_ASSIGN_OR_RETURN(const RaggedVariant* r, RaggedInput(variants, i));
      if (r->values.dtype() != ctx.output_type(0)) {
        return InvalidArgument("Expected values Tensor dtype: ", DTypeName(ctx.output_type(0)),
                               ", found: ", DTypeName(r->values.dtype()));
      }
      sizes.push_back(r->values.num_elements());
    } else if (rows.empty()) {
      sizes.push_back(variants.rank() == 0 ? shape.num_elements() : width);
    } else {
      if (i >= NumRows(rows)) {
        return InvalidArgument("there are ", variants.num_elements(),
                               " gradients, but row_splits of ", NumRows(rows), " rows");
      }
      sizes.push_back((rows[i + 1] - rows[i]) * width);
    }
    total += sizes.back();
  }
  if (total != shape.num_elements()) {
    return InvalidArgument("the gradients hold ", total, " values, but dense_values_shape is ",
                           shape.ToString());
  }
  WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, shape));
  void* to = out->raw_data();
  for (size_t i = 0; i < sizes.size(); ++i) {
    const RaggedVariant* r = variants.data<Variant>()[i].get<RaggedVariant>();
    if (r == nullptr) {
      ZeroRange(ctx, out->dtype(), to, sizes[i]);
    } else {
      CopyElements(out->dtype(), to, r->values.raw_data(), sizes[i]);
    }
    to = Advance(to, out->dtype(), sizes[i]);
  }
  return OkStatus();
}

WB_OP("RaggedTensorToVariant")
    .Input("rt_nested_splits: RAGGED_RANK * Tsplits")
    .Input("rt_dense_values: Tvalues")
    .Output("encoded_ragged: variant")
    .Attr("RAGGED_RANK: int >= 0")
    .Attr("Tvalues: type")
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .Attr("batched_input: bool")
    .Shape(ToVariantShape);
WB_KERNEL("RaggedTensorToVariant", ToVariantKernel)
    .Cpu({{"Tvalues", kValueTypes}, {"Tsplits", kIndexTypes}});
WB_GRADIENT("RaggedTensorToVariant", ToVariantGradient);

WB_OP("RaggedTensorToVariantGradient")
    .Input("encoded_ragged_grad: variant")
    .Input("row_splits: Tsplits")
    .Input("dense_values_shape: int32")
    .Output("dense_values_grad: Tvalues")
    .Attr("Tvalues: type")
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .Shape(GradientShape);
WB_KERNEL("RaggedTensorToVariantGradient", FunctionKernel<RunToVariantGradient>)
    .Cpu({{"Tvalues", kValueTypes}, {"Tsplits", kIndexTypes}});

}  // namespace
}  // namespace warpbeam
