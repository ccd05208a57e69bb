// What the kernels of staging areas and maps share.
//
//   class StageKernel final : public StagingKernel<StagingArea> { … ComputeAsync … };
//
// Ownership: the session's ResourceStore owns what is staged. Thread safety: any thread. Errors:
// INVALID_ARGUMENT for rows that do not fit an op's outputs.
#ifndef WARPBEAM_OPS_QUEUE_STAGING_KERNEL_H_
#define WARPBEAM_OPS_QUEUE_STAGING_KERNEL_H_

#include <memory>
#include <utility>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/queue/queue_rows.h"
#include "ops/queue/staging_area.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/takings.h"

namespace warpbeam {

template <class T>
class StagingKernel : public AsyncKernel {
 public:
  // It hands tensors on: whoever takes one on another device copies it.
  static bool HasGpuCode(const AttrMap&) { return true; }
  void ComputeAsync(KernelContext& ctx, Done done) final {
    Status s = Start(ctx, &done);
    // `done` is gone when the line has taken it over.
    if (done) done(std::move(s));
  }

 protected:
  Status Init(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(spec_, StagingSpec::Read(init));
    return OkStatus();
  }
  virtual Status Start(KernelContext& ctx, Done* done) = 0;

  StatusOr<std::shared_ptr<T>> Find(const KernelContext& ctx) const {
    if (ctx.resources() == nullptr) return FailedPrecondition("the step has no resource store");
    return ctx.resources()->LookupOrCreate<T>(
        spec_.container, spec_.name,
        [&]() -> StatusOr<std::shared_ptr<T>> { return std::make_shared<T>(spec_); });
  }
  const StagingSpec& spec() const { return spec_; }

 private:
  StagingSpec spec_;
};

template <class K>
StatusOr<std::unique_ptr<Kernel>> MakeStagingKernel(KernelInit& init) {
  auto kernel = std::make_unique<K>();
  WB_RETURN_IF_ERROR(kernel->Init(init));
  return kernel;
}

// Inputs from `first` on, as tensors that may stay.
inline StatusOr<StagedRow> RowFromInputs(const KernelContext& ctx, int first) {
  StagedRow row;
  for (int i = first; i < ctx.num_inputs(); ++i) {
    WB_ASSIGN_OR_RETURN(Tensor value, ValueForQueue(ctx, ctx.input(i)));
    row.push_back(KeptTensor::Of(ctx, std::move(value)));
  }
  return row;
}

// For a step that its deadline ends: `give_back` is called with the row, under the lock of `from`.
template <class T, class F>
void KeepTaken(const StepContext* step, const std::shared_ptr<T>& from, const StagedRow& row,
               F give_back) {
  if (const auto takings = Takings::Of(step)) {
    takings->Add([from, row, give_back] {
      from->Now([&] {
            give_back(row);
            return OkStatus();
          })
          .IgnoreError();  // giving back cannot fail
    });
  }
}

// How a putting ends: what the step has handed on it does not give back.
inline AsyncKernel::Done HandingOn(const KernelContext& ctx, AsyncKernel::Done done) {
  return [step = ctx.step(), done = std::move(done)](Status s) {
    const auto takings = Takings::Of(step);
    if (s.ok() && takings != nullptr) takings->HandOn();
    done(std::move(s));
  };
}

// Outputs from `first` on.
inline Status RowToOutputs(KernelContext& ctx, int first, StagedRow row) {
  const int count = ctx.num_outputs() - first;
  if (static_cast<int>(row.size()) != count) {
    return InvalidArgument("Mismatch stage/unstage: ", row.size(), " vs. ", count);
  }
  for (int i = 0; i < count; ++i) {
    if (row[i].dtype() != ctx.output_type(first + i)) {
      return InvalidArgument("the staged tensor ", i, " is of type ", DTypeName(row[i].dtype()),
                             ", not ", DTypeName(ctx.output_type(first + i)));
    }
  }
  for (int i = 0; i < count; ++i) {
    WB_ASSIGN_OR_RETURN(Tensor value, row[i].Get(ctx));
    row[i].Reset();
    ctx.set_output(first + i, std::move(value));
  }
  return OkStatus();
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_QUEUE_STAGING_KERNEL_H_
