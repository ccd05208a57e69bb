// AddN (and AccumulateNV2, which TensorFlow rewrites to it): the sum of N tensors of one shape in
// one pass over memory; and _Average, the same with a factor, which stands for a recognised average
// of gradients.
//
//   _Average: inputs: N * T -> output: T;  output = (sum of inputs, in order) / divisor * scale
//
// Every input is read once and the result written once. Sums run in the inputs' order in the
// compute type (float for 16-bit floats) and are rounded once, except that AddN of 16-bit floats
// rounds after every addition, as TensorFlow's does.

#include "ops/math/add_n.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "absl/container/inlined_vector.h"
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "runtime/kernel/block_kernel.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

Status CheckSameShapes(const KernelContext& ctx) {
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    if (ctx.input(i).shape() != ctx.input(0).shape()) {
      return InvalidArgument(
          "Inputs to operation AddN must have the same size and shape. Input 0: ",
          ctx.input(0).shape().ToString(), " != input ", i, ": ", ctx.input(i).shape().ToString());
    }
  }
  return OkStatus();
}

namespace host_pass {
namespace {

// The inputs' addresses; as many as towers usually give need no allocation.
template <class T>
using Addresses = absl::InlinedVector<const T*, 16>;

constexpr int64_t kBlock = 4096;  // elements: 16 KiB of floats, half of a first-level cache

// Whether a result that is not written in place should go past the caches: what is read and written
// would drive it out of them anyway, and a cache line that is only written need not be fetched
// first.
template <class T>
bool ShouldStream(const Addresses<T>& x, const T* out, int64_t count) {
  static const int64_t last_level_cache = [] {
    constexpr int64_t kUnknown = int64_t{32} << 20;
    const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return bytes > 0 ? static_cast<int64_t>(bytes) : kUnknown;
  }();
  const int64_t tensors = static_cast<int64_t>(x.size()) + 1;
  return count * static_cast<int64_t>(sizeof(T)) > last_level_cache / tensors &&
         std::find(x.begin(), x.end(), out) == x.end() &&
         reinterpret_cast<uintptr_t>(out) % Vec<ComputeType<T>>::kBytes == 0;
}

// out[i] = finish(x[0][i] + x[1][i] + …), added in the compute type. `out` may be one of the
// inputs. Vectors of all inputs at once keep the sum in registers; a few of them hide the
// additions' latency.
template <bool kStream, class T, class Finish>
void SumInRegisters(const Addresses<T>& x, Finish finish, T* out, int64_t begin, int64_t end) {
  using V = Vec<ComputeType<T>>;
  constexpr int64_t kLanes = V::kLanes, kStep = 4 * kLanes;
  const int n = static_cast<int>(x.size());
  int64_t i = begin;
  for (; i + kStep <= end; i += kStep) {
    V sum[4];
    for (int j = 0; j < 4; ++j) sum[j] = LoadVec(x[0] + i + j * kLanes);
    for (int k = 1; k < n; ++k) {
      for (int j = 0; j < 4; ++j) sum[j] = sum[j] + LoadVec(x[k] + i + j * kLanes);
    }
    for (int j = 0; j < 4; ++j) {
      if constexpr (kStream) {
        StreamVec(finish(sum[j]), out + i + j * kLanes);
      } else {
        StoreVec(finish(sum[j]), out + i + j * kLanes);
      }
    }
  }
  for (; i < end; i += kLanes) {
    const int64_t count = std::min(kLanes, end - i);
    V sum = LoadVecN(x[0] + i, count);
    for (int k = 1; k < n; ++k) sum = sum + LoadVecN(x[k] + i, count);
    StoreVecN(finish(sum), out + i, count);
  }
  if constexpr (kStream) FinishStreaming();
}

// Where every addition is rounded to T: small blocks of the result stay in the first-level cache
// while all inputs are added to them.
template <class T>
void AddBlock(const T* a, const T* b, T* to, int64_t count) {
  if constexpr (kIsFloat<T>) {
    constexpr int64_t kLanes = Vec<ComputeType<T>>::kLanes;
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) StoreVec(LoadVec(a + i) + LoadVec(b + i), to + i);
    if (i < count) {
      StoreVecN(LoadVecN(a + i, count - i) + LoadVecN(b + i, count - i), to + i, count - i);
    }
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) to[i] = Plus(a[i], b[i]);
  }
}

template <class T>
void SumBlocks(const Addresses<T>& x, T* out, int64_t begin, int64_t end) {
  for (; begin < end; begin += kBlock) {
    const int64_t count = std::min(kBlock, end - begin);
    T* to = out + begin;
    AddBlock(x[0] + begin, x[1] + begin, to, count);
    for (size_t k = 2; k < x.size(); ++k) AddBlock(to, x[k] + begin, to, count);
  }
}

