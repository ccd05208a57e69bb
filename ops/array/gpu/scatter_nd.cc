// ScatterNd, TensorScatterUpdate, TensorScatterAdd, TensorScatterSub and ScatterNdNonAliasingAdd on
// a GPU. As on TensorFlow's, a tuple out of range is left out; which of several updates of a row
// comes last is nobody's, and sums of floats are added up in any order.
#include "ops/array/gpu/moved_element.h"
#include "ops/array/gpu/tuple_rows.h"
#include "ops/launch/gpu_function.h"
#include "ops/launch/math.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/gpu_copier.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/index/scatter_rows.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T>
struct ScatterUpdateBlock {
  T* y;
  const T* updates;
  TupleRows rows;
  int64_t width;
  int lanes;

  WB_BLOCK void operator()(GpuBlock& block) const {
    rows.ForEach(block, width, lanes, [&](int64_t i, int64_t row, int64_t column) {
      if (row >= 0) y[row * width + column] = updates[i * width + column];
    });
  }
};

// Integers wrap around, so that those without a sign do for all.
template <class T>
struct ScatterAddBlock {
  T* y;
  const T* updates;
  TupleRows rows;
  int64_t width;
  int lanes;
  bool subtracts;

  WB_BLOCK void operator()(GpuBlock& block) const {
    rows.ForEach(block, width, lanes, [&](int64_t i, int64_t row, int64_t column) {
      if (row < 0) return;
      const T update = updates[i * width + column];
      AtomicAdd(y + row * width + column, subtracts ? static_cast<T>(Negate(update)) : update);
    });
  }
};

#define WB_SCATTER_UPDATE_BLOCK(T) WB_GPU_FUNCTION(ScatterUpdateBlock<T>);
WB_FOR_MOVED_ELEMENTS(WB_SCATTER_UPDATE_BLOCK)
#undef WB_SCATTER_UPDATE_BLOCK
WB_GPU_FUNCTION(ScatterAddBlock<uint8_t>);
WB_GPU_FUNCTION(ScatterAddBlock<uint16_t>);
WB_GPU_FUNCTION(ScatterAddBlock<uint32_t>);
WB_GPU_FUNCTION(ScatterAddBlock<uint64_t>);
WB_GPU_FUNCTION(ScatterAddBlock<Half>);
WB_GPU_FUNCTION(ScatterAddBlock<BFloat16>);
WB_GPU_FUNCTION(ScatterAddBlock<float>);
WB_GPU_FUNCTION(ScatterAddBlock<double>);

#if WB_HOST_PASS
namespace {

Status EnqueueUpdate(GpuStream& stream, const TupleRows& rows, int64_t bytes, const Tensor& updates,
                     Tensor* y) {
  const int width =
      WidestElement(AddressBits(y->raw_data(), updates.raw_data()) | static_cast<uint64_t>(bytes));
  return DispatchWidth(width, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t columns = bytes / width;
    const int lanes = TupleRows::LanesOf(columns, GpuGrid().threads);
    return Launch(
        stream, rows.Grid(lanes),
        ScatterUpdateBlock<T>{static_cast<T*>(y->raw_data()),
                              static_cast<const T*>(updates.raw_data()), rows, columns, lanes});
  });
}

template <class T>
Status EnqueueAdd(GpuStream& stream, const TupleRows& rows, int64_t bytes, bool subtracts,
                  const Tensor& updates, Tensor* y) {
  const int64_t columns = bytes / static_cast<int64_t>(sizeof(T));
  const int lanes = TupleRows::LanesOf(columns, GpuGrid().threads);
  return Launch(
      stream, rows.Grid(lanes),
      ScatterAddBlock<T>{static_cast<T*>(y->raw_data()), static_cast<const T*>(updates.raw_data()),
                         rows, columns, lanes, subtracts});
}

// A complex number is two of its parts.
DType PartType(DType dtype) {
  if (!IsComplex(dtype)) return dtype;
  return dtype == DType::kComplex64 ? DType::kFloat : DType::kDouble;
}

Status EnqueueScatter(GpuStream& stream, ScatterOp op, const Tensor& indices, const Tensor& updates,
                      Tensor* y) {
  if (y->num_elements() == 0 || updates.num_elements() == 0) return OkStatus();
  WB_ASSIGN_OR_RETURN(const TupleRows rows, TupleRows::Make(indices, y->shape()));
  const int64_t bytes =
      ElementsOf(y->shape(), rows.depth, y->rank()) * static_cast<int64_t>(DTypeSize(y->dtype()));
  if (op == ScatterOp::kUpdate) return EnqueueUpdate(stream, rows, bytes, updates, y);
  const bool subtracts = op == ScatterOp::kSub;
  const DType part = PartType(y->dtype());
  if (IsFloating(part)) {
    return DispatchTypes(FloatTypeList{}, part, [&](auto tag) {
      using T = typename decltype(tag)::type;
      return EnqueueAdd<T>(stream, rows, bytes, subtracts, updates, y);
    });
  }
  return DispatchPlainElements(part, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    if constexpr (sizeof(T) == 16) {
      return Unimplemented("no integer has 16 bytes");
    } else {
      return EnqueueAdd<T>(stream, rows, bytes, subtracts, updates, y);
    }
  });
}

class ScatterNdOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_RETURN_IF_ERROR(BadIndexPolicy(init.attrs).status());
    return std::make_unique<ScatterNdOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<ScatterAddBlock<float>>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor &indices = ctx.input(0), &updates = ctx.input(1);
    WB_ASSIGN_OR_RETURN(Shape shape, ReadShape(ctx.input(2), "shape"));
    WB_RETURN_IF_ERROR(CheckScatterShapes(indices.shape(), updates.shape(), shape));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    GpuCopier copier(stream);
    WB_RETURN_IF_ERROR(copier.Zero(y->dtype(), y->raw_data(), y->num_elements()));
    return EnqueueScatter(stream, ScatterOp::kAdd, indices, updates, y);
  }
};

template <ScatterOp kOp>
class TensorScatterOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_RETURN_IF_ERROR(BadIndexPolicy(init.attrs).status());
    return std::make_unique<TensorScatterOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<ScatterAddBlock<float>>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    if (x.rank() < 1) return InvalidArgument("the tensor must be at least a vector");
    const Tensor &indices = ctx.input(1), &updates = ctx.input(2);
    WB_RETURN_IF_ERROR(CheckScatterShapes(indices.shape(), updates.shape(), x.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * y, ForwardOrCopy(ctx, stream));
    return EnqueueScatter(stream, kOp, indices, updates, y);
  }
};

}  // namespace

WB_GPU_KERNEL("ScatterNd", ScatterNdOnGpu);
WB_GPU_KERNEL("ScatterNdNonAliasingAdd", TensorScatterOnGpu<ScatterOp::kAdd>);
WB_GPU_KERNEL("TensorScatterUpdate", TensorScatterOnGpu<ScatterOp::kUpdate>);
WB_GPU_KERNEL("TensorScatterAdd", TensorScatterOnGpu<ScatterOp::kAdd>);
WB_GPU_KERNEL("TensorScatterSub", TensorScatterOnGpu<ScatterOp::kSub>);
#endif

}  // namespace warpbeam::WB_PASS
