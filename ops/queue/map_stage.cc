// MapStage, MapPeek, MapUnstage, MapUnstageNoKey, MapSize, MapIncompleteSize, MapClear and the ops
// of ordered maps: rows of tensors by key between steps. They wait without a thread. Both kinds are
// ordered here; an unordered one may give out rows in any order.
#include "ops/queue/staging_kernel.h"

namespace warpbeam {
namespace {

StatusOr<int64_t> ReadKey(const KernelContext& ctx) {
  if (ctx.input(0).rank() != 0) {
    return InvalidArgument("key must be an int64 scalar, got tensor with shape: ",
                           ctx.input(0).shape().ToString());
  }
  return ctx.input(0).scalar<int64_t>();
}

StatusOr<std::vector<int32_t>> ReadIndices(const KernelContext& ctx, int input, int count) {
  const Tensor& t = ctx.input(input);
  if (t.rank() > 1 || t.num_elements() != count) {
    return InvalidArgument("indices must be a vector with one index for each of the ", count,
                           " tensors, not of shape ", t.shape().ToString());
  }
  const Span<const int32_t> values = t.flat<int32_t>();
  std::vector<int32_t> indices(values.begin(), values.end());
  for (size_t i = 1; i < indices.size(); ++i) {
    if (indices[i] <= indices[i - 1]) return InvalidArgument("Indices are not strictly ordered");
  }
  return indices;
}

class MapStageKernel final : public StagingKernel<StagingMap> {
 public:
  using StagingKernel::Init;
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return MakeStagingKernel<MapStageKernel>(init);
  }

 private:
  Status Start(KernelContext& ctx, Done* done) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<StagingMap> map, Find(ctx));
    WB_ASSIGN_OR_RETURN(const int64_t key, ReadKey(ctx));
    WB_ASSIGN_OR_RETURN(const std::vector<int32_t> indices,
                        ReadIndices(ctx, 1, ctx.num_inputs() - 2));
    WB_ASSIGN_OR_RETURN(StagedRow values, RowFromInputs(ctx, 2));
    auto row = std::make_shared<StagedRow>(std::move(values));
    map->Attempt(
        ctx.step(),
        [this, map = map.get(), key, indices, row](Status* s) {
          return map->PutLocked(key, indices, row.get(), spec().types, s);
        },
        HandingOn(ctx, std::exchange(*done, nullptr)));
    return OkStatus();
  }
};

template <bool kTake>
class MapGetKernel final : public StagingKernel<StagingMap> {
 public:
  using StagingKernel::Init;
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return MakeStagingKernel<MapGetKernel>(init);
  }

 private:
  Status Start(KernelContext& ctx, Done* done) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<StagingMap> map, Find(ctx));
    WB_ASSIGN_OR_RETURN(const int64_t key, ReadKey(ctx));
    WB_ASSIGN_OR_RETURN(const std::vector<int32_t> indices, ReadIndices(ctx, 1, ctx.num_outputs()));
    auto row = std::make_shared<StagedRow>();
    map->Attempt(
        ctx.step(),
        [map = map.get(), key, indices, row](Status* s) {
          return map->GetLocked(key, indices, kTake, row.get(), s);
        },
        [&ctx, map, key, indices, row, done = std::exchange(*done, nullptr)](Status s) {
          if (s.ok() && kTake) {
            KeepTaken(ctx.step(), map, *row, [map, key, indices](const StagedRow& taken) {
              map->ReturnLocked(key, indices, taken);
            });
          }
          if (s.ok()) s = RowToOutputs(ctx, 0, std::move(*row));
          done(std::move(s));
        });
    return OkStatus();
  }
};

