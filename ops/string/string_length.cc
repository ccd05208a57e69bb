// StringLength: lengths in bytes or in characters of UTF-8.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/string/utf8.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class StringLengthKernel final : public Kernel {
 public:
  explicit StringLengthKernel(bool characters) : characters_(characters) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::string unit, init.attr<std::string>("unit"));
    return std::make_unique<StringLengthKernel>(unit == "UTF8_CHAR");
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    int32_t* out = y->data<int32_t>();
    for (const std::string& s : x.flat<std::string>()) {
      *out++ =
          static_cast<int32_t>(characters_ ? CountCharacters(s) : static_cast<int64_t>(s.size()));
    }
    return OkStatus();
  }

 private:
  const bool characters_;
};

WB_OP("StringLength")
    .Input("input: string")
    .Output("output: int32")
    .Attr("unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'")
    .Shape(shapes::Unchanged);
WB_KERNEL("StringLength", StringLengthKernel).Cpu();

}  // namespace
}  // namespace warpbeam
