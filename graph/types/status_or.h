// StatusOr<T>: a T, or the error for which there is none; and two macros that pass errors on.
//
//   StatusOr<std::vector<Tensor>> values = session.Run({loss});
//   if (!values.ok()) return values.status();
//   use((*values)[0]);
//
// The same in a function that returns a Status or a StatusOr itself:
//
//   WB_ASSIGN_OR_RETURN(std::vector<Tensor> values, session.Run({loss}));
//   WB_RETURN_IF_ERROR(Check(values[0]));
//
// It is made from a T (or what a T is made of), from an error, or from a StatusOr of such. An OK
// status without a value becomes INTERNAL. Using the value of one that holds an error ends the
// process with the error's text, so ask ok() first.
//
// Thread safety: a value.
#ifndef WARPBEAM_GRAPH_TYPES_STATUS_OR_H_
#define WARPBEAM_GRAPH_TYPES_STATUS_OR_H_

#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "graph/types/status.h"

namespace warpbeam {

template <typename T>
class StatusOr;

namespace internal_status_or {

// Ends the process: the value was asked for that `error` stands in the place of.
[[noreturn]] void NoValue(const Status& error);
Status OkWithoutValue();

template <typename T>
struct IsStatusOr : std::false_type {};
template <typename T>
struct IsStatusOr<StatusOr<T>> : std::true_type {};

// Whether a StatusOr<U> is itself what a T is made from, so that it is no wrapped U.
template <typename T, typename U>
constexpr bool kTakesWrapped =
    std::is_constructible_v<T, StatusOr<U>&> || std::is_constructible_v<T, const StatusOr<U>&> ||
    std::is_constructible_v<T, StatusOr<U>&&> || std::is_convertible_v<StatusOr<U>&, T> ||
    std::is_convertible_v<const StatusOr<U>&, T> || std::is_convertible_v<StatusOr<U>&&, T>;

// Whether `U` is a value for StatusOr<T>: neither a status nor another StatusOr.
template <typename T, typename U>
constexpr bool kIsValue =
    std::is_constructible_v<T, U> && !std::is_same_v<std::decay_t<U>, StatusOr<T>> &&
    !std::is_same_v<std::decay_t<U>, Status> && !std::is_same_v<std::decay_t<U>, std::in_place_t> &&
    !IsStatusOr<std::decay_t<U>>::value;

}  // namespace internal_status_or

template <typename T>
class [[nodiscard]] StatusOr {
  static_assert(!std::is_reference_v<T>, "a StatusOr holds a value: use a pointer");

 public:
  using value_type = T;

  StatusOr() : status_(StatusCode::kUnknown, "") {}
  StatusOr(const Status& error) : status_(error) { CheckError(); }        // NOLINT
  StatusOr(Status&& error) : status_(std::move(error)) { CheckError(); }  // NOLINT

  // From a value.
  template <typename U = T,
            std::enable_if_t<internal_status_or::kIsValue<T, U&&> && std::is_convertible_v<U&&, T>,
                             int> = 0>
  StatusOr(U&& value) {  // NOLINT
    Construct(std::forward<U>(value));
  }
  template <typename U = T,
            std::enable_if_t<internal_status_or::kIsValue<T, U&&> && !std::is_convertible_v<U&&, T>,
                             int> = 0>
  explicit StatusOr(U&& value) {
    Construct(std::forward<U>(value));
  }
  template <typename... Args>
  explicit StatusOr(std::in_place_t, Args&&... args) {
    Construct(std::forward<Args>(args)...);
  }

  StatusOr(const StatusOr& other) : status_(other.status_) {
    if (ok()) Construct(other.value_);
  }
  StatusOr(StatusOr&& other) noexcept(std::is_nothrow_move_constructible_v<T>) {
    Take(std::move(other));
  }
  template <typename U,
            std::enable_if_t<!std::is_same_v<T, U> && std::is_constructible_v<T, const U&> &&
                                 !internal_status_or::kTakesWrapped<T, U>,
                             int> = 0>
  StatusOr(const StatusOr<U>& other) : status_(other.status()) {  // NOLINT
    if (ok()) Construct(*other);
  }
  template <typename U, std::enable_if_t<!std::is_same_v<T, U> && std::is_constructible_v<T, U&&> &&
                                             !internal_status_or::kTakesWrapped<T, U>,
                                         int> = 0>
  StatusOr(StatusOr<U>&& other) : status_(other.status()) {  // NOLINT
    if (ok()) Construct(*std::move(other));
  }

