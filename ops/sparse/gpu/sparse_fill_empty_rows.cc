// SparseFillEmptyRows and RaggedFillEmptyRows on a GPU. Rows that have an element are marked, and
// the host is told how many have none, by which it knows how long the result is. An element then
// stands as many places further back as there are empty rows before its own.
//
// Elements that are not in the order of their rows are first sorted by these.
#include "ops/array/gpu/moved_element.h"
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_flags.h"
#include "ops/launch/gpu_select.h"
#include "ops/launch/gpu_sort.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/sparse/fill_rows.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// 1: there is an element of a row that is not there. 2: they are not in the order of their rows.
struct FilledRowFlags {
  const int64_t* indices;
  int64_t rank, rows;
  WB_BLOCK int64_t Flags(int64_t i) const {
    const int64_t row = indices[i * rank];
    if (row < 0 || row >= rows) return 1;
    return i > 0 && row < indices[(i - 1) * rank] ? 2 : 0;
  }
};

struct FilledRowKeys {
  const int64_t* indices;
  int64_t rank;
  WB_BLOCK uint64_t Key(int64_t i) const { return static_cast<uint64_t>(indices[i * rank]); }
};

// First all rows are marked as empty, then those of the elements as not.
struct MarkEmptyRowsBlock {
  bool* is_empty;
  int64_t rows;
  const int64_t* indices;  // null: all are
  int64_t count, rank;
  WB_BLOCK void operator()(GpuBlock& block) const {
    if (indices == nullptr) {
      ForEachElement(block, rows, [&](int64_t row) { is_empty[row] = true; });
    } else {
      ForEachElement(block, count,
                     [&](int64_t i) { AtomicStore(is_empty + indices[i * rank], false); });
    }
  }
};

struct EmptyRows {
  const bool* is_empty;
  int64_t* numbers;  // of the empty rows
  WB_BLOCK bool Selects(int64_t row) const { return is_empty[row]; }
  WB_BLOCK void Place(int64_t row, int64_t position) const { numbers[position] = row; }
};

template <class T>
struct FillRowsBlock {
  const int64_t* indices;  // [count, rank]
  const T* values;         // [count]
  const T* fill;
  const int64_t* order;  // [count], by row; null: as they stand
  const int64_t* empty;  // [num_empty], the numbers of these rows
  int64_t count, rank, num_empty;
  int64_t* to_indices;  // [count + num_empty, rank]
  T* to_values;
  int64_t* moved;  // [count]: where each element is

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count + num_empty,
                   [&](int64_t i) { i < count ? Move(i) : Fill(i - count); });
  }

 private:
  WB_BLOCK int64_t Element(int64_t i) const { return order == nullptr ? i : order[i]; }
  WB_BLOCK void Move(int64_t i) const {
    const int64_t from = Element(i), row = indices[from * rank];
    // How many empty rows there are before.
    int64_t low = 0, high = num_empty;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (empty[middle] < row) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const int64_t to = i + low;
    for (int64_t d = 0; d < rank; ++d) to_indices[to * rank + d] = indices[from * rank + d];
    to_values[to] = values[from];
    moved[from] = to;
  }
  WB_BLOCK void Fill(int64_t i) const {
    const int64_t row = empty[i];
    // How many elements there are of the rows before.
    int64_t low = 0, high = count;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (indices[Element(middle) * rank] < row) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const int64_t to = i + low;
    to_indices[to * rank] = row;
    for (int64_t d = 1; d < rank; ++d) to_indices[to * rank + d] = 0;
    to_values[to] = *fill;
  }
};

WB_GPU_FUNCTION(FlagsBlock<FilledRowFlags>);
WB_GPU_SORT(FilledRowKeys);
WB_GPU_FUNCTION(MarkEmptyRowsBlock);
WB_GPU_SELECTION(EmptyRows);
WB_GPU_FUNCTION(FillRowsBlock<uint8_t>);
WB_GPU_FUNCTION(FillRowsBlock<uint16_t>);
WB_GPU_FUNCTION(FillRowsBlock<uint32_t>);
WB_GPU_FUNCTION(FillRowsBlock<uint64_t>);
WB_GPU_FUNCTION(FillRowsBlock<Wide>);

