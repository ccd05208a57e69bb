#include "ops/data/dataset_kernel.h"

namespace warpbeam {

StatusOr<ElementSpec> ReadElementSpec(const KernelInit& init) {
  ElementSpec spec;
  const bool is_source = init.schema.FindAttr("Toutput_types") != nullptr;
  const char* types = is_source ? "Toutput_types" : "output_types";
  if (init.schema.FindAttr(types) != nullptr) {
    WB_ASSIGN_OR_RETURN(spec.types, init.attr<std::vector<DType>>(types));
  }
  if (init.schema.FindAttr("output_shapes") != nullptr) {
    WB_ASSIGN_OR_RETURN(spec.shapes, init.attr<std::vector<PartialShape>>("output_shapes"));
  }
  if (spec.types.size() != spec.shapes.size()) {
    return InvalidArgument("`output_shapes` must be as long as `", types, "` (", spec.shapes.size(),
                           " against ", spec.types.size(), ")");
  }
  return spec;
}

Status DatasetKernel::Init(KernelInit& init) {
  node_name_ = init.node_name;
  op_ = std::make_shared<const DatasetOp>(DatasetOp{init.schema.name, init.attrs});
  WB_ASSIGN_OR_RETURN(spec_, ReadElementSpec(init));
  return ReadAttrs(init);
}

Status DatasetKernel::Compute(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(DatasetRef dataset, Make(ctx));
  // An op may give its input back, which others have too.
  if (dataset.use_count() == 1 && dataset->origin() == nullptr) {
    const_cast<Dataset&>(*dataset).set_origin({op_, InputRange(ctx, 0, ctx.num_inputs())});
  }
  if (dataset->depth() > Dataset::kMostDepth) {
    return ResourceExhausted("datasets lie within each other more than ", Dataset::kMostDepth,
                             " deep; '", node_name_, "' would make a deeper one");
  }
  ctx.set_output(0, DatasetToTensor(std::move(dataset)));
  return OkStatus();
}

std::vector<Tensor> InputRange(const KernelContext& ctx, int begin, int count) {
  std::vector<Tensor> tensors;
  tensors.reserve(count);
  for (int i = 0; i < count; ++i) tensors.push_back(ctx.input(begin + i));
  return tensors;
}

Status DatasetShape(ShapeContext& c) { return shapes::Scalar(c); }

Status ElementShapes(ShapeContext& c) {
  if (c.num_inputs() > 0) WB_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  WB_ASSIGN_OR_RETURN(std::vector<PartialShape> shapes,
                      c.attr<std::vector<PartialShape>>("output_shapes"));
  if (static_cast<int>(shapes.size()) != c.num_outputs()) {
    return InvalidArgument("`output_shapes` must be as long as `output_types` (", shapes.size(),
                           " against ", c.num_outputs(), ")");
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shapes[i]);
  return OkStatus();
}

}  // namespace warpbeam
