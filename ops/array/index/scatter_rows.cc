#include "ops/array/index/scatter_rows.h"

#include <algorithm>
#include <type_traits>

#include "absl/strings/str_join.h"
#include "ops/array/index/element_position.h"
#include "ops/launch/dispatch.h"

namespace warpbeam {
namespace {

// Integer arithmetic that wraps around, as TensorFlow's does in practice.
template <typename T>
using Wide = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;

struct AddFn {
  template <typename T>
  T operator()(const T& a, const T& b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a || b;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
    } else {
      return a + b;
    }
  }
};
struct SubFn {
  template <typename T>
  T operator()(const T& a, const T& b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b));
    } else {
      return a - b;
    }
  }
};
struct MulFn {
  template <typename T>
  T operator()(const T& a, const T& b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
    } else {
      return a * b;
    }
  }
};
struct DivFn {  // zero divisors were refused before
  template <typename T>
  T operator()(const T& a, const T& b) const {
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      if (b == T(-1)) return SubFn()(T(0), a);
    }
    return static_cast<T>(a / b);
  }
};
struct MinFn {
  template <typename T>
  T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
struct MaxFn {
  template <typename T>
  T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

template <typename T, typename Fn>
void Apply(void* to, Span<const int64_t> rows, int64_t width, RowUpdates updates, Fn fn) {
  T* base = static_cast<T*>(to);
  const T* u = static_cast<const T*>(updates.data);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0) continue;
    T* row = base + rows[i] * width;
    if (updates.scalar) {
      for (int64_t j = 0; j < width; ++j) row[j] = fn(row[j], u[0]);
    } else {
      const T* from = u + static_cast<int64_t>(i) * width;
      for (int64_t j = 0; j < width; ++j) row[j] = fn(row[j], from[j]);
    }
  }
}

template <typename... Ts, typename Fn>
Status ApplyTo(TypeList<Ts...> types, DType dtype, void* to, Span<const int64_t> rows,
               int64_t width, RowUpdates updates, Fn fn) {
  return DispatchTypes(types, dtype, [&](auto tag) -> Status {
    Apply<typename decltype(tag)::type>(to, rows, width, updates, fn);
    return OkStatus();
  });
}

Status Assign(DType dtype, void* to, Span<const int64_t> rows, int64_t width, RowUpdates updates) {
  return DispatchElements(dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    const T* u = static_cast<const T*>(updates.data);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] < 0) continue;
      T* row = static_cast<T*>(to) + rows[i] * width;
      if (updates.scalar) {
        std::fill_n(row, width, *u);
      } else {
        std::copy_n(u + static_cast<int64_t>(i) * width, width, row);
      }
    }
    return OkStatus();
  });
}

Status RefuseZeroDivisors(DType dtype, int64_t count, const void* divisors) {
  if (!IsInteger(dtype)) return OkStatus();
  return DispatchTypes(IntegerTypeList{}, dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    const T* d = static_cast<const T*>(divisors);
    if (std::find(d, d + count, T(0)) != d + count) {
      return InvalidArgument("Integer division by zero");
    }
    return OkStatus();
  });
}

template <typename Index>
Status Flatten(const Tensor& indices, int64_t k, const Shape& shape, BadIndex bad,
               absl::string_view what, std::vector<int64_t>* rows) {
  const Index* tuple = indices.data<Index>();
  for (size_t i = 0; i < rows->size(); ++i, tuple += k) {
    int64_t row = 0;
    bool inside = true;
    for (int64_t d = 0; d < k; ++d) {
      const int64_t extent = shape.dim(static_cast<int>(d));
      const int64_t at = static_cast<int64_t>(tuple[d]);
      inside = inside && at >= 0 && at < extent;
      row = inside ? row * extent + at : -1;
    }
    if (!inside && bad == BadIndex::kError) {
      const Span<const int64_t> dims = indices.shape().dims();
      return InvalidArgument("indices[",
                             PositionText(dims.first(dims.size() - 1), static_cast<int64_t>(i)),
                             "] = [", absl::StrJoin(tuple, tuple + k, ","),
                             "] does not index into ", what, " ", shape.ToString());
    }
    (*rows)[i] = row;
  }
  return OkStatus();
}

template <typename Fn>
Status DispatchAnyIndex(DType dtype, Fn&& fn) {
  return DispatchTypes<int16_t, uint16_t, int32_t, int64_t>(dtype, std::forward<Fn>(fn));
}

}  // namespace

StatusOr<BadIndex> BadIndexPolicy(const AttrMap& attrs) {
  const std::string policy = attrs.GetOr<std::string>("bad_indices_policy", "");
  if (policy.empty() || policy == "DEFAULT" || policy == "ERROR") return BadIndex::kError;
  if (policy == "IGNORE") return BadIndex::kIgnore;
  return InvalidArgument("'bad_indices_policy' must be DEFAULT, ERROR or IGNORE, not '", policy,
                         "'");
}

