// WindowDataset: datasets of up to `size` consecutive elements, each starting `shift` after the one
// before, taking every `stride`-th. A window has one dataset for each component.
// SlidingWindowDataset: the same windows, with one tensor of all its elements for each component.

#include <algorithm>
#include <deque>

#include "ops/data/dataset_kernel.h"
#include "ops/data/elements_dataset.h"
#include "ops/data/transform/row_batch.h"

namespace warpbeam {
namespace {

struct WindowOptions {
  int64_t size = 1;
  int64_t shift = 1;
  int64_t stride = 1;
  bool drop_remainder = false;
  bool stacks = false;  // a component is one tensor
};

class WindowDataset final : public Dataset {
 public:
  WindowDataset(ElementSpec spec, DatasetRef input, WindowOptions options)
      : Dataset(std::move(spec), {std::move(input)}), options_(options) {}

  const char* name() const override { return options_.stacks ? "SlidingWindow" : "Window"; }
  int64_t CountElements() const override {
    const int64_t n = input().Cardinality();
    if (n < 0) return n;
    // TensorFlow's count, which the last windows may not reach.
    if (options_.stacks && options_.drop_remainder) return n / options_.shift;
    if (!options_.drop_remainder) return n / options_.shift + (n % options_.shift == 0 ? 0 : 1);
    const int64_t span = Span();
    return span < 0 || n < span ? 0 : (n - span) / options_.shift + 1;
  }
  // Windows far apart pass over many elements.
  bool FindImmediate() const override { return options_.shift <= 4096 && InputsAreImmediate(); }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(*this, pipeline);
    WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
    return iterator;
  }

 private:
  // Elements from the first to the last of a window; -1 when that is no number.
  int64_t Span() const {
    int64_t span;
    if (__builtin_mul_overflow(options_.size - 1, options_.stride, &span)) return -1;
    return __builtin_add_overflow(span, 1, &span) ? -1 : span;
  }

  class Iterator final : public DatasetIterator {
   public:
    Iterator(const WindowDataset& dataset, PipelineContext& pipeline)
        : dataset_(dataset),
          pipeline_(pipeline),
          span_(dataset.Span()),
          batch_(pipeline.allocator()) {}

    Status GetNext(Element* element, bool* end) override {
      WB_RETURN_IF_ERROR(Fill());
      const WindowOptions& options = dataset_.options_;
      const bool is_full = span_ >= 0 && static_cast<int64_t>(buffer_.size()) >= span_;
      *end = buffer_.empty() || (options.drop_remainder && !is_full);
      if (*end) return OkStatus();
      std::vector<Element> rows;
      Status status;
      for (size_t i = 0; i < buffer_.size() && rows.size() < static_cast<uint64_t>(options.size);) {
        status = buffer_[i].status;
        if (!status.ok()) break;
        rows.push_back(buffer_[i].element);
        if (static_cast<uint64_t>(options.stride) >= buffer_.size() - i) break;
        i += static_cast<size_t>(options.stride);
      }
      if (status.ok()) status = GiveOut(rows, element);
      const int64_t dropped = std::min<int64_t>(options.shift, buffer_.size());
      buffer_.erase(buffer_.begin(), buffer_.begin() + dropped);
      to_skip_ = options.shift - dropped;
      return status;
    }

   private:
    friend class WindowDataset;

    // What the input gave. An error is that of each window with the element, and of no other.
    struct Row {
      Element element;
      Status status;
    };

    // Elements of the next window; windows that overlap keep theirs.
    Status Fill() {
      while (input_ != nullptr &&
             (span_ < 0 || to_skip_ > 0 || static_cast<int64_t>(buffer_.size()) < span_)) {
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        Row row;
        bool end = false;
        row.status = input_->GetNext(&row.element, &end);
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        if (row.status.ok() && end) {
          input_.reset();
        } else if (to_skip_ > 0) {
          --to_skip_;
        } else {
          buffer_.push_back(std::move(row));
        }
      }
      return OkStatus();
    }

