// AsString: numbers as text.
#include <cinttypes>
#include <complex>
#include <cstdio>
#include <string>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/type_list.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

using TextTypes = ConcatTypes<NumberTypeList, TypeList<bool, std::string>>;

// printf with a format that attributes made: of one argument, and of its kind.
template <typename V>
std::string Print(const std::string& format, V value) {
  char buffer[512];
  const int size = snprintf(buffer, sizeof(buffer), format.c_str(), value);
  if (size < static_cast<int>(sizeof(buffer))) {
    return std::string(buffer, size < 0 ? 0 : static_cast<size_t>(size));
  }
  std::string out(static_cast<size_t>(size) + 1, '\0');
  snprintf(&out[0], out.size(), format.c_str(), value);
  out.pop_back();
  return out;
}

// What the attributes ask for; `fill` is printf's flag.
struct TextStyle {
  int64_t precision, width;
  bool scientific, shortest;
  std::string fill;

  static StatusOr<TextStyle> Make(const KernelInit& init) {
    TextStyle s;
    WB_ASSIGN_OR_RETURN(s.precision, init.attr<int64_t>("precision"));
    WB_ASSIGN_OR_RETURN(s.scientific, init.attr<bool>("scientific"));
    WB_ASSIGN_OR_RETURN(s.shortest, init.attr<bool>("shortest"));
    WB_ASSIGN_OR_RETURN(s.width, init.attr<int64_t>("width"));
    WB_ASSIGN_OR_RETURN(s.fill, init.attr<std::string>("fill"));
    constexpr int64_t kMaxWidth = 1 << 20;
    if (s.width > kMaxWidth || s.precision > kMaxWidth) {
      return InvalidArgument("'width' and 'precision' must be at most ", kMaxWidth);
    }
    if (s.scientific && s.shortest) {
      return InvalidArgument("Cannot select both 'scientific' and 'shortest'");
    }
    if (s.fill.size() > 1 || (!s.fill.empty() && absl::string_view(" +-0#").find(s.fill[0]) ==
                                                     absl::string_view::npos)) {
      return InvalidArgument(
          "Fill string must be one or fewer of ' ', '+', '-', '0' and '#', not '", s.fill, "'");
    }
    return s;
  }
  // The format for a value, converted to double, int64, uint64 or a C string.
  StatusOr<std::string> Format(DType type) const {
    const bool is_real = IsFloating(type) || IsComplex(type);
    if (!is_real && type != DType::kString && (scientific || shortest)) {
      return InvalidArgument("scientific and shortest notation are not supported for ",
                             DTypeName(type), ", only for floating types");
    }
    if (!is_real && type != DType::kString && precision > -1) {
      return InvalidArgument("precision not supported for ", DTypeName(type),
                             ", only for floating types");
    }
    std::string format = absl::StrCat("%", fill);
    if (width > -1) absl::StrAppend(&format, width);
    if (is_real && precision > -1) absl::StrAppend(&format, ".", precision);
    if (is_real) return format + (scientific ? "e" : shortest ? "g" : "f");
    if (type == DType::kString) return format + "s";
    return format + (kSignedTypes.contains(type) ? PRId64 : PRIu64);
  }
};

class AsStringKernel final : public Kernel {
 public:
  explicit AsStringKernel(std::string format) : format_(std::move(format)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(DType type, init.attr<DType>("T"));
    WB_ASSIGN_OR_RETURN(TextStyle style, TextStyle::Make(init));
    WB_ASSIGN_OR_RETURN(std::string format, style.Format(type));
    return std::make_unique<AsStringKernel>(std::move(format));
  }

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    return DispatchTypes(TextTypes{}, x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      std::string* out = y->data<std::string>();
      for (const T& value : x.flat<T>()) *out++ = Text(value);
      return OkStatus();
    });
  }

 private:
  template <typename T>
  std::string Text(const T& value) const {
    if constexpr (std::is_same_v<T, bool>) {
      return value ? "true" : "false";
    } else if constexpr (std::is_same_v<T, std::string>) {
      return Print(format_, value.c_str());
    } else if constexpr (kIsComplex<T>) {
      return absl::StrCat("(", Print(format_, static_cast<double>(value.real())), ",",
                          Print(format_, static_cast<double>(value.imag())), ")");
    } else if constexpr (kIsFloat<T>) {
      return Print(format_, static_cast<double>(static_cast<ComputeType<T>>(value)));
    } else if constexpr (std::is_signed_v<T>) {
      return Print(format_, int64_t{value});
    } else {
      return Print(format_, uint64_t{value});
    }
  }

  const std::string format_;
};

WB_OP("AsString")
    .Input("input: T")
    .Output("output: string")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
        "uint64, complex64, complex128, bool, variant, string}")
    .Attr("precision: int = -1")
    .Attr("scientific: bool = false")
    .Attr("shortest: bool = false")
    .Attr("width: int = -1")
    .Attr("fill: string = ''")
    .Shape(shapes::Unchanged);
WB_KERNEL("AsString", AsStringKernel).Cpu();
WB_NO_GRADIENT("AsString");

}  // namespace
}  // namespace warpbeam