// Runs loop(begin, end), with `begin` a multiple of kBlock, for all of `count` elements of `n`
// inputs. Moving a byte takes 0.05 ns at 20 GB/s.
template <class Loop>
void ForBlocks(const KernelContext& ctx, int n, size_t element, int64_t count, Loop loop) {
  const int64_t nanoseconds = kBlock * static_cast<int64_t>(element) * (n + 1) / 20 + 1;
  ctx.ParallelFor((count + kBlock - 1) / kBlock, nanoseconds, [&](int64_t begin, int64_t end) {
    loop(begin * kBlock, std::min(count, end * kBlock));
  });
}

template <class T, class Finish>
void SumAll(const KernelContext& ctx, const Addresses<T>& x, T* out, int64_t count, Finish finish) {
  const int n = static_cast<int>(x.size());
  if constexpr (std::is_same_v<T, ComputeType<T>>) {
    if (ShouldStream(x, out, count)) {
      return ForBlocks(ctx, n, sizeof(T), count, [&](int64_t begin, int64_t end) {
        SumInRegisters<true>(x, finish, out, begin, end);
      });
    }
  }
  ForBlocks(ctx, n, sizeof(T), count,
            [&](int64_t begin, int64_t end) { SumInRegisters<false>(x, finish, out, begin, end); });
}

// All inputs' addresses, once their shapes are known to agree.
template <class T>
StatusOr<Addresses<T>> InputAddresses(const KernelContext& ctx) {
  WB_RETURN_IF_ERROR(CheckSameShapes(ctx));
  Addresses<T> x(ctx.num_inputs());
  for (int i = 0; i < ctx.num_inputs(); ++i) x[i] = ctx.input(i).data<T>();
  return x;
}

// A block's addresses; sums of a block run like those of a tensor.
template <class T>
Addresses<T> BlockAddresses(const BlockCall& call, int n) {
  Addresses<T> x(n);
  for (int i = 0; i < n; ++i) x[i] = static_cast<const T*>(call.inputs[i]);
  return x;
}

class AddNKernel final : public Kernel, public BlockKernel {
 public:
  AddNKernel(int num_inputs, DType dtype) : num_inputs_(num_inputs), dtype_(dtype) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return std::make_unique<AddNKernel>(static_cast<int>(init.input_types.size()),
                                        init.output_types[0]);
  }

  bool AcceptsInputs(Span<const Tensor* const> inputs) const override {
    return num_inputs_ > 1 && static_cast<int>(inputs.size()) == num_inputs_;
  }
  int picoseconds() const override { return 100 * num_inputs_; }
  bool RunBlock(const BlockCall& call) const override {
    if (call.scalars != 0) return false;
    return DispatchTypes(NumberTypeList{}, dtype_,
                         [&](auto tag) {
                           using T = typename decltype(tag)::type;
                           const Addresses<T> x = BlockAddresses<T>(call, num_inputs_);
                           T* out = static_cast<T*>(call.outputs[0]);
                           if constexpr (std::is_floating_point_v<T>) {
                             SumInRegisters<false>(
                                 x, [](auto sum) { return sum; }, out, 0, call.count);
                           } else {
                             SumBlocks(x, out, 0, call.count);
                           }
                           return OkStatus();
                         })
        .ok();
  }

  Status Compute(KernelContext& ctx) override {
    if (ctx.num_inputs() == 1) {
      ctx.set_output(0, ctx.input(0));
      return OkStatus();
    }
    return DispatchTypes(NumberTypeList{}, ctx.output_type(0), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      WB_ASSIGN_OR_RETURN(const Addresses<T> x, InputAddresses<T>(ctx));
      // The first input is read before the result is written; where blocks are, the others must be
      // other tensors.
      const Shape shape = ctx.input(0).shape();
      const bool reuse = std::count(x.begin(), x.end(), x[0]) == 1;
      WB_ASSIGN_OR_RETURN(Tensor * sum,
                          reuse ? ctx.ForwardOrAllocate({0}, 0, shape) : ctx.Allocate(0, shape));
      const int64_t count = sum->num_elements();
      T* out = sum->data<T>();
      if constexpr (std::is_floating_point_v<T>) {
        SumAll(ctx, x, out, count, [](auto sum) { return sum; });
      } else {
        ForBlocks(ctx, ctx.num_inputs(), sizeof(T), count,
                  [&](int64_t begin, int64_t end) { SumBlocks(x, out, begin, end); });
      }
      return OkStatus();
    });
  }

 private:
  const int num_inputs_;
  const DType dtype_;
};

