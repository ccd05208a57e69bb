// StridedSliceAssign, ResourceStridedSliceAssign on a GPU.
#include <memory>

#include "ops/array/gpu_copier.h"
#include "ops/array/strided_slice_spec.h"
#include "ops/state/update_checks.h"
#include "ops/state/variable_update.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <bool is_resource>
class SliceAssignOnGpu final : public GpuKernel {
 public:
  explicit SliceAssignOnGpu(SliceMasks masks) : masks_(masks) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const SliceMasks masks, SliceMasks::FromAttrs(init.attrs));
    return std::make_unique<SliceAssignOnGpu>(masks);
  }
  static bool HasGpuCode(const AttrMap&) { return GpuCopier::HasCode(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& update = ctx.input(4);
    return UpdateVariable<is_resource>(ctx, finder_, [&](Variable& v) {
      return ModifyOnGpu(ctx, stream, v, [&](Tensor& value) -> Status {
        WB_RETURN_IF_ERROR(CheckUpdateType(value, update, "value"));
        WB_ASSIGN_OR_RETURN(const SliceSpec spec, ResolveSlice(masks_, ctx, 1, value.shape()));
        int64_t offset;
        WB_ASSIGN_OR_RETURN(const CopyDims dims,
                            SliceAssignment(spec, update.shape(), value.shape(), &offset));
        if (update.num_elements() == 0) return OkStatus();
        GpuCopier copier(stream);
        WB_RETURN_IF_ERROR(copier.Copy(value.dtype(),
                                       Advance(value.raw_data(), value.dtype(), offset),
                                       update.raw_data(), dims));
        return copier.Finish();
      });
    });
  }

 private:
  const SliceMasks masks_;
  VariableFinder finder_;
};

}  // namespace

WB_GPU_KERNEL("StridedSliceAssign", SliceAssignOnGpu<false>);
WB_GPU_KERNEL("ResourceStridedSliceAssign", SliceAssignOnGpu<true>);

}  // namespace warpbeam
