#include "runtime/lower/fused_run.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/device/device.h"
#include "runtime/lower/member_run.h"
#include "runtime/state/resource_store.h"
#include "runtime/state/variable.h"

namespace warpbeam {
namespace {

using Kind = FusedProgram::Operand::Kind;

class FusedRun {
 public:
  FusedRun(const FusedProgram& program, KernelContext& ctx,
           absl::FunctionRef<Status(const FusedMemory&)> pass)
      : program_(program), ctx_(ctx), pass_(pass) {}

  Status Run() {
    if (FindVariables() && Fits()) {
      bool done = false;
      WB_RETURN_IF_ERROR(WithLocked([&]() -> Status {
        if (!ValuesFit()) return OkStatus();
        done = true;
        return RunLocked();
      }));
      if (done) {
        HandOnReferences();
        return OkStatus();
      }
    }
    return RunMembers(program_, ctx_);
  }

 private:
  // Variables of references are the session's, which outlives the step.
  bool FindVariables() {
    for (const FusedProgram::Variable& v : program_.variables) {
      if (RefVariable* ref = ctx_.input_ref(v.input)) {
        variables_.emplace_back(std::shared_ptr<void>(), ref);
        continue;
      }
      const Tensor& handle = ctx_.input(v.input);
      if (handle.dtype() != DType::kResource || handle.num_elements() != 1 ||
          ctx_.resources() == nullptr) {
        return false;
      }
      auto variable = ctx_.resources()->Lookup<Variable>(*handle.data<ResourceHandle>());
      if (!variable.ok()) return false;
      variables_.push_back(*std::move(variable));
    }
    for (size_t i = 0; i < variables_.size(); ++i) {
      for (size_t k = 0; k < i; ++k) {
        if (variables_[i] == variables_[k]) return false;
      }
    }
    return true;
  }

  // Whether the values from outside are what the plan expected.
  bool Fits() const {
    for (size_t i = 0; i < program_.inputs.size(); ++i) {
      const FusedProgram::Input& expected = program_.inputs[i];
      if (expected.last_read < 0) continue;  // a reference or a handle
      const Tensor& value = ctx_.input(static_cast<int>(i));
      if (value.dtype() != expected.dtype || value.shape() != expected.shape) return false;
    }
    static const Tensor none;
    for (const FusedProgram::Step& step : program_.steps) {
      if (!step.member->checks_inputs()) continue;
      absl::InlinedVector<const Tensor*, 8> inputs;
      for (const FusedProgram::Operand& in : step.inputs) {
        const bool outside =
            in.kind == Kind::kInput || in.kind == Kind::kRepeated || in.kind == Kind::kScalar;
        inputs.push_back(outside ? &ctx_.input(in.index) : &none);
      }
      if (!step.member->AcceptsInputs(inputs)) return false;
    }
    return true;
  }

  bool ValuesFit() const {
    for (size_t v = 0; v < values_.size(); ++v) {
      const Tensor& value = *values_[v];
      if (!value.has_value() || value.dtype() != program_.variables[v].dtype ||
          value.shape() != program_.shape) {
        return false;
      }
    }
    return true;
  }

  // Calls `then` with all variables locked, by address: two groups never wait for each other.
  Status WithLocked(absl::FunctionRef<Status()> then) {
    absl::InlinedVector<int, 4> order;
    for (size_t v = 0; v < variables_.size(); ++v) order.push_back(static_cast<int>(v));
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      return std::less<Variable*>()(variables_[a].get(), variables_[b].get());
    });
    values_.resize(variables_.size(), nullptr);
    return LockFrom(order, 0, then);
  }
  Status LockFrom(const absl::InlinedVector<int, 4>& order, size_t at,
                  absl::FunctionRef<Status()> then) {
    if (at == order.size()) return then();
    return variables_[order[at]]->Update([&](Tensor& value) {
      values_[order[at]] = &value;
      return LockFrom(order, at + 1, then);
    });
  }

