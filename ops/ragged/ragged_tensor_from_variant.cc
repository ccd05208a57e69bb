// RaggedTensorFromVariant: the ragged tensor in a variant, or those in a tensor of variants stacked
// into one of a higher ragged rank.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/kernel_types.h"
#include "ops/array/strided_copy.h"
#include "ops/ragged/ragged_variant.h"
#include "ops/ragged/row_splits.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

constexpr TypeSet kValueTypes = kPlainTypes | kQuantizedTypes | TypeSet{DType::kString};

Status FromVariantShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const int64_t in_rank, c.attr<int64_t>("input_ragged_rank"));
  WB_ASSIGN_OR_RETURN(const int64_t out_rank, c.attr<int64_t>("output_ragged_rank"));
  const PartialShape& variants = c.input(0);
  if (variants.has_rank() && out_rank < variants.rank()) {
    return InvalidArgument("output_ragged_rank is ", out_rank,
                           ", less than the rank of encoded_ragged, ", variants.rank());
  }
  if (variants.has_rank() && in_rank >= 0 && out_rank != variants.rank() + in_rank) {
    return InvalidArgument("output_ragged_rank must be equal to input_ragged_rank + ",
                           "encoded_ragged.dims(); they are ", out_rank, ", ", in_rank, " and ",
                           variants.rank());
  }
  for (int k = 0; k + 1 < c.num_outputs(); ++k) c.set_output(k, PartialShape({-1}));
  return OkStatus();
}

using Parts = std::vector<const RaggedVariant*>;

// What may be stacked: variants of `levels` ragged dimensions, whose values differ in their number
// only.
StatusOr<Parts> ReadParts(const Tensor& variants, int levels, DType values, DType splits) {
  Parts parts;
  for (int64_t i = 0; i < variants.num_elements(); ++i) {
    WB_ASSIGN_OR_RETURN(const RaggedVariant* r, RaggedInput(variants, i));
    if (static_cast<int>(r->splits.size()) != levels) {
      return InvalidArgument("Encoded input RaggedTensorVariant has ragged_rank=", r->splits.size(),
                             ".  Expected ragged_rank=", levels, ".");
    }
    if (levels > 0 && r->splits[0].dtype() != splits) {
      return InvalidArgument("Expected row_splits Tensor dtype: ", DTypeName(splits),
                             ", found: ", DTypeName(r->splits[0].dtype()));
    }
    if (r->values.dtype() != values) {
      return InvalidArgument("Expected values Tensor dtype: ", DTypeName(values),
                             ", found: ", DTypeName(r->values.dtype()));
    }
    if (variants.rank() > 0 && r->values.rank() < 1) {
      return InvalidArgument("Ragged values must have rank >= 1; encoded scalar element at index ",
                             i, " has values of shape ", r->values.shape().ToString());
    }
    const auto inner = [](const RaggedVariant* v) { return v->values.shape().dims().subspan(1); };
    if (i > 0 && inner(r) != inner(parts[0])) {
      return InvalidArgument(
          "All flat_values must have compatible shapes, but those at index 0 are "
          "of shape ",
          parts[0]->values.shape().ToString(), " and those at index ", i, " of shape ",
          r->values.shape().ToString());
    }
    parts.push_back(r);
  }
  return parts;
}

Status WriteValues(KernelContext& ctx, const Parts& parts) {
  const int output = ctx.num_outputs() - 1;
  std::vector<int64_t> dims = {0};
  if (!parts.empty()) {
    const auto inner = parts[0]->values.shape().dims().subspan(1);
    dims.insert(dims.end(), inner.begin(), inner.end());
  }
  for (const RaggedVariant* r : parts) dims[0] += r->values.dim(0);
  WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(output, shape));
  void* to = values->raw_data();
  for (const RaggedVariant* r : parts) {
    CopyElements(values->dtype(), to, r->values.raw_data(), r->values.num_elements());
    to = Advance(to, values->dtype(), r->values.num_elements());
  }
  return OkStatus();
}

