// UpdateRule: what one optimizer does to a variable and its slots, and the ops that it makes.
//
// The ops Apply*, ResourceApply*, SparseApply* and ResourceSparseApply* of all optimizers differ
// only in their arithmetic and in the names of their arguments. An optimizer is therefore a class
// with the arithmetic, written once for a scalar or a vector, and a line of names:
//
//   template <class C>                            // what is computed in: float, double, complex
//   struct MomentumRule {
//     static constexpr int kVariables = 2;        // the variable, then its slots
//     C rate, momentum;
//     explicit MomentumRule(const UpdateScalars<C>& h) : rate(h[0]), momentum(h[1]) {}
//     template <class V>
//     void operator()(V* s, V g) const {          // s[0] the variable, s[1] the slot
//       s[1] = s[1] * V(momentum) + g;
//       s[0] = s[0] - V(rate) * s[1];
//     }
//   };
//   const UpdateOps momentum({"Momentum", "accum", "lr grad momentum",
//                             &FindUpdate<MomentumRule, FloatTypeList>, …});
//
// The scalars come in the order of the arguments, without gradient and indices. One pass over
// memory reads and writes the variable and all slots; 16-bit floats are computed in float and
// rounded when they are stored.
//
// All variables of an op are locked while it runs, always in one order. Everything is checked
// before anything is written. A value that somebody still holds stays as it is: the update goes to
// new memory. Rows that a sparse gradient names more than once are updated as often, in order.
//
// Ownership: rules are static data. Thread safety: pure functions on disjoint parts. Errors:
// FAILED_PRECONDITION for a variable without a value, INVALID_ARGUMENT for shapes, dtypes, indices
// or scalars that do not fit.
#ifndef WARPBEAM_OPS_TRAINING_UPDATE_RULE_H_
#define WARPBEAM_OPS_TRAINING_UPDATE_RULE_H_

#include <array>
#include <string>

#include "graph/types/tensor.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"

namespace warpbeam::host_pass {

constexpr int kMostVariables = 4;
constexpr int kMostScalars = 6;

// A scalar argument's value.
struct ScalarValue {
  const void* data;
  DType dtype;
};

// One update: where the values are read and written, and how they are cut into parts.
struct UpdateCall {
  std::array<ScalarValue, kMostScalars> scalars{};
  int num_scalars = 0;
  bool flag = false;
  std::array<const void*, kMostVariables> from{};
  std::array<void*, kMostVariables> to{};  // where a variable is updated in place: its `from`
  const void* gradient = nullptr;
  // A sparse gradient: row i of it belongs to row rows[i] of the variable. Part p of `parts` does
  // the rows whose number leaves p, so that a row's updates are in order.
  const int64_t* rows = nullptr;
  int64_t num_rows = 0, row_size = 0, parts = 1;
};
// Does the elements [begin, end), or those parts.
using UpdateFn = void (*)(const UpdateCall& call, int64_t begin, int64_t end);
using UpdateFinder = UpdateFn (*)(DType dtype);  // null for a dtype without the rule

// The scalar arguments, and the op's boolean attribute.
template <class C>
struct UpdateScalars {
  std::array<C, kMostScalars> values{};
  bool flag = false;
  C operator[](int i) const { return values[i]; }

