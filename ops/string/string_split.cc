// StringSplit, StringSplitV2: the pieces of strings as a sparse matrix, a row for each string.
#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

using Pieces = std::vector<absl::string_view>;

// At every character of `delimiters`; without any, into single bytes.
void SplitAtAny(absl::string_view s, absl::string_view delimiters, bool skip_empty, Pieces* out) {
  if (s.empty()) return;
  if (delimiters.empty()) {
    for (size_t i = 0; i < s.size(); ++i) out->push_back(s.substr(i, 1));
    return;
  }
  while (true) {
    const size_t end = s.find_first_of(delimiters);
    const absl::string_view piece = s.substr(0, end);
    if (!skip_empty || !piece.empty()) out->push_back(piece);
    if (end == absl::string_view::npos) return;
    s.remove_prefix(end + 1);
  }
}

// At runs of white space, at most `limit` times where it is not negative.
void SplitAtSpace(absl::string_view s, int64_t limit, Pieces* out) {
  s = absl::StripLeadingAsciiWhitespace(s);
  while (!s.empty()) {
    size_t end = 0;
    while (end < s.size() && !absl::ascii_isspace(static_cast<unsigned char>(s[end]))) ++end;
    if (limit == 0) end = s.size();
    if (limit > 0) --limit;
    out->push_back(s.substr(0, end));
    s = absl::StripLeadingAsciiWhitespace(s.substr(end));
  }
}

// At each place where the whole separator stands, at most `limit` times where it is not negative.
void SplitAtString(absl::string_view s, absl::string_view separator, int64_t limit, Pieces* out) {
  while (true) {
    const size_t end = limit == 0 ? absl::string_view::npos : s.find(separator);
    if (limit > 0) --limit;
    out->push_back(s.substr(0, end));
    if (end == absl::string_view::npos) return;
    s.remove_prefix(end + separator.size());
  }
}

// Runs split(string, delimiter, pieces) for every string and writes the sparse matrix.
template <typename Split>
Status WritePieces(KernelContext& ctx, Split split) {
  const Tensor& x = ctx.input(0);
  const Tensor& delimiter = ctx.input(1);
  if (x.rank() != 1) {
    return InvalidArgument("the strings must be a vector, not of shape ", x.shape().ToString());
  }
  if (delimiter.rank() != 0) {
    return InvalidArgument("the delimiter must be a scalar, not of shape ",
                           delimiter.shape().ToString());
  }
  Pieces pieces;
  std::vector<int64_t> row_ends;
  int64_t columns = 0;
  for (const std::string& s : x.flat<std::string>()) {
    const size_t before = pieces.size();
    split(s, delimiter.scalar<std::string>(), &pieces);
    columns = std::max(columns, static_cast<int64_t>(pieces.size() - before));
    row_ends.push_back(static_cast<int64_t>(pieces.size()));
  }
  const int64_t total = static_cast<int64_t>(pieces.size());
  WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, Shape({total, 2})));
  WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(1, Shape({total})));
  WB_ASSIGN_OR_RETURN(Tensor * shape, ctx.Allocate(2, Shape({2})));
  shape->data<int64_t>()[0] = x.dim(0);
  shape->data<int64_t>()[1] = columns;
  int64_t* index = indices->data<int64_t>();
  int64_t at = 0;
  for (int64_t row = 0; row < x.dim(0); ++row) {
    for (int64_t column = 0; at < row_ends[static_cast<size_t>(row)]; ++at, ++column) {
      *index++ = row;
      *index++ = column;
      const absl::string_view piece = pieces[static_cast<size_t>(at)];
      values->data<std::string>()[at].assign(piece.data(), piece.size());
    }
  }
  return OkStatus();
}

class StringSplitKernel final : public Kernel {
 public:
  explicit StringSplitKernel(bool skip_empty) : skip_empty_(skip_empty) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(bool skip_empty, init.attr<bool>("skip_empty"));
    return std::make_unique<StringSplitKernel>(skip_empty);
  }
  Status Compute(KernelContext& ctx) override {
    return WritePieces(ctx, [&](absl::string_view s, absl::string_view delimiters, Pieces* out) {
      SplitAtAny(s, delimiters, skip_empty_, out);
    });
  }

 private:
  const bool skip_empty_;
};

class StringSplitV2Kernel final : public Kernel {
 public:
  explicit StringSplitV2Kernel(int64_t limit) : limit_(limit) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(int64_t limit, init.attr<int64_t>("maxsplit"));
    return std::make_unique<StringSplitV2Kernel>(limit);
  }
  Status Compute(KernelContext& ctx) override {
    return WritePieces(ctx, [&](absl::string_view s, absl::string_view separator, Pieces* out) {
      if (separator.empty()) {
        SplitAtSpace(s, limit_, out);
      } else {
        SplitAtString(s, separator, limit_, out);
      }
    });
  }

 private:
  const int64_t limit_;  // negative: none
};

Status StringSplitShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  c.set_output(0, PartialShape({-1, 2}));
  c.set_output(1, PartialShape({-1}));
  c.set_output(2, PartialShape({2}));
  return OkStatus();
}

WB_OP("StringSplit")
    .Input("input: string")
    .Input("delimiter: string")
    .Output("indices: int64")
    .Output("values: string")
    .Output("shape: int64")
    .Attr("skip_empty: bool = true")
    .Shape(StringSplitShape);
WB_KERNEL("StringSplit", StringSplitKernel).Cpu();
WB_NO_GRADIENT("StringSplit");

WB_OP("StringSplitV2")
    .Input("input: string")
    .Input("sep: string")
    .Output("indices: int64")
    .Output("values: string")
    .Output("shape: int64")
    .Attr("maxsplit: int = -1")
    .Shape(StringSplitShape);
WB_KERNEL("StringSplitV2", StringSplitV2Kernel).Cpu();

}  // namespace
}  // namespace warpbeam
