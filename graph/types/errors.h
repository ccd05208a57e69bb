// Errors as values, for the code of Warpbeam: the builders that make them. The two macros that pass
// them on are status_or.h's.
//
// A status says what went wrong, where, and what to do about it; runtime values stand at the end of
// the message. `Annotate` adds the place as an error travels outwards.
//
//   StatusOr<int> Parse(absl::string_view text);
//   Status Use(absl::string_view text) {
//     WB_ASSIGN_OR_RETURN(int value, Parse(text));
//     if (value < 0) return InvalidArgument("negative size: ", value);
//     return Check(value);
//   }
//
// Headers that programs include need graph/types/status.h and status_or.h alone: this one stands on
// Abseil.
#ifndef WARPBEAM_GRAPH_TYPES_ERRORS_H_
#define WARPBEAM_GRAPH_TYPES_ERRORS_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "graph/types/status.h"
#include "graph/types/status_or.h"

namespace warpbeam {

namespace internal_errors {

// What absl::StrCat takes for an argument of a builder: Abseil here has a string_view of its own.
template <typename T>
const T& Piece(const T& value) {
  return value;
}
inline absl::string_view Piece(const std::string_view& text) { return {text.data(), text.size()}; }

template <typename... Args>
Status Make(StatusCode code, const Args&... args) {
  return Status(code, absl::StrCat(Piece(args)...));
}

}  // namespace internal_errors

// Builders, one per canonical code in use: the arguments are concatenated as by absl::StrCat.
template <typename... Args>
Status InvalidArgument(const Args&... args) {
  return internal_errors::Make(StatusCode::kInvalidArgument, args...);
}
template <typename... Args>
Status NotFound(const Args&... args) {
  return internal_errors::Make(StatusCode::kNotFound, args...);
}
template <typename... Args>
Status AlreadyExists(const Args&... args) {
  return internal_errors::Make(StatusCode::kAlreadyExists, args...);
}
template <typename... Args>
Status FailedPrecondition(const Args&... args) {
  return internal_errors::Make(StatusCode::kFailedPrecondition, args...);
}
template <typename... Args>
Status OutOfRange(const Args&... args) {
  return internal_errors::Make(StatusCode::kOutOfRange, args...);
}
template <typename... Args>
Status Unimplemented(const Args&... args) {
  return internal_errors::Make(StatusCode::kUnimplemented, args...);
}
template <typename... Args>
Status ResourceExhausted(const Args&... args) {
  return internal_errors::Make(StatusCode::kResourceExhausted, args...);
}
template <typename... Args>
Status DataLoss(const Args&... args) {
  return internal_errors::Make(StatusCode::kDataLoss, args...);
}
template <typename... Args>
Status Cancelled(const Args&... args) {
  return internal_errors::Make(StatusCode::kCancelled, args...);
}
template <typename... Args>
Status DeadlineExceeded(const Args&... args) {
  return internal_errors::Make(StatusCode::kDeadlineExceeded, args...);
}
template <typename... Args>
Status Aborted(const Args&... args) {
  return internal_errors::Make(StatusCode::kAborted, args...);
}
template <typename... Args>
Status Unavailable(const Args&... args) {
  return internal_errors::Make(StatusCode::kUnavailable, args...);
}
template <typename... Args>
Status PermissionDenied(const Args&... args) {
  return internal_errors::Make(StatusCode::kPermissionDenied, args...);
}
template <typename... Args>
Status Unknown(const Args&... args) {
  return internal_errors::Make(StatusCode::kUnknown, args...);
}
// A broken promise of our own code, never the user's fault.
template <typename... Args>
Status Internal(const Args&... args) {
  return internal_errors::Make(StatusCode::kInternal, args...);
}

// What the system's error number `error` says (errno), after `doing`:
// "cannot open x: No such file or directory".
Status ErrnoToStatus(int error, absl::string_view doing);

// `status` with `place` in front of its message; OK stays OK. Payloads are kept.
Status Annotate(const Status& status, absl::string_view place);

// A text of Abseil's as the standard library's, and the other way round.
inline std::string_view StdView(absl::string_view text) { return {text.data(), text.size()}; }
inline absl::string_view AbslView(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_TYPES_ERRORS_H_
