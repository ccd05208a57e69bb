// What an update reads and writes, and the blocks of GPUs that do one; in both passes.
//
//   WB_GPU_UPDATE(AdamRule)          the blocks of a rule (ops/training/update_rule.h)
//   WB_GPU_SPARSE_UPDATE(AdamRule)   and those for gradients of rows
//   WB_GPU_COMPLEX_UPDATE(AdamRule), WB_GPU_SPARSE_COMPLEX_UPDATE(AdamRule)   of complex numbers
//
// The scalars of an update lie where the kernels of the device find them: on a GPU in its memory,
// where each thread reads them. An index out of range is left out there: nothing on the host could
// refuse it.
//
// Ownership: the addresses are the launching kernel's. Thread safety: values.
#ifndef WARPBEAM_OPS_TRAINING_UPDATE_BLOCK_H_
#define WARPBEAM_OPS_TRAINING_UPDATE_BLOCK_H_

#include <cstdint>

#include "graph/types/dtype.h"
#include "ops/array/gpu/ordered_rows.h"
#include "ops/launch/complex_functions.h"
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/launch/math.h"
#include "ops/launch/pass.h"
#include "ops/launch/type_list.h"
#include "ops/state/gpu/neighbours.h"

namespace warpbeam::WB_PASS {

constexpr int kMostVariables = 4;
constexpr int kMostScalars = 6;

// A scalar argument's value.
struct ScalarValue {
  const void* data;
  DType dtype;
};

// One update: where the values are read and written, and how they are cut into parts.
struct UpdateCall {
  ScalarValue scalars[kMostScalars] = {};
  int num_scalars = 0;
  bool flag = false;
  const void* from[kMostVariables] = {};
  void* to[kMostVariables] = {};  // where a variable is updated in place: its `from`
  const void* gradient = nullptr;
  // A sparse gradient: row i of it belongs to row Row(i) of the variable. Part p of `parts` does
  // the rows whose number leaves p, so that a row's updates are in order.
  const void* rows = nullptr;
  bool rows_are_int32 = false;
  int64_t num_rows = 0, row_size = 0, parts = 1;
  int64_t limit = 0;  // how many rows the variable has

  WB_HD int64_t Row(int64_t i) const {
    return rows_are_int32 ? static_cast<const int32_t*>(rows)[i]
                          : static_cast<const int64_t*>(rows)[i];
  }
};

// The scalar arguments, and the op's boolean attribute.
template <class C>
struct UpdateScalars {
  C values[kMostScalars] = {};
  bool flag = false;
  WB_HD C operator[](int i) const { return values[i]; }

