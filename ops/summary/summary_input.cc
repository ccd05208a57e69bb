#include "ops/summary/summary_input.h"

namespace warpbeam {
namespace {

template <class To, class From>
void Convert(const Tensor& tensor, std::vector<To>* numbers) {
  numbers->clear();
  numbers->reserve(static_cast<size_t>(tensor.num_elements()));
  for (const From& x : tensor.flat<From>()) {
    if constexpr (std::is_arithmetic_v<From>) {
      numbers->push_back(static_cast<To>(x));
    } else {
      numbers->push_back(static_cast<To>(static_cast<float>(x)));
    }
  }
}

template <class To>
Status ConvertAny(const Tensor& tensor, std::vector<To>* numbers) {
  switch (tensor.dtype()) {
    case DType::kFloat:
      return Convert<To, float>(tensor, numbers), OkStatus();
    case DType::kDouble:
      return Convert<To, double>(tensor, numbers), OkStatus();
    case DType::kHalf:
      return Convert<To, Half>(tensor, numbers), OkStatus();
    case DType::kBFloat16:
      return Convert<To, BFloat16>(tensor, numbers), OkStatus();
    case DType::kBool:
      return Convert<To, bool>(tensor, numbers), OkStatus();
    case DType::kInt8:
      return Convert<To, int8_t>(tensor, numbers), OkStatus();
    case DType::kInt16:
      return Convert<To, int16_t>(tensor, numbers), OkStatus();
    case DType::kInt32:
      return Convert<To, int32_t>(tensor, numbers), OkStatus();
    case DType::kInt64:
      return Convert<To, int64_t>(tensor, numbers), OkStatus();
    case DType::kUInt8:
      return Convert<To, uint8_t>(tensor, numbers), OkStatus();
    case DType::kUInt16:
      return Convert<To, uint16_t>(tensor, numbers), OkStatus();
    case DType::kUInt32:
      return Convert<To, uint32_t>(tensor, numbers), OkStatus();
    case DType::kUInt64:
      return Convert<To, uint64_t>(tensor, numbers), OkStatus();
    default:
      break;
  }
  return InvalidArgument("a summary of ", DTypeName(tensor.dtype()), ", which is no real number");
}

}  // namespace

StatusOr<std::string> ScalarTag(const KernelContext& ctx, int input) {
  if (ctx.input(input).rank() != 0) {
    return InvalidArgument("tag must be scalar, not of shape ",
                           ctx.input(input).shape().ToString());
  }
  return ctx.input(input).scalar<std::string>();
}

Status NumbersOf(const Tensor& tensor, std::vector<float>* numbers) {
  return ConvertAny(tensor, numbers);
}
Status NumbersOf(const Tensor& tensor, std::vector<double>* numbers) {
  return ConvertAny(tensor, numbers);
}

std::string TagOfPart(const std::string& tag, const char* kind, int64_t index, int64_t max_parts) {
  if (max_parts > 1) return absl::StrCat(tag, "/", kind, "/", index);
  return absl::StrCat(tag, "/", kind);
}

}  // namespace warpbeam
