// EncodeBase64, DecodeBase64: bytes as text of the URL-safe alphabet (RFC 4648, section 5).
#include <string>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

int Digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '-' ? 62 : c == '_' ? 63 : -1;
}

std::string Encode(absl::string_view bytes, bool pad) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  uint32_t bits = 0;
  int held = 0;
  for (char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (held += 8; held >= 6; held -= 6) out.push_back(kAlphabet[bits >> (held - 6) & 63]);
  }
  if (held > 0) out.push_back(kAlphabet[bits << (6 - held) & 63]);
  while (pad && out.size() % 4 != 0) out.push_back('=');
  return out;
}

// Padding may be left out; where it stands, it fills up the last four.
Status Decode(absl::string_view text, std::string* out) {
  absl::string_view digits = text;
  if (text.size() % 4 == 0) {
    for (int i = 0; i < 2 && !digits.empty() && digits.back() == '='; ++i) digits.remove_suffix(1);
  }
  if (digits.size() % 4 == 1) {
    return InvalidArgument("Base64 text cannot be 1 modulo 4 digits long, as these ", digits.size(),
                           " are");
  }
  uint32_t bits = 0;
  int held = 0;
  for (char c : digits) {
    const int digit = Digit(c);
    if (digit < 0) {
      return InvalidArgument("not a digit of the URL-safe base64 alphabet: byte ",
                             int{static_cast<unsigned char>(c)});
    }
    bits = bits << 6 | static_cast<uint32_t>(digit);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out->push_back(static_cast<char>(bits >> held));
    }
  }
  return OkStatus();
}

class EncodeBase64Kernel final : public Kernel {
 public:
  explicit EncodeBase64Kernel(bool pad) : pad_(pad) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(bool pad, init.attr<bool>("pad"));
    return std::make_unique<EncodeBase64Kernel>(pad);
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    std::string* out = y->data<std::string>();
    for (const std::string& s : x.flat<std::string>()) *out++ = Encode(s, pad_);
    return OkStatus();
  }

 private:
  const bool pad_;
};

Status RunDecodeBase64(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    WB_RETURN_IF_ERROR(Decode(x.data<std::string>()[i], &y->data<std::string>()[i]));
  }
  return OkStatus();
}

WB_OP("EncodeBase64")
    .Input("input: string")
    .Output("output: string")
    .Attr("pad: bool = false")
    .Shape(shapes::Unchanged);
WB_KERNEL("EncodeBase64", EncodeBase64Kernel).Cpu();
WB_NO_GRADIENT("EncodeBase64");

WB_OP("DecodeBase64").Input("input: string").Output("output: string").Shape(shapes::Unchanged);
WB_KERNEL("DecodeBase64", FunctionKernel<RunDecodeBase64>).Cpu();
WB_NO_GRADIENT("DecodeBase64");

}  // namespace
}  // namespace warpbeam