    Status GiveOut(std::vector<Element>& rows, Element* element) {
      if (!dataset_.options_.stacks) {
        MakeDatasets(rows, element);
        return OkStatus();
      }
      batch_.Begin(static_cast<int64_t>(rows.size()));
      // A row is another window's too: its strings are copied, for `buffer_` holds them.
      for (Element& row : rows) WB_RETURN_IF_ERROR(batch_.Append(row));
      batch_.Take(element);
      return OkStatus();
    }

    void MakeDatasets(const std::vector<Element>& rows, Element* element) const {
      const ElementSpec& spec = dataset_.input().spec();
      element->clear();
      for (size_t c = 0; c < spec.types.size(); ++c) {
        std::vector<Element> column;
        column.reserve(rows.size());
        for (const Element& row : rows) column.push_back({row[c]});
        ElementSpec component{{spec.types[c]}, {spec.shapes[c]}};
        element->push_back(DatasetToTensor(
            std::make_shared<ElementsDataset>(std::move(component), std::move(column))));
      }
    }

    const WindowDataset& dataset_;
    PipelineContext& pipeline_;
    const int64_t span_;
    std::unique_ptr<DatasetIterator> input_;
    std::deque<Row> buffer_;
    int64_t to_skip_ = 0;
    RowBatch batch_;
  };

  const WindowOptions options_;
};

Status Check(const WindowOptions& options) {
  if (options.size <= 0) {
    return InvalidArgument("window size must be greater than zero, got ", options.size);
  }
  if (options.shift <= 0) {
    return InvalidArgument("window shift must be greater than zero, got ", options.shift);
  }
  if (options.stride <= 0) {
    return InvalidArgument("window stride must be greater than zero, got ", options.stride);
  }
  return OkStatus();
}

class WindowDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WindowOptions options;
    WB_ASSIGN_OR_RETURN(options.size, ScalarInput<int64_t>(ctx, 1, "size"));
    WB_ASSIGN_OR_RETURN(options.shift, ScalarInput<int64_t>(ctx, 2, "shift"));
    WB_ASSIGN_OR_RETURN(options.stride, ScalarInput<int64_t>(ctx, 3, "stride"));
    WB_ASSIGN_OR_RETURN(options.drop_remainder, ScalarInput<bool>(ctx, 4, "drop_remainder"));
    WB_RETURN_IF_ERROR(Check(options));
    return std::make_shared<WindowDataset>(spec(), std::move(input), options);
  }
};

class SlidingWindowDatasetKernel final : public DatasetKernel {
  Status ReadAttrs(KernelInit& init) override {
    drop_remainder_ = init.attrs.GetOr<bool>("drop_remainder", true);
    return OkStatus();
  }
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WindowOptions options;
    WB_ASSIGN_OR_RETURN(options.size, ScalarInput<int64_t>(ctx, 1, "window_size"));
    WB_ASSIGN_OR_RETURN(options.shift, ScalarInput<int64_t>(ctx, 2, "window_shift"));
    WB_ASSIGN_OR_RETURN(options.stride, ScalarInput<int64_t>(ctx, 3, "window_stride"));
    options.drop_remainder = drop_remainder_;
    options.stacks = true;
    WB_RETURN_IF_ERROR(Check(options));
    return std::make_shared<WindowDataset>(spec(), std::move(input), options);
  }
  bool drop_remainder_ = true;
};

WB_OP("WindowDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("size: int64")
    .Input("shift: int64")
    .Input("stride: int64")
    .Input("drop_remainder: bool")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("SlidingWindowDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("window_size: int64")
    .Input("window_shift: int64")
    .Input("window_stride: int64")
    .Output("handle: variant")
    .Attr("drop_remainder: bool = true")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_OP("ExperimentalSlidingWindowDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("window_size: int64")
    .Input("window_shift: int64")
    .Input("window_stride: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_KERNEL("WindowDataset", KernelOf<WindowDatasetKernel>).Cpu().Cheap();
WB_KERNEL("SlidingWindowDataset", KernelOf<SlidingWindowDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalSlidingWindowDataset", KernelOf<SlidingWindowDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
