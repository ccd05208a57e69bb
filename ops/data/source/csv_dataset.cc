// CSVDataset and V2: the records of files of comma-separated values, each field a component.
//
// An error in a record is that record's: the next one follows. A file that cannot be opened, or
// that ends within quotes, gives one error, and the next file follows.

#include <algorithm>

#include "ops/data/dataset_kernel.h"
#include "ops/data/source/csv_reader.h"
#include "ops/data/source/file_dataset.h"
#include "ops/parsing/number_text.h"

namespace warpbeam {
namespace {

struct CsvOptions {
  CsvFormat format;
  bool has_header = false;
  std::string na_value;
  std::vector<int64_t> columns;  // in increasing order
  bool excludes = false;         // `columns` are left out; else they are read, or all without any
  std::vector<Tensor> defaults;  // one for each component, empty where it must be there
  CompressionType compression = CompressionType::kNone;
  size_t buffer_bytes = 0;
};

class CSVDataset final : public Dataset {
 public:
  CSVDataset(ElementSpec spec, std::vector<std::string> paths, CsvOptions options)
      : Dataset(std::move(spec), {}), paths_(std::move(paths)), options_(std::move(options)) {}

  const char* name() const override { return "CSV"; }
  bool FindImmediate() const override { return false; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    return std::make_unique<Iterator>(*this, pipeline);
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const CSVDataset& dataset, PipelineContext& pipeline)
        : dataset_(dataset), options_(dataset.options_), pipeline_(pipeline) {}

    Status GetNext(Element* element, bool* end) override {
      for (;;) {
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        *end = reader_ == nullptr && next_file_ == dataset_.paths_.size();
        if (*end) return OkStatus();
        if (reader_ == nullptr) WB_RETURN_IF_ERROR(OpenFile(dataset_.paths_[next_file_++]));
        bool at_end = false;
        const Status status = ReadRecord(element, &at_end);
        if (at_end) reader_.reset();
        if (!status.ok() || !at_end) return status;
      }
    }

   private:
    Status OpenFile(const std::string& path) {
      WB_ASSIGN_OR_RETURN(std::unique_ptr<ByteSource> source,
                          OpenByteSource(path, options_.compression, options_.buffer_bytes));
      auto reader =
          std::make_unique<CsvReader>(std::move(source), options_.format, options_.buffer_bytes);
      if (options_.has_header) {
        WB_ASSIGN_OR_RETURN(const bool found, reader->SkipLine());
        if (!found) return InvalidArgument("Can't read header of file ", path);
      }
      reader_ = std::move(reader);
      return OkStatus();
    }

    // *at_end: the file holds no more, and no record has been read or the status says why.
    Status ReadRecord(Element* element, bool* at_end) {
      element->clear();
      const StatusOr<bool> file_end = reader_->AtEnd();
      *at_end = !file_end.ok() || *file_end;
      if (*at_end) return file_end.status();
      const size_t wanted = options_.defaults.size();
      Status status;
      size_t column = 0, selected = 0;
      size_t next_column = 0;  // of options_.columns
      for (bool more = true; more; ++column) {
        const Status read = reader_->ReadField(&field_, &more);
        if (reader_->is_broken()) {
          *at_end = true;
          return status.ok() ? read : status;
        }
        status.Update(read);
        if (!IsSelected(static_cast<int64_t>(column), &next_column)) continue;
        if (selected == wanted) {
          status.Update(InvalidArgument("Expect ", wanted, " fields but have more in record"));
        } else if (status.ok()) {
          status.Update(AddField(selected, element));
        }
        selected = std::min(selected + 1, wanted);
      }
      if (selected < wanted) {
        status.Update(
            InvalidArgument("Expect ", wanted, " fields but have ", selected, " in record"));
      }
      return status;
    }

    bool IsSelected(int64_t column, size_t* next_column) const {
      const std::vector<int64_t>& columns = options_.columns;
      const bool named = *next_column < columns.size() && columns[*next_column] == column;
      if (named) ++*next_column;
      return columns.empty() || named != options_.excludes;
    }

    Status AddField(size_t i, Element* element) {
      const Tensor& fallback = options_.defaults[i];
      if (field_.empty() || field_ == options_.na_value) {
        if (fallback.num_elements() == 0) {
          return InvalidArgument("Field ", i, " is required but missing in record!");
        }
        WB_ASSIGN_OR_RETURN(Tensor value, fallback.Reshaped(Shape()));
        element->push_back(std::move(value));
        return OkStatus();
      }
      switch (fallback.dtype()) {
        case DType::kInt32:
          return AddNumber<int32_t>(i, element);
        case DType::kInt64:
          return AddNumber<int64_t>(i, element);
        case DType::kFloat:
          return AddNumber<float>(i, element);
        case DType::kDouble:
          return AddNumber<double>(i, element);
        default:
          element->push_back(Tensor::Scalar<std::string>(std::move(field_)));
          field_.clear();
          return OkStatus();
      }
    }

    template <typename T>
    Status AddNumber(size_t i, Element* element) {
      T value;
      if (!ParseNumber(field_, &value)) {
        return InvalidArgument("Field ", i, " in record is not a valid ",
                               DTypeName(options_.defaults[i].dtype()), ": ", field_);
      }
      element->push_back(Tensor::Scalar<T>(value));
      return OkStatus();
    }

    const CSVDataset& dataset_;
    const CsvOptions& options_;
    PipelineContext& pipeline_;
    std::unique_ptr<CsvReader> reader_;
    size_t next_file_ = 0;
    std::string field_;
  };

