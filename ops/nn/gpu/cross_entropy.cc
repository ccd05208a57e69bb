// The softmax cross entropies on a GPU: a block of threads for each row, which adds up the
// exponentials of the logits, then gives the loss and the gradient.
#include "ops/launch/math.h"
#include "ops/nn/gpu_loops/items.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/nn/cross_entropy.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// The greatest of some logits, and the sum of exp(logit - max), in one pass: where a greater one
// comes, what has been added up shrinks.
template <class A>
struct LogitSums {
  A max, sum;

  WB_BLOCK void Take(A logit) {
    if (logit == -static_cast<A>(INFINITY)) return;
    const A above = logit - max;
    if (above > 0) {
      sum = sum * Exp(-above) + A(1);
      max = logit;
    } else {
      sum += Exp(above);
    }
  }
  WB_BLOCK static LogitSums Join(const LogitSums& a, const LogitSums& b) {
    if (b.max > a.max) return Join(b, a);
    return b.sum == 0 ? a : LogitSums{a.max, a.sum + b.sum * Exp(b.max - a.max)};
  }
};

// An infinite maximum, or none, makes the sum no number, and so the row.
template <class T>
WB_BLOCK LogitSums<ComputeType<T>> SumLogits(GpuBlock& block, int64_t classes, const T* row,
                                             int64_t stride) {
  using A = ComputeType<T>;
  using Sums = LogitSums<A>;
  Sums sums = block.Reduce(
      [&](int thread) {
        Sums part{-static_cast<A>(INFINITY), 0};
        for (int64_t c = thread; c < classes; c += block.threads()) part.Take(A(row[c * stride]));
        return part;
      },
      [](const Sums& a, const Sums& b) { return Sums::Join(a, b); });
  if (!(Abs(sums.max) < static_cast<A>(INFINITY))) sums.sum = static_cast<A>(NAN);
  return sums;
}

// A label that is no class makes its row no number.
template <class T, class Label>
struct SparseEntropyBlock {
  const T* logits;
  const Label* labels;
  T *loss, *backprop;  // backprop may be the logits
  int64_t rows, classes;

  WB_BLOCK void operator()(GpuBlock& block) const {
    for (int64_t row = block.index(); row < rows; row += block.count()) Row(block, row);
  }

 private:
  using A = ComputeType<T>;

  WB_BLOCK void Row(GpuBlock& block, int64_t row) const {
    const T* const x = logits + row * classes;
    T* const out = backprop + row * classes;
    const int64_t label = static_cast<int64_t>(labels[row]);
    const bool is_class = label >= 0 && label < classes;
    const LogitSums<A> sums = SumLogits(block, classes, x, 1);
    const A max = sums.max, sum = sums.sum;
    const A inverse = A(1) / sum;
    block.ForEach([&](int thread) {
      if (thread == 0) loss[row] = is_class ? T(Log(sum) - (A(x[label]) - max)) : T(A(NAN));
    });
    block.ForEach([&](int thread) {
      for (int64_t c = thread; c < classes; c += block.threads()) {
        const A probability = Exp(A(x[c]) - max) * inverse;
        out[c] = is_class ? T(c == label ? probability - A(1) : probability) : T(A(NAN));
      }
    });
  }
};

// Operands of one row, or of one column, are spread: a stride of 0.
template <class T>
struct DenseEntropyBlock {
  const T *logits, *labels;
  T *loss, *backprop;  // backprop may be either operand
  int64_t rows, classes;
  int64_t logit_row, logit_column, label_row, label_column;

  WB_BLOCK void operator()(GpuBlock& block) const {
    for (int64_t row = block.index(); row < rows; row += block.count()) Row(block, row);
  }

 private:
  using A = ComputeType<T>;

