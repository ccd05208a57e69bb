// GpuProgram: elementwise nodes that a GPU computes in one launch, as plain data for the kernel
// that interprets them (runtime/kernel/fused_launcher.h).
//
// Each step is a function of its operands. What it makes stays in registers for the next step that
// makes something, in a temporary for later ones, and goes to memory where somebody outside reads
// it. After each step the result is rounded to its type, so that it has the bits that the node
// alone would give. Steps that update variables come last.
//
//   float* x = …;
//   float* y = …;
//   GpuProgram program;
//   program.count = 1000;
//   program.num_steps = 1;
//   program.steps[0].num_operands = 1;
//   program.steps[0].dtype = DType::kFloat;
//   program.steps[0].output = y;
//   program.operands[0].source = GpuProgram::Source::kTensor;
//   program.operands[0].dtype = DType::kFloat;
//   program.operands[0].at = x;
//
// A launch copies it, so that it is small. Ownership: the addresses are the launching kernel's.
// Thread safety: a value. Errors: none.
#ifndef WARPBEAM_RUNTIME_KERNEL_GPU_PROGRAM_H_
#define WARPBEAM_RUNTIME_KERNEL_GPU_PROGRAM_H_

#include <cstddef>
#include <cstdint>

#include "graph/types/dtype.h"

namespace warpbeam {

struct GpuProgram {
  static constexpr int kMostSteps = 16;
  static constexpr int kMostOperands = 128;
  static constexpr int kMostTemporaries = 4;
  static constexpr int kMostRepetitions = 8;
  static constexpr size_t kStateBytes = 16;

  enum class Source : uint8_t {
    kPrevious,   // what the last step that made something has made
    kTemporary,  // what an earlier one left there
    kTensor,     // an element for each of the program's
    kScalar,     // one element for all
    kRepeated,   // fewer elements than the program's, each for several of those
  };
  struct Operand {
    void* at = nullptr;  // of what is in memory
    Source source = Source::kPrevious;
    DType dtype = DType::kInvalid;
    uint8_t number = 0;  // of a temporary, or of a repetition
  };
  // The program's element i has an operand's element (i / run) % period: a row that is the same for
  // all has a run of 1, a column the period of its length.
  struct Repetition {
    uint32_t run = 1, period = 1;
    friend bool operator==(const Repetition& a, const Repetition& b) {
      return a.run == b.run && a.period == b.period;
    }
  };
  // An update has `num_variables` operands for its variables, the gradient, its scalars in order,
  // and behind them, not counted in `num_operands`, as many for the places of the new values.
  struct Step {
    void* output = nullptr;  // null where nobody outside reads the result
    int16_t function = 0;    // FusedLauncher::FunctionOf
    uint8_t first_operand = 0;
    uint8_t num_operands = 0;
    uint8_t num_variables = 0;
    DType dtype = DType::kInvalid;  // of the result
    int8_t temporary = -1;          // where later steps find the result
    // What the node's attributes are to the function.
    alignas(8) unsigned char state[kStateBytes] = {};
  };

  int64_t count = 0;  // elements; below 2^30 where some are repeated
  int32_t num_steps = 0;
  int32_t num_temporaries = 0;
  Repetition repetitions[kMostRepetitions];
  Step steps[kMostSteps];
  Operand operands[kMostOperands];
};

// What a launch may pass to a kernel.
static_assert(sizeof(GpuProgram) <= 4000);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_KERNEL_GPU_PROGRAM_H_
