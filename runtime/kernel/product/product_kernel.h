// ProductKernel: the side of a matrix product or a convolution that hands over its result piece by
// piece, for what comes after it.
//
// A bias and an activation read and write a product's result once more each. A kernel with this
// side calls an epilogue on every piece of its result instead, in the thread that has just written
// the piece, while it is in that core's cache (runtime/lower/fused_product.h).
//
//   struct AddOne final : ProductEpilogue {
//     bool Takes(const Shape&) override { return true; }
//     void Finish(const ProductStrip& strip) const override { … }
//   };
//   AddOne epilogue;
//   WB_RETURN_IF_ERROR(kernel->ComputeWith(ctx, &epilogue));
//
// GpuProductKernel is its counterpart on a GPU. What a library keeps there cannot be handed over to
// anybody, so that an epilogue is one of those that libraries compute themselves, in one launch
// with the product:
//
//   const Status status = on_gpu->EnqueueWith(ctx, stream, GpuEpilogue::kBiasRelu);
//   if (!IsUnimplemented(status)) return status;
//   // … else the nodes one after another
//
// Ownership: the caller's. Thread safety: Takes is called once, before anything is computed; Finish
// by several threads at once, on different strips. Errors: the kernel's own; when it fails, some
// strips may not have been finished. On a GPU, UNIMPLEMENTED where the library has no such launch
// or the operands do not go together; then nothing has been enqueued.
#ifndef WARPBEAM_RUNTIME_KERNEL_PRODUCT_PRODUCT_KERNEL_H_
#define WARPBEAM_RUNTIME_KERNEL_PRODUCT_PRODUCT_KERNEL_H_

#include <algorithm>
#include <cstdint>

#include "graph/types/errors.h"
#include "graph/types/shape.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

class GpuStream;

// Rows [first_row, first_row + rows) and columns [first_column, first_column + columns) of a
// result, seen as a matrix whose columns are its last dimension.
struct ProductStrip {
  void* data;  // the strip's first element
  int64_t first_row, rows;
  int64_t first_column, columns;
  int64_t row_stride;  // elements from row to row: the matrix's columns
};

class ProductEpilogue {
 public:
  virtual ~ProductEpilogue() = default;
  // Whether Finish shall be called, on strips that hold every element of a result of this shape
  // exactly once.
  virtual bool Takes(const Shape& result) = 0;
  virtual void Finish(const ProductStrip& strip) const = 0;
};

class ProductKernel {
 public:
  virtual ~ProductKernel() = default;
  // Kernel::Compute, but with the epilogue's work done on the result where the epilogue takes it.
  virtual Status ComputeWith(KernelContext& ctx, ProductEpilogue* epilogue) = 0;
};

enum class GpuEpilogue : uint8_t {
  kNone,
  kBias,       // a vector, one element for each column or channel, is added to the result
  kBiasRelu,   // and what is negative then becomes 0
  kFirstSums,  // beside c = op(a) op(b), the sums of op(a)'s rows: one for each row of c
  kSecondSums  // the sums of op(b)'s columns: one for each column of c
};
constexpr bool HasBias(GpuEpilogue epilogue) {
  return epilogue == GpuEpilogue::kBias || epilogue == GpuEpilogue::kBiasRelu;
}
constexpr bool HasSums(GpuEpilogue epilogue) {
  return epilogue == GpuEpilogue::kFirstSums || epilogue == GpuEpilogue::kSecondSums;
}

class GpuProductKernel {
 public:
  virtual ~GpuProductKernel() = default;
  // The node's own inputs come first, then the bias; sums are the second output.
  virtual Status EnqueueWith(KernelContext& ctx, GpuStream& stream, GpuEpilogue epilogue) = 0;
};

// Finishes a result that is written already: its rows shared out among the threads.
inline void FinishRows(const KernelContext& ctx, const ProductEpilogue& epilogue, void* data,
                       int64_t rows, int64_t columns, size_t element_bytes) {
  if (rows == 0 || columns == 0) return;
  constexpr int64_t kElements = 4096;
  const int64_t share = std::max<int64_t>(1, kElements / columns);
  ctx.ParallelFor(
      (rows + share - 1) / share, /*ns_per_item=*/2000, [&](int64_t begin, int64_t end) {
        const int64_t from = begin * share, to = std::min(rows, end * share);
        char* first =
            static_cast<char*>(data) + from * columns * static_cast<int64_t>(element_bytes);
        epilogue.Finish({first, from, to - from, 0, columns, columns});
      });
}

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_KERNEL_PRODUCT_PRODUCT_KERNEL_H_
