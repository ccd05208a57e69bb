// StringLower, StringUpper, StringStrip: letters of the other case, no white space at the ends.
#include <string>

#include "absl/strings/ascii.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <typename Fn>
absl::Status ForEachString(KernelContext& ctx, Fn fn) {
  const Tensor& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
  std::string* out = y->data<std::string>();
  for (const std::string& s : x.flat<std::string>()) {
    *out = s;
    fn(out++);
  }
  return absl::OkStatus();
}

// Letters of ASCII; bytes of any other letter stay as they are.
template <bool kUpper>
class CaseKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::string encoding, init.attr<std::string>("encoding"));
    if (encoding == "utf-8") {
      return Unimplemented("letters beyond ASCII (encoding 'utf-8'); leave 'encoding' empty");
    }
    if (!encoding.empty()) {
      return InvalidArgument("'encoding' must be '' or 'utf-8', not '", encoding, "'");
    }
    return std::make_unique<CaseKernel>();
  }
  absl::Status Compute(KernelContext& ctx) override {
    return ForEachString(ctx, [](std::string* s) {
      if (kUpper) {
        absl::AsciiStrToUpper(s);
      } else {
        absl::AsciiStrToLower(s);
      }
    });
  }
};

class StripKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<StripKernel>();
  }
  absl::Status Compute(KernelContext& ctx) override {
    return ForEachString(ctx, [](std::string* s) { absl::StripAsciiWhitespace(s); });
  }
};

WB_OP("StringLower")
    .Input("input: string")
    .Output("output: string")
    .Attr("encoding: string = ''")
    .Shape(shapes::Unchanged);
WB_KERNEL("StringLower", CaseKernel<false>).Cpu();

WB_OP("StringUpper")
    .Input("input: string")
    .Output("output: string")
    .Attr("encoding: string = ''")
    .Shape(shapes::Unchanged);
WB_KERNEL("StringUpper", CaseKernel<true>).Cpu();

WB_OP("StringStrip").Input("input: string").Output("output: string").Shape(shapes::Unchanged);
WB_KERNEL("StringStrip", StripKernel).Cpu();

}  // namespace
}  // namespace warpbeam
