// Print, PrintV2: tensors and texts on the process's streams.
#include <atomic>
#include <cstdio>

#include "absl/strings/match.h"
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/string/text/tensor_text.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class PrintKernel final : public Kernel {
 public:
  PrintKernel(std::string message, int64_t first_n, int64_t summarize)
      : message_(std::move(message)), first_n_(first_n), summarize_(summarize) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return std::make_unique<PrintKernel>(init.attrs.GetOr<std::string>("message", ""),
                                         init.attrs.GetOr<int64_t>("first_n", -1),
                                         init.attrs.GetOr<int64_t>("summarize", 3));
  }
  Status Compute(KernelContext& ctx) override {
    ctx.set_output(0, ctx.input(0));
    if (first_n_ >= 0 && printed_.fetch_add(1) >= first_n_) return OkStatus();
    std::string line = message_;
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      absl::StrAppend(&line, "[", SummarizeValues(ctx.input(i), summarize_), "]");
    }
    line += '\n';
    fputs(line.c_str(), stderr);
    return OkStatus();
  }

 private:
  const std::string message_;
  const int64_t first_n_, summarize_;
  std::atomic<int64_t> printed_{0};
};

class PrintV2Kernel final : public Kernel {
 public:
  PrintV2Kernel(FILE* stream, std::string end) : stream_(stream), end_(std::move(end)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    const std::string stream = init.attrs.GetOr<std::string>("output_stream", "stderr");
    FILE* file = nullptr;
    if (stream == "stdout") file = stdout;
    if (stream == "stderr" || absl::StartsWith(stream, "log(")) file = stderr;
    if (file == nullptr) {
      // Writing files is for ops that declare so: a graph may come from a stranger.
      return InvalidArgument("output_stream must be stdout, stderr or log(level), not '", stream,
                             "'");
    }
    return std::make_unique<PrintV2Kernel>(file, init.attrs.GetOr<std::string>("end", "\n"));
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& text = ctx.input(0);
    if (text.rank() != 0) {
      return InvalidArgument("the text must be a scalar, not of shape ", text.shape().ToString());
    }
    const std::string line = absl::StrCat(*text.data<std::string>(), end_);
    fwrite(line.data(), 1, line.size(), stream_);
    fflush(stream_);
    return OkStatus();
  }

 private:
  FILE* const stream_;
  const std::string end_;
};

WB_OP("Print")
    .PassesOn(PassOn::kChecked)
    .Input("input: T")
    .Input("data: U")
    .Output("output: T")
    .Attr("T: type")
    .Attr("U: list(type) >= 0")
    .Attr("message: string = ''")
    .Attr("first_n: int = -1")
    .Attr("summarize: int = 3")
    .Stateful()
    .Shape(shapes::Unchanged);
WB_KERNEL("Print", PrintKernel).Cpu();

WB_OP("PrintV2")
    .Input("input: string")
    .Attr("output_stream: string = 'stderr'")
    .Attr("end: string = '\n'")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("PrintV2", PrintV2Kernel).Cpu();
Status HandBack(GradContext& c) {
  c.set_dx(0, c.dy_value(0));
  return OkStatus();
}
WB_GRADIENT("Print", HandBack);

}  // namespace
}  // namespace warpbeam
