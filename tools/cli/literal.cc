#include "tools/cli/literal.h"

#include <limits>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace cli {
namespace {

struct Value {
  std::string text;
  size_t at;  // where it stands
};

// Takes nested lists apart into values, row by row, and extents.
class ListParser {
 public:
  explicit ListParser(absl::string_view text) : text_(text) {}

  Status Parse() {
    WB_RETURN_IF_ERROR(ParseItem(0));
    SkipSpace();
    return at_ == text_.size() ? OkStatus() : Problem("there is more than one value");
  }
  std::vector<Value>& values() { return values_; }
  // Extents of the levels below an empty list are not known; the list's own is 0.
  const std::vector<int64_t>& extents() const { return extents_; }

 private:
  static constexpr size_t kMostLevels = 32;

  Status Problem(absl::string_view what) const {
    return InvalidArgument(what, " at character ", at_ + 1, " of '", text_, "'");
  }
  void SkipSpace() {
    while (at_ < text_.size() && absl::ascii_isspace(text_[at_])) ++at_;
  }
  bool Take(char c) {
    SkipSpace();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Status ParseItem(size_t level) {
    if (Take('[')) return ParseList(level);
    if (values_depth_ < 0) values_depth_ = static_cast<int>(level);
    if (values_depth_ != static_cast<int>(level)) return Problem("a value among lists");
    return ParseValue();
  }

  Status ParseList(size_t level) {
    if (level >= kMostLevels) return Problem("lists nest too deeply");
    if (values_depth_ >= 0 && static_cast<int>(level) >= values_depth_) {
      return Problem("a list among values");
    }
    int64_t count = 0;
    if (!Take(']')) {
      do {
        WB_RETURN_IF_ERROR(ParseItem(level + 1));
        ++count;
      } while (Take(','));
      if (!Take(']')) return Problem("',' or ']' is missing");
    }
    if (extents_.size() <= level) extents_.resize(level + 1, kUnknown);
    if (extents_[level] == kUnknown) extents_[level] = count;
    if (extents_[level] == count) return OkStatus();
    return Problem(absl::StrCat("a list of ", count, " ends beside lists of ", extents_[level]));
  }

  Status ParseValue() {
    SkipSpace();
    const size_t begin = at_;
    if (Take('"')) {
      while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
      if (at_ >= text_.size()) return Problem("'\"' is missing");
      std::string unescaped, error;
      if (!absl::CUnescape(text_.substr(begin + 1, at_ - begin - 1), &unescaped, &error)) {
        return Problem(error);
      }
      ++at_;
      values_.push_back({std::move(unescaped), begin});
      return OkStatus();
    }
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ']' && text_[at_] != '[') ++at_;
    const absl::string_view value =
        absl::StripTrailingAsciiWhitespace(text_.substr(begin, at_ - begin));
    if (value.empty()) return Problem("a value is missing");
    values_.push_back({std::string(value), begin});
    return OkStatus();
  }

  static constexpr int64_t kUnknown = -1;
  const absl::string_view text_;
  size_t at_ = 0;
  int values_depth_ = -1;
  std::vector<Value> values_;
  std::vector<int64_t> extents_;
};

template <class T>
bool ParseNumber(const std::string& text, T* out) {
  if constexpr (std::is_same_v<T, std::string>) {
    *out = text;
    return true;
  } else if constexpr (std::is_same_v<T, bool>) {
    return absl::SimpleAtob(text, out);
  } else if constexpr (std::is_unsigned_v<T>) {
    uint64_t wide = 0;
    if (!absl::SimpleAtoi(text, &wide) || wide > std::numeric_limits<T>::max()) return false;
    *out = static_cast<T>(wide);
    return true;
  } else if constexpr (std::is_integral_v<T>) {
    int64_t wide = 0;
    if (!absl::SimpleAtoi(text, &wide)) return false;
    *out = static_cast<T>(wide);
    return *out == wide;
  } else {
    double wide = 0;
    if (!absl::SimpleAtod(text, &wide)) return false;
    *out = static_cast<T>(wide);
    return true;
  }
}

template <class T>
Status Fill(const std::vector<Value>& values, Tensor* tensor) {
  T* out = tensor->data<T>();
  for (const Value& value : values) {
    if (ParseNumber(value.text, out++)) continue;
    return InvalidArgument("'", value.text, "' at character ", value.at + 1, " is no ",
                           DTypeName(tensor->dtype()));
  }
  return OkStatus();
}

Status FillAny(const std::vector<Value>& values, Tensor* tensor) {
  switch (tensor->dtype()) {
#define WB_FILL(T)        \
  case DTypeOf<T>::value: \
    return Fill<T>(values, tensor);
    WB_FILL(float)
    WB_FILL(double)
    WB_FILL(Half)
    WB_FILL(BFloat16)
    WB_FILL(int8_t)
    WB_FILL(int16_t)
    WB_FILL(int32_t)
    WB_FILL(int64_t)
    WB_FILL(uint8_t)
    WB_FILL(uint16_t)
    WB_FILL(uint32_t)
    WB_FILL(uint64_t)
    WB_FILL(bool)
    WB_FILL(std::string)
#undef WB_FILL
    default:
      return Unimplemented("a ", DTypeName(tensor->dtype()),
                           " cannot be written on the command line; give a .npy file");
  }
}

}  // namespace

StatusOr<Tensor> ParseLiteral(absl::string_view text, DType dtype) {
  ListParser parser(text);
  WB_RETURN_IF_ERROR(parser.Parse());
  WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(parser.extents()));
  WB_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, shape));
  WB_RETURN_IF_ERROR(FillAny(parser.values(), &tensor));
  return tensor;
}

}  // namespace cli
}  // namespace warpbeam
