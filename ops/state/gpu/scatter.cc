// Scatter*, ScatterNd* and their forms for resource variables on a GPU. An index out of range is
// left out, as by TensorFlow's kernels of GPUs.
#include "ops/array/gpu/ordered_rows.h"
#include "ops/launch/gpu_function.h"
#include "ops/launch/math.h"
#include "ops/launch/pass.h"
#include "ops/state/gpu/index_tuples.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/index/scatter_rows.h"
#include "ops/array/strided_copy.h"
#include "ops/launch/dispatch.h"
#include "ops/state/update_checks.h"
#include "ops/state/variable_update.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

enum class RowChange { kUpdate, kAdd, kSub, kMul, kDiv, kMin, kMax };

// Row tuples.Row(i) of `to` is changed by row i of `updates`, or all of it by the only update.
template <class T>
struct ScatterRowsBlock {
  RowChange change;
  IndexTuples tuples;
  int64_t begin, end;  // of the tuples
  T* to;
  const T* updates;
  bool is_scalar;
  int64_t width;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForRowsInOrder(
        block, begin, end, [&](int64_t i) { return tuples.Row(i); },
        [&](int64_t row, int64_t i) {
          block.ForEach([&](int thread) {
            for (int64_t c = thread; c < width; c += block.threads()) {
              T& at = to[row * width + c];
              at = Changed(at, updates[is_scalar ? 0 : i * width + c]);
            }
          });
        });
  }

 private:
  WB_BLOCK T Changed(T a, T b) const {
    switch (change) {
      case RowChange::kUpdate:
        return b;
      case RowChange::kAdd:
        return Plus(a, b);
      case RowChange::kSub:
        return Minus(a, b);
      case RowChange::kMul:
        return Times(a, b);
      case RowChange::kDiv:
        return Quotient(a, b);
      case RowChange::kMin:
        return b < a ? b : a;
      case RowChange::kMax:
        return a < b ? b : a;
    }
    return a;
  }
  // Nobody could refuse a divisor that is zero: the number stays.
  WB_BLOCK static T Quotient(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      if (b == T(0)) return a;
      if (std::is_signed_v<T> && b == static_cast<T>(-1)) return Minus(T(0), a);
    }
    return static_cast<T>(a / b);
  }
};
WB_GPU_FUNCTION(ScatterRowsBlock<Half>);
WB_GPU_FUNCTION(ScatterRowsBlock<BFloat16>);
WB_GPU_FUNCTION(ScatterRowsBlock<float>);
WB_GPU_FUNCTION(ScatterRowsBlock<double>);
WB_GPU_FUNCTION(ScatterRowsBlock<int8_t>);
WB_GPU_FUNCTION(ScatterRowsBlock<int16_t>);
WB_GPU_FUNCTION(ScatterRowsBlock<int64_t>);
WB_GPU_FUNCTION(ScatterRowsBlock<uint8_t>);
WB_GPU_FUNCTION(ScatterRowsBlock<uint16_t>);
WB_GPU_FUNCTION(ScatterRowsBlock<uint32_t>);
WB_GPU_FUNCTION(ScatterRowsBlock<uint64_t>);

#if WB_HOST_PASS
namespace {

// The numbers that a change of `dtype` is computed in: any of the size where bits are only moved,
// real ones for sums of complex ones.
DType ComputedIn(RowChange change, DType dtype) {
  if (change == RowChange::kUpdate) {
    switch (DTypeSize(dtype)) {
      case 1:
        return DType::kUInt8;
      case 2:
        return DType::kUInt16;
      case 4:
        return DType::kUInt32;
      default:
        return DType::kUInt64;
    }
  }
  if (change != RowChange::kAdd && change != RowChange::kSub) return dtype;
  if (dtype == DType::kComplex64) return DType::kFloat;
  return dtype == DType::kComplex128 ? DType::kDouble : dtype;
}

using ScatteredTypes = TypeList<Half, BFloat16, float, double, int8_t, int16_t, int64_t, uint8_t,
                                uint16_t, uint32_t, uint64_t>;

Status EnqueueScatter(GpuStream& stream, RowChange change, const Tensor& indices, int entries,
                      const Tensor& updates, bool is_scalar, Tensor* value) {
  int64_t width = ElementsOf(value->shape(), entries, value->rank());
  if (width == 0 || updates.num_elements() == 0) return OkStatus();
  const int64_t count =
      entries > 0 ? indices.num_elements() / entries : updates.num_elements() / width;
  WB_ASSIGN_OR_RETURN(const IndexTuples tuples, TuplesOf(indices, entries, value->shape()));
  const DType dtype = ComputedIn(change, value->dtype());
  // Numbers of several parts have no scalar updates.
  const size_t parts = DTypeSize(value->dtype()) / DTypeSize(dtype);
  width *= static_cast<int64_t>(parts);
  return DispatchTypes(ScatteredTypes{}, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return LaunchRowsInOrder(count, [&](int64_t begin, int64_t end, const GpuGrid& grid) {
      return Launch(stream, grid,
                    ScatterRowsBlock<T>{change, tuples, begin, end, value->data<T>(),
                                        updates.data<T>(), is_scalar, width});
    });
  });
}

