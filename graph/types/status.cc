#include "graph/types/status.h"

#include <algorithm>
#include <array>
#include <ostream>

namespace warpbeam {
namespace {

constexpr std::array<const char*, 17> kNames = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

bool IsCode(StatusCode code) {
  return static_cast<int>(code) >= 0 && static_cast<size_t>(code) < kNames.size();
}

}  // namespace

std::string StatusCodeName(StatusCode code) {
  return IsCode(code) ? kNames[static_cast<size_t>(code)] : "";
}

std::ostream& operator<<(std::ostream& stream, StatusCode code) {
  return stream << StatusCodeName(code);
}

Status::Status(StatusCode code, std::string_view message) {
  if (code == StatusCode::kOk) return;
  error_ = new Error;
  error_->code = IsCode(code) ? code : StatusCode::kUnknown;
  error_->message = std::string(message);
}

void Status::ReleaseError() noexcept {
  if (error_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete error_;
  error_ = nullptr;
}

const std::string& Status::NoMessage() noexcept {
  static const std::string* none = new std::string;  // never destroyed: statuses outlive main
  return *none;
}

std::string Status::ToString() const {
  if (ok()) return "OK";
  return StatusCodeName(error_->code) + ": " + error_->message;
}

const std::string* Status::FindPayload(std::string_view key) const {
  if (ok()) return nullptr;
  for (const auto& [name, payload] : error_->payloads) {
    if (name == key) return &payload;
  }
  return nullptr;
}

void Status::SetPayload(std::string_view key, std::string payload) {
  if (ok()) return;
  // What copies share does not change under them.
  Status changed = WithMessage(error_->message);
  auto& payloads = changed.error_->payloads;
  const auto at =
      std::lower_bound(payloads.begin(), payloads.end(), key,
                       [](const auto& entry, std::string_view k) { return entry.first < k; });
  if (at != payloads.end() && at->first == key) {
    at->second = std::move(payload);
  } else {
    payloads.emplace(at, std::string(key), std::move(payload));
  }
  *this = std::move(changed);
}

Status Status::WithMessage(std::string_view message) const {
  Status status(code(), message);
  if (!status.ok()) status.error_->payloads = error_->payloads;
  return status;
}

bool operator==(const Status& a, const Status& b) {
  if (a.error_ == b.error_) return true;
  if (a.ok() || b.ok()) return false;
  return a.error_->code == b.error_->code && a.error_->message == b.error_->message &&
         a.error_->payloads == b.error_->payloads;
}

std::ostream& operator<<(std::ostream& stream, const Status& status) {
  return stream << status.ToString();
}

}  // namespace warpbeam