  const std::vector<std::string> paths_;
  const CsvOptions options_;
};

// Strictly increasing from 0 on.
Status CheckColumns(const std::vector<int64_t>& columns, const char* name) {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] < 0) {
      return InvalidArgument(name, " should be non-negative indices, got ", columns[i]);
    }
    if (i > 0 && columns[i] <= columns[i - 1]) {
      return InvalidArgument(name, " should be strictly increasing indices, got ", columns[i],
                             " behind ", columns[i - 1]);
    }
  }
  return OkStatus();
}

class CSVDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    constexpr int kFirstDefault = 8;
    CsvOptions options;
    WB_ASSIGN_OR_RETURN(std::vector<std::string> paths,
                        VectorInput<std::string>(ctx, 0, "filenames"));
    WB_ASSIGN_OR_RETURN(const std::string type,
                        ScalarInput<std::string>(ctx, 1, "compression_type"));
    WB_ASSIGN_OR_RETURN(options.compression, ParseCompressionType(type));
    WB_ASSIGN_OR_RETURN(const int64_t buffer_size, ScalarInput<int64_t>(ctx, 2, "buffer_size"));
    if (buffer_size <= 0) {
      return InvalidArgument("buffer_size should be positive, got ", buffer_size);
    }
    options.buffer_bytes = ReadaheadBytes(buffer_size);
    WB_ASSIGN_OR_RETURN(options.has_header, ScalarInput<bool>(ctx, 3, "header"));
    WB_ASSIGN_OR_RETURN(const std::string delimiter,
                        ScalarInput<std::string>(ctx, 4, "field_delim"));
    if (delimiter.size() != 1) {
      return InvalidArgument("field_delim should be only 1 char, got '", delimiter, "'");
    }
    options.format.delimiter = delimiter[0];
    WB_ASSIGN_OR_RETURN(options.format.has_quotes, ScalarInput<bool>(ctx, 5, "use_quote_delim"));
    WB_ASSIGN_OR_RETURN(options.na_value, ScalarInput<std::string>(ctx, 6, "na_value"));
    for (size_t i = 0; i < spec().types.size(); ++i) {
      options.defaults.push_back(ctx.input(kFirstDefault + static_cast<int>(i)));
      if (options.defaults[i].num_elements() <= 1 && options.defaults[i].rank() <= 1) continue;
      return InvalidArgument("Each record default should be at most rank 1 and have at most one ",
                             "element, default ", i, " is ",
                             options.defaults[i].shape().ToString());
    }
    WB_RETURN_IF_ERROR(ReadColumns(ctx, &options));
    return std::make_shared<CSVDataset>(spec(), std::move(paths), std::move(options));
  }

  Status ReadColumns(const KernelContext& ctx, CsvOptions* options) const {
    const int behind_defaults = 8 + static_cast<int>(spec().types.size());
    WB_ASSIGN_OR_RETURN(options->columns, VectorInput<int64_t>(ctx, 7, "select_cols"));
    WB_RETURN_IF_ERROR(CheckColumns(options->columns, "select_cols"));
    if (!options->columns.empty() && options->columns.size() != spec().types.size()) {
      return InvalidArgument("select_cols should match output size: ", options->columns.size(),
                             " against ", spec().types.size());
    }
    if (ctx.num_inputs() == behind_defaults) return OkStatus();
    WB_ASSIGN_OR_RETURN(std::vector<int64_t> excluded,
                        VectorInput<int64_t>(ctx, behind_defaults, "exclude_cols"));
    WB_RETURN_IF_ERROR(CheckColumns(excluded, "exclude_cols"));
    if (excluded.empty()) return OkStatus();
    if (!options->columns.empty()) {
      return InvalidArgument("Either select_cols or exclude_cols should be empty");
    }
    options->columns = std::move(excluded);
    options->excludes = true;
    return OkStatus();
  }
};

WB_OP("CSVDataset")
    .Role(OpRole::kDataset)
    .Input("filenames: string")
    .Input("compression_type: string")
    .Input("buffer_size: int64")
    .Input("header: bool")
    .Input("field_delim: string")
    .Input("use_quote_delim: bool")
    .Input("na_value: string")
    .Input("select_cols: int64")
    .Input("record_defaults: output_types")
    .Output("handle: variant")
    .Attr("output_types: list({float, double, int32, int64, string}) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(DatasetShape);
WB_OP("ExperimentalCSVDataset")
    .Role(OpRole::kDataset)
    .Input("filenames: string")
    .Input("compression_type: string")
    .Input("buffer_size: int64")
    .Input("header: bool")
    .Input("field_delim: string")
    .Input("use_quote_delim: bool")
    .Input("na_value: string")
    .Input("select_cols: int64")
    .Input("record_defaults: output_types")
    .Output("handle: variant")
    .Attr("output_types: list({float, double, int32, int64, string}) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(DatasetShape);
WB_OP("CSVDatasetV2")
    .Role(OpRole::kDataset)
    .Input("filenames: string")
    .Input("compression_type: string")
    .Input("buffer_size: int64")
    .Input("header: bool")
    .Input("field_delim: string")
    .Input("use_quote_delim: bool")
    .Input("na_value: string")
    .Input("select_cols: int64")
    .Input("record_defaults: output_types")
    .Input("exclude_cols: int64")
    .Output("handle: variant")
    .Attr("output_types: list({float, double, int32, int64, string}) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(DatasetShape);
WB_KERNEL("CSVDataset", KernelOf<CSVDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalCSVDataset", KernelOf<CSVDatasetKernel>).Cpu().Cheap();
WB_KERNEL("CSVDatasetV2", KernelOf<CSVDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
