// DatasetOfBatches: what datasets share whose elements are `batch_size` elements of their input.
//
//   class BatchDataset final : public DatasetOfBatches { using DatasetOfBatches::DatasetOfBatches;
//   … };
//
// Ownership, thread safety, errors: as Dataset.
#ifndef WARPBEAM_OPS_DATA_DATASET_OF_BATCHES_H_
#define WARPBEAM_OPS_DATA_DATASET_OF_BATCHES_H_

#include <cstdint>
#include <utility>

#include "ops/data/dataset.h"

namespace warpbeam {

class DatasetOfBatches : public Dataset {
 public:
  DatasetOfBatches(ElementSpec spec, DatasetRef input, int64_t batch_size, bool drop_remainder)
      : Dataset(std::move(spec), {std::move(input)}),
        batch_size_(batch_size),
        drop_remainder_(drop_remainder) {}

  int64_t CountElements() const final {
    const int64_t n = input().Cardinality();
    if (n < 0) return n;
    return n / batch_size_ + (n % batch_size_ == 0 || drop_remainder_ ? 0 : 1);
  }

 protected:
  const int64_t batch_size_;
  const bool drop_remainder_;  // a last batch that is not full
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_DATASET_OF_BATCHES_H_