StatusOr<std::vector<int64_t>> FlattenIndices(const Tensor& indices, const Shape& shape,
                                              BadIndex bad, absl::string_view what) {
  if (indices.rank() < 1) return InvalidArgument("indices must be at least a vector");
  const int64_t k = indices.dim(indices.rank() - 1);
  if (k > shape.rank()) {
    return InvalidArgument("index tuples have ", k, " entries, more than the rank of shape ",
                           shape.ToString());
  }
  int64_t count = 1;
  for (int i = 0; i + 1 < indices.rank(); ++i) count *= indices.dim(i);
  std::vector<int64_t> rows(static_cast<size_t>(count));
  WB_RETURN_IF_ERROR(DispatchAnyIndex(indices.dtype(), [&](auto tag) {
    return Flatten<typename decltype(tag)::type>(indices, k, shape, bad, what, &rows);
  }));
  return rows;
}

StatusOr<std::vector<int64_t>> CheckRows(const Tensor& indices, int64_t limit) {
  std::vector<int64_t> rows(static_cast<size_t>(indices.num_elements()));
  WB_RETURN_IF_ERROR(DispatchAnyIndex(indices.dtype(), [&](auto tag) -> Status {
    using Index = typename decltype(tag)::type;
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[i] = static_cast<int64_t>(indices.data<Index>()[i]);
      if (rows[i] < 0 || rows[i] >= limit) {
        return InvalidArgument("indices[",
                               PositionText(indices.shape().dims(), static_cast<int64_t>(i)),
                               "] = ", rows[i], " is not in [0, ", limit, ")");
      }
    }
    return OkStatus();
  }));
  return rows;
}

Status ScatterRows(ScatterOp op, DType dtype, void* to, Span<const int64_t> rows, int64_t width,
                   RowUpdates updates) {
  if (rows.empty() || width == 0) return OkStatus();
  const int64_t count = updates.scalar ? 1 : static_cast<int64_t>(rows.size()) * width;
  switch (op) {
    case ScatterOp::kUpdate:
      return Assign(dtype, to, rows, width, updates);
    case ScatterOp::kAdd:
      if (dtype == DType::kBool || dtype == DType::kString) {
        return ApplyTo(TypeList<bool, std::string>{}, dtype, to, rows, width, updates, AddFn());
      }
      return ApplyTo(NumberTypeList{}, dtype, to, rows, width, updates, AddFn());
    case ScatterOp::kSub:
      return ApplyTo(NumberTypeList{}, dtype, to, rows, width, updates, SubFn());
    case ScatterOp::kMul:
      return ApplyTo(NumberTypeList{}, dtype, to, rows, width, updates, MulFn());
    case ScatterOp::kDiv:
      WB_RETURN_IF_ERROR(RefuseZeroDivisors(dtype, count, updates.data));
      return ApplyTo(NumberTypeList{}, dtype, to, rows, width, updates, DivFn());
    case ScatterOp::kMin:
      return ApplyTo(RealTypeList{}, dtype, to, rows, width, updates, MinFn());
    case ScatterOp::kMax:
      return ApplyTo(RealTypeList{}, dtype, to, rows, width, updates, MaxFn());
  }
  return Internal("unknown scatter operation");
}

Status CheckScatterShapes(const Shape& indices, const Shape& updates, const Shape& shape) {
  if (indices.rank() < 1) {
    return InvalidArgument("indices must be at least a vector, not of shape ", indices.ToString());
  }
  if (shape.rank() < 1) {
    return InvalidArgument("Output must be at least 1-D: an index finds a row of it");
  }
  if (shape.num_elements() == 0 && (indices.num_elements() > 0 || updates.num_elements() > 0)) {
    return InvalidArgument("Indices and updates specified for empty output of shape ",
                           shape.ToString(), ": indices are of shape ", indices.ToString());
  }
  const int batch = indices.rank() - 1;
  const int64_t k = indices.dim(batch);
  bool fits = k <= shape.rank() && updates.rank() == batch + shape.rank() - k;
  for (int i = 0; fits && i < updates.rank(); ++i) {
    fits =
        updates.dim(i) == (i < batch ? indices.dim(i) : shape.dim(static_cast<int>(k) + i - batch));
  }
  if (fits) return OkStatus();
  return InvalidArgument(
      "updates must have the shape of the index tuples followed by that of a row: "
      "indices are ",
      indices.ToString(), ", updates ", updates.ToString(), ", the tensor ", shape.ToString());
}

}  // namespace warpbeam
