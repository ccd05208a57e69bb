// InitializeTableFromTextFile and its V2: fill a table from the lines of a file. A key or value is
// a column, the whole line (-2) or the line's number (-1).
#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/queue/named_resource.h"
#include "ops/table/lookup_shapes.h"
#include "ops/table/lookup_table.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace {

constexpr int64_t kWholeLine = -2;
constexpr int64_t kLineNumber = -1;

std::vector<absl::string_view> Lines(absl::string_view text) {
  std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

template <class T>
Status Parsed(bool is_good, absl::string_view text, int64_t line) {
  if (is_good) return OkStatus();
  return InvalidArgument("Field ", text, " in line ", line, " is not a valid ",
                         DTypeName(DTypeOf<T>::value), ".");
}

Status Store(absl::string_view text, int64_t line, Tensor* out) {
  switch (out->dtype()) {
    case DType::kInt32:
      return Parsed<int32_t>(absl::SimpleAtoi(text, &out->data<int32_t>()[line]), text, line);
    case DType::kInt64:
      return Parsed<int64_t>(absl::SimpleAtoi(text, &out->data<int64_t>()[line]), text, line);
    case DType::kFloat:
      return Parsed<float>(absl::SimpleAtof(text, &out->data<float>()[line]), text, line);
    case DType::kDouble:
      return Parsed<double>(absl::SimpleAtod(text, &out->data<double>()[line]), text, line);
    case DType::kString:
      out->data<std::string>()[line].assign(text.data(), text.size());
      return OkStatus();
    default:
      return InvalidArgument("Data type ", DTypeName(out->dtype()), " not supported.");
  }
}

class TextFileKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<TextFileKernel>();
    WB_ASSIGN_OR_RETURN(kernel->key_index_, init.attr<int64_t>("key_index"));
    WB_ASSIGN_OR_RETURN(kernel->value_index_, init.attr<int64_t>("value_index"));
    WB_ASSIGN_OR_RETURN(kernel->vocab_size_, init.attr<int64_t>("vocab_size"));
    WB_ASSIGN_OR_RETURN(kernel->offset_, init.attr<int64_t>("offset"));
    WB_ASSIGN_OR_RETURN(const std::string delimiter, init.attr<std::string>("delimiter"));
    if (delimiter.size() != 1) {
      return InvalidArgument("delimiter should be only 1 char, not '", delimiter, "'");
    }
    kernel->delimiter_ = delimiter[0];
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<LookupTable> table, finder_.Find(ctx, 0));
    if (ctx.input(1).num_elements() != 1) {
      return InvalidArgument("filename should be a single string, but got ",
                             ctx.input(1).shape().ToString());
    }
    const std::string& path = *ctx.input(1).data<std::string>();
    const TableSpec& spec = table->spec();
    WB_RETURN_IF_ERROR(CheckLineNumber(key_index_, "Key", "key", spec.key_dtype));
    WB_RETURN_IF_ERROR(CheckLineNumber(value_index_, "Value", "value", spec.value_dtype));
    if (!table->is_static()) return InvalidArgument("Table ", spec.name, " is not initializable");
    WB_ASSIGN_OR_RETURN(std::string text, ReadFileToString(path));
    text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
    if (text.empty()) return OutOfRange("the vocabulary file ", path, " is empty");
    std::vector<absl::string_view> lines = Lines(text);
    // A table that has been filled stays as it is. Only the first line must make sense, as in
    // TensorFlow, whose programs initialise tables again whenever a session is created.
    const bool is_filled = table->is_initialized();
    if (is_filled) {
      lines.resize(std::min<size_t>(lines.size(), 1));
    } else if (vocab_size_ >= 0 && static_cast<int64_t>(lines.size()) < vocab_size_) {
      return InvalidArgument("Invalid vocab_size in ", path, ": expected ", vocab_size_,
                             " but got ", lines.size());
    }
    if (vocab_size_ >= 0 && !is_filled) lines.resize(static_cast<size_t>(vocab_size_));
    const Shape shape({static_cast<int64_t>(lines.size())});
    WB_ASSIGN_OR_RETURN(Tensor keys, Tensor::Allocate(spec.key_dtype, shape));
    WB_ASSIGN_OR_RETURN(Tensor values, Tensor::Allocate(spec.value_dtype, shape));
    for (size_t i = 0; i < lines.size(); ++i) {
      WB_RETURN_IF_ERROR(ReadLine(path, lines[i], static_cast<int64_t>(i), &keys, &values));
    }
    if (is_filled) return OkStatus();
    const Status filled = table->Initialize(keys, values);
    // Another step may have filled it meanwhile.
    if (IsFailedPrecondition(filled) && table->is_initialized()) return OkStatus();
    return filled;
  }

 private:
  static Status CheckLineNumber(int64_t index, const char* what, const char* which, DType dtype) {
    if (index != kLineNumber || dtype == DType::kInt64) return OkStatus();
    return InvalidArgument(what, " index for line number requires table ", which,
                           " dtype of int64, got ", DTypeName(dtype));
  }

  Status ReadLine(const std::string& path, absl::string_view line, int64_t number, Tensor* keys,
                  Tensor* values) const {
    if (line.empty()) {
      return InvalidArgument("Invalid content in ", path, ": empty line found, line ", number + 1,
                             " of the file");
    }
    std::vector<absl::string_view> columns;
    const int64_t last = std::max(key_index_, value_index_);
    if (last >= 0) {
      columns = absl::StrSplit(line, delimiter_);
      if (static_cast<int64_t>(columns.size()) <= last) {
        return InvalidArgument("Invalid number of columns in ", path, " line ", number, " (", line,
                               ") : expected at least ", last + 1, " got ", columns.size());
      }
    }
    for (const auto& [index, out] : {std::pair<int64_t, Tensor*>(key_index_, keys),
                                     std::pair<int64_t, Tensor*>(value_index_, values)}) {
      if (index == kLineNumber) {
        out->data<int64_t>()[number] = number + offset_;
      } else {
        WB_RETURN_IF_ERROR(Store(index == kWholeLine ? line : columns[index], number, out));
      }
    }
    return OkStatus();
  }

  ResourceFinder<LookupTable> finder_;
  int64_t key_index_ = 0;
  int64_t value_index_ = 0;
  int64_t vocab_size_ = -1;
  int64_t offset_ = 0;
  char delimiter_ = '\t';
};

Status TextFileShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(CheckHandle(c));
  return c.WithRank(1, 0).status();
}

WB_OP("InitializeTableFromTextFile")
    .Input("table_handle: Ref(string)")
    .Input("filename: string")
    .Attr("key_index: int >= -2")
    .Attr("value_index: int >= -2")
    .Attr("vocab_size: int >= -1 = -1")
    .Attr("delimiter: string = '\\t'")
    .Attr("offset: int = 0")
    .Needs(Capability::kReadFile)
    .Shape(TextFileShape);
WB_KERNEL("InitializeTableFromTextFile", TextFileKernel).Cpu();
WB_NO_GRADIENT("InitializeTableFromTextFile");

WB_OP("InitializeTableFromTextFileV2")
    .Input("table_handle: resource")
    .Input("filename: string")
    .Attr("key_index: int >= -2")
    .Attr("value_index: int >= -2")
    .Attr("vocab_size: int >= -1 = -1")
    .Attr("delimiter: string = '\\t'")
    .Attr("offset: int = 0")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(TextFileShape);
WB_KERNEL("InitializeTableFromTextFileV2", TextFileKernel).Cpu();
WB_NO_GRADIENT("InitializeTableFromTextFileV2");

}  // namespace
}  // namespace warpbeam
