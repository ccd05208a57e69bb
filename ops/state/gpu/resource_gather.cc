// ResourceGather, ResourceGatherNd on a GPU. As on TensorFlow's, an index out of range gives zeros.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/launch/pass.h"
#include "ops/state/gpu/index_tuples.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/index/gather_slices.h"
#include "ops/array/strided_copy.h"
#include "ops/launch/dispatch.h"
#include "ops/state/gather_checks.h"
#include "ops/state/variable_update.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// Elements that are moved together: of a row, as many as its size and place allow.
template <int bytes>
struct alignas(bytes) MovedBytes {
  unsigned char at[bytes];
};

// Row s of `y` is row tuples.Row(s) of the batch, of `limit` rows, that s is in. Index counts
// elements.
template <class T, class Index>
struct VariableRowsBlock {
  T* y;
  const T* params;
  IndexTuples tuples;
  Index count, width, rows_per_batch;
  int64_t limit;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](Index i) {
      const Index s = i / width, c = i % width;
      const int64_t row = tuples.Row(s);
      const int64_t first = int64_t{s / rows_per_batch} * limit;
      y[i] = row < 0 ? T{} : params[(first + row) * width + c];
    });
  }
};

#define WB_VARIABLE_ROWS_BLOCKS(bytes)                             \
  WB_GPU_FUNCTION(VariableRowsBlock<MovedBytes<bytes>, uint32_t>); \
  WB_GPU_FUNCTION(VariableRowsBlock<MovedBytes<bytes>, int64_t>)
WB_VARIABLE_ROWS_BLOCKS(1);
WB_VARIABLE_ROWS_BLOCKS(2);
WB_VARIABLE_ROWS_BLOCKS(4);
WB_VARIABLE_ROWS_BLOCKS(8);
WB_VARIABLE_ROWS_BLOCKS(16);

#if WB_HOST_PASS
namespace {

// What the rows of a result are, in bytes.
struct RowsOfVariable {
  IndexTuples tuples;
  int64_t rows, row_bytes, rows_per_batch, limit;
};

template <class T>
Status EnqueueRows(GpuStream& stream, const RowsOfVariable& r, const Tensor& params, Tensor* y) {
  const int64_t width = r.row_bytes / static_cast<int64_t>(sizeof(T)), count = r.rows * width;
  GpuGrid grid;
  grid.blocks = GpuBlocksFor((count + grid.threads - 1) / grid.threads);
  const auto launch = [&](auto index) {
    using Index = decltype(index);
    VariableRowsBlock<T, Index> block{};
    block.y = static_cast<T*>(y->raw_data());
    block.params = static_cast<const T*>(params.raw_data());
    block.tuples = r.tuples;
    block.count = static_cast<Index>(count);
    block.width = static_cast<Index>(width);
    block.rows_per_batch = static_cast<Index>(r.rows_per_batch);
    block.limit = r.limit;
    return Launch(stream, grid, block);
  };
  // So that the last step of a thread does not overflow either.
  return count < (int64_t{1} << 31) ? launch(uint32_t{}) : launch(int64_t{});
}

Status EnqueueRowsOf(GpuStream& stream, const RowsOfVariable& r, const Tensor& params, Tensor* y) {
  const auto bits = reinterpret_cast<uintptr_t>(params.raw_data()) |
                    reinterpret_cast<uintptr_t>(y->raw_data()) |
                    static_cast<uintptr_t>(r.row_bytes);
  if (bits % 16 == 0) return EnqueueRows<MovedBytes<16>>(stream, r, params, y);
  if (bits % 8 == 0) return EnqueueRows<MovedBytes<8>>(stream, r, params, y);
  if (bits % 4 == 0) return EnqueueRows<MovedBytes<4>>(stream, r, params, y);
  if (bits % 2 == 0) return EnqueueRows<MovedBytes<2>>(stream, r, params, y);
  return EnqueueRows<MovedBytes<1>>(stream, r, params, y);
}

int64_t RowBytes(const Tensor& params, int first_dim) {
  return ElementsOf(params.shape(), first_dim, params.rank()) *
         static_cast<int64_t>(DTypeSize(params.dtype()));
}

bool HasCode() { return HasGpuFunction<VariableRowsBlock<MovedBytes<4>, uint32_t>>(); }

class ResourceGatherOnGpu final : public GpuKernel {
 public:
  explicit ResourceGatherOnGpu(int64_t batch_dims) : batch_dims_(batch_dims) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return std::make_unique<ResourceGatherOnGpu>(init.attrs.GetOr<int64_t>("batch_dims", 0));
  }
  static bool HasGpuCode(const AttrMap&) { return HasCode(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const Tensor params, ReadGatherParams(ctx, finder_));
    const Tensor& indices = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const int batch, GatherBatchDims(params, indices, batch_dims_));
    WB_ASSIGN_OR_RETURN(const Shape shape,
                        GatherShape(params.shape(), indices.shape(), batch, batch));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (y->num_elements() == 0) return OkStatus();
    RowsOfVariable r{};
    r.limit = params.dim(batch);
    WB_ASSIGN_OR_RETURN(r.tuples, TuplesOf(indices, 1, Shape({r.limit})));
    r.rows = indices.num_elements();
    r.rows_per_batch = ElementsOf(indices.shape(), batch, indices.rank());
    r.row_bytes = RowBytes(params, batch + 1);
    return EnqueueRowsOf(stream, r, params, y);
  }

 private:
  const int64_t batch_dims_;
  VariableFinder finder_;
};

class ResourceGatherNdOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<ResourceGatherNdOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasCode(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const Tensor params, ReadGatherParams(ctx, finder_));
    const Tensor& indices = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const Shape shape, GatherNdShape(params.shape(), indices.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (y->num_elements() == 0) return OkStatus();
    const auto entries = static_cast<int>(indices.dim(indices.rank() - 1));
    RowsOfVariable r{};
    WB_ASSIGN_OR_RETURN(r.tuples, TuplesOf(indices, entries, params.shape()));
    r.row_bytes = RowBytes(params, entries);
    r.rows = y->bytes() / static_cast<size_t>(r.row_bytes);
    r.rows_per_batch = r.rows;
    return EnqueueRowsOf(stream, r, params, y);
  }

 private:
  VariableFinder finder_;
};

}  // namespace

WB_GPU_KERNEL("ResourceGather", ResourceGatherOnGpu);
WB_GPU_KERNEL("ResourceGatherNd", ResourceGatherNdOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
