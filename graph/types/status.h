// Status: how a fallible function ended, OK or an error with a code and a message. It stands on the
// standard library alone, as all that a program outside of this repository includes.
//
// A message says what went wrong, where, and what to do about it; runtime values stand at its end.
// Payloads travel with an error for programs: texts under keys that are chosen like web addresses.
// Inside of Warpbeam errors are made by the builders of graph/types/errors.h.
//
//   Status saved = saver.Save(session, "model");
//   if (!saved.ok()) std::cerr << saved << "\n";      // NOT_FOUND: no directory 'model'
//   if (IsNotFound(saved)) …
//
// Thread safety: a value. Copies share what they say. Nothing here throws or ends the process.
#ifndef WARPBEAM_GRAPH_TYPES_STATUS_H_
#define WARPBEAM_GRAPH_TYPES_STATUS_H_

#include <atomic>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpbeam {

// The canonical codes, with gRPC's and Abseil's numbers.
enum class StatusCode : int {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// "INVALID_ARGUMENT"; "" for a number that is no code.
std::string StatusCodeName(StatusCode code);
std::ostream& operator<<(std::ostream& stream, StatusCode code);

class [[nodiscard]] Status {
 public:
  Status() noexcept = default;  // OK
  // OK has no message: with kOk the text is dropped. A number that is no code becomes kUnknown.
  Status(StatusCode code, std::string_view message);
  Status(const Status& other) noexcept : error_(other.error_) { Share(); }
  Status(Status&& other) noexcept : error_(std::exchange(other.error_, nullptr)) {}
  Status& operator=(const Status& other) noexcept {
    Status copy(other);
    std::swap(error_, copy.error_);
    return *this;
  }
  Status& operator=(Status&& other) noexcept {
    std::swap(error_, other.error_);
    if (this != &other) other.Release();
    return *this;
  }
  ~Status() { Release(); }

  [[nodiscard]] bool ok() const noexcept { return error_ == nullptr; }
  StatusCode code() const noexcept { return error_ == nullptr ? StatusCode::kOk : error_->code; }
  // "" for OK; valid until this status is assigned to, or gone.
  const std::string& message() const noexcept {
    return error_ == nullptr ? NoMessage() : error_->message;
  }
  // "OK", or "NOT_FOUND: no such file".
  std::string ToString() const;

  // The first error stays: `later` counts where this is OK.
  void Update(Status later) {
    if (ok()) *this = std::move(later);
  }
  // Says that an error here is nobody's concern.
  void IgnoreError() const noexcept {}

  // The payload under `key`, or null. An OK status has none.
  const std::string* FindPayload(std::string_view key) const;
  void SetPayload(std::string_view key, std::string payload);
  // This status, payloads included, with another message.
  Status WithMessage(std::string_view message) const;

  // Equal in code, message and payloads.
  friend bool operator==(const Status& a, const Status& b);
  friend bool operator!=(const Status& a, const Status& b) { return !(a == b); }

 private:
  struct Error {
    std::atomic<int> owners{1};
    StatusCode code;
    std::string message;
    std::vector<std::pair<std::string, std::string>> payloads;  // by key
  };

  void Share() const noexcept {
    if (error_ != nullptr) error_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  void Release() noexcept {
    if (error_ != nullptr) ReleaseError();
  }
  void ReleaseError() noexcept;
  static const std::string& NoMessage() noexcept;

  Error* error_ = nullptr;  // null for OK
};

std::ostream& operator<<(std::ostream& stream, const Status& status);

inline Status OkStatus() { return Status(); }

inline bool IsAborted(const Status& s) { return s.code() == StatusCode::kAborted; }
inline bool IsAlreadyExists(const Status& s) { return s.code() == StatusCode::kAlreadyExists; }
inline bool IsCancelled(const Status& s) { return s.code() == StatusCode::kCancelled; }
inline bool IsDataLoss(const Status& s) { return s.code() == StatusCode::kDataLoss; }
inline bool IsDeadlineExceeded(const Status& s) {
  return s.code() == StatusCode::kDeadlineExceeded;
}
inline bool IsFailedPrecondition(const Status& s) {
  return s.code() == StatusCode::kFailedPrecondition;
}
inline bool IsInternal(const Status& s) { return s.code() == StatusCode::kInternal; }
inline bool IsInvalidArgument(const Status& s) { return s.code() == StatusCode::kInvalidArgument; }
inline bool IsNotFound(const Status& s) { return s.code() == StatusCode::kNotFound; }
inline bool IsOutOfRange(const Status& s) { return s.code() == StatusCode::kOutOfRange; }
inline bool IsPermissionDenied(const Status& s) {
  return s.code() == StatusCode::kPermissionDenied;
}
inline bool IsResourceExhausted(const Status& s) {
  return s.code() == StatusCode::kResourceExhausted;
}
inline bool IsUnavailable(const Status& s) { return s.code() == StatusCode::kUnavailable; }
inline bool IsUnimplemented(const Status& s) { return s.code() == StatusCode::kUnimplemented; }

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_TYPES_STATUS_H_
