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
//     WB_HD explicit MomentumRule(const UpdateScalars<C>& h) : rate(h[0]), momentum(h[1]) {}
//     template <class V>
//     WB_HD void operator()(V* s, V g) const {    // s[0] the variable, s[1] the slot
//       s[1] = s[1] * V(momentum) + g;
//       s[0] = s[0] - V(rate) * s[1];
//     }
//   };
//   WB_GPU_UPDATE(MomentumRule);                  // where there are kernels of GPUs
//   const UpdateOps momentum({"Momentum", "accum", "lr grad momentum",
//                             &FindUpdate<MomentumRule, FloatTypeList>, …}, WB_OP_LIBRARY);
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

#include "ops/training/update_block.h"

#if WB_HOST_PASS
#include <string>

#include "graph/op/op_registry.h"
#include "graph/types/tensor.h"
#include "ops/launch/dispatch.h"

namespace warpbeam::host_pass {

// Does the elements [begin, end), or those parts.
using UpdateFn = void (*)(const UpdateCall& call, int64_t begin, int64_t end);
// Launches the update on a GPU: of so many elements, or of the rows.
using LaunchUpdateFn = Status (*)(GpuStream& stream, const UpdateCall& call, int64_t count);

// A rule for one dtype; null where it has none.
struct UpdateFunctions {
  UpdateFn on_cpu = nullptr;
  LaunchUpdateFn on_gpu = nullptr;
};
using UpdateFinder = UpdateFunctions (*)(DType dtype);

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
    const int64_t row = call.Row(i), part = call.parts == 1 ? 0 : row % call.parts;
    if (part < begin || part >= end) continue;
    UpdateElements(rule, call, row * call.row_size, g + i * call.row_size, call.row_size);
  }
}

template <template <class> class Rule, class T>
Status LaunchUpdate(GpuStream& stream, const UpdateCall& call, int64_t count) {
  if (call.rows != nullptr) {
    return LaunchRowsInOrder(call.num_rows, [&](int64_t begin, int64_t end, const GpuGrid& grid) {
      return Launch(stream, grid, UpdateRowsBlock<Rule, T>{call, begin, end});
    });
  }
  GpuGrid grid;
  grid.blocks = GpuBlocksFor((count + grid.threads - 1) / grid.threads);
  return Launch(stream, grid, UpdateBlock<Rule, T>{call, count});
}

template <template <class> class Rule, class Types>
UpdateFunctions FindUpdate(DType dtype) {
  UpdateFunctions found;
  DispatchTypes(Types{}, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    found.on_cpu = &Update<Rule, T>;
    if constexpr (!std::is_same_v<T, BFloat16>) {
      found.on_gpu = &LaunchUpdate<Rule, GpuElement<T>>;
    }
    return OkStatus();
  }).IgnoreError();
  return found;
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

// Registers schemas and kernels of a rule: of a reference and of a resource, dense and sparse. The
// library is WB_OP_LIBRARY, that of the file which has the rule.
struct UpdateOps {
  UpdateOps(const UpdateRule& rule, const char* library);
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

#endif  // WB_HOST_PASS

#endif  // WARPBEAM_OPS_TRAINING_UPDATE_RULE_H_