template <RowChange change, bool is_resource, bool has_tuples>
class ScatterOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    if (has_tuples) WB_RETURN_IF_ERROR(BadIndexPolicy(init.attrs).status());
    return std::make_unique<ScatterOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<ScatterRowsBlock<float>>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor &indices = ctx.input(1), &updates = ctx.input(2);
    return UpdateVariable<is_resource>(ctx, finder_, [&](Variable& v) -> Status {
      // No rows, whatever the updates.
      if (is_resource && !has_tuples && indices.num_elements() == 0) return OkStatus();
      return ModifyOnGpu(ctx, stream, v, [&](Tensor& value) -> Status {
        if (!has_tuples) {
          WB_RETURN_IF_ERROR(CheckRowUpdates(value, indices, updates));
          return EnqueueScatter(stream, change, indices, 1, updates, updates.rank() == 0, &value);
        }
        WB_RETURN_IF_ERROR(CheckTupleUpdates(value, indices, updates));
        const auto entries = static_cast<int>(indices.dim(indices.rank() - 1));
        return EnqueueScatter(stream, change, indices, entries, updates, false, &value);
      });
    });
  }

 private:
  VariableFinder finder_;
};

template <RowChange change>
using Rows = ScatterOnGpu<change, false, false>;
template <RowChange change>
using ResourceRows = ScatterOnGpu<change, true, false>;
template <RowChange change>
using Tuples = ScatterOnGpu<change, false, true>;
template <RowChange change>
using ResourceTuples = ScatterOnGpu<change, true, true>;

}  // namespace

WB_GPU_KERNEL("ScatterUpdate", Rows<RowChange::kUpdate>);
WB_GPU_KERNEL("ScatterAdd", Rows<RowChange::kAdd>);
WB_GPU_KERNEL("ScatterSub", Rows<RowChange::kSub>);
WB_GPU_KERNEL("ScatterMul", Rows<RowChange::kMul>);
WB_GPU_KERNEL("ScatterDiv", Rows<RowChange::kDiv>);
WB_GPU_KERNEL("ScatterMin", Rows<RowChange::kMin>);
WB_GPU_KERNEL("ScatterMax", Rows<RowChange::kMax>);
WB_GPU_KERNEL("ResourceScatterUpdate", ResourceRows<RowChange::kUpdate>);
WB_GPU_KERNEL("ResourceScatterAdd", ResourceRows<RowChange::kAdd>);
WB_GPU_KERNEL("ResourceScatterSub", ResourceRows<RowChange::kSub>);
WB_GPU_KERNEL("ResourceScatterMul", ResourceRows<RowChange::kMul>);
WB_GPU_KERNEL("ResourceScatterDiv", ResourceRows<RowChange::kDiv>);
WB_GPU_KERNEL("ResourceScatterMin", ResourceRows<RowChange::kMin>);
WB_GPU_KERNEL("ResourceScatterMax", ResourceRows<RowChange::kMax>);
WB_GPU_KERNEL("ScatterNdUpdate", Tuples<RowChange::kUpdate>);
WB_GPU_KERNEL("ScatterNdAdd", Tuples<RowChange::kAdd>);
WB_GPU_KERNEL("ScatterNdSub", Tuples<RowChange::kSub>);
WB_GPU_KERNEL("ScatterNdMin", Tuples<RowChange::kMin>);
WB_GPU_KERNEL("ScatterNdMax", Tuples<RowChange::kMax>);
WB_GPU_KERNEL("ResourceScatterNdUpdate", ResourceTuples<RowChange::kUpdate>);
WB_GPU_KERNEL("ResourceScatterNdAdd", ResourceTuples<RowChange::kAdd>);
WB_GPU_KERNEL("ResourceScatterNdSub", ResourceTuples<RowChange::kSub>);
WB_GPU_KERNEL("ResourceScatterNdMin", ResourceTuples<RowChange::kMin>);
WB_GPU_KERNEL("ResourceScatterNdMax", ResourceTuples<RowChange::kMax>);
#endif

}  // namespace warpbeam::WB_PASS
