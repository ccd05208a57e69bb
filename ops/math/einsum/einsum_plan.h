// EinsumPlan: what an Einsum comes to, whatever device computes it.
//
// Each operand is brought into the shape [batch, free, contracted], or with the last two in turn,
// with diagonals taken and dimensions that only it has summed up; the product is a batch of matrix
// products; the result is spread out in the order asked for. One operand is only brought into
// order.
//
//   WB_ASSIGN_OR_RETURN(const EinsumEquation equation, ReadEinsumEquation(init));
//   WB_ASSIGN_OR_RETURN(const EinsumPlan plan, PlanEinsum(equation, ctx));
//
// Thread safety: values. Errors: INVALID_ARGUMENT for equations that cannot be
// read and for extents that they do not allow.
#ifndef WARPBEAM_OPS_MATH_EINSUM_EINSUM_PLAN_H_
#define WARPBEAM_OPS_MATH_EINSUM_EINSUM_PLAN_H_

#include <cstdint>
#include <vector>

#include "graph/types/errors.h"
#include "graph/types/shape.h"
#include "ops/math/einsum/einsum_equation.h"
#include "ops/math/gemm.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// Dimensions, outermost first, with their strides in a tensor.
struct EinsumDim {
  int64_t extent;
  int64_t stride;
};
using EinsumDims = std::vector<EinsumDim>;

struct EinsumOperand {
  bool in_order = false;  // as it is
  EinsumDims kept;        // in the order that is wanted
  EinsumDims summed;
  int64_t size = 1;  // elements that are kept
};

struct EinsumPlan {
  Shape result;
  std::vector<EinsumOperand> operands;
  int64_t batches = 1;     // of two operands
  GemmProblem product;     // of two operands; each has its own matrix for every batch
  int64_t elements = 1;    // of the product, or of the only operand in order
  bool is_result = false;  // the product is the result as it is
  EinsumDims spread;       // the product's dimensions, by their strides in the result
};

// Of a node's attributes, for as many operands as it has.
StatusOr<EinsumEquation> ReadEinsumEquation(const KernelInit& init);

// For the shapes of the kernel's inputs.
StatusOr<EinsumPlan> PlanEinsum(const EinsumEquation& equation, const KernelContext& ctx);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_MATH_EINSUM_EINSUM_PLAN_H_