class MapTakeAnyKernel final : public StagingKernel<StagingMap> {
 public:
  using StagingKernel::Init;
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return MakeStagingKernel<MapTakeAnyKernel>(init);
  }

 private:
  Status Start(KernelContext& ctx, Done* done) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<StagingMap> map, Find(ctx));
    WB_ASSIGN_OR_RETURN(const std::vector<int32_t> indices,
                        ReadIndices(ctx, 0, ctx.num_outputs() - 1));
    auto row = std::make_shared<StagedRow>();
    auto key = std::make_shared<int64_t>(0);
    map->Attempt(
        ctx.step(),
        [map = map.get(), key, indices, row](Status* s) {
          return map->TakeAnyLocked(indices, key.get(), row.get(), s);
        },
        [&ctx, map, key, indices, row, done = std::exchange(*done, nullptr)](Status s) {
          if (s.ok()) {
            KeepTaken(ctx.step(), map, *row, [map, key = *key, indices](const StagedRow& taken) {
              map->ReturnLocked(key, indices, taken);
            });
          }
          if (s.ok()) s = RowToOutputs(ctx, 1, std::move(*row));
          if (s.ok()) ctx.set_output(0, Tensor::Scalar<int64_t>(*key));
          done(std::move(s));
        });
    return OkStatus();
  }
};

template <bool kIncomplete>
class MapSizeKernel final : public StagingKernel<StagingMap> {
 public:
  using StagingKernel::Init;
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return MakeStagingKernel<MapSizeKernel>(init);
  }

 private:
  Status Start(KernelContext& ctx, Done*) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<StagingMap> map, Find(ctx));
    const int64_t size = kIncomplete ? map->incomplete_size() : map->size();
    ctx.set_output(0, Tensor::Scalar<int32_t>(static_cast<int32_t>(size)));
    return OkStatus();
  }
};

class MapClearKernel final : public StagingKernel<StagingMap> {
 public:
  using StagingKernel::Init;
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return MakeStagingKernel<MapClearKernel>(init);
  }

 private:
  Status Start(KernelContext& ctx, Done*) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<StagingMap> map, Find(ctx));
    return map->Now([&] {
      map->ClearLocked();
      return OkStatus();
    });
  }
};