// The splits that the shape of the variants gives, those between the parts, and those within.
Status WriteStack(KernelContext& ctx, const Parts& parts, int levels) {
  const Shape& outer = ctx.input(0).shape();
  int output = 0;
  int64_t rows = 1;
  for (int d = 0; d + 1 < outer.rank(); ++d) {
    rows *= outer.dim(d);
    WB_RETURN_IF_ERROR(WriteEvenSplits(ctx, output++, rows, outer.dim(d + 1)));
  }
  RowSplits between = {0};
  for (const RaggedVariant* r : parts) {
    between.push_back(between.back() + (levels > 0 ? r->splits[0].dim(0) - 1 : r->values.dim(0)));
  }
  WB_RETURN_IF_ERROR(WriteRowSplits(ctx, output++, between));
  for (int k = 0; k < levels; ++k) {
    RowSplits within = {0};
    for (const RaggedVariant* r : parts) {
      WB_ASSIGN_OR_RETURN(const RowSplits own, ReadRowSplits(r->splits[k], "row splits"));
      const int64_t before = within.back();
      for (size_t i = 1; i < own.size(); ++i) within.push_back(before + own[i]);
    }
    WB_RETURN_IF_ERROR(WriteRowSplits(ctx, output++, within));
  }
  return WriteValues(ctx, parts);
}

class FromVariantKernel final : public Kernel {
 public:
  FromVariantKernel(int in_rank, int out_rank, DType values, DType splits)
      : in_rank_(in_rank), out_rank_(out_rank), values_(values), splits_(splits) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const int64_t in_rank, init.attr<int64_t>("input_ragged_rank"));
    WB_ASSIGN_OR_RETURN(const int64_t out_rank, init.attr<int64_t>("output_ragged_rank"));
    WB_ASSIGN_OR_RETURN(const DType values, init.attr<DType>("Tvalues"));
    WB_ASSIGN_OR_RETURN(const DType splits, init.attr<DType>("Tsplits"));
    return std::make_unique<FromVariantKernel>(static_cast<int>(in_rank),
                                               static_cast<int>(out_rank), values, splits);
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& variants = ctx.input(0);
    const int levels = in_rank_ == -1 ? out_rank_ - variants.rank() : in_rank_;
    if (levels < 0) {
      return InvalidArgument(
          "Inferred input_ragged_rank (output_ragged_rank - "
          "encoded_variant.dims()) must be >= 0, found output_ragged_rank: ",
          out_rank_, ", encoded_variant.dims(): ", variants.rank());
    }
    if (out_rank_ != variants.rank() + levels) {
      return InvalidArgument(
          "output_ragged_rank must be equal to input_ragged_rank + "
          "encoded_ragged.dims(); output_ragged_rank: ",
          out_rank_, ", input_ragged_rank: ", levels, ", encoded_variant.dims(): ", variants.rank(),
          ".");
    }
    WB_ASSIGN_OR_RETURN(const Parts parts, ReadParts(variants, levels, values_, splits_));
    if (variants.rank() > 0) return WriteStack(ctx, parts, levels);
    for (int k = 0; k < levels; ++k) ctx.set_output(k, parts[0]->splits[k]);
    ctx.set_output(levels, parts[0]->values);
    return OkStatus();
  }

 private:
  const int in_rank_, out_rank_;
  const DType values_, splits_;
};

Status FromVariantGradient(GradContext& c) {
  const PartialShape& variants = c.shape(c.x(0));
  const int levels = c.num_outputs() - 1;
  if (variants.has_rank() && variants.rank() > 1) {
    return Unimplemented("the gradient of RaggedTensorFromVariant for variants of rank ",
                         variants.rank(), "; reshape them to a vector first");
  }
  const bool is_batched = variants.has_rank() ? variants.rank() == 1 : levels > 0;
  AttrMap attrs;
  attrs.Set("RAGGED_RANK", int64_t{levels});
  attrs.Set("Tsplits", c.attr_or<DType>("Tsplits", DType::kInt64));
  attrs.Set("batched_input", is_batched);
  const std::vector<OutputRef> dx =
      c.EmitAll("RaggedTensorToVariant", {c.ys(0, levels), c.dy(levels)}, attrs);
  if (dx.size() != 1) return c.status();
  c.set_dx(0, dx[0]);
  return OkStatus();
}

WB_OP("RaggedTensorFromVariant")
    .Input("encoded_ragged: variant")
    .Output("output_nested_splits: output_ragged_rank * Tsplits")
    .Output("output_dense_values: Tvalues")
    .Attr("input_ragged_rank: int >= -1")
    .Attr("output_ragged_rank: int >= 0")
    .Attr("Tvalues: type")
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .Shape(FromVariantShape);
WB_KERNEL("RaggedTensorFromVariant", FromVariantKernel)
    .Cpu({{"Tvalues", kValueTypes}, {"Tsplits", kIndexTypes}})
    .Gpu({{"Tvalues", kValueTypes}, {"Tsplits", kIndexTypes}})
    .HostMemory({"encoded_ragged", "output_nested_splits", "output_dense_values"});
WB_GRADIENT("RaggedTensorFromVariant", FromVariantGradient);

}  // namespace
}  // namespace warpbeam
