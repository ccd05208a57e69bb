// FusedKernel: a group of elementwise nodes that run block by block, in one pass over memory.
//
// The members take turns on blocks that fit into the first-level cache: what one member makes for
// another never leaves it, and a variable with its slots and moving average is read and written
// once. Every member computes what it would compute alone, in the same order: results are the same
// bit for bit.
//
//   FusedProgram program;                  // made by FuseElementwise
//   std::unique_ptr<Kernel> kernel = NewFusedKernel(program);
//
// Where a run is not what the plan expected (a fed tensor of another shape, a variable without a
// value, two references to one variable), the members run one after another, each as its own
// kernel, with the result or the error that they would have alone.
//
// Ownership: the program's kernels must outlive the fused one. Thread safety: any number of steps
// at once; variables are locked for the whole pass, always in one order. Errors: a member's, with
// its name.
#ifndef WARPBEAM_RUNTIME_LOWER_FUSED_KERNEL_H_
#define WARPBEAM_RUNTIME_LOWER_FUSED_KERNEL_H_

#include <memory>
#include <string>
#include <vector>

#include "runtime/kernel/block_kernel.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/product/product_kernel.h"

namespace warpbeam {

struct FusedProgram {
  static constexpr int kMostSteps = 16;
  static constexpr int kMostTemporaries = 4;
  static constexpr int kMostInputs = 32;
  static constexpr int kMostStepInputs = 8;      // of a CPU's
  static constexpr int kMostGpuStepInputs = 11;  // a variable with three slots, gradient, scalars

  struct Operand {
    enum class Kind : uint8_t {
      kInput,     // a tensor from outside, of the program's shape
      kRepeated,  // one that broadcasts to it; on a GPU
      kScalar,    // one element from outside
      kColumns,   // a vector from outside with one element for each column; after a product
      kResult,    // what step `index` made
      kVariable,  // variable `index`, which the step updates
      kReading,   // the value of variable `index` before any step updates it
    };
    Kind kind;
    int index;
  };
  struct Step {
    std::string name;  // of the node, for messages
    Kernel* kernel = nullptr;
    const FusibleKernel* member = nullptr;  // null: a product, the first step of its program
    const BlockKernel* block = nullptr;     // of a member on a CPU
    int gpu_function = -1;                  // of a member on a GPU (gpu_fused_kernel.h)
    std::vector<Operand> inputs;
    std::vector<DType> input_types;   // as the node declares them
    std::vector<DType> output_types;  // one, or none
    int output = -1;                  // of the fused node: where the step's result is needed
    int temporary = -1;               // else the temporary that holds it
  };
  struct Input {
    Shape shape;  // what is expected of a value
    DType dtype = DType::kInvalid;
    int last_read = -1;  // the last step that reads the value
  };
  struct Variable {
    int input;  // of the fused node: its reference or handle
    DType dtype;
    int first_write = -1;  // the first step that changes it
    bool is_read = false;  // some step takes its reading
  };

  Shape shape;  // of all members; not of a program that begins with a product
  // Of a program that begins with a product on a GPU: what its other steps do, all of it.
  GpuEpilogue epilogue = GpuEpilogue::kNone;
  std::vector<Step> steps;
  std::vector<Input> inputs;
  std::vector<Variable> variables;
  std::vector<DType> output_types;

  // "mul, add, update": the members, for a reader.
  std::string ToString() const;
};

// The kernel of any program; fused_product.h says what is different about products.
std::unique_ptr<Kernel> NewFusedKernel(FusedProgram program);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_LOWER_FUSED_KERNEL_H_
