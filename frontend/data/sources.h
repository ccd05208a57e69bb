// Datasets of files, of numbers, of other datasets in turn, and of a program's own functions.
//
//   Dataset lines = TextLineDataset(scope, {"a.txt", "b.txt"});
//   Dataset rows = CsvDataset(scope, {"prices.csv"}, {{DType::kInt64}, {DType::kFloat, 0.5f}});
//   Dataset both = SampleFromDatasets({lines, rows}, {0.9f, 0.1f});
//   Dataset mine = FromGenerator(scope, {{DType::kFloat}, {PartialShape({2})}}, [] {
//     return [i = 0]() mutable -> StatusOr<std::optional<std::vector<Tensor>>> {
//       if (++i > 10) return std::optional<std::vector<Tensor>>();          // the end
//       return std::optional<std::vector<Tensor>>({Tensor::Vector<float>({1.0f * i, 2.0f * i})});
//     };
//   });
//
// Nodes and names are those that tf.data makes in TensorFlow 1.
//
// Ownership, thread safety and errors: as those of dataset.h; what they are of FromGenerator stands
// there.
#ifndef WARPBEAM_FRONTEND_DATA_SOURCES_H_
#define WARPBEAM_FRONTEND_DATA_SOURCES_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontend/data/dataset.h"

namespace warpbeam {
namespace frontend {
namespace data {

// The lines of text files, one file after the other. `compression` is "", "ZLIB" or "GZIP".
Dataset TextLineDataset(ScopeRef scope, const std::vector<std::string>& filenames,
                        const std::string& compression = "");

// Pieces of `record_bytes`, between a header and a footer of each file.
Dataset FixedLengthRecordDataset(ScopeRef scope, const std::vector<std::string>& filenames,
                                 int64_t record_bytes, int64_t header_bytes = 0,
                                 int64_t footer_bytes = 0, const std::string& compression = "");

// The names of the files that match a pattern such as "data/*.tfrecord", in random order unless
// `shuffle` is off; a run is an error where there are none.
Dataset ListFiles(ScopeRef scope, const Input& file_pattern, bool shuffle = true,
                  std::optional<int64_t> seed = std::nullopt);

// A column of a CSV file: its type and what stands for an empty field, which else is an error.
struct CsvColumn {
  CsvColumn(DType type) : dtype(type) {}  // NOLINT: a type says enough
  CsvColumn(DType type, const Input& value) : dtype(type), default_value(value) {}

  DType dtype;
  std::optional<Input> default_value;
};

struct CsvOptions {
  CsvOptions& header(bool value) {
    has_header = value;
    return *this;
  }
  CsvOptions& field_delim(std::string value) {
    delimiter = std::move(value);
    return *this;
  }
  CsvOptions& use_quote_delim(bool value) {
    quotes = value;
    return *this;
  }
  // What stands for an empty field besides nothing, such as "NA".
  CsvOptions& na_value(std::string value) {
    not_available = std::move(value);
    return *this;
  }
  // The columns that are read, in ascending order; by default the first ones.
  CsvOptions& select_cols(std::vector<int64_t> value) {
    selected = std::move(value);
    return *this;
  }
  // "", "ZLIB" or "GZIP".
  CsvOptions& compression_type(std::string value) {
    compression = std::move(value);
    return *this;
  }

  bool has_header = false;
  bool quotes = true;
  std::string delimiter = ",";
  std::string not_available;
  std::vector<int64_t> selected;
  std::string compression;
};

// The rows of CSV files, a scalar for each column (tf.data.experimental.CsvDataset).
Dataset CsvDataset(ScopeRef scope, const std::vector<std::string>& filenames,
                   const std::vector<CsvColumn>& columns, const CsvOptions& options = CsvOptions());

// Random int64 numbers from 0 to 2^32 - 1 (tf.data.Dataset.random).
Dataset RandomDataset(ScopeRef scope, std::optional<int64_t> seed = std::nullopt);
// start, start + step… without end (tf.data.Dataset.counter).
Dataset Counter(ScopeRef scope, int64_t start = 0, int64_t step = 1);
// One element for each value of a sparse tensor's rows: those of one row as the components of a
// sparse tensor, indices, values and dense shape.
Dataset FromSparseTensorSlices(ScopeRef scope, const Input& indices, const Input& values,
                               const Input& dense_shape);

// The elements that Dataset::Save has written under `path`.
Dataset Load(ScopeRef scope, const std::string& path, ElementSpec spec,
             const std::string& compression = "");

// The next element of the dataset that `choices`, of int64 numbers, names.
Dataset ChooseFromDatasets(const std::vector<Dataset>& datasets, const Dataset& choices,
                           bool stop_on_empty_dataset = true,
                           SourceLocation where = SourceLocation::Here());
// The next element of a dataset drawn at random, each with its weight, or all alike.
Dataset SampleFromDatasets(const std::vector<Dataset>& datasets,
                           const std::vector<float>& weights = {},
                           std::optional<int64_t> seed = std::nullopt,
                           bool stop_on_empty_dataset = false,
                           SourceLocation where = SourceLocation::Here());

// The same with weights that change: an element of `weights`, a share for each dataset, for each
// draw.
Dataset SampleFromDatasets(const std::vector<Dataset>& datasets, const Dataset& weights,
                           std::optional<int64_t> seed = std::nullopt,
                           bool stop_on_empty_dataset = false,
                           SourceLocation where = SourceLocation::Here());

// The next element, its components' tensors, or nothing after the last one.
using Generator = std::function<StatusOr<std::optional<std::vector<Tensor>>>()>;
// What `make_generator` makes anew for each pass over the dataset (Dataset.from_generator). Its
// functions are called from threads of the session, those of one pass one at a time. An element
// that is not as `spec` says is an error of the run. The dataset runs in this process alone.
Dataset FromGenerator(ScopeRef scope, ElementSpec spec, std::function<Generator()> make_generator);

}  // namespace data
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_DATA_SOURCES_H_
