// For tests of dataset ops: makes datasets with OpRunner and reads them.
//
//   Tensor range = testing_data::Range(0, 5);
//   EXPECT_THAT(testing_data::ReadInts(range), ElementsAre(0, 1, 2, 3, 4));
//
// Thread safety: one thread. Errors: as failed expectations; a dataset that could not be made is an
// empty tensor, and reading that gives no elements.
#ifndef WARPBEAM_OPS_DATA_DATASET_TESTING_H_
#define WARPBEAM_OPS_DATA_DATASET_TESTING_H_

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/data/dataset.h"
#include "ops/launch/op_runner.h"
#include "runtime/memory/pool_allocator.h"

namespace warpbeam {
namespace testing_data {

inline Tensor Int(int64_t v) { return Tensor::Scalar<int64_t>(v); }
inline Tensor Text(std::string v) { return Tensor::Scalar<std::string>(std::move(v)); }

// The op with elements of one component of this type and shape.
inline OpRunner Op(const char* name, DType type = DType::kInt64,
                   PartialShape shape = PartialShape()) {
  OpRunner op(name);
  op.Attr("output_types", std::vector<DType>{type});
  op.Attr("output_shapes", std::vector<PartialShape>{std::move(shape)});
  return op;
}

inline Tensor Made(StatusOr<Tensor> dataset) {
  EXPECT_TRUE(dataset.ok()) << dataset.status();
  return dataset.ok() ? *std::move(dataset) : Tensor();
}

inline Tensor Range(int64_t begin, int64_t end) {
  return Made(Op("RangeDataset").Input(Int(begin)).Input(Int(end)).Input(Int(1)).RunOne());
}

// An iterator with the pipeline that it needs.
struct Reader {
  explicit Reader(const Tensor& tensor) : pipeline(nullptr, nullptr, &PoolAllocator::Process()) {
    auto found = DatasetFromTensor(tensor);
    EXPECT_TRUE(found.ok()) << found.status();
    if (!found.ok()) return;
    dataset = *std::move(found);
    auto made = dataset->MakeIterator(pipeline);
    EXPECT_TRUE(made.ok()) << made.status();
    if (made.ok()) iterator = *std::move(made);
  }
  // False at the end and after an error.
  bool Next() {
    bool end = true;
    status = iterator == nullptr ? OkStatus() : iterator->GetNext(&element, &end);
    return status.ok() && !end;
  }

  PipelineContext pipeline;
  DatasetRef dataset;
  std::unique_ptr<DatasetIterator> iterator;
  Element element;
  Status status;
};

// The elements of a dataset of int64 scalars, at most `limit`.
inline std::vector<int64_t> ReadInts(const Tensor& dataset, size_t limit = 1000) {
  std::vector<int64_t> values;
  Reader reader(dataset);
  while (values.size() < limit && reader.Next()) {
    values.push_back(reader.element[0].scalar<int64_t>());
  }
  EXPECT_TRUE(reader.status.ok()) << reader.status;
  return values;
}

// The elements of a dataset of int64 vectors or matrices, each as its values.
inline std::vector<std::vector<int64_t>> ReadRows(const Tensor& dataset) {
  std::vector<std::vector<int64_t>> rows;
  Reader reader(dataset);
  while (reader.Next()) {
    const auto values = reader.element[0].flat<int64_t>();
    rows.emplace_back(values.begin(), values.end());
  }
  EXPECT_TRUE(reader.status.ok()) << reader.status;
  return rows;
}

inline int64_t Cardinality(const Tensor& dataset) {
  auto n = OpRunner("DatasetCardinality").Input(dataset).RunOne();
  EXPECT_TRUE(n.ok()) << n.status();
  return n.ok() ? n->scalar<int64_t>() : -100;
}

}  // namespace testing_data
}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_DATASET_TESTING_H_