class AverageKernel final : public Kernel, public BlockKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    // What compiles plans sets only what it needs.
    return std::make_unique<AverageKernel>(init, init.attrs.GetOr<float>("divisor", 1),
                                           init.attrs.GetOr<float>("scale", 1));
  }
  AverageKernel(const KernelInit& init, float divisor, float scale)
      : num_inputs_(static_cast<int>(init.input_types.size())),
        dtype_(init.output_types[0]),
        divisor_(divisor),
        scale_(scale) {}

  bool AcceptsInputs(Span<const Tensor* const> inputs) const override {
    return static_cast<int>(inputs.size()) == num_inputs_;
  }
  int picoseconds() const override { return 100 * num_inputs_; }
  bool RunBlock(const BlockCall& call) const override {
    if (call.scalars != 0) return false;
    return DispatchTypes(FloatTypeList{}, dtype_,
                         [&](auto tag) {
                           using T = typename decltype(tag)::type;
                           const Addresses<T> x = BlockAddresses<T>(call, num_inputs_);
                           Finished<T>([&](auto finish) {
                             SumInRegisters<false>(x, finish, static_cast<T*>(call.outputs[0]), 0,
                                                   call.count);
                           });
                           return OkStatus();
                         })
        .ok();
  }

  Status Compute(KernelContext& ctx) override {
    return DispatchTypes(FloatTypeList{}, dtype_, [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      WB_ASSIGN_OR_RETURN(const Addresses<T> x, InputAddresses<T>(ctx));
      // Every input's element is read before the result's is written, so any buffer will do.
      WB_ASSIGN_OR_RETURN(Tensor * out, ForwardAny(ctx));
      const int64_t count = out->num_elements();
      T* y = out->data<T>();
      Finished<T>([&](auto finish) { SumAll(ctx, x, y, count, finish); });
      return OkStatus();
    });
  }

 private:
  // Calls `sum` with what turns a sum into the result.
  template <class T, class Sum>
  void Finished(Sum sum) const {
    using C = ComputeType<T>;
    using V = Vec<C>;
    // Dividing by a power of two is multiplying by its inverse.
    int exponent;
    if (std::frexp(C(divisor_), &exponent) == C(0.5)) {
      sum([f = V(C(scale_) / C(divisor_))](V x) { return x * f; });
    } else {
      sum([d = V(C(divisor_)), s = V(C(scale_))](V x) { return x / d * s; });
    }
  }

  static StatusOr<Tensor*> ForwardAny(KernelContext& ctx) {
    const Shape shape = ctx.input(0).shape();
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      if (ctx.CanForward(i)) return ctx.ForwardOrAllocate({i}, 0, shape);
    }
    return ctx.Allocate(0, shape);
  }

  const int num_inputs_;
  const DType dtype_;
  const float divisor_;
  const float scale_;
};

Status AddNGradient(GradContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) c.set_dx(i, c.dy(0));
  return OkStatus();
}

constexpr TypeSet kAddNGpu =
    kFloatingTypes | kComplexTypes | TypeSet{DType::kInt64, DType::kUInt32};

}  // namespace

#define WB_ADDABLE                                                                                \
  "float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, " \
  "qint16, quint16, uint16, complex128, half, uint32, uint64"

WB_OP("AddN")
    .Input("inputs: N * T")
    .Output("sum: T")
    .Attr("N: int >= 1")
    .Attr("T: {" WB_ADDABLE ", variant}")
    .Commutative()
    .Aggregate()
    .Shape(shapes::MergeInputs);
WB_KERNEL("AddN", AddNKernel).Cpu({{"T", kNumberTypes}}).Gpu({{"T", kAddNGpu}});
WB_KERNEL("AddN", AddNKernel).Gpu({{"T", {DType::kInt32}}}).HostMemory({"inputs", "sum"});
WB_GRADIENT("AddN", AddNGradient);

WB_OP("AccumulateNV2")
    .Input("inputs: N * T")
    .Output("sum: T")
    .Attr("N: int >= 1")
    .Attr("T: {" WB_ADDABLE "}")
    .Attr("shape: shape")
    .Commutative()
    .Aggregate()
    .Shape(shapes::MergeInputs);
WB_KERNEL("AccumulateNV2", AddNKernel).Cpu({{"T", kNumberTypes}}).Gpu({{"T", kAddNGpu}});
WB_GRADIENT("AccumulateNV2", AddNGradient);

WB_OP("_Average")
    .Input("inputs: N * T")
    .Output("output: T")
    .Attr("N: int >= 1")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("divisor: float = 1.0")
    .Attr("scale: float = 1.0")
    .Shape(shapes::MergeInputs)
    .Doc("The sum of the inputs, in their order, divided by `divisor` and multiplied by `scale`.");
WB_KERNEL("_Average", AverageKernel).Cpu({{"T", kFloatingTypes}}).Gpu({{"T", kFloatingTypes}});
WB_NOT_DIFFERENTIABLE("_Average", "it stands for an average only while a plan is compiled");

}  // namespace host_pass
}  // namespace warpbeam
