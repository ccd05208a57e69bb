#include "runtime/lower/fused_kernel.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "absl/strings/str_join.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/stoppable_loop.h"
#include "runtime/lower/fused_product.h"
#include "runtime/lower/fused_run.h"
#include "runtime/lower/gpu_fused_kernel.h"

namespace warpbeam {
namespace {

using Kind = FusedProgram::Operand::Kind;

// A block of the widest values; temporaries together leave room in the cache for what is read.
constexpr int64_t kBlockBytes = 8192;

// Where a step's operand lies: `base + offset * size` for a block that begins at `offset`.
struct Address {
  char* base = nullptr;
  int64_t size = 0;    // of an element; 0 for a scalar
  int temporary = -1;  // instead of `base`
};

class FusedKernel final : public Kernel {
 public:
  explicit FusedKernel(FusedProgram program) : program_(std::move(program)) {
    size_t widest = 1;
    for (const FusedProgram::Step& step : program_.steps) {
      picoseconds_ += step.block->picoseconds();
      for (const DType type : step.input_types) {
        if (type != DType::kResource) widest = std::max(widest, Size(type));
      }
      for (const DType type : step.output_types) widest = std::max(widest, Size(type));
    }
    for (const FusedProgram::Variable& v : program_.variables) {
      widest = std::max(widest, Size(v.dtype));
    }
    block_ = kBlockBytes / static_cast<int64_t>(widest);
  }

  Status Compute(KernelContext& ctx) override {
    return RunFused(program_, ctx,
                    [&](const FusedMemory& memory) { return RunBlocks(ctx, memory); });
  }

 private:
  struct Pass {
    std::array<std::array<Address, FusedProgram::kMostStepInputs>, FusedProgram::kMostSteps> inputs;
    std::array<std::array<Address, FusedProgram::kMostStepInputs>, FusedProgram::kMostSteps>
        outputs;
  };

  static size_t Size(DType type) { return DTypeSize(BaseType(type)); }

  Status RunBlocks(KernelContext& ctx, const FusedMemory& memory) const {
    Pass pass;
    AddressAll(ctx, memory, &pass);
    std::atomic<bool> fine{true};
    const int64_t count = program_.shape.num_elements();
    const auto run = [&](int64_t begin, int64_t end) {
      alignas(64) char temporaries[FusedProgram::kMostTemporaries][kBlockBytes];
      for (int64_t b = begin; b < end; ++b) {
        const int64_t offset = b * block_;
        if (!RunBlock(pass, temporaries, offset, std::min(block_, count - offset))) {
          fine.store(false, std::memory_order_relaxed);
        }
      }
    };
    const int64_t blocks = (count + block_ - 1) / block_, ns = block_ * picoseconds_ / 1000 + 1;
    if (program_.variables.empty()) {
      StoppableFor(ctx, blocks, ns, run);
    } else {
      ctx.ParallelFor(blocks, ns, run);  // no variable is changed by half
    }
    if (!fine.load(std::memory_order_relaxed)) {
      return Internal("a member of the fused node refused a value");
    }
    return OkStatus();
  }

  void AddressAll(KernelContext& ctx, const FusedMemory& memory, Pass* pass) const {
    absl::InlinedVector<char*, 4> now = memory.now;
    std::array<Address, FusedProgram::kMostSteps> results;
    for (size_t s = 0; s < program_.steps.size(); ++s) {
      const FusedProgram::Step& step = program_.steps[s];
      for (size_t i = 0; i < step.inputs.size(); ++i) {
        const FusedProgram::Operand& in = step.inputs[i];
        const auto size = static_cast<int64_t>(Size(step.input_types[i]));
        Address& at = pass->inputs[s][i];
        if (in.kind == Kind::kResult) {
          at = results[in.index];
        } else if (in.kind == Kind::kVariable || in.kind == Kind::kReading) {
          // Readings come before the first update.
          at.base = now[in.index];
          at.size = static_cast<int64_t>(Size(program_.variables[in.index].dtype));
        } else {
          at.base = static_cast<char*>(const_cast<void*>(memory.inputs[in.index]));
          at.size = in.kind == Kind::kScalar ? 0 : size;
        }
      }
      const int updated = step.member->num_variables();
      for (int i = 0; i < updated; ++i) {
        const int v = step.inputs[i].index;
        now[v] = memory.next[v];
        pass->outputs[s][i] = {memory.next[v],
                               static_cast<int64_t>(Size(program_.variables[v].dtype)), -1};
      }
      if (updated > 0) continue;
      Address& at = results[s];
      at.size = static_cast<int64_t>(Size(step.output_types[0]));
      at.temporary = step.output < 0 ? step.temporary : -1;
      if (step.output >= 0) at.base = static_cast<char*>(ctx.output(step.output).raw_data());
      pass->outputs[s][0] = at;
    }
  }

  bool RunBlock(const Pass& pass, char (*temporaries)[kBlockBytes], int64_t offset,
                int64_t count) const {
    const auto locate = [&](const Address& at) -> char* {
      return at.temporary >= 0 ? temporaries[at.temporary] : at.base + offset * at.size;
    };
    bool fine = true;
    for (size_t s = 0; s < program_.steps.size(); ++s) {
      const FusedProgram::Step& step = program_.steps[s];
      const void* inputs[FusedProgram::kMostStepInputs];
      void* outputs[FusedProgram::kMostStepInputs];
      unsigned scalars = 0;
      for (size_t i = 0; i < step.inputs.size(); ++i) {
        inputs[i] = locate(pass.inputs[s][i]);
        scalars |= unsigned{step.inputs[i].kind == Kind::kScalar} << i;
      }
      const int num_outputs = std::max(1, step.member->num_variables());
      for (int i = 0; i < num_outputs; ++i) outputs[i] = locate(pass.outputs[s][i]);
      // A kernel that updates knows which of its inputs are scalars.
      if (step.member->num_variables() > 0) scalars = 0;
      fine &= step.block->RunBlock({inputs, scalars, outputs, count});
    }
    return fine;
  }

  const FusedProgram program_;
  int64_t picoseconds_ = 0;  // per element
  int64_t block_ = 0;        // elements
};

}  // namespace

std::string FusedProgram::ToString() const {
  return absl::StrJoin(steps, ", ",
                       [](std::string* out, const Step& step) { out->append(step.name); });
}

std::unique_ptr<Kernel> NewFusedKernel(FusedProgram program) {
  if (program.steps[0].member == nullptr) return NewFusedProduct(std::move(program));
  if (program.steps[0].block == nullptr) return NewGpuFusedKernel(std::move(program));
  return std::make_unique<FusedKernel>(std::move(program));
}

}  // namespace warpbeam
