// Substr: parts of strings, by positions in bytes or in characters of UTF-8.
#include <algorithm>
#include <optional>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/broadcast.h"
#include "ops/launch/dispatch.h"
#include "ops/string/utf8.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Nothing when `pos` (negative: from the end) lies outside the string. A negative length means all
// bytes, but no characters, and nothing that is counted from the end of them.
std::optional<absl::string_view> Part(absl::string_view s, int64_t pos, int64_t len,
                                      bool characters) {
  const int64_t size = characters ? CountCharacters(s) : static_cast<int64_t>(s.size());
  if (pos > size || pos < -size) return std::nullopt;
  if (characters && len < 0 && pos < 0) return std::nullopt;
  if (characters) len = std::max<int64_t>(len, 0);
  if (pos < 0) pos += size;
  if (len < 0) len = size;
  len = std::min(len, size - pos);
  if (!characters) return s.substr(static_cast<size_t>(pos), static_cast<size_t>(len));
  const size_t begin = SkipCharacters(s, 0, pos);
  return s.substr(begin, SkipCharacters(s, begin, len) - begin);
}

class SubstrKernel final : public Kernel {
 public:
  explicit SubstrKernel(bool characters) : characters_(characters) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::string unit, init.attr<std::string>("unit"));
    return std::make_unique<SubstrKernel>(unit == "UTF8_CHAR");
  }

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    const Tensor& pos = ctx.input(1);
    const Tensor& len = ctx.input(2);
    if (pos.shape() != len.shape()) {
      return InvalidArgument("pos and len must have one shape, not ", pos.shape().ToString(),
                             " and ", len.shape().ToString());
    }
    Broadcast plan;
    Shape shape;
    WB_RETURN_IF_ERROR(MakeBroadcast({&x.shape(), &pos.shape()}, &plan, &shape));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    return DispatchIndex(pos.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      for (int64_t i = 0; i < shape.num_elements(); ++i) {
        int64_t at[Broadcast::kMaxInputs];
        plan.Locate(i, at);
        const std::string& s = x.data<std::string>()[at[0]];
        const int64_t from = pos.data<T>()[at[1]];
        const auto part = Part(s, from, len.data<T>()[at[1]], characters_);
        if (!part) {
          return InvalidArgument("pos ", from, " is out of range for a string of ", s.size(),
                                 " bytes at index ", i);
        }
        y->data<std::string>()[i].assign(part->data(), part->size());
      }
      return OkStatus();
    });
  }

 private:
  const bool characters_;
};

Status SubstrShape(ShapeContext& c) {
  auto merged = PartialShape::Merge(c.input(1), c.input(2));
  if (!merged.ok()) return Annotate(merged.status(), "pos and len must have one shape");
  WB_ASSIGN_OR_RETURN(PartialShape out, ShapeContext::Broadcast(c.input(0), *merged));
  c.set_output(0, std::move(out));
  return OkStatus();
}

WB_OP("Substr")
    .Input("input: string")
    .Input("pos: T")
    .Input("len: T")
    .Output("output: string")
    .Attr("T: {int32, int64}")
    .Attr("unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'")
    .Shape(SubstrShape);
WB_KERNEL("Substr", SubstrKernel).Cpu({{"T", kIndexTypes}});

}  // namespace
}  // namespace warpbeam
