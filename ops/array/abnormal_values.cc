#include "ops/array/abnormal_values.h"

#include "absl/strings/str_cat.h"

namespace warpbeam {

Status AbnormalValues(const std::string& message, int found, bool signs) {
  std::string text;
  const auto add = [&](int kinds, absl::string_view name) {
    if ((found & kinds) != 0) absl::StrAppend(&text, text.empty() ? "" : " and ", name);
  };
  if (signs) {
    add(kNegativeInfinity, "-Inf");
    add(kPositiveInfinity, "+Inf");
  } else {
    add(kPositiveInfinity | kNegativeInfinity, "Inf");
  }
  add(kNaN, "NaN");
  return InvalidArgument(message, " : Tensor had ", text, " values");
}

}  // namespace warpbeam
