// Reshape: the same elements under another shape; one extent of -1 follows from the others.
#include <algorithm>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Fills in the extent of -1, if there is one, so that the extents have `elements` in all. Beside an
// extent of 0 any would do: it is what follows without the zeros, of which the tensor's other
// extents make `parts`.
StatusOr<Dims> Complete(Dims dims, int64_t elements, int64_t parts) {
  int64_t known = 1, others = 1;  // with and without the extents of 0
  int unknown = -1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == -1) {
      if (unknown >= 0) {
        return InvalidArgument("Only one input size may be -1, not both ", unknown, " and ", i);
      }
      unknown = static_cast<int>(i);
    } else if (dims[i] < 0) {
      return InvalidArgument("Size ", i, " must be non-negative, not ", dims[i]);
    } else if (__builtin_mul_overflow(known, dims[i], &known) ||
               __builtin_mul_overflow(others, std::max<int64_t>(dims[i], 1), &others)) {
      return InvalidArgument("the requested shape has too many elements");
    }
  }
  if (unknown >= 0) {
    if (known == 0) {
      if (elements != 0) {
        return InvalidArgument(
            "reshape cannot infer the missing input size for an empty tensor unless all specified "
            "input sizes are non-zero; the input has ",
            elements, " values");
      }
      dims[static_cast<size_t>(unknown)] = parts / others;
    } else if (elements % known != 0) {
      return InvalidArgument("Input to reshape is a tensor with ", elements,
                             " values, but the requested shape requires a multiple of ", known);
    } else {
      dims[static_cast<size_t>(unknown)] = elements / known;
      known = elements;
    }
  }
  if (known != elements) {
    return InvalidArgument("Input to reshape is a tensor with ", elements,
                           " values, but the requested shape has ", known);
  }
  return dims;
}

Status ReshapeShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  const int64_t elements = c.input(0).num_elements();
  WB_ASSIGN_OR_RETURN(std::optional<Dims> constant, ConstantIndices(c, 1));
  // From an empty tensor nothing follows for an open extent beside one of 0.
  const auto has = [&](int64_t extent) {
    return std::find(constant->begin(), constant->end(), extent) != constant->end();
  };
  const bool leaves_open = constant && elements == 0 && has(-1) && has(0);
  if (constant && elements >= 0 && !leaves_open) {
    WB_ASSIGN_OR_RETURN(Dims dims, Complete(*constant, elements, elements));
    c.set_output(0, PartialShape(std::vector<int64_t>(dims.begin(), dims.end())));
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(PartialShape out, c.ShapeFromInput(1));
  if (out.has_rank() && elements > 0) {
    int64_t known = 1;
    int unknown = -1, unknowns = 0;
    for (int i = 0; i < out.rank(); ++i) {
      if (out.dim(i) < 0) {
        unknown = i;
        ++unknowns;
      } else {
        known = MultiplyExtents(known, out.dim(i));
      }
    }
    if (unknowns == 1 && known > 0 && elements % known == 0) out.set_dim(unknown, elements / known);
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status RunReshape(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Tensor& sizes = ctx.input(1);
  if (sizes.rank() > 1) {  // a scalar is a vector of one
    return InvalidArgument("'shape' must be a vector, not of shape ", sizes.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(Dims dims, ReadIndices(sizes, "shape"));
  // Other ops make shapes of 254 dimensions, too; this one stops before, as in TensorFlow.
  if (static_cast<int64_t>(dims.size()) >= kMaxRank) {
    return InvalidArgument("too many dimensions: must be < ", kMaxRank, ", but received ",
                           dims.size());
  }
  int64_t parts = 1;  // a shape bounds this too
  for (int64_t extent : x.shape().dims())
    parts = MultiplyExtents(parts, std::max<int64_t>(extent, 1));
  WB_ASSIGN_OR_RETURN(dims, Complete(std::move(dims), x.num_elements(), parts));
  WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  WB_ASSIGN_OR_RETURN(Tensor y, x.Reshaped(shape));
  ctx.set_output(0, std::move(y));
  return OkStatus();
}

WB_OP("Reshape")
    .PassesOn(PassOn::kReshaped)
    .Input("tensor: T")
    .Input("shape: Tshape")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tshape: {int32, int64} = int32")
    .Shape(ReshapeShape);
WB_KERNEL("Reshape", FunctionKernel<RunReshape>)
    .Cpu({{"Tshape", kIndexTypes}})
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tshape", kIndexTypes}})
    .HostMemory({"tensor", "shape", "output"})
    .Cheap();
WB_KERNEL("Reshape", FunctionKernel<RunReshape>)
    .Gpu({{"T", kPlainTypesButInt32}, {"Tshape", kIndexTypes}})
    .HostMemory({"shape"})
    .Cheap();

Status BackToShape(GradContext& c) {
  c.set_dx(0, c.ReshapeLike(c.dy(0), c.x(0)));
  return OkStatus();
}
WB_GRADIENT("Reshape", BackToShape);

}  // namespace
}  // namespace warpbeam
