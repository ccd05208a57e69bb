// GpuCopier's launches.
#include "ops/array/gpu/copy_blocks.h"

#if WB_HOST_PASS
#include <algorithm>
#include <cstring>

#include "absl/container/inlined_vector.h"
#include "graph/types/span.h"
#include "ops/array/gpu_copier.h"
#endif

namespace warpbeam::WB_PASS {

// So many copies go into one launch, whose arguments have room in 4 KiB.
constexpr int kMostPieces = 12;
static_assert(sizeof(StridedCopyBlock<Wide, kMostPieces>) <= 4096);
static_assert(sizeof(WriteBytesBlock) <= 4096);

#define WB_COPY_BLOCKS(T)                            \
  WB_GPU_FUNCTION(StridedCopyBlock<T, 1>);           \
  WB_GPU_FUNCTION(StridedCopyBlock<T, kMostPieces>); \
  WB_GPU_FUNCTION(TransposeBlock<T, 1>);
WB_FOR_MOVED_ELEMENTS(WB_COPY_BLOCKS)
WB_GPU_FUNCTION(TransposeBlock<uint8_t, 4>);
WB_GPU_FUNCTION(TransposeBlock<uint16_t, 2>);
WB_GPU_FUNCTION(FillBytesBlock);
WB_GPU_FUNCTION(WriteBytesBlock);
#undef WB_COPY_BLOCKS

#if WB_HOST_PASS
namespace {

template <class T, int kPack>
Status LaunchTransposed(GpuStream& stream, const CopyPlan& plan) {
  const TransposeBlock<T, kPack> transpose(plan);
  return Launch(stream, transpose.Grid(), transpose);
}
template <class T>
Status LaunchTransposed(GpuStream& stream, const CopyPlan& plan) {
  if constexpr (sizeof(T) < 4) {
    if (plan.HasPacksOf(4)) return LaunchTransposed<T, 4 / sizeof(T)>(stream, plan);
  }
  return LaunchTransposed<T, 1>(stream, plan);
}

template <class T, int kMost>
Status LaunchSeveral(GpuStream& stream, Span<const CopyPlan* const> plans) {
  StridedCopyBlock<T, kMost> copies{};
  for (const CopyPlan* plan : plans) copies.Add(*plan);
  return Launch(stream, copies.Grid(), copies);
}

// All plans that have elements of T.
template <class T>
Status LaunchCopies(GpuStream& stream, const CopyPlans& plans) {
  absl::InlinedVector<const CopyPlan*, kMostPieces> copies;
  for (const CopyPlan& plan : plans) {
    if (plan.width != sizeof(T)) continue;
    if (plan.IsTransposed()) {
      WB_RETURN_IF_ERROR(LaunchTransposed<T>(stream, plan));
    } else {
      copies.push_back(&plan);
    }
  }
  auto rest = MakeConstSpan(copies);
  while (rest.size() > 1) {
    const auto some = rest.first(std::min<size_t>(rest.size(), kMostPieces));
    WB_RETURN_IF_ERROR((LaunchSeveral<T, kMostPieces>(stream, some)));
    rest.remove_prefix(some.size());
  }
  return rest.empty() ? OkStatus() : LaunchSeveral<T, 1>(stream, rest);
}

}  // namespace
#endif

}  // namespace warpbeam::WB_PASS

#if WB_HOST_PASS
namespace warpbeam {

bool GpuCopier::HasCode() { return host_pass::HasGpuFunction<host_pass::FillBytesBlock>(); }

Status GpuCopier::Copy(DType dtype, void* to, const void* from, Span<const CopyDim> dims) {
  const size_t first = plans_.size();
  PlanCopy(static_cast<int64_t>(DTypeSize(dtype)), to, from, dims, &plans_);
  for (size_t i = first; i < plans_.size(); ++i) {
    if (plans_[i].dims.size() <= host_pass::Places::kMaxDims) continue;
    return Unimplemented("a copy on a GPU goes along at most ", host_pass::Places::kMaxDims,
                         " dimensions that are apart, not ", plans_[i].dims.size());
  }
  return OkStatus();
}

Status GpuCopier::Fill(DType dtype, void* to, const void* value, int64_t count) {
  WB_RETURN_IF_ERROR(Then());
  if (count == 0) return OkStatus();
  const size_t size = DTypeSize(dtype);
  host_pass::FillBytesBlock fill{};
  for (size_t i = 0; i < sizeof(fill.pattern); i += size) {
    memcpy(reinterpret_cast<char*>(&fill.pattern) + i, value, size);
  }
  const int64_t bytes = count * static_cast<int64_t>(size);
  const bool aligned = reinterpret_cast<uintptr_t>(to) % sizeof(fill.pattern) == 0;
  fill.wide = aligned ? bytes / static_cast<int64_t>(sizeof(fill.pattern)) : 0;
  fill.to = static_cast<Wide*>(to);
  fill.tail = reinterpret_cast<uint8_t*>(fill.to + fill.wide);
  fill.rest = bytes - fill.wide * static_cast<int64_t>(sizeof(fill.pattern));
  return Launch(stream_, ElementGrid(std::max(fill.wide, fill.rest)), fill);
}

Status GpuCopier::Zero(DType dtype, void* to, int64_t count) {
  const Wide zero{};
  return Fill(dtype, to, &zero, count);
}

Status GpuCopier::CopyFromHost(void* to, const void* values, int64_t bytes) {
  WB_RETURN_IF_ERROR(Then());
  host_pass::WriteBytesBlock write;
  for (int64_t done = 0; done < bytes; done += write.count) {
    write.count = static_cast<int>(std::min<int64_t>(bytes - done, sizeof(write.values)));
    write.to = static_cast<uint8_t*>(to) + done;
    memcpy(write.values, static_cast<const char*>(values) + done, static_cast<size_t>(write.count));
    WB_RETURN_IF_ERROR(Launch(stream_, GpuGrid(), write));
  }
  return OkStatus();
}

Status GpuCopier::Then() {
  if (plans_.empty()) return OkStatus();
  for (const int width : {1, 2, 4, 8, 16}) {
    WB_RETURN_IF_ERROR(DispatchWidth(width, [&](auto tag) {
      return host_pass::LaunchCopies<typename decltype(tag)::type>(stream_, plans_);
    }));
  }
  plans_.clear();
  return OkStatus();
}

StatusOr<Tensor*> ForwardOrCopy(KernelContext& ctx, GpuStream& stream) {
  const Tensor& x = ctx.input(0);
  const Shape shape = x.shape();
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.ForwardOrAllocate({0}, 0, shape));
  if (y->raw_data() == x.raw_data()) return y;
  GpuCopier copier(stream);
  WB_RETURN_IF_ERROR(
      copier.Copy(x.dtype(), y->raw_data(), x.raw_data(), {{shape.num_elements(), 1, 1}}));
  WB_RETURN_IF_ERROR(copier.Finish());
  return y;
}

}  // namespace warpbeam
#endif
