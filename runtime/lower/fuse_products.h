// FuseProducts: a matrix product or a convolution and the elementwise nodes that follow it become
// one node.
//
// On a CPU, a chain grows from the product by what reads its end alone: a bias (BiasAdd, or an
// addition of a vector), products and differences with a vector or a scalar, any elementwise
// function of one argument, and gradients of activations, which multiply by what the forward pass
// kept. A node whose result is fetched, fed, waited for or read by two ends the chain; so does one
// on another device or of another element type.
//
// On a GPU a chain is what its libraries have: a bias, and then perhaps a Relu, behind a
// MatMul or a Conv2D of float or 16-bit floats. There, the gradient of a dense layer's bias is
// computed with that of its weights, too: both add up the gradient of the layer's result over the
// batch, MatMul in the product with the layer's input, BiasAddGrad alone. The BiasAddGrad becomes
// the second output of the MatMul, `_MatMulWithBiasGrad`, and who reads either, fetches it or waits
// for it is given the same. Such pairs are made where neither node can be dead, outside of loops.
//
//   FusedPrograms programs;
//   WB_RETURN_IF_ERROR(FuseProducts(&part, request, &programs));
//   // programs[id] is what the node `id` runs: _MatMulWithEpilogue, _Conv2DWithEpilogue …
//
// The chain stays one thing in a loop, too. No shape has to be known: the kernel looks at what it
// gets (fused_product.h). The same part always gives the same chains. Ownership, thread safety and
// errors: as FuseElementwise.
#ifndef WARPBEAM_RUNTIME_LOWER_FUSE_PRODUCTS_H_
#define WARPBEAM_RUNTIME_LOWER_FUSE_PRODUCTS_H_

#include "graph/passes/pass_pipeline.h"
#include "runtime/lower/fuse_elementwise.h"

namespace warpbeam {

Status FuseProducts(GraphPart* part, const FusionRequest& request, FusedPrograms* programs);

// Internal to runtime/lower/ (pair_bias_gradients.cc): the pairs alone; and whether the library of
// a GPU's node computes such products with what goes with them.
Status PairBiasGradients(GraphPart* part, const FusionRequest& request, FusedPrograms* programs);
bool TakesEpilogue(const Node& node, Kernel* kernel);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_LOWER_FUSE_PRODUCTS_H_