  template <class T>
  static UpdateScalars Of(const UpdateCall& call) {
    UpdateScalars result;
    result.flag = call.flag;
    for (int i = 0; i < call.num_scalars; ++i) {
      const ScalarValue s = call.scalars[i];
      if (s.dtype == DType::kInt64) {  // a step count
        result.values[i] =
            static_cast<C>(static_cast<double>(*static_cast<const int64_t*>(s.data)));
      } else {
        result.values[i] = static_cast<C>(*static_cast<const T*>(s.data));
      }
    }
    return result;
  }
};

// The rule on `count` elements from `begin` of the variables on; the gradient's begin at g.
template <class Rule, class T>
void UpdateElements(const Rule& rule, const UpdateCall& call, int64_t begin, const T* g,
                    int64_t count) {
  constexpr int kVariables = Rule::kVariables;
  const T* from[kVariables];
  T* to[kVariables];
  for (int k = 0; k < kVariables; ++k) {
    from[k] = static_cast<const T*>(call.from[k]) + begin;
    to[k] = static_cast<T*>(call.to[k]) + begin;
  }
  int64_t i = 0;
  if constexpr (kIsFloat<T>) {
    using V = Vec<ComputeType<T>>;
    V s[kVariables];
    for (; i + V::kLanes <= count; i += V::kLanes) {
      for (int k = 0; k < kVariables; ++k) s[k] = LoadVec(from[k] + i);
      rule(s, LoadVec(g + i));
      for (int k = 0; k < kVariables; ++k) StoreVec(s[k], to[k] + i);
    }
    if (i < count) {
      for (int k = 0; k < kVariables; ++k) s[k] = LoadVecN(from[k] + i, count - i);
      rule(s, LoadVecN(g + i, count - i));
      for (int k = 0; k < kVariables; ++k) StoreVecN(s[k], to[k] + i, count - i);
    }
  } else {
    for (; i < count; ++i) {
      T s[kVariables];
      for (int k = 0; k < kVariables; ++k) s[k] = from[k][i];
      rule(s, g[i]);
      for (int k = 0; k < kVariables; ++k) to[k][i] = s[k];
    }
  }
}

template <template <class> class Rule, class T>
void Update(const UpdateCall& call, int64_t begin, int64_t end) {
  using C = ComputeType<T>;
  const Rule<C> rule(UpdateScalars<C>::template Of<T>(call));
  const T* g = static_cast<const T*>(call.gradient);
  if (call.rows == nullptr) return UpdateElements(rule, call, begin, g + begin, end - begin);
  for (int64_t i = 0; i < call.num_rows; ++i) {
    const int64_t row = call.rows[i], part = call.parts == 1 ? 0 : row % call.parts;
    if (part < begin || part >= end) continue;
    UpdateElements(rule, call, row * call.row_size, g + i * call.row_size, call.row_size);
  }
}

template <template <class> class Rule, class Types>
UpdateFn FindUpdate(DType dtype) {
  UpdateFn fn = nullptr;
  DispatchTypes(Types{}, dtype, [&](auto tag) {
    fn = &Update<Rule, typename decltype(tag)::type>;
    return absl::OkStatus();
  }).IgnoreError();
  return fn;
}

// -1, 0 or 1; NaN of NaN.
template <class V>
V Sign(V x) {
  return Where(x > V(0), V(1), Where(x < V(0), V(-1), x));
}
// The proximal step for l1 and l2, both times the learning rate.
template <class V>
V Shrink(V x, V l1, V l2) {
  return Sign(x) * Max(Abs(x) - l1, V(0)) / (V(1) + l2);
}

struct UpdateRule {
  const char* name;       // "Adam"
  const char* slots;      // "m v": inputs after var
  const char* arguments;  // "lr grad": inputs after the slots; indices follow grad
  UpdateFinder find;
  const char* attr = "";  // "use_nesterov: bool = false"
  TypeSet cpu, gpu;       // empty: there is no such kernel
  TypeSet sparse_cpu, sparse_gpu;
  bool has_ref = true;
  // Scalars that must be above 0, not negative, not positive; of sparse ops, or of both.
  const char* positive = "";
  const char* not_negative = "";
  const char* not_positive = "";
  bool dense_is_checked = true;
  bool flag_allows_zero = false;  // `attr` set: the positive scalars may be 0
};

// Registers schemas and kernels of a rule: of a reference and of a resource, dense and sparse.
struct UpdateOps {
  explicit UpdateOps(const UpdateRule& rule);
};

// The types that rules have.
using UpdateTypes = ConcatTypes<FloatTypeList, ComplexTypeList>;
inline constexpr TypeSet kUpdateTypes = TypeSetOf(UpdateTypes{});
inline constexpr TypeSet kUpdateGpuTypes = {DType::kHalf, DType::kFloat, DType::kDouble,
                                            DType::kComplex64, DType::kComplex128};
inline constexpr TypeSet kUpdateRealTypes = TypeSetOf(FloatTypeList{});
inline constexpr TypeSet kUpdateRealGpuTypes = {DType::kHalf, DType::kFloat, DType::kDouble};
inline constexpr TypeSet kUpdateWideTypes = {DType::kFloat, DType::kDouble};

}  // namespace warpbeam::host_pass

#endif  // WARPBEAM_OPS_TRAINING_UPDATE_RULE_H_