  Status RunLocked() {
    for (Tensor* value : values_) {
      if (ctx_.device() == nullptr) break;
      value->set_raw_data(ctx_.device()->ToKernelAddress(value->raw_data()));
    }
    // A reading that nobody needs later is dropped: it would keep its variable from being changed
    // in place. The variable itself keeps the bytes until the end.
    FusedMemory memory;
    memory.inputs.resize(program_.inputs.size(), nullptr);
    for (size_t i = 0; i < program_.inputs.size(); ++i) {
      if (program_.inputs[i].last_read < 0) continue;
      memory.inputs[i] = ctx_.input(static_cast<int>(i)).raw_data();
      for (Tensor* value : values_) {
        if (value->raw_data() == memory.inputs[i]) ctx_.TakeInput(static_cast<int>(i));
      }
    }
    absl::InlinedVector<Tensor, 4> renewed(values_.size());
    for (size_t v = 0; v < values_.size(); ++v) {
      if (MayChangeInPlace(static_cast<int>(v), *values_[v], memory.inputs)) continue;
      WB_ASSIGN_OR_RETURN(renewed[v],
                          ctx_.AllocateTemp(program_.variables[v].dtype, program_.shape));
    }
    WB_RETURN_IF_ERROR(AllocateOutputs());
    for (size_t v = 0; v < values_.size(); ++v) {
      memory.now.push_back(static_cast<char*>(values_[v]->raw_data()));
      memory.next.push_back(renewed[v].has_value() ? static_cast<char*>(renewed[v].raw_data())
                                                   : memory.now[v]);
    }
    WB_RETURN_IF_ERROR(pass_(memory));
    for (size_t v = 0; v < renewed.size(); ++v) {
      if (renewed[v].has_value()) *values_[v] = std::move(renewed[v]);
    }
    return OkStatus();
  }

  // Nobody else holds the value, and no later step reads a former reading of it.
  bool MayChangeInPlace(int v, const Tensor& value,
                        const absl::InlinedVector<const void*, 8>& data) const {
    const int first_write = program_.variables[v].first_write;
    if (first_write < 0) return true;
    if (!value.IsUnique()) return false;
    for (size_t i = 0; i < data.size(); ++i) {
      if (data[i] == value.raw_data() && program_.inputs[i].last_read > first_write) return false;
    }
    return true;
  }

  Status AllocateOutputs() {
    for (size_t s = 0; s < program_.steps.size(); ++s) {
      const FusedProgram::Step& step = program_.steps[s];
      if (step.output < 0 || IsRef(program_.output_types[step.output])) continue;
      bool forwarded = false;
      for (size_t i = 0; i < program_.inputs.size() && !forwarded; ++i) {
        const FusedProgram::Input& in = program_.inputs[i];
        // A later step must not find this one's result in its input.
        if (in.last_read < 0 || in.last_read >= static_cast<int>(s) || in.shape != program_.shape ||
            !ctx_.CanForward(static_cast<int>(i)) ||
            DTypeSize(in.dtype) != DTypeSize(program_.output_types[step.output])) {
          continue;
        }
        // The input stays in its slot and is not unique from here on.
        WB_RETURN_IF_ERROR(
            ctx_.ForwardOrAllocate({static_cast<int>(i)}, step.output, program_.shape).status());
        forwarded = true;
      }
      if (!forwarded) WB_RETURN_IF_ERROR(ctx_.Allocate(step.output, program_.shape).status());
    }
    return OkStatus();
  }

  void HandOnReferences() {
    for (const FusedProgram::Step& step : program_.steps) {
      if (step.output < 0 || !IsRef(program_.output_types[step.output])) continue;
      const int v = step.inputs[0].index;
      ctx_.set_output_ref(step.output, ctx_.input_ref(program_.variables[v].input));
    }
  }

  const FusedProgram& program_;
  KernelContext& ctx_;
  const absl::FunctionRef<Status(const FusedMemory&)> pass_;
  absl::InlinedVector<std::shared_ptr<Variable>, 4> variables_;
  absl::InlinedVector<Tensor*, 4> values_;  // of the program's variables, while they are locked
};

}  // namespace

Status RunFused(const FusedProgram& program, KernelContext& ctx,
                absl::FunctionRef<Status(const FusedMemory& memory)> pass) {
  return FusedRun(program, ctx, pass).Run();
}

}  // namespace warpbeam
