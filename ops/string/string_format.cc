// StringFormat: a template whose placeholders become summaries of tensors.
#include <algorithm>

#include "absl/strings/str_split.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/string/text/tensor_text.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// The first and last `ends` elements of each dimension, with dots for those between.
class Summary {
 public:
  Summary(const Tensor& tensor, int64_t ends) : tensor_(tensor), ends_(ends) {}
  std::string Text() {
    Add(0, 0);
    return std::move(text_);
  }

 private:
  void Separate(int dim) {
    const int inner = tensor_.rank() - 1 - dim;
    if (inner == 0) {
      text_ += ' ';
    } else {
      text_.append(static_cast<size_t>(inner), '\n');
      text_.append(static_cast<size_t>(dim) + 1, ' ');
    }
  }

  void Add(int dim, int64_t offset) {
    if (dim == tensor_.rank()) {
      const char* quote = tensor_.dtype() == DType::kString ? "\"" : "";
      absl::StrAppend(&text_, quote, ElementText(tensor_, offset), quote);
      return;
    }
    int64_t step = 1;
    for (int i = dim + 1; i < tensor_.rank(); ++i) step *= tensor_.dim(i);
    const int64_t size = tensor_.dim(dim);
    text_ += '[';
    for (int64_t i = 0; i < std::min(ends_, size); ++i) {
      if (i > 0) Separate(dim);
      Add(dim + 1, offset + i * step);
    }
    if (size - ends_ > ends_) {
      Separate(dim);
      text_ += "...";
    }
    for (int64_t i = std::max(ends_, size - ends_); i < size; ++i) {
      Separate(dim);
      Add(dim + 1, offset + i * step);
    }
    text_ += ']';
  }

  const Tensor& tensor_;
  const int64_t ends_;
  std::string text_;
};

std::vector<std::string> Pieces(const std::string& text, const std::string& placeholder) {
  if (placeholder.empty()) return {text};
  return absl::StrSplit(text, placeholder);
}

Status CheckCount(size_t pieces, int inputs) {
  if (static_cast<int>(pieces) == inputs + 1) return OkStatus();
  return InvalidArgument("num placeholders in template and num inputs must match: ", pieces - 1,
                         " vs. ", inputs);
}

class StringFormatKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<StringFormatKernel>();
    WB_ASSIGN_OR_RETURN(const std::string text, init.attr<std::string>("template"));
    WB_ASSIGN_OR_RETURN(const std::string placeholder, init.attr<std::string>("placeholder"));
    WB_ASSIGN_OR_RETURN(kernel->summarize_, init.attr<int64_t>("summarize"));
    kernel->pieces_ = Pieces(text, placeholder);
    WB_RETURN_IF_ERROR(
        CheckCount(kernel->pieces_.size(), static_cast<int>(init.input_types.size())));
    return kernel;
  }
  Status Compute(KernelContext& ctx) override {
    std::string text = pieces_[0];
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      const Tensor& t = ctx.input(i);
      const int64_t ends =
          summarize_ < 0 ? t.num_elements() : std::min(summarize_, t.num_elements());
      text += Summary(t, ends).Text();
      text += pieces_[i + 1];
    }
    ctx.set_output(0, Tensor::Scalar<std::string>(std::move(text)));
    return OkStatus();
  }

 private:
  std::vector<std::string> pieces_;  // around the placeholders
  int64_t summarize_ = 3;
};

Status StringFormatShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const std::string text, c.attr<std::string>("template"));
  WB_ASSIGN_OR_RETURN(const std::string placeholder, c.attr<std::string>("placeholder"));
  WB_RETURN_IF_ERROR(CheckCount(Pieces(text, placeholder).size(), c.num_inputs()));
  return shapes::Scalar(c);
}

WB_OP("StringFormat")
    .Input("inputs: T")
    .Output("output: string")
    .Attr("T: list(type) >= 0")
    .Attr("template: string = '%s'")
    .Attr("placeholder: string = '%s'")
    .Attr("summarize: int = 3")
    .Shape(StringFormatShape);
WB_KERNEL("StringFormat", StringFormatKernel).Cpu();

}  // namespace
}  // namespace warpbeam