  StatusOr& operator=(const StatusOr& other) {
    if (this != &other) *this = StatusOr(other);
    return *this;
  }
  StatusOr& operator=(StatusOr&& other) noexcept(std::is_nothrow_move_constructible_v<T>) {
    if (this == &other) return *this;
    Destroy();
    Take(std::move(other));
    return *this;
  }
  ~StatusOr() { Destroy(); }

  [[nodiscard]] bool ok() const noexcept { return status_.ok(); }
  const Status& status() const& noexcept { return status_; }
  Status status() && { return ok() ? Status() : status_; }

  // The value; there must be one.
  const T& value() const& {
    Check();
    return value_;
  }
  T& value() & {
    Check();
    return value_;
  }
  T&& value() && {
    Check();
    return std::move(value_);
  }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return std::addressof(value()); }
  T* operator->() { return std::addressof(value()); }

  template <typename U>
  T value_or(U&& otherwise) const& {
    return ok() ? value_ : static_cast<T>(std::forward<U>(otherwise));
  }
  template <typename U>
  T value_or(U&& otherwise) && {
    return ok() ? std::move(value_) : static_cast<T>(std::forward<U>(otherwise));
  }
  void IgnoreError() const noexcept {}

  // Puts a new value in the place of what was there.
  template <typename... Args>
  T& emplace(Args&&... args) {
    Destroy();
    status_ = Status();
    Construct(std::forward<Args>(args)...);
    return value_;
  }

  friend bool operator==(const StatusOr& a, const StatusOr& b) {
    return a.ok() && b.ok() ? a.value_ == b.value_ : a.status_ == b.status_;
  }
  friend bool operator!=(const StatusOr& a, const StatusOr& b) { return !(a == b); }

 private:
  template <typename... Args>
  void Construct(Args&&... args) {
    ::new (static_cast<void*>(std::addressof(raw_))) T(std::forward<Args>(args)...);
  }
  void Destroy() noexcept {
    if (ok()) value_.~T();
  }
  // This has no value yet, or no more.
  void Take(StatusOr&& other) {
    status_ = other.status_;
    if (ok()) Construct(std::move(other.value_));
  }
  void CheckError() {
    if (status_.ok()) status_ = internal_status_or::OkWithoutValue();
  }
  void Check() const {
    if (!ok()) internal_status_or::NoValue(status_);
  }

  Status status_;
  union {
    char raw_;  // where there is no value; the value begins at the same place
    T value_;
  };
};

}  // namespace warpbeam

#define WB_CONCAT_INNER(a, b) a##b
#define WB_CONCAT(a, b) WB_CONCAT_INNER(a, b)

// Returns from the enclosing function when `expr` is not OK.
#define WB_RETURN_IF_ERROR(expr)                                    \
  do {                                                              \
    if (::warpbeam::Status wb_status_ = (expr); !wb_status_.ok()) { \
      return wb_status_;                                            \
    }                                                               \
  } while (false)

// Assigns the value of a StatusOr expression to `lhs` (which may declare a variable), or returns
// its error from the enclosing function.
#define WB_ASSIGN_OR_RETURN(lhs, expr) \
  WB_ASSIGN_OR_RETURN_INNER(WB_CONCAT(wb_statusor_, __LINE__), lhs, expr)
#define WB_ASSIGN_OR_RETURN_INNER(tmp, lhs, expr) \
  auto tmp = (expr);                              \
  if (!tmp.ok()) return std::move(tmp).status();  \
  lhs = *std::move(tmp)

#endif  // WARPBEAM_GRAPH_TYPES_STATUS_OR_H_
