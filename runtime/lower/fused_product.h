// FusedProduct: a matrix product or a convolution with the elementwise nodes that follow it.
//
// The program's first step is the product, which has no block side but is a ProductKernel; the
// others are a chain: each reads what the one before it made, and tensors from outside. They run on
// each strip of the product as soon as it is written, in its own memory, so that bias and
// activation cost no pass over memory of their own. The product itself is computed as it would be
// alone, and so is every member: results are the same bit for bit.
//
// On a GPU the product is a GpuProductKernel, and its library computes all in one launch, by the
// program's epilogue. There, 16-bit floats are rounded once, at the end. Where the library has no
// such launch, the members run one after another.
//
//   program.steps[0].kernel = mat_mul;            // member == nullptr
//   program.steps[1].inputs = {{Kind::kResult, 0}, {Kind::kColumns, 2}};
//   std::unique_ptr<Kernel> kernel = NewFusedProduct(std::move(program));
//
// Shapes need not be known to the plan: whether the operands from outside are what their kinds say
// is looked at in every step. Where they are not, the members run one after another.
//
// Ownership: the program's kernels must outlive the fused one. Thread safety: any number of steps
// at once. Errors: a member's, with its name.
#ifndef WARPBEAM_RUNTIME_LOWER_FUSED_PRODUCT_H_
#define WARPBEAM_RUNTIME_LOWER_FUSED_PRODUCT_H_

#include <memory>

#include "runtime/lower/fused_kernel.h"

namespace warpbeam {

// How many vectors with an element for each column a program's steps may read.
inline constexpr int kMostColumnOperands = 2;

// INTERNAL from every step of the kernel if the first step's kernel is no ProductKernel, nor, with
// an epilogue, a GpuProductKernel.
std::unique_ptr<Kernel> NewFusedProduct(FusedProgram program);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_LOWER_FUSED_PRODUCT_H_
