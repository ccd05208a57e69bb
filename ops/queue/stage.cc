// Stage, Unstage, StagePeek, StageSize, StageClear: rows of tensors between steps, first in, first
// out. They wait without a thread.
#include "ops/queue/staging_kernel.h"

namespace warpbeam {
namespace {

class StageKernel final : public StagingKernel<StagingArea> {
 public:
  using StagingKernel::Init;
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return MakeStagingKernel<StageKernel>(init);
  }

 private:
  Status Start(KernelContext& ctx, Done* done) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<StagingArea> area, Find(ctx));
    WB_ASSIGN_OR_RETURN(StagedRow values, RowFromInputs(ctx, 0));
    auto row = std::make_shared<StagedRow>(std::move(values));
    // Rows of the same size wait for the same room.
    area->Attempt(
        ctx.step(), {StagingArea::kPut, static_cast<int64_t>(BytesOf(*row))},
        [area = area.get(), row](Status* s) { return area->PutLocked(row.get(), s); },
        HandingOn(ctx, std::exchange(*done, nullptr)));
    return OkStatus();
  }
};

template <bool kPeek>
class UnstageKernel final : public StagingKernel<StagingArea> {
 public:
  using StagingKernel::Init;
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return MakeStagingKernel<UnstageKernel>(init);
  }

 private:
  Status Start(KernelContext& ctx, Done* done) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<StagingArea> area, Find(ctx));
    int64_t index = 0;
    if (kPeek) {
      if (ctx.input(0).rank() != 0) {
        return InvalidArgument("index must be scalar, not of shape ",
                               ctx.input(0).shape().ToString());
      }
      index = *ctx.input(0).data<int32_t>();
      if (index < 0) return InvalidArgument("index must not be negative: ", index);
    }
    auto row = std::make_shared<StagedRow>();
    area->Attempt(
        ctx.step(), {kPeek ? StagingArea::kPeek : StagingArea::kTake, index},
        [area = area.get(), row, index](Status*) {
          return kPeek ? area->PeekLocked(index, row.get()) : area->TakeLocked(row.get());
        },
        [&ctx, area, row, done = std::exchange(*done, nullptr)](Status s) {
          if (s.ok() && !kPeek) {
            KeepTaken(ctx.step(), area, *row,
                      [area](const StagedRow& taken) { area->ReturnLocked(taken); });
          }
          if (s.ok()) s = RowToOutputs(ctx, 0, std::move(*row));
          done(std::move(s));
        });
    return OkStatus();
  }
};

class StageSizeKernel final : public StagingKernel<StagingArea> {
 public:
  using StagingKernel::Init;
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return MakeStagingKernel<StageSizeKernel>(init);
  }

 private:
  Status Start(KernelContext& ctx, Done*) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<StagingArea> area, Find(ctx));
    ctx.set_output(0, Tensor::Scalar<int32_t>(static_cast<int32_t>(area->size())));
    return OkStatus();
  }
};

class StageClearKernel final : public StagingKernel<StagingArea> {
 public:
  using StagingKernel::Init;
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return MakeStagingKernel<StageClearKernel>(init);
  }

 private:
  Status Start(KernelContext& ctx, Done*) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<StagingArea> area, Find(ctx));
    return area->Now([&] {
      area->ClearLocked();
      return OkStatus();
    });
  }
};

WB_OP("Stage")
    .DependsOn(Chance::kOtherSteps)
    .Input("values: dtypes")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type) >= 1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(shapes::Unknown);
WB_KERNEL("Stage", StageKernel).Cpu().Gpu().Async();
WB_GPU_KERNEL("Stage", StageKernel);

WB_OP("Unstage")
    .DependsOn(Chance::kOtherSteps)
    .Output("values: dtypes")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type) >= 1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(shapes::Unknown);
WB_KERNEL("Unstage", UnstageKernel<false>).Cpu().Gpu().Async();
WB_GPU_KERNEL("Unstage", UnstageKernel<false>);

WB_OP("StagePeek")
    .DependsOn(Chance::kOtherSteps)
    .Input("index: int32")
    .Output("values: dtypes")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type) >= 1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(shapes::Unknown);
WB_KERNEL("StagePeek", UnstageKernel<true>).Cpu().Gpu().HostMemory({"index"}).Async();
WB_GPU_KERNEL("StagePeek", UnstageKernel<true>);

WB_OP("StageSize")
    .DependsOn(Chance::kOtherSteps)
    .Output("size: int32")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("StageSize", StageSizeKernel).Cpu().Gpu().HostMemory({"size"}).Async();

WB_OP("StageClear")
    .DependsOn(Chance::kOtherSteps)
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(shapes::Unknown);
WB_KERNEL("StageClear", StageClearKernel).Cpu().Gpu().Async();

}  // namespace
}  // namespace warpbeam