#if WB_HOST_PASS
namespace {

template <bool kRagged>
class FillEmptyRowsOnGpu final : public ReadBackKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<FillEmptyRowsOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<FillRowsBlock<uint32_t>>(); }

  Status EnqueueReading(KernelContext& ctx, ReadableGpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const SparseView x, kRagged ? ReadRaggedRows(ctx) : ReadSparse(ctx, 0));
    WB_RETURN_IF_ERROR(CheckFill(x, ctx.input(3)));
    const int64_t rows = x.dims[0];
    WB_ASSIGN_OR_RETURN(const int64_t flags,
                        ReadFlags(ctx, stream, FilledRowFlags{x.indices, x.rank, rows}, x.count));
    if ((flags & 1) != 0) return Refuse(ctx, stream, x);
    Tensor order;
    if (flags != 0) {
      WB_ASSIGN_OR_RETURN(order, SortedOrder(ctx, stream, FilledRowKeys{x.indices, x.rank}, x.count,
                                             GroupBits(rows)));
    }
    WB_ASSIGN_OR_RETURN(Tensor * was_empty, ctx.Allocate(2, Shape({rows})));
    auto* const is_empty = was_empty->data<bool>();
    MarkEmptyRowsBlock mark = {is_empty, rows, nullptr, x.count, x.rank};
    WB_RETURN_IF_ERROR(Launch(stream, ElementGrid(rows), mark));
    mark.indices = x.indices;
    if (x.count > 0) WB_RETURN_IF_ERROR(Launch(stream, ElementGrid(x.count), mark));
    EmptyRows empty = {is_empty, nullptr};
    WB_ASSIGN_OR_RETURN(const GpuSelection selection,
                        GpuSelection::Count(ctx, stream, empty, rows));
    int64_t num_empty = 0;
    WB_RETURN_IF_ERROR(stream.Read(selection.total(), 1, &num_empty));
    WB_ASSIGN_OR_RETURN(Tensor numbers, ctx.AllocateTemp(DType::kInt64, Shape({num_empty})));
    empty.numbers = numbers.data<int64_t>();
    WB_RETURN_IF_ERROR(selection.Place(stream, empty));
    return Fill(ctx, stream, x, order, numbers);
  }

 private:
  static Status Fill(KernelContext& ctx, GpuStream& stream, const SparseView& x,
                     const Tensor& order, const Tensor& empty) {
    const int64_t num_empty = empty.num_elements(), total = x.count + num_empty;
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({total, x.rank}));
    WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, kRagged ? Shape({total}) : shape));
    WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(1, Shape({total})));
    WB_ASSIGN_OR_RETURN(Tensor * moved, ctx.Allocate(3, Shape({x.count})));
    if (total == 0) return OkStatus();
    return DispatchWidth(static_cast<int>(DTypeSize(values->dtype())), [&](auto tag) {
      using T = typename decltype(tag)::type;
      FillRowsBlock<T> block = {};
      block.indices = x.indices;
      block.values = static_cast<const T*>(x.values->raw_data());
      block.fill = static_cast<const T*>(ctx.input(3).raw_data());
      block.order = order.has_value() ? order.data<int64_t>() : nullptr;
      block.empty = empty.data<int64_t>();
      block.count = x.count;
      block.rank = x.rank;
      block.num_empty = num_empty;
      block.to_indices = indices->data<int64_t>();
      block.to_values = static_cast<T*>(values->raw_data());
      block.moved = moved->data<int64_t>();
      return Launch(stream, ElementGrid(total), block);
    });
  }
  // As the CPU does.
  static Status Refuse(KernelContext& ctx, ReadableGpuStream& stream, const SparseView& x) {
    WB_ASSIGN_OR_RETURN(const Tensor indices, stream.Read(ctx.input(0)));
    SparseView on_host = x;
    on_host.indices = indices.data<int64_t>();
    return CheckFilledRows(on_host);
  }
};

}  // namespace

using SparseFillEmptyRowsOnGpu = FillEmptyRowsOnGpu<false>;
using RaggedFillEmptyRowsOnGpu = FillEmptyRowsOnGpu<true>;
WB_GPU_KERNEL("SparseFillEmptyRows", SparseFillEmptyRowsOnGpu);
WB_GPU_KERNEL("RaggedFillEmptyRows", RaggedFillEmptyRowsOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