// The ops of both kinds of maps differ only in their names.
#define WB_MAP_STAGING_OPS(prefix)                                                                 \
  WB_OP(prefix "MapStage")                                                                         \
      .DependsOn(Chance::kOtherSteps)                                                              \
      .Input("key: int64")                                                                         \
      .Input("indices: int32")                                                                     \
      .Input("values: fake_dtypes")                                                                \
      .Attr("capacity: int >= 0 = 0")                                                              \
      .Attr("memory_limit: int >= 0 = 0")                                                          \
      .Attr("dtypes: list(type)")                                                                  \
      .Attr("fake_dtypes: list(type) >= 1")                                                        \
      .Attr("container: string = ''")                                                              \
      .Attr("shared_name: string = ''")                                                            \
      .Stateful()                                                                                  \
      .Shape(shapes::Unknown);                                                                     \
  WB_KERNEL(prefix "MapStage", MapStageKernel).Cpu().Gpu().HostMemory({"key", "indices"}).Async(); \
  WB_GPU_KERNEL(prefix "MapStage", MapStageKernel);                                                \
  WB_OP(prefix "MapPeek")                                                                          \
      .DependsOn(Chance::kOtherSteps)                                                              \
      .Input("key: int64")                                                                         \
      .Input("indices: int32")                                                                     \
      .Output("values: dtypes")                                                                    \
      .Attr("capacity: int >= 0 = 0")                                                              \
      .Attr("memory_limit: int >= 0 = 0")                                                          \
      .Attr("dtypes: list(type) >= 1")                                                             \
      .Attr("container: string = ''")                                                              \
      .Attr("shared_name: string = ''")                                                            \
      .Stateful()                                                                                  \
      .Shape(shapes::Unknown);                                                                     \
  WB_KERNEL(prefix "MapPeek", MapGetKernel<false>)                                                 \
      .Cpu()                                                                                       \
      .Gpu()                                                                                       \
      .HostMemory({"key", "indices"})                                                              \
      .Async();                                                                                    \
  WB_GPU_KERNEL(prefix "MapPeek", MapGetKernel<false>);                                            \
  WB_OP(prefix "MapUnstage")                                                                       \
      .DependsOn(Chance::kOtherSteps)                                                              \
      .Input("key: int64")                                                                         \
      .Input("indices: int32")                                                                     \
      .Output("values: dtypes")                                                                    \
      .Attr("capacity: int >= 0 = 0")                                                              \
      .Attr("memory_limit: int >= 0 = 0")                                                          \
      .Attr("dtypes: list(type) >= 1")                                                             \
      .Attr("container: string = ''")                                                              \
      .Attr("shared_name: string = ''")                                                            \
      .Stateful()                                                                                  \
      .Shape(shapes::Unknown);                                                                     \
  WB_KERNEL(prefix "MapUnstage", MapGetKernel<true>)                                               \
      .Cpu()                                                                                       \
      .Gpu()                                                                                       \
      .HostMemory({"key", "indices"})                                                              \
      .Async();                                                                                    \
  WB_GPU_KERNEL(prefix "MapUnstage", MapGetKernel<true>);                                          \
  WB_OP(prefix "MapUnstageNoKey")                                                                  \
      .DependsOn(Chance::kOtherSteps)                                                              \
      .Input("indices: int32")                                                                     \
      .Output("key: int64")                                                                        \
      .Output("values: dtypes")                                                                    \
      .Attr("capacity: int >= 0 = 0")                                                              \
      .Attr("memory_limit: int >= 0 = 0")                                                          \
      .Attr("dtypes: list(type) >= 1")                                                             \
      .Attr("container: string = ''")                                                              \
      .Attr("shared_name: string = ''")                                                            \
      .Stateful()                                                                                  \
      .Shape(shapes::Unknown);                                                                     \
  WB_KERNEL(prefix "MapUnstageNoKey", MapTakeAnyKernel)                                            \
      .Cpu()                                                                                       \
      .Gpu()                                                                                       \
      .HostMemory({"key", "indices"})                                                              \
      .Async();                                                                                    \
  WB_GPU_KERNEL(prefix "MapUnstageNoKey", MapTakeAnyKernel);                                       \
  WB_OP(prefix "MapSize")                                                                          \
      .DependsOn(Chance::kOtherSteps)                                                              \
      .Output("size: int32")                                                                       \
      .Attr("capacity: int >= 0 = 0")                                                              \
      .Attr("memory_limit: int >= 0 = 0")                                                          \
      .Attr("dtypes: list(type)")                                                                  \
      .Attr("container: string = ''")                                                              \
      .Attr("shared_name: string = ''")                                                            \
      .Stateful()                                                                                  \
      .Shape(shapes::Scalar);                                                                      \
  WB_KERNEL(prefix "MapSize", MapSizeKernel<false>).Cpu().Gpu().HostMemory({"size"}).Async();      \
  WB_OP(prefix "MapIncompleteSize")                                                                \
      .DependsOn(Chance::kOtherSteps)                                                              \
      .Output("size: int32")                                                                       \
      .Attr("capacity: int >= 0 = 0")                                                              \
      .Attr("memory_limit: int >= 0 = 0")                                                          \
      .Attr("dtypes: list(type)")                                                                  \
      .Attr("container: string = ''")                                                              \
      .Attr("shared_name: string = ''")                                                            \
      .Stateful()                                                                                  \
      .Shape(shapes::Scalar);                                                                      \
  WB_KERNEL(prefix "MapIncompleteSize", MapSizeKernel<true>)                                       \
      .Cpu()                                                                                       \
      .Gpu()                                                                                       \
      .HostMemory({"size"})                                                                        \
      .Async();                                                                                    \
  WB_OP(prefix "MapClear")                                                                         \
      .DependsOn(Chance::kOtherSteps)                                                              \
      .Attr("capacity: int >= 0 = 0")                                                              \
      .Attr("memory_limit: int >= 0 = 0")                                                          \
      .Attr("dtypes: list(type)")                                                                  \
      .Attr("container: string = ''")                                                              \
      .Attr("shared_name: string = ''")                                                            \
      .Stateful()                                                                                  \
      .Shape(shapes::Unknown);                                                                     \
  WB_KERNEL(prefix "MapClear", MapClearKernel).Cpu().Gpu().Async()

WB_MAP_STAGING_OPS("");
WB_MAP_STAGING_OPS("Ordered");

}  // namespace
}  // namespace warpbeam
