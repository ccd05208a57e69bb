// StringNGrams: runs of neighbouring strings of a ragged row, joined.
#include <algorithm>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// What wide n-grams of padding alone could make of nothing is bounded.
constexpr int64_t kMostPieces = int64_t{1} << 26;

template <class S>
class NGramsKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<NGramsKernel>();
    WB_ASSIGN_OR_RETURN(kernel->separator_, init.attr<std::string>("separator"));
    WB_ASSIGN_OR_RETURN(kernel->widths_, init.attr<std::vector<int64_t>>("ngram_widths"));
    WB_ASSIGN_OR_RETURN(kernel->left_pad_, init.attr<std::string>("left_pad"));
    WB_ASSIGN_OR_RETURN(kernel->right_pad_, init.attr<std::string>("right_pad"));
    WB_ASSIGN_OR_RETURN(kernel->pad_width_, init.attr<int64_t>("pad_width"));
    WB_ASSIGN_OR_RETURN(kernel->preserve_short_, init.attr<bool>("preserve_short_sequences"));
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    for (int64_t width : widths_) {
      if (width < 1) return InvalidArgument("ngram_widths must contain positive values: ", width);
      if (width > kMostPieces) return InvalidArgument("an n-gram of ", width, " strings");
    }
    if (pad_width_ > kMostPieces) return InvalidArgument("a pad_width of ", pad_width_);
    const Tensor& data = ctx.input(0);
    const Tensor& splits = ctx.input(1);
    if (data.rank() != 1 || splits.rank() != 1) {
      return InvalidArgument("data and data_splits must be vectors, not of shapes ",
                             data.shape().ToString(), " and ", splits.shape().ToString());
    }
    const int64_t num_splits = splits.num_elements();
    if (num_splits == 0) {
      WB_RETURN_IF_ERROR(ctx.Allocate(0, data.shape()).status());
      return ctx.Allocate(1, splits.shape()).status();
    }
    WB_RETURN_IF_ERROR(CheckSplits(splits, data.num_elements()));
    WB_ASSIGN_OR_RETURN(Tensor * out_splits, ctx.Allocate(1, splits.shape()));
    const S* const s = splits.data<S>();
    int64_t total = 0;
    int64_t pieces = 0;
    out_splits->data<S>()[0] = 0;
    for (int64_t i = 1; i < num_splits; ++i) {
      total += CountOf(s[i] - s[i - 1], &pieces);
      if (pieces > kMostPieces) {
        return ResourceExhausted("the n-grams would be of more than ", kMostPieces, " strings");
      }
      out_splits->data<S>()[i] = static_cast<S>(total);
    }
    WB_ASSIGN_OR_RETURN(Tensor * ngrams, ctx.Allocate(0, Shape({total})));
    std::string* out = ngrams->data<std::string>();
    for (int64_t i = 1; i < num_splits; ++i) {
      out = Write(data.data<std::string>() + s[i - 1], s[i] - s[i - 1], out);
    }
    return OkStatus();
  }

 private:
  static Status CheckSplits(const Tensor& splits, int64_t size) {
    const S* const s = splits.data<S>();
    const int64_t count = splits.num_elements();
    if (s[0] != 0) return InvalidArgument("First split value must be 0, got ", s[0]);
    for (int64_t i = 1; i < count; ++i) {
      if (s[i] < s[i - 1] || s[i] > size) {
        return InvalidArgument("Invalid split value ", s[i], ", must be in [", s[i - 1], ", ", size,
                               "]");
      }
    }
    if (s[count - 1] != size) {
      return InvalidArgument("Last split value must be data size. Expected ", size, ", got ",
                             s[count - 1]);
    }
    return OkStatus();
  }

  int64_t PadOf(int64_t width) const {
    return pad_width_ < 0 ? width - 1 : std::min(pad_width_, width - 1);
  }
  int64_t CountOfWidth(int64_t length, int64_t width) const {
    return std::max<int64_t>(0, length + 2 * PadOf(width) - width + 1);
  }
  bool KeepsWhole(int64_t count, int64_t length) const {
    return count == 0 && preserve_short_ && length > 0;
  }

  int64_t CountOf(int64_t length, int64_t* pieces) const {
    int64_t count = 0;
    for (int64_t width : widths_) {
      const int64_t own = CountOfWidth(length, width);
      count += own;
      *pieces += own > kMostPieces / width ? kMostPieces + 1 : own * width;
    }
    if (KeepsWhole(count, length)) {
      *pieces += length + 2 * std::max<int64_t>(0, pad_width_);
      return 1;
    }
    return count;
  }

  // Strings [first, first + width) of the row with its padding.
  void Join(const std::string* row, int64_t length, int64_t pad, int64_t first, int64_t width,
            std::string* out) const {
    for (int64_t i = first; i < first + width; ++i) {
      if (i > first) *out += separator_;
      if (i < pad) {
        *out += left_pad_;
      } else {
        *out += i < pad + length ? row[i - pad] : right_pad_;
      }
    }
  }

  std::string* Write(const std::string* row, int64_t length, std::string* out) const {
    int64_t written = 0;
    for (int64_t width : widths_) {
      const int64_t count = CountOfWidth(length, width);
      for (int64_t i = 0; i < count; ++i) Join(row, length, PadOf(width), i, width, out++);
      written += count;
    }
    if (KeepsWhole(written, length)) {
      const int64_t pad = std::max<int64_t>(0, pad_width_);
      Join(row, length, pad, 0, length + 2 * pad, out++);
    }
    return out;
  }

  std::string separator_, left_pad_, right_pad_;
  std::vector<int64_t> widths_;
  int64_t pad_width_ = 0;
  bool preserve_short_ = false;
};

Status NGramsShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  WB_ASSIGN_OR_RETURN(const PartialShape splits, c.WithRank(1, 1));
  c.set_output(0, PartialShape({-1}));
  c.set_output(1, splits);
  return OkStatus();
}

WB_OP("StringNGrams")
    .Input("data: string")
    .Input("data_splits: Tsplits")
    .Output("ngrams: string")
    .Output("ngrams_splits: Tsplits")
    .Attr("separator: string")
    .Attr("ngram_widths: list(int) >= 0")
    .Attr("left_pad: string")
    .Attr("right_pad: string")
    .Attr("pad_width: int")
    .Attr("preserve_short_sequences: bool")
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .Shape(NGramsShape);
WB_KERNEL("StringNGrams", NGramsKernel<int32_t>).Cpu({{"Tsplits", {DType::kInt32}}});
WB_KERNEL("StringNGrams", NGramsKernel<int64_t>).Cpu({{"Tsplits", {DType::kInt64}}});

}  // namespace
}  // namespace warpbeam
