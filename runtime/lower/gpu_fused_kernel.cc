#include "runtime/lower/gpu_fused_kernel.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/kernel/fused_launcher.h"
#include "runtime/lower/fused_run.h"
#include "runtime/lower/repetition.h"

namespace warpbeam {
namespace {

using Kind = FusedProgram::Operand::Kind;
using Source = GpuProgram::Source;

// Lays a program out for the launch, without addresses.
class GpuLayout {
 public:
  explicit GpuLayout(const FusedProgram& program) : program_(program) {
    laid_out_.count = program.shape.num_elements();
    for (const FusedProgram::Step& step : program.steps) Add(step);
  }

  const GpuProgram& laid_out() const { return laid_out_; }
  // What each of its operands is; the places of new values are kVariable again.
  const std::vector<FusedProgram::Operand>& operands() const { return operands_; }

 private:
  void Add(const FusedProgram::Step& from) {
    const int s = laid_out_.num_steps++;
    GpuProgram::Step& step = laid_out_.steps[s];
    const size_t variables = static_cast<size_t>(from.member->num_variables());
    step.function = static_cast<int16_t>(from.gpu_function);
    step.first_operand = static_cast<uint8_t>(operands_.size());
    step.num_operands = static_cast<uint8_t>(from.inputs.size());
    step.num_variables = static_cast<uint8_t>(variables);
    const auto* const kernel = dynamic_cast<const GpuStepKernel*>(from.kernel);
    const Span<const unsigned char> state = kernel->gpu_state();
    if (!state.empty()) {
      memcpy(step.state, state.data(), std::min(state.size(), GpuProgram::kStateBytes));
    }
    for (size_t i = 0; i < variables; ++i) Add(from.inputs[i], from.input_types[i]);
    // Of an update, the gradient comes before the scalars.
    for (const bool scalars : {false, true}) {
      for (size_t i = variables; i < from.inputs.size(); ++i) {
        const bool later = variables > 0 && from.inputs[i].kind == Kind::kScalar;
        if (later == scalars) Add(from.inputs[i], from.input_types[i]);
      }
    }
    for (size_t i = 0; i < variables; ++i) Add(from.inputs[i], from.input_types[i]);
    if (variables > 0) return;
    step.dtype = from.output_types[0];
    previous_ = s;
  }

  void Add(const FusedProgram::Operand& from, DType dtype) {
    GpuProgram::Operand& operand = laid_out_.operands[operands_.size()];
    operands_.push_back(from);
    operand.source = from.kind == Kind::kScalar     ? Source::kScalar
                     : from.kind == Kind::kRepeated ? Source::kRepeated
                                                    : Source::kTensor;
    operand.dtype = from.kind == Kind::kVariable || from.kind == Kind::kReading
                        ? program_.variables[from.index].dtype
                        : BaseType(dtype);
    if (from.kind == Kind::kRepeated) operand.number = RepetitionOfInput(from.index);
    if (from.kind != Kind::kResult) return;
    if (from.index == previous_) {
      operand.source = Source::kPrevious;
    } else if (program_.steps[from.index].output < 0) {
      operand.source = Source::kTemporary;
      operand.number = static_cast<uint8_t>(TemporaryOf(from.index));
    }
  }

  // Inputs that repeat alike have one.
  uint8_t RepetitionOfInput(int input) {
    const auto repetition = *RepetitionOf(program_.inputs[input].shape, program_.shape);
    int number = 0;
    while (number < repetitions_ && !(laid_out_.repetitions[number] == repetition)) ++number;
    if (number == repetitions_) laid_out_.repetitions[repetitions_++] = repetition;
    return static_cast<uint8_t>(number);
  }

  // Only what a later step than the next reads is kept. Two steps share a temporary where they do
  // in the program.
  int8_t TemporaryOf(int s) {
    int8_t& number = temporary_[program_.steps[s].temporary];
    if (number < 0) number = static_cast<int8_t>(laid_out_.num_temporaries++);
    laid_out_.steps[s].temporary = number;
    return number;
  }

  const FusedProgram& program_;
  GpuProgram laid_out_;
  std::vector<FusedProgram::Operand> operands_;
  int previous_ = -1;  // the last step that made something
  int repetitions_ = 0;
  std::array<int8_t, FusedProgram::kMostTemporaries> temporary_ = {-1, -1, -1, -1};
};

class GpuFusedKernel final : public GpuKernel {
 public:
  explicit GpuFusedKernel(FusedProgram program)
      : program_(std::move(program)), layout_(program_), launcher_(RegisteredFusedLauncher()) {}

  bool is_replayable() const override {
    return std::all_of(program_.steps.begin(), program_.steps.end(),
                       [](const FusedProgram::Step& step) {
                         return dynamic_cast<const Replayable*>(step.kernel)->is_replayable();
                       });
  }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    if (launcher_ == nullptr) return Internal("there is nothing that launches fused nodes");
    return RunFused(program_, ctx, [&](const FusedMemory& memory) {
      GpuProgram program = layout_.laid_out();
      FillIn(ctx, memory, &program);
      return launcher_->Launch(stream, program);
    });
  }

 private:
  void FillIn(KernelContext& ctx, const FusedMemory& memory, GpuProgram* program) const {
    absl::InlinedVector<char*, 4> now = memory.now;
    for (int s = 0; s < program->num_steps; ++s) {
      GpuProgram::Step& step = program->steps[s];
      const int output = program_.steps[s].output;
      if (step.num_variables == 0 && output >= 0) step.output = ctx.output(output).raw_data();
      for (int i = 0; i < step.num_operands; ++i) {
        const int o = step.first_operand + i;
        program->operands[o].at = PlaceOf(ctx, memory, layout_.operands()[o], now);
      }
      for (int i = 0; i < step.num_variables; ++i) {
        const int o = step.first_operand + step.num_operands + i;
        const int v = layout_.operands()[o].index;
        program->operands[o].at = now[v] = memory.next[v];
      }
    }
  }

  void* PlaceOf(KernelContext& ctx, const FusedMemory& memory, const FusedProgram::Operand& operand,
                const absl::InlinedVector<char*, 4>& now) const {
    switch (operand.kind) {
      case Kind::kVariable:
      case Kind::kReading:
        return now[operand.index];
      case Kind::kResult: {
        const int output = program_.steps[operand.index].output;
        return output < 0 ? nullptr : ctx.output(output).raw_data();
      }
      default:
        return const_cast<void*>(memory.inputs[operand.index]);
    }
  }

  const FusedProgram program_;
  const GpuLayout layout_;
  const FusedLauncher* const launcher_;
};

}  // namespace

std::unique_ptr<Kernel> NewGpuFusedKernel(FusedProgram program) {
  return std::make_unique<GpuFusedKernel>(std::move(program));
}

}  // namespace warpbeam
