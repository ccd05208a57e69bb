#include "ops/queue/queue_rows.h"

#include <algorithm>
#include <utility>

#include "ops/array/strided_copy.h"
#include "runtime/device/device.h"

namespace warpbeam {
namespace {

// What the rows of a component have in common, [rows, …], and whether some are smaller.
struct BatchShape {
  Shape shape;
  bool pads = false;
};

StatusOr<BatchShape> ShapeOfBatch(const PartialShape& declared, const Queue::Rows& rows,
                                  size_t component) {
  BatchShape batch;
  const int64_t count = static_cast<int64_t>(rows.size());
  std::vector<int64_t> dims;
  if (rows.empty()) {
    for (int64_t d : declared.dims()) dims.push_back(std::max<int64_t>(d, 0));
  } else {
    const Shape& first = rows[0][component].shape();
    dims.assign(first.dims().begin(), first.dims().end());
    for (const Queue::Row& row : rows) {
      const Shape& shape = row[component].shape();
      if (shape == first) continue;
      if (!declared.has_rank() || shape.rank() != first.rank()) {
        return InvalidArgument("the elements of component ", component,
                               " have different shapes: ", first.ToString(), " and ",
                               shape.ToString());
      }
      batch.pads = true;
      for (int i = 0; i < shape.rank(); ++i) dims[i] = std::max(dims[i], shape.dim(i));
    }
  }
  dims.insert(dims.begin(), count);
  WB_ASSIGN_OR_RETURN(batch.shape, Shape::Make(dims));
  return batch;
}

void CopyPadded(const KernelContext& ctx, const Tensor& row, const Shape& batch, void* to) {
  if (row.rank() == 0 || row.num_elements() == 0) {
    return CopyElements(row.dtype(), to, row.raw_data(), row.num_elements());
  }
  const auto from_strides = RowMajorStrides(row.shape());
  const auto to_strides = RowMajorStrides(batch);
  CopyDims dims;
  for (int i = 0; i < row.rank(); ++i) {
    dims.push_back({row.dim(i), from_strides[i], to_strides[i + 1]});
  }
  StridedCopy(ctx, row.dtype(), to, row.raw_data(), MakeConstSpan(dims));
}

void MoveRow(Tensor& row, void* to) {
  if (row.dtype() == DType::kString && row.IsUnique()) {
    std::string* from = row.data<std::string>();
    std::move(from, from + row.num_elements(), static_cast<std::string*>(to));
  } else {
    CopyElements(row.dtype(), to, row.raw_data(), row.num_elements());
  }
}

}  // namespace

StatusOr<Queue::Rows> SplitBatch(const Queue::Row& batch, bool copy) {
  const int64_t count = batch[0].dim(0);
  Queue::Rows rows(static_cast<size_t>(count));
  for (Queue::Row& row : rows) row.reserve(batch.size());
  for (const Tensor& t : batch) {
    const Shape shape = t.shape().Remove(0);
    char* data = static_cast<char*>(const_cast<void*>(t.raw_data()));
    const size_t row_bytes = static_cast<size_t>(shape.num_elements()) * DTypeSize(t.dtype());
    for (int64_t i = 0; i < count; ++i) {
      Tensor row(t.dtype(), shape, t.buffer(), data + static_cast<size_t>(i) * row_bytes);
      if (copy) {
        WB_ASSIGN_OR_RETURN(row, row.Clone());
      }
      rows[static_cast<size_t>(i)].push_back(std::move(row));
    }
  }
  return rows;
}

Status JoinRows(KernelContext& ctx, const QueueSpec& spec, Queue::Rows rows) {
  for (size_t c = 0; c < spec.types.size(); ++c) {
    WB_ASSIGN_OR_RETURN(const BatchShape batch, ShapeOfBatch(spec.shapes[c], rows, c));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(static_cast<int>(c), batch.shape));
    if (rows.empty()) continue;
    const DType type = spec.types[c];
    const int64_t row_elements = ElementsOf(batch.shape, 1, batch.shape.rank());
    if (batch.pads) ZeroRange(ctx, type, out->raw_data(), out->num_elements());
    for (size_t i = 0; i < rows.size(); ++i) {
      void* to = Advance(out->raw_data(), type, static_cast<int64_t>(i) * row_elements);
      if (batch.pads) {
        CopyPadded(ctx, rows[i][c], batch.shape, to);
      } else {
        MoveRow(rows[i][c], to);
      }
    }
  }
  return OkStatus();
}

StatusOr<Tensor> ValueForQueue(const KernelContext& ctx, const Tensor& value) {
  constexpr size_t kSmall = 4096;  // of waste, not worth a copy
  const bool is_whole = !value.buffer() || value.buffer()->bytes() <= 2 * value.bytes() + kSmall;
  if (is_whole || !IsPlainData(value.dtype())) return value;
  // What other devices hold is not for this thread to read.
  if (ctx.device() != nullptr && ctx.device()->type() != DeviceType::kCpu) return value;
  return value.Clone();
}

}  // namespace warpbeam
