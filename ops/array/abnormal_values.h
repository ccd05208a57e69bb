// Abnormal values: NaN and infinities, as the kernels of CheckNumerics look for them, whatever
// device they are on.
//
//   int found = 0;
//   for (const float v : {1.0f, -INFINITY}) found |= AbnormalKind(v);
//   if (found != 0) return AbnormalValues("the loss", found, /*signs=*/true);   // "… had -Inf …"
//
// Thread safety: pure functions. Errors: AbnormalValues gives INVALID_ARGUMENT.
#ifndef WARPBEAM_OPS_ARRAY_ABNORMAL_VALUES_H_
#define WARPBEAM_OPS_ARRAY_ABNORMAL_VALUES_H_

#include "ops/launch/pass.h"
#if WB_HOST_PASS
#include <string>

#include "absl/strings/str_cat.h"
#include "graph/types/errors.h"
#endif

namespace warpbeam {

inline constexpr int kNotANumber = 1, kPositiveInfinity = 2, kNegativeInfinity = 4;

#if WB_HOST_PASS
// `found`: all kinds that there are. `signs`: infinities are told with their signs.
inline Status AbnormalValues(const std::string& message, int found, bool signs) {
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
  add(kNotANumber, "NaN");
  return InvalidArgument(message, " : Tensor had ", text, " values");
}
#endif

}  // namespace warpbeam

namespace warpbeam::WB_PASS {

// 0 of a finite number. C: float or double.
template <class C>
WB_HD int AbnormalKind(C v) {
  if (v != v) return kNotANumber;
  if (v - v == C(0)) return 0;
  return v > C(0) ? kPositiveInfinity : kNegativeInfinity;
}

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_ARRAY_ABNORMAL_VALUES_H_
