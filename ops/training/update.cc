#include "ops/training/update.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "ops/launch/gpu_function.h"
#include "ops/state/variable_update.h"
#include "runtime/kernel/block_kernel.h"

namespace warpbeam::host_pass {
namespace {

class UpdateOnGpu final : public GpuKernel, public GpuStepKernel {
 public:
  UpdateOnGpu(const UpdateForm& form, bool flag)
      : form_(form),
        flag_(flag),
        state_(flag ? 1 : 0),
        finders_(form.resource ? form.variables : 0) {}

  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const UpdateForm* form, FormOf(init.schema.name));
    WB_ASSIGN_OR_RETURN(const bool flag, FlagOf(*form, init));
    return std::make_unique<UpdateOnGpu>(*form, flag);
  }
  // All rules have it, or none.
  static bool HasGpuCode(const AttrMap&) {
    return FindGpuFunction("UpdateBlock<MomentumRule, float>") != nullptr;
  }

  int num_variables() const override { return form_.variables; }
  bool AcceptsInputs(Span<const Tensor* const> inputs) const override {
    return CheckScalarShapes(form_, [&](int i) -> const Tensor& { return *inputs[i]; }).ok();
  }
  Span<const unsigned char> gpu_state() const override { return {&state_, 1}; }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    return WithUpdateValues(ctx, form_, finders_, [&](const UpdateValues& values) {
      return EnqueueLocked(ctx, stream, values);
    });
  }

 private:
  Status EnqueueLocked(KernelContext& ctx, GpuStream& stream, const UpdateValues& values) {
    WB_RETURN_IF_ERROR(
        CheckScalarShapes(form_, [&](int i) -> const Tensor& { return ctx.input(i); }));
    WB_RETURN_IF_ERROR(CheckGradient(ctx, form_, values[0]));
    const Tensor& gradient = ctx.input(form_.gradient);
    const LaunchUpdateFn launch = form_.rule.find(gradient.dtype()).on_gpu;
    if (launch == nullptr) return warpbeam::internal::UnsupportedDType(gradient.dtype());
    if (gradient.num_elements() == 0) return OkStatus();

    std::array<Tensor, kMostVariables> successors;  // by place
    WB_RETURN_IF_ERROR(MakeRoom(ctx, stream, values, &successors));
    UpdateCall call;
    call.flag = flag_;
    for (const int i : form_.scalars) {
      call.scalars[call.num_scalars++] = {ctx.input(i).raw_data(), ctx.input(i).dtype()};
    }
    for (int i = 0; i < form_.variables; ++i) {
      call.to[i] = successors[values.place[i]].raw_data();
      call.from[i] = form_.sparse ? call.to[i] : values[i].raw_data();
    }
    call.gradient = gradient.raw_data();
    if (form_.sparse) AddRows(ctx.input(form_.indices), gradient, values[0].dim(0), &call);
    WB_RETURN_IF_ERROR(launch(stream, call, gradient.num_elements()));
    for (size_t i = 0; i < values.distinct.size(); ++i) {
      *values.distinct[i] = std::move(successors[i]);
    }
    return OkStatus();
  }

  // A dense update writes every element, so what is held elsewhere needs no copy of its bytes.
  Status MakeRoom(const KernelContext& ctx, GpuStream& stream, const UpdateValues& values,
                  std::array<Tensor, kMostVariables>* successors) const {
    for (size_t i = 0; i < values.distinct.size(); ++i) {
      Tensor &value = *values.distinct[i], &to = (*successors)[i];
      WB_ASSIGN_OR_RETURN(to, RoomForSuccessor(ctx, value));
      if (!form_.sparse || to.raw_data() == value.raw_data()) continue;
      WB_RETURN_IF_ERROR(CopyOnGpu(ctx, stream, to.raw_data(), value.raw_data(), value.bytes()));
    }
    return OkStatus();
  }

  static void AddRows(const Tensor& indices, const Tensor& gradient, int64_t limit,
                      UpdateCall* call) {
    call->rows = indices.raw_data();
    call->rows_are_int32 = indices.dtype() == DType::kInt32;
    call->num_rows = indices.num_elements();
    call->row_size = gradient.num_elements() / call->num_rows;
    call->limit = limit;
  }

  const UpdateForm& form_;
  const bool flag_;
  const unsigned char state_;  // the flag, as a step of a fused launch has it
  std::vector<VariableFinder> finders_;
};

}  // namespace

void RegisterUpdateOnGpu(const UpdateForm& form) {
  const GpuKernelRegistration registration(form.op.c_str(), &UpdateOnGpu::Create,
                                           &UpdateOnGpu::HasGpuCode);
}

}  // namespace warpbeam::host_pass