  template <class T>
  WB_HD static UpdateScalars Of(const UpdateCall& call) {
    UpdateScalars result;
    result.flag = call.flag;
    for (int i = 0; i < kMostScalars; ++i) {  // a constant, so that they get registers
      if (i >= call.num_scalars) break;
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

// -1, 0 or 1; NaN of NaN.
template <class V>
WB_HD V Sign(V x) {
  return Where(x > V(0), V(1), Where(x < V(0), V(-1), x));
}
// The proximal step for l1 and l2, both times the learning rate.
template <class V>
WB_HD V Shrink(V x, V l1, V l2) {
  return Sign(x) * Max(Abs(x) - l1, V(0)) / (V(1) + l2);
}

// The rule on the neighbours at `i` of the variables, for those at `g` of the gradient; in units of
// `count` elements.
template <class T, int count, class Rule>
WB_BLOCK void UpdateNeighbours(const Rule& rule, const UpdateCall& call, int64_t i, int64_t g) {
  using C = ComputeType<T>;
  using Lanes = Neighbours<T, count>;
  const Lanes gradient = static_cast<const Lanes*>(call.gradient)[g];
  Lanes values[Rule::kVariables];
  for (int k = 0; k < Rule::kVariables; ++k) {
    values[k] = static_cast<const Lanes*>(call.from[k])[i];
  }
  for (int lane = 0; lane < count; ++lane) {
    C s[Rule::kVariables];
    for (int k = 0; k < Rule::kVariables; ++k) s[k] = static_cast<C>(values[k].at[lane]);
    rule(s, static_cast<C>(gradient.at[lane]));
    for (int k = 0; k < Rule::kVariables; ++k) values[k].at[lane] = static_cast<T>(s[k]);
  }
  for (int k = 0; k < Rule::kVariables; ++k) static_cast<Lanes*>(call.to[k])[i] = values[k];
}

// All elements; those of complex types are ComplexNumbers.
template <template <class> class Rule, class T>
struct UpdateBlock {
  UpdateCall call;
  int64_t count;

  WB_BLOCK void operator()(GpuBlock& block) const {
    constexpr int kLanes = kMostNeighbours<T>;
    const Rule<ComputeType<T>> rule(UpdateScalars<ComputeType<T>>::template Of<T>(call));
    const int64_t packs = IsAligned() ? count / kLanes : 0, rest = packs * kLanes;
    ForEachElement(block, packs, [&](int64_t i) { UpdateNeighbours<T, kLanes>(rule, call, i, i); });
    ForEachElement(block, count - rest,
                   [&](int64_t i) { UpdateNeighbours<T, 1>(rule, call, rest + i, rest + i); });
  }

 private:
  // A gradient may be a part of something larger.
  WB_HD bool IsAligned() const {
    bool aligned = AreFitForNeighbours(call.gradient);
    for (int k = 0; k < Rule<ComputeType<T>>::kVariables; ++k) {
      aligned = aligned && AreFitForNeighbours(call.from[k], call.to[k]);
    }
    return aligned;
  }
};

// Rows [begin, end) of a sparse gradient, in order.
template <template <class> class Rule, class T>
struct UpdateRowsBlock {
  UpdateCall call;
  int64_t begin, end;

  WB_BLOCK void operator()(GpuBlock& block) const {
    const Rule<ComputeType<T>> rule(UpdateScalars<ComputeType<T>>::template Of<T>(call));
    ForRowsInOrder(
        block, begin, end,
        [&](int64_t i) {
          const int64_t row = call.Row(i);
          return row < call.limit ? row : -1;
        },
        [&](int64_t row, int64_t i) {
          block.ForEach([&](int thread) {
            for (int64_t c = thread; c < call.row_size; c += block.threads()) {
              UpdateNeighbours<T, 1>(rule, call, row * call.row_size + c, i * call.row_size + c);
            }
          });
        });
  }
};

#define WB_GPU_UPDATE(Rule)                  \
  WB_GPU_FUNCTION(UpdateBlock<Rule, Half>);  \
  WB_GPU_FUNCTION(UpdateBlock<Rule, float>); \
  WB_GPU_FUNCTION(UpdateBlock<Rule, double>)
#define WB_GPU_COMPLEX_UPDATE(Rule)                         \
  WB_GPU_FUNCTION(UpdateBlock<Rule, ComplexNumber<float>>); \
  WB_GPU_FUNCTION(UpdateBlock<Rule, ComplexNumber<double>>)
#define WB_GPU_SPARSE_UPDATE(Rule)               \
  WB_GPU_FUNCTION(UpdateRowsBlock<Rule, Half>);  \
  WB_GPU_FUNCTION(UpdateRowsBlock<Rule, float>); \
  WB_GPU_FUNCTION(UpdateRowsBlock<Rule, double>)
#define WB_GPU_SPARSE_COMPLEX_UPDATE(Rule)                      \
  WB_GPU_FUNCTION(UpdateRowsBlock<Rule, ComplexNumber<float>>); \
  WB_GPU_FUNCTION(UpdateRowsBlock<Rule, ComplexNumber<double>>)

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_TRAINING_UPDATE_BLOCK_H_
