#include "ops/string/text/tensor_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace warpbeam {
namespace {

// As few digits as the type is sure to hold where they are enough, else as many as tell all values
// apart.
template <class T>
std::string NumberText(T x, int few, int all) {
  if (std::isnan(x)) return "nan";
  char text[40];
  snprintf(text, sizeof text, "%.*g", few, static_cast<double>(x));
  if (std::isfinite(x) && static_cast<T>(strtod(text, nullptr)) != x) {
    snprintf(text, sizeof text, "%.*g", all, static_cast<double>(x));
  }
  return text;
}

// Rows in brackets, but for the outermost dimension, until `limit` values are written.
class ValueSummary {
 public:
  ValueSummary(const Tensor& tensor, int64_t limit) : tensor_(tensor), limit_(limit) {}

  std::string Text() {
    if (tensor_.rank() == 0) {
      if (limit_ > 0) text_ = ElementText(tensor_, 0);
    } else {
      AddDimension(0);
    }
    if (tensor_.num_elements() > limit_) text_ += "...";
    return std::move(text_);
  }

 private:
  void AddDimension(int dim) {
    const bool innermost = dim + 1 == tensor_.rank();
    for (int64_t i = 0; i < tensor_.dim(dim) && (at_ < limit_ || innermost); ++i) {
      if (!innermost) {
        text_ += '[';
        AddDimension(dim + 1);
        text_ += ']';
      } else if (at_ < limit_) {
        if (i > 0) text_ += ' ';
        text_ += ElementText(tensor_, at_++);
      } else {
        if (dim > 0) text_ += "...";
        return;
      }
    }
  }

  const Tensor& tensor_;
  const int64_t limit_;
  int64_t at_ = 0;
  std::string text_;
};

}  // namespace

std::string ElementText(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::kFloat:
      return NumberText(t.data<float>()[i], 6, 9);
    case DType::kDouble:
      return NumberText(t.data<double>()[i], 15, 17);
    case DType::kHalf:
      return NumberText(static_cast<float>(t.data<Half>()[i]), 6, 9);
    case DType::kBFloat16:
      return NumberText(static_cast<float>(t.data<BFloat16>()[i]), 6, 9);
    case DType::kInt8:
      return absl::StrCat(int{t.data<int8_t>()[i]});
    case DType::kUInt8:
      return absl::StrCat(int{t.data<uint8_t>()[i]});
    case DType::kInt16:
      return absl::StrCat(int{t.data<int16_t>()[i]});
    case DType::kUInt16:
      return absl::StrCat(int{t.data<uint16_t>()[i]});
    case DType::kInt32:
      return absl::StrCat(t.data<int32_t>()[i]);
    case DType::kUInt32:
      return absl::StrCat(t.data<uint32_t>()[i]);
    case DType::kInt64:
      return absl::StrCat(t.data<int64_t>()[i]);
    case DType::kUInt64:
      return absl::StrCat(t.data<uint64_t>()[i]);
    case DType::kBool:
      return t.data<bool>()[i] ? "1" : "0";
    case DType::kString:
      return absl::CEscape(t.data<std::string>()[i]);
    default:
      return "?";
  }
}

std::string SummarizeValues(const Tensor& tensor, int64_t limit) {
  const int64_t count = tensor.num_elements();
  return ValueSummary(tensor, limit < 0 ? count : std::min(limit, count)).Text();
}

}  // namespace warpbeam
