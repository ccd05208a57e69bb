// RowBatch: gathers elements into one tensor per component, each element a row.
//
// Rows are copied as they arrive, while they are still in the cache, so that no element is kept.
// Memory for a whole batch is taken at once, up to a limit; a larger batch grows as it fills.
//
//   RowBatch batch(pipeline.allocator());
//   batch.Begin(/*capacity=*/32);
//   WB_RETURN_IF_ERROR(batch.Append(element));
//   batch.Take(&out);
//
// Ownership: the batch owns its tensors until Take. Thread safety: one thread. Errors:
// INVALID_ARGUMENT for rows of different shapes or types; RESOURCE_EXHAUSTED.
#ifndef WARPBEAM_OPS_DATA_TRANSFORM_ROW_BATCH_H_
#define WARPBEAM_OPS_DATA_TRANSFORM_ROW_BATCH_H_

#include <cstdint>
#include <vector>

#include "ops/data/dataset.h"

namespace warpbeam {

class RowBatch {
 public:
  explicit RowBatch(Allocator& allocator) : allocator_(allocator) {}

  // Starts a batch of up to `capacity` rows; the first row says what they look like.
  void Begin(int64_t capacity);
  // The element's strings and other objects are moved where nobody else holds them.
  Status Append(Element& element);
  int64_t size() const { return size_; }
  // The rows so far.
  void Take(Element* batch);

 private:
  Status Start(const Element& first);
  Status Grow();

  Allocator& allocator_;
  int64_t capacity_ = 0;   // of the batch
  int64_t allocated_ = 0;  // rows that there is memory for
  int64_t size_ = 0;
  std::vector<Tensor> rows_;
  std::vector<Shape> row_shapes_;
  std::vector<size_t> row_bytes_;
};

// Copies the element's values to `to`; objects are moved when `from` is their only owner.
void MoveElements(Tensor& from, void* to);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_TRANSFORM_ROW_BATCH_H_
