// FuseProducts: a matrix product or a convolution of a CPU and the elementwise nodes that follow it
// become one node.
//
// A chain grows from the product by what reads its end alone: a bias (BiasAdd, or an addition of a
// vector), products and differences with a vector or a scalar, any elementwise function of one
// argument, and gradients of activations, which multiply by what the forward pass kept. A node
// whose result is fetched, fed, waited for or read by two ends the chain; so does one on another
// device or of another element type.
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

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_LOWER_FUSE_PRODUCTS_H_
