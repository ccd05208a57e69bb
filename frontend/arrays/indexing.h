// Brackets: elements, rows and blocks of a tensor, as Python's tensors have them.
//
//   Output first = x[0], last = x[-1];                     // x[0], x[-1]
//   Output rows = x(Slice(1, 3));                          // x[1:3]
//   Output block = x(Slice(1, 3), All, -1);                // x[1:3, :, -1]
//   Output halved = x(Ellipsis, Slice(None, None, 2));     // x[..., ::2]
//   Output batch = x(NewAxis, Slice(2, None));             // x[tf.newaxis, 2:]
//   Output chosen = x[step];                               // `step` is a scalar tensor
//
// Of a Variable they take its value. Nodes and names are those that Python's brackets make
// ("strided_slice" with its constants), in the scope in which the tensor is used.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope of the tensor: an
// index beyond a dimension that is known, more indices than dimensions, an index of another type
// than int32 and int64, a tensor that is not used in any scope.
#ifndef WARPBEAM_FRONTEND_ARRAYS_INDEXING_H_
#define WARPBEAM_FRONTEND_ARRAYS_INDEXING_H_

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "frontend/output.h"
#include "frontend/scope.h"
#include "frontend/variables/variable.h"

namespace warpbeam {
namespace frontend {

// Where a slice begins or ends, or its step, when the program does not say.
inline constexpr std::nullopt_t None = std::nullopt;

// A number in an index: known, a scalar tensor, or left out.
class IndexNumber {
 public:
  IndexNumber() = default;
  IndexNumber(std::nullopt_t) {}  // NOLINT
  template <typename T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
  IndexNumber(T value) : known_(static_cast<int64_t>(value)) {}  // NOLINT
  template <
      typename T,
      std::enable_if_t<std::is_convertible<T, Output>::value && std::is_class<T>::value, int> = 0>
  IndexNumber(const T& tensor) : tensor_(tensor), is_tensor_(true) {}  // NOLINT

  bool is_tensor() const { return is_tensor_; }
  bool is_absent() const { return !is_tensor_ && !known_.has_value(); }
  int64_t known() const { return known_.value_or(0); }
  const Output& tensor() const { return tensor_; }

 private:
  std::optional<int64_t> known_;
  Output tensor_;
  bool is_tensor_ = false;
};

struct NewAxisTag {};
struct EllipsisTag {};
struct AllTag {};
inline constexpr AllTag All{};            // `:`
inline constexpr NewAxisTag NewAxis{};    // tf.newaxis: one more dimension, of size 1
inline constexpr EllipsisTag Ellipsis{};  // `...`: as many dimensions as there are besides

struct SliceRange {
  IndexNumber begin, end, step;
};
// begin:end:step; `None` leaves one out.
inline SliceRange Slice(IndexNumber begin, IndexNumber end, IndexNumber step = None) {
  return {begin, end, step};
}

// One entry between brackets, with the place in the program where it stands.
class Index {
 public:
  enum class Kind { kAt, kRange, kNewAxis, kEllipsis };
  using Where = SourceLocation;

  template <typename T,
            std::enable_if_t<std::is_integral<T>::value ||
                                 (std::is_class<T>::value && std::is_convertible<T, Output>::value),
                             int> = 0>
  Index(const T& at, Where where = Where::Here())  // NOLINT
      : kind_(Kind::kAt), range_{at, None, None}, where_(where) {}
  Index(const SliceRange& range, Where where = Where::Here())  // NOLINT
      : kind_(Kind::kRange), range_(range), where_(where) {}
  Index(AllTag, Where where = Where::Here()) : kind_(Kind::kRange), where_(where) {}  // NOLINT
  Index(NewAxisTag, Where where = Where::Here())
      : kind_(Kind::kNewAxis), where_(where) {}    // NOLINT
  Index(EllipsisTag, Where where = Where::Here())  // NOLINT
      : kind_(Kind::kEllipsis), where_(where) {}

  Kind kind() const { return kind_; }
  const SliceRange& range() const { return range_; }
  const IndexNumber& at() const { return range_.begin; }
  SourceLocation where() const { return where_; }

 private:
  Kind kind_;
  SliceRange range_;
  SourceLocation where_;
};

// tensor[indices] in the scope in which it is used.
Output ElementsOf(const Output& tensor, const std::vector<Index>& indices);
// The same in a scope; its name is `scope.Named`, else "strided_slice".
Output ElementsOf(ScopeRef scope, const Output& tensor, const std::vector<Index>& indices);

template <typename... Rest>
Output Output::operator()(const Index& first, const Rest&... rest) const {
  return ElementsOf(*this, {first, Index(rest, first.where())...});
}

template <typename... Rest>
Output Variable::operator()(const Index& first, const Rest&... rest) const {
  return ElementsOf(read(), {first, Index(rest, first.where())...});
}

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_ARRAYS_INDEXING_H_
