#include "runtime/lower/fused_kernel.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_join.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/stoppable_loop.h"
#include "runtime/lower/fused_product.h"
#include "runtime/lower/member_run.h"
#include "runtime/state/resource_store.h"
#include "runtime/state/variable.h"

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
    Variables variables;
    if (FindVariables(ctx, &variables) && Fits(ctx)) {
      Locked locked;
      bool done = false;
      WB_RETURN_IF_ERROR(WithLocked(variables, &locked, [&]() -> Status {
        if (!ValuesFit(locked)) return OkStatus();
        done = true;
        return RunBlocks(ctx, &locked);
      }));
      if (done) {
        HandOnReferences(ctx);
        return OkStatus();
      }
    }
    return RunMembers(program_, ctx);
  }

 private:
  using Variables = absl::InlinedVector<std::shared_ptr<Variable>, 4>;
  struct Locked {
    absl::InlinedVector<Tensor*, 4> values;  // of the program's variables
  };
  struct Pass {
    std::array<std::array<Address, FusedProgram::kMostStepInputs>, FusedProgram::kMostSteps> inputs;
    std::array<std::array<Address, FusedProgram::kMostStepInputs>, FusedProgram::kMostSteps>
        outputs;
  };

  static size_t Size(DType type) { return DTypeSize(BaseType(type)); }

  // Variables of references are the session's, which outlives the step.
  bool FindVariables(const KernelContext& ctx, Variables* found) const {
    for (const FusedProgram::Variable& v : program_.variables) {
      if (RefVariable* ref = ctx.input_ref(v.input)) {
        found->emplace_back(std::shared_ptr<void>(), ref);
        continue;
      }
      const Tensor& handle = ctx.input(v.input);
      if (handle.dtype() != DType::kResource || handle.num_elements() != 1 ||
          ctx.resources() == nullptr) {
        return false;
      }
      auto variable = ctx.resources()->Lookup<Variable>(*handle.data<ResourceHandle>());
      if (!variable.ok()) return false;
      found->push_back(*std::move(variable));
    }
    for (size_t i = 0; i < found->size(); ++i) {
      for (size_t k = 0; k < i; ++k) {
        if ((*found)[i] == (*found)[k]) return false;
      }
    }
    return true;
  }

  // Whether the values from outside are what the plan expected.
  bool Fits(const KernelContext& ctx) const {
    for (size_t i = 0; i < program_.inputs.size(); ++i) {
      const FusedProgram::Input& expected = program_.inputs[i];
      if (expected.last_read < 0) continue;  // a reference or a handle
      const Tensor& value = ctx.input(static_cast<int>(i));
      if (value.dtype() != expected.dtype || value.shape() != expected.shape) return false;
    }
    static const Tensor none;
    for (const FusedProgram::Step& step : program_.steps) {
      if (step.block->num_variables() == 0) continue;
      absl::InlinedVector<const Tensor*, 8> inputs;
      for (const FusedProgram::Operand& in : step.inputs) {
        const bool outside = in.kind == Kind::kInput || in.kind == Kind::kScalar;
        inputs.push_back(outside ? &ctx.input(in.index) : &none);
      }
      if (!step.block->AcceptsInputs(inputs)) return false;
    }
    return true;
  }

  bool ValuesFit(const Locked& locked) const {
    for (size_t v = 0; v < locked.values.size(); ++v) {
      const Tensor& value = *locked.values[v];
      if (!value.has_value() || value.dtype() != program_.variables[v].dtype ||
          value.shape() != program_.shape) {
        return false;
      }
    }
    return true;
  }

  // Calls `then` with all variables locked, by address: two groups never wait for each other.
  Status WithLocked(const Variables& variables, Locked* locked,
                    absl::FunctionRef<Status()> then) const {
    absl::InlinedVector<int, 4> order;
    for (size_t v = 0; v < variables.size(); ++v) order.push_back(static_cast<int>(v));
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      return std::less<Variable*>()(variables[a].get(), variables[b].get());
    });
    locked->values.resize(variables.size(), nullptr);
    return LockFrom(variables, order, 0, locked, then);
  }
  Status LockFrom(const Variables& variables, const absl::InlinedVector<int, 4>& order, size_t at,
                  Locked* locked, absl::FunctionRef<Status()> then) const {
    if (at == order.size()) return then();
    return variables[order[at]]->Update([&](Tensor& value) {
      locked->values[order[at]] = &value;
      return LockFrom(variables, order, at + 1, locked, then);
    });
  }

  Status RunBlocks(KernelContext& ctx, Locked* locked) const {
    // A reading that nobody needs later is dropped: it would keep its variable from being changed
    // in place. The variable itself keeps the bytes until the end.
    absl::InlinedVector<const void*, 8> data(program_.inputs.size(), nullptr);
    for (size_t i = 0; i < program_.inputs.size(); ++i) {
      if (program_.inputs[i].last_read < 0) continue;
      data[i] = ctx.input(static_cast<int>(i)).raw_data();
      for (Tensor* value : locked->values) {
        if (value->raw_data() == data[i]) ctx.TakeInput(static_cast<int>(i));
      }
    }
    absl::InlinedVector<Tensor, 4> renewed(locked->values.size());
    for (size_t v = 0; v < locked->values.size(); ++v) {
      if (MayChangeInPlace(static_cast<int>(v), *locked->values[v], data)) continue;
      WB_ASSIGN_OR_RETURN(renewed[v],
                          ctx.AllocateTemp(program_.variables[v].dtype, program_.shape));
    }
    WB_RETURN_IF_ERROR(AllocateOutputs(ctx));
    Pass pass;
    AddressAll(ctx, data, *locked, renewed, &pass);
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
    for (size_t v = 0; v < renewed.size(); ++v) {
      if (renewed[v].has_value()) *locked->values[v] = std::move(renewed[v]);
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

  Status AllocateOutputs(KernelContext& ctx) const {
    for (size_t s = 0; s < program_.steps.size(); ++s) {
      const FusedProgram::Step& step = program_.steps[s];
      if (step.output < 0 || IsRef(program_.output_types[step.output])) continue;
      bool forwarded = false;
      for (size_t i = 0; i < program_.inputs.size() && !forwarded; ++i) {
        const FusedProgram::Input& in = program_.inputs[i];
        // A later step must not find this one's result in its input.
        if (in.last_read < 0 || in.last_read >= static_cast<int>(s) || in.shape != program_.shape ||
            !ctx.CanForward(static_cast<int>(i)) ||
            Size(in.dtype) != Size(program_.output_types[step.output])) {
          continue;
        }
        // The input stays in its slot and is not unique from here on.
        WB_RETURN_IF_ERROR(
            ctx.ForwardOrAllocate({static_cast<int>(i)}, step.output, program_.shape).status());
        forwarded = true;
      }
      if (!forwarded) WB_RETURN_IF_ERROR(ctx.Allocate(step.output, program_.shape).status());
    }
    return OkStatus();
  }

  void AddressAll(KernelContext& ctx, const absl::InlinedVector<const void*, 8>& data,
                  const Locked& locked, const absl::InlinedVector<Tensor, 4>& renewed,
                  Pass* pass) const {
    absl::InlinedVector<char*, 4> now, next;  // of variables: where they are read and written
    for (size_t v = 0; v < locked.values.size(); ++v) {
      now.push_back(static_cast<char*>(locked.values[v]->raw_data()));
      next.push_back(renewed[v].has_value()
                         ? static_cast<char*>(const_cast<Tensor&>(renewed[v]).raw_data())
                         : now[v]);
    }
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
          at.base = static_cast<char*>(const_cast<void*>(data[in.index]));
          at.size = in.kind == Kind::kScalar ? 0 : size;
        }
      }
      const int updated = step.block->num_variables();
      for (int i = 0; i < updated; ++i) {
        const int v = step.inputs[i].index;
        now[v] = next[v];
        pass->outputs[s][i] = {next[v], static_cast<int64_t>(Size(program_.variables[v].dtype)),
                               -1};
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
      const int num_outputs = std::max(1, step.block->num_variables());
      for (int i = 0; i < num_outputs; ++i) outputs[i] = locate(pass.outputs[s][i]);
      // A kernel that updates knows which of its inputs are scalars.
      if (step.block->num_variables() > 0) scalars = 0;
      fine &= step.block->RunBlock({inputs, scalars, outputs, count});
    }
    return fine;
  }

  void HandOnReferences(KernelContext& ctx) const {
    for (const FusedProgram::Step& step : program_.steps) {
      if (step.output < 0 || !IsRef(program_.output_types[step.output])) continue;
      const int v = step.inputs[0].index;
      ctx.set_output_ref(step.output, ctx.input_ref(program_.variables[v].input));
    }
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
  if (program.steps[0].block == nullptr) return NewFusedProduct(std::move(program));
  return std::make_unique<FusedKernel>(std::move(program));
}

}  // namespace warpbeam