  WB_BLOCK void Row(GpuBlock& block, int64_t row) const {
    const T* const x = logits + row * logit_row;
    const T* const label = labels + row * label_row;
    T* const out = backprop + row * classes;
    const LogitSums<A> sums = SumLogits(block, classes, x, logit_column);
    const A max = sums.max;
    const A log_sum = Log(sums.sum), inverse = A(1) / sums.sum;
    const A total = block.Reduce(
        [&](int thread) {
          A part = 0;
          for (int64_t c = thread; c < classes; c += block.threads()) {
            part += A(label[c * label_column]) * (log_sum - (A(x[c * logit_column]) - max));
          }
          return part;
        },
        [](A a, A b) { return a + b; });
    block.ForEach([&](int thread) {
      if (thread == 0) loss[row] = T(total);
      for (int64_t c = thread; c < classes; c += block.threads()) {
        const A probability = Exp(A(x[c * logit_column]) - max) * inverse;
        out[c] = T(probability - A(label[c * label_column]));
      }
    });
  }
};

#define WB_ENTROPY_FUNCTIONS(T)                    \
  WB_GPU_FUNCTION(SparseEntropyBlock<T, int32_t>); \
  WB_GPU_FUNCTION(SparseEntropyBlock<T, int64_t>); \
  WB_GPU_FUNCTION(DenseEntropyBlock<T>)
WB_ENTROPY_FUNCTIONS(Half);
WB_ENTROPY_FUNCTIONS(BFloat16);
WB_ENTROPY_FUNCTIONS(float);
WB_GPU_FUNCTION(DenseEntropyBlock<double>);

#if WB_HOST_PASS
namespace {

class SparseEntropyOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SparseEntropyOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<SparseEntropyBlock<float, int32_t>>();
  }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor &logits = ctx.input(0), &labels = ctx.input(1);
    const Shape shape = logits.shape();
    WB_RETURN_IF_ERROR(CheckSparseEntropy(shape, labels.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * loss, ctx.Allocate(0, Shape({shape.dim(0)})));
    WB_ASSIGN_OR_RETURN(Tensor * backprop, ctx.ForwardOrAllocate({0}, 1, shape));
    if (shape.num_elements() == 0) return OkStatus();
    using Types = TypeList<Half, BFloat16, float>;
    return DispatchTypes(Types{}, loss->dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return DispatchIndex(labels.dtype(), [&](auto label_tag) {
        using Label = typename decltype(label_tag)::type;
        return Launch(
            stream, RowGrid(shape.dim(0), shape.dim(1)),
            SparseEntropyBlock<T, Label>{logits.data<T>(), labels.data<Label>(), loss->data<T>(),
                                         backprop->data<T>(), shape.dim(0), shape.dim(1)});
      });
    });
  }
};

class DenseEntropyOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<DenseEntropyOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<DenseEntropyBlock<float>>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor &logits = ctx.input(0), &labels = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const Shape shape, DenseEntropyShape(logits.shape(), labels.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * loss, ctx.Allocate(0, Shape({shape.dim(0)})));
    WB_ASSIGN_OR_RETURN(Tensor * backprop, ctx.ForwardOrAllocate({0, 1}, 1, shape));
    if (shape.dim(0) == 0) return OkStatus();
    const auto row = [](const Tensor& t) { return t.dim(0) == 1 ? 0 : t.dim(1); };
    const auto column = [](const Tensor& t) { return t.dim(1) == 1 ? 0 : 1; };
    return DispatchTypes(FloatTypeList{}, loss->dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return Launch(stream, RowGrid(shape.dim(0), shape.dim(1)),
                    DenseEntropyBlock<T>{logits.data<T>(), labels.data<T>(), loss->data<T>(),
                                         backprop->data<T>(), shape.dim(0), shape.dim(1),
                                         row(logits), column(logits), row(labels), column(labels)});
    });
  }
};

}  // namespace

WB_GPU_KERNEL("SparseSoftmaxCrossEntropyWithLogits", SparseEntropyOnGpu);
WB_GPU_KERNEL("SoftmaxCrossEntropyWithLogits", DenseEntropyOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
