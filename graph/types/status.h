// Errors as values: what every fallible function of Warpbeam returns, and the two macros that pass
// them on.
//
// A status says what went wrong, where, and what to do about it; runtime values stand at the end of
// the message. `Annotate` adds the place as an error travels outwards.
//
//   absl::StatusOr<int> Parse(absl::string_view text);
//   absl::Status Use(absl::string_view text) {
//     WB_ASSIGN_OR_RETURN(int value, Parse(text));
//     if (value < 0) return InvalidArgument("negative size: ", value);
//     return Check(value);
//   }
//
// Thread safety: statuses are values. Nothing here throws or ends the process.
#ifndef WARPBEAM_GRAPH_TYPES_STATUS_H_
#define WARPBEAM_GRAPH_TYPES_STATUS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace warpbeam {

// The names that Warpbeam's public headers use.
using Status = absl::Status;
template <typename T>
using StatusOr = absl::StatusOr<T>;

// Builders, one per canonical code in use: the arguments are concatenated as by absl::StrCat.
template <typename... Args>
absl::Status InvalidArgument(const Args&... args) {
  return absl::InvalidArgumentError(absl::StrCat(args...));
}
template <typename... Args>
absl::Status NotFound(const Args&... args) {
  return absl::NotFoundError(absl::StrCat(args...));
}
template <typename... Args>
absl::Status AlreadyExists(const Args&... args) {
  return absl::AlreadyExistsError(absl::StrCat(args...));
}
template <typename... Args>
absl::Status FailedPrecondition(const Args&... args) {
  return absl::FailedPreconditionError(absl::StrCat(args...));
}
template <typename... Args>
absl::Status OutOfRange(const Args&... args) {
  return absl::OutOfRangeError(absl::StrCat(args...));
}
template <typename... Args>
absl::Status Unimplemented(const Args&... args) {
  return absl::UnimplementedError(absl::StrCat(args...));
}
template <typename... Args>
absl::Status ResourceExhausted(const Args&... args) {
  return absl::ResourceExhaustedError(absl::StrCat(args...));
}
template <typename... Args>
absl::Status DataLoss(const Args&... args) {
  return absl::DataLossError(absl::StrCat(args...));
}
template <typename... Args>
absl::Status Cancelled(const Args&... args) {
  return absl::CancelledError(absl::StrCat(args...));
}
template <typename... Args>
absl::Status DeadlineExceeded(const Args&... args) {
  return absl::DeadlineExceededError(absl::StrCat(args...));
}
template <typename... Args>
absl::Status Aborted(const Args&... args) {
  return absl::AbortedError(absl::StrCat(args...));
}
// A broken promise of our own code, never the user's fault.
template <typename... Args>
absl::Status Internal(const Args&... args) {
  return absl::InternalError(absl::StrCat(args...));
}

// `status` with `place` in front of its message; OK stays OK. Payloads are kept.
absl::Status Annotate(const absl::Status& status, absl::string_view place);

}  // namespace warpbeam

#define WB_CONCAT_INNER(a, b) a##b
#define WB_CONCAT(a, b) WB_CONCAT_INNER(a, b)

// Returns from the enclosing function when `expr` is not OK.
#define WB_RETURN_IF_ERROR(expr)                                \
  do {                                                          \
    if (::absl::Status wb_status_ = (expr); !wb_status_.ok()) { \
      return wb_status_;                                        \
    }                                                           \
  } while (false)

// Assigns the value of a StatusOr expression to `lhs` (which may declare a variable), or returns
// its error from the enclosing function.
#define WB_ASSIGN_OR_RETURN(lhs, expr) \
  WB_ASSIGN_OR_RETURN_INNER(WB_CONCAT(wb_statusor_, __LINE__), lhs, expr)
#define WB_ASSIGN_OR_RETURN_INNER(tmp, lhs, expr) \
  auto tmp = (expr);                              \
  if (!tmp.ok()) return std::move(tmp).status();  \
  lhs = *std::move(tmp)

#endif  // WARPBEAM_GRAPH_TYPES_STATUS_H_
