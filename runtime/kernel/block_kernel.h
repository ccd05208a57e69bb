// BlockKernel: the side of a kernel that computes element by element, block by block.
//
// Elementwise chains are bound by memory: each kernel reads whole tensors and writes a whole tensor
// that the next one reads. Kernels with this side can take turns on a block of a few thousand
// elements instead, while it stays in the cache (runtime/lower/fused_kernel.h). On a GPU each would
// be a launch; there kernels with a GpuStepKernel's side are steps of one.
//
//   if (auto* block = dynamic_cast<const BlockKernel*>(kernel)) {
//     const void* inputs[] = {x, y};   void* outputs[] = {z};
//     block->RunBlock({inputs, /*scalars=*/0b10, outputs, 1024});    // z[i] = x[i] + *y
//   }
//
// A kernel that updates variables gets their values as its first inputs, instead of references or
// handles, and writes their new values as its outputs.
//
// Thread safety: RunBlock may be called from several threads at once, on different blocks. Errors:
// what a block cannot do, the kernel's Compute does, or refuses with its message.
#ifndef WARPBEAM_RUNTIME_KERNEL_BLOCK_KERNEL_H_
#define WARPBEAM_RUNTIME_KERNEL_BLOCK_KERNEL_H_

#include <cstdint>

#include "graph/types/span.h"
#include "graph/types/tensor.h"

namespace warpbeam {

struct BlockCall {
  const void* const* inputs;  // the block's first element, or the only one of a scalar
  unsigned scalars;           // bit i: input i has one element for all of the block's
  void* const* outputs;       // one, or one per variable; may be the block of an input
  int64_t count;
};

// What a kernel says of itself that may take its turn with others.
class FusibleKernel {
 public:
  virtual ~FusibleKernel() = default;

  // How many of the first inputs are variables that it updates.
  virtual int num_variables() const { return 0; }
  // Whether it runs on these inputs: what it wants to know of its scalars. Variables, and what
  // other members make, are empty here.
  virtual bool AcceptsInputs(Span<const Tensor* const>) const { return true; }
  // Whether it wants to be asked that in every run.
  virtual bool checks_inputs() const { return num_variables() > 0; }
};

class BlockKernel : public virtual FusibleKernel {
 public:
  // Whether RunBlock may refuse values; such kernels never share a pass with others.
  virtual bool may_refuse() const { return false; }
  // False when a value was refused.
  virtual bool RunBlock(const BlockCall& call) const = 0;
  // The cost of an element on one core.
  virtual int picoseconds() const = 0;
};

// The same side of a kernel on a GPU: it may be a step of a launch (runtime/kernel/gpu_program.h).
class GpuStepKernel : public virtual FusibleKernel {
 public:
  // Whether inputs may have fewer elements than the result, by the rules of broadcasting.
  virtual bool broadcasts() const { return false; }
  // What its attributes are to its function, GpuProgram::kStateBytes at most.
  virtual Span<const unsigned char> gpu_state() const { return {}; }
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_KERNEL_BLOCK_KERNEL_H_
