// DecodeCSV: records of comma-separated values into one tensor for each column (RFC 4180).
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/parsing/number_text.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

using ColumnTypes = TypeList<float, double, int32_t, int64_t, std::string>;

class RecordReader {
 public:
  RecordReader(absl::string_view record, char delimiter, bool quotes)
      : record_(record), delimiter_(delimiter), quotes_(quotes) {}

  // False when there is no further field.
  StatusOr<bool> Next(std::string* field) {
    field->clear();
    if (after_delimiter_ && at_ == record_.size()) {
      after_delimiter_ = false;
      return true;  // the empty field after a delimiter at the end
    }
    while (at_ < record_.size() && IsLineEnd(record_[at_])) ++at_;
    if (at_ == record_.size()) return false;
    if (quotes_ && record_[at_] == '"') {
      WB_RETURN_IF_ERROR(Quoted(field));
    } else {
      WB_RETURN_IF_ERROR(Plain(field));
    }
    after_delimiter_ = at_ < record_.size();
    if (after_delimiter_) ++at_;
    return true;
  }

 private:
  static bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }

  Status Plain(std::string* field) {
    for (; at_ < record_.size() && record_[at_] != delimiter_; ++at_) {
      const char c = record_[at_];
      if (IsLineEnd(c) || (quotes_ && c == '"')) {
        return InvalidArgument("Unquoted fields cannot have quotes/CRLFs inside");
      }
      field->push_back(c);
    }
    return OkStatus();
  }
  // Up to a quote before a delimiter or the end; a doubled quote stands for one.
  Status Quoted(std::string* field) {
    for (++at_; at_ < record_.size(); ++at_) {
      if (record_[at_] == '"') {
        ++at_;
        if (at_ == record_.size() || record_[at_] == delimiter_) return OkStatus();
        if (record_[at_] != '"') {
          return InvalidArgument("a Quote inside a string has to be escaped by another quote");
        }
      }
      field->push_back(record_[at_]);
    }
    return InvalidArgument("Quoted field has to end with quote followed by delim or end");
  }

  absl::string_view record_;
  char delimiter_;
  bool quotes_;
  size_t at_ = 0;
  bool after_delimiter_ = false;
};

Status StoreField(const std::string& field, bool missing, const Tensor& fallback, int64_t column,
                  int64_t row, Tensor* y) {
  if (missing && fallback.num_elements() != 1) {
    return InvalidArgument("Field ", column, " is required but missing in record ", row, "!");
  }
  return DispatchTypes(ColumnTypes{}, y->dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    T& value = y->data<T>()[row];
    if (missing) {
      value = fallback.data<T>()[0];
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = field;
    } else if (!ParseNumber(field, &value)) {
      return InvalidArgument("Field ", column, " in record ", row, " is not a valid ",
                             DTypeName(y->dtype()), ": ", field);
    }
    return OkStatus();
  });
}

class DecodeCsvKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<DecodeCsvKernel>();
    WB_ASSIGN_OR_RETURN(std::string delimiter, init.attr<std::string>("field_delim"));
    if (delimiter.size() != 1) {
      return InvalidArgument("'field_delim' must be one character, not '", delimiter, "'");
    }
    kernel->delimiter_ = delimiter[0];
    WB_ASSIGN_OR_RETURN(kernel->quotes_, init.attr<bool>("use_quote_delim"));
    WB_ASSIGN_OR_RETURN(kernel->missing_, init.attr<std::string>("na_value"));
    WB_ASSIGN_OR_RETURN(kernel->columns_, init.attr<std::vector<int64_t>>("select_cols"));
    const std::vector<int64_t>& columns = kernel->columns_;
    if (!columns.empty() && columns.size() != init.output_types.size()) {
      return InvalidArgument("'select_cols' names ", columns.size(), " columns, 'OUT_TYPE' ",
                             init.output_types.size());
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] < 0 || (i > 0 && columns[i] <= columns[i - 1])) {
        return InvalidArgument("'select_cols' must be columns in rising order");
      }
    }
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    const Tensor& records = ctx.input(0);
    std::vector<Tensor*> outputs;
    for (int i = 0; i < ctx.num_outputs(); ++i) {
      if (ctx.input(i + 1).rank() > 1 || ctx.input(i + 1).num_elements() > 1) {
        return InvalidArgument("the default of column ", i,
                               " must have one element or none, not the shape ",
                               ctx.input(i + 1).shape().ToString());
      }
      WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(i, records.shape()));
      outputs.push_back(y);
    }
    for (int64_t r = 0; r < records.num_elements(); ++r) {
      WB_RETURN_IF_ERROR(DecodeRecord(ctx, records.data<std::string>()[r], r, outputs));
    }
    return OkStatus();
  }

 private:
  Status DecodeRecord(KernelContext& ctx, const std::string& record, int64_t row,
                      const std::vector<Tensor*>& outputs) const {
    RecordReader reader(record, delimiter_, quotes_);
    std::string field;
    size_t output = 0;
    int64_t column = 0;
    for (;; ++column) {
      auto more = reader.Next(&field);
      if (!more.ok()) {
        return Annotate(more.status(), absl::StrCat("field ", column, " of record ", row));
      }
      if (!*more) break;
      if (!columns_.empty() && (output == columns_.size() || columns_[output] != column)) continue;
      if (output < outputs.size()) {
        WB_RETURN_IF_ERROR(StoreField(field, field.empty() || field == missing_,
                                      ctx.input(static_cast<int>(output) + 1), column, row,
                                      outputs[output]));
      }
      ++output;
    }
    if (output == outputs.size()) return OkStatus();
    return InvalidArgument("Expect ", outputs.size(), " fields but have ", output, " in record ",
                           row);
  }

  char delimiter_ = ',';
  bool quotes_ = true;
  std::string missing_;  // stands for a missing value, as does an empty field
  std::vector<int64_t> columns_;
};

Status DecodeCsvShape(ShapeContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) {
    const PartialShape& fallback = c.input(i);
    if (fallback.has_rank() &&
        (fallback.rank() > 1 || (fallback.rank() == 1 && fallback.dim(0) > 1))) {
      return InvalidArgument("a default must have one element or none, not the shape ",
                             fallback.ToString());
    }
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, c.input(0));
  return OkStatus();
}

WB_OP("DecodeCSV")
    .Input("records: string")
    .Input("record_defaults: OUT_TYPE")
    .Output("output: OUT_TYPE")
    .Attr("OUT_TYPE: list({float, double, int32, int64, string}) >= 1")
    .Attr("field_delim: string = ','")
    .Attr("use_quote_delim: bool = true")
    .Attr("na_value: string = ''")
    .Attr("select_cols: list(int) = []")
    .Shape(DecodeCsvShape);
WB_KERNEL("DecodeCSV", DecodeCsvKernel).Cpu();

}  // namespace
}  // namespace warpbeam
