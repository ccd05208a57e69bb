// SoftmaxCrossEntropyWithLogits and its sparse twin: the loss of each row and, in the same pass
// over the row, what the loss's gradient will be.

#include <algorithm>
#include <atomic>
#include <memory>

#include "absl/container/inlined_vector.h"
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/nn/cross_entropy.h"
#include "ops/nn/softmax_rows.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam::host_pass {
namespace {

// One operand of two dimensions that may be spread: a row, as compute type, in `wide` where it must
// be converted or spread.
template <class T>
struct Operand {
  const T* data;
  int64_t row_stride;
  bool one_column;

  const ComputeType<T>* Row(int64_t i, int64_t n, ComputeType<T>* wide) const {
    const T* row = data + i * row_stride;
    if constexpr (std::is_same_v<T, ComputeType<T>>) {
      if (!one_column) return row;
    }
    for (int64_t j = 0; j < n; ++j) wide[j] = static_cast<ComputeType<T>>(row[one_column ? 0 : j]);
    return wide;
  }
};

template <class T>
Operand<T> OperandOf(const Tensor& t, int64_t n) {
  const bool one_column = t.dim(1) == 1 && n != 1;
  return {t.data<T>(), t.dim(0) == 1 ? 0 : t.dim(1), one_column};
}

// Values of a row that are needed for a moment; on the stack for up to some hundred classes.
template <class A>
using RowBuffer = absl::InlinedVector<A, 768>;

template <class T>
void DenseRows(const Operand<T>& logits, const Operand<T>& labels, int64_t begin, int64_t end,
               int64_t n, T* loss, T* backprop) {
  using A = ComputeType<T>;
  using V = Vec<A>;
  RowBuffer<A> wide(3 * n);
  for (int64_t i = begin; i < end; ++i) {
    A* e = wide.data() + 2 * n;
    const A* x = logits.Row(i, n, wide.data());
    const A* label = labels.Row(i, n, wide.data() + n);
    const SoftmaxRow<A> row = ExponentialsOf(x, n, e);
    const A log_sum = Log(row.sum), inverse = A(1) / row.sum;
    const V log_sum_v(log_sum), max_v(row.max), inverse_v(inverse);
    V sum(0);
    T* out = backprop + i * n;
    int64_t j = 0;
    for (; j + V::kLanes <= n; j += V::kLanes) {
      const V l = LoadVec(label + j);
      sum = sum + l * (log_sum_v - (LoadVec(x + j) - max_v));
      StoreVec(LoadVec(e + j) * inverse_v - l, out + j);
    }
    A total = SumLanes(sum);
    for (; j < n; ++j) {
      total += label[j] * (log_sum - (x[j] - row.max));
      out[j] = static_cast<T>(e[j] * inverse - label[j]);
    }
    loss[i] = static_cast<T>(total);
  }
}

class DenseKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<DenseKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor &logits = ctx.input(0), &labels = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const Shape shape, DenseEntropyShape(logits.shape(), labels.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * loss, ctx.Allocate(0, Shape({shape.dim(0)})));
    // A row is done with before its result is written, so either buffer may be taken over.
    WB_ASSIGN_OR_RETURN(Tensor * backprop, ctx.ForwardOrAllocate({0, 1}, 1, shape));
    const int64_t n = shape.dim(1);
    return DispatchTypes(FloatTypeList{}, logits.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if (n == 0) {
        std::fill_n(loss->data<T>(), shape.dim(0), T(0.0f));
        return OkStatus();
      }
      const Operand<T> x = OperandOf<T>(logits, n), label = OperandOf<T>(labels, n);
      ctx.ParallelFor(shape.dim(0), 2 * n + 50, [&](int64_t begin, int64_t end) {
        DenseRows<T>(x, label, begin, end, n, loss->data<T>(), backprop->data<T>());
      });
      return OkStatus();
    });
  }
};

template <class T, class Label>
void SparseRows(const T* logits, const Label* labels, int64_t begin, int64_t end, int64_t n,
                T* loss, T* backprop) {
  using A = ComputeType<T>;
  // The result's row serves as the buffer where its type is wide enough.
  constexpr bool kInPlace = std::is_same_v<T, A>;
  RowBuffer<A> wide(kInPlace ? 0 : n);
  for (int64_t i = begin; i < end; ++i) {
    T* out = backprop + i * n;
    A* e = wide.data();
    if constexpr (kInPlace) e = out;
    const int64_t label = labels[i];
    const A chosen = static_cast<A>(logits[i * n + label]);
    const SoftmaxRow<A> row = ExponentialsOf(logits + i * n, n, e);
    loss[i] = static_cast<T>(Log(row.sum) - (chosen - row.max));
    const A inverse = A(1) / row.sum, of_label = e[label];
    ScaleRow(e, n, inverse, out);
    out[label] = static_cast<T>(of_label * inverse - A(1));
  }
}

class SparseKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SparseKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor &logits = ctx.input(0), &labels = ctx.input(1);
    WB_RETURN_IF_ERROR(CheckSparseEntropy(logits.shape(), labels.shape()));
    const int64_t n = logits.dim(1);
    return DispatchIndex(labels.dtype(), [&](auto label_tag) -> Status {
      using Label = typename decltype(label_tag)::type;
      for (int64_t i = 0; i < labels.num_elements(); ++i) {
        const int64_t label = labels.data<Label>()[i];
        if (label < 0 || label >= n) {
          return InvalidArgument("Received a label value of ", label,
                                 " which is outside the valid range of [0, ", n, "): it is number ",
                                 i);
        }
      }
      return ComputeRows<Label>(ctx, n);
    });
  }

 private:
  template <class Label>
  static Status ComputeRows(KernelContext& ctx, int64_t n) {
    const Tensor &logits = ctx.input(0), &labels = ctx.input(1);
    const Shape shape = logits.shape();
    WB_ASSIGN_OR_RETURN(Tensor * loss, ctx.Allocate(0, Shape({shape.dim(0)})));
    WB_ASSIGN_OR_RETURN(Tensor * backprop, ctx.ForwardOrAllocate({0}, 1, shape));
    return DispatchTypes(FloatTypeList{}, logits.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      ctx.ParallelFor(shape.dim(0), n + 50, [&](int64_t begin, int64_t end) {
        SparseRows<T, Label>(logits.data<T>(), labels.data<Label>(), begin, end, n, loss->data<T>(),
                             backprop->data<T>());
      });
      return OkStatus();
    });
  }
};

Status DenseShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape shape, ShapeContext::Broadcast(c.input(0), c.input(1)));
  if (!shape.has_rank()) {
    c.set_output(0, PartialShape::UnknownOfRank(1));
    c.set_output(1, PartialShape::UnknownOfRank(2));
    return OkStatus();
  }
  if (shape.rank() != 2) {
    return InvalidArgument("logits and labels must be matrices, but broadcast to ",
                           shape.ToString());
  }
  c.set_output(0, PartialShape({shape.dim(0)}));
  c.set_output(1, shape);
  return OkStatus();
}

Status SparseShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape logits, c.WithRank(0, 2));
  WB_ASSIGN_OR_RETURN(const PartialShape labels, c.WithRank(1, 1));
  WB_ASSIGN_OR_RETURN(const PartialShape rows, PartialShape::Merge(PartialShape({logits.dim(0)}),
                                                                   PartialShape({labels.dim(0)})));
  logits.set_dim(0, rows.dim(0));
  c.set_output(0, rows);
  c.set_output(1, std::move(logits));
  return OkStatus();
}

// A vector as a column, times a matrix.
OutputRef TimesRows(GradContext& c, OutputRef vector, OutputRef matrix) {
  return c.Mul(c.Emit("ExpandDims", {vector, c.Scalar<int32_t>(-1)}), matrix);
}

// The gradient of the logits; the second output has one of its own only in second derivatives.
OutputRef LogitsGradient(GradContext& c) {
  OutputRef dx = TimesRows(c, c.dy(0), c.y(1));
  if (!c.has_dy(1)) return dx;
  const OutputRef softmax = c.Emit("Softmax", {c.x(0)}), g = c.dy(1);
  const OutputRef mean =
      c.Emit("Sum", {c.Mul(g, softmax), c.Scalar<int32_t>(-1)}, {{"keep_dims", true}});
  return c.Add(dx, c.Mul(c.Sub(g, mean), softmax));
}
Status DenseGradient(GradContext& c) {
  c.set_dx(0, LogitsGradient(c));
  c.set_dx(1, TimesRows(c, c.dy(0), c.Neg(c.Emit("LogSoftmax", {c.x(0)}))));
  return OkStatus();
}
Status SparseGradient(GradContext& c) {
  c.set_dx(0, LogitsGradient(c));
  return OkStatus();
}

constexpr TypeSet kSparseGpu = {DType::kHalf, DType::kBFloat16, DType::kFloat};

}  // namespace

WB_OP("SoftmaxCrossEntropyWithLogits")
    .Input("features: T")
    .Input("labels: T")
    .Output("loss: T")
    .Output("backprop: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Shape(DenseShape);
WB_OP("SparseSoftmaxCrossEntropyWithLogits")
    .Input("features: T")
    .Input("labels: Tlabels")
    .Output("loss: T")
    .Output("backprop: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("Tlabels: {int32, int64} = int64")
    .Shape(SparseShape);
WB_KERNEL("SoftmaxCrossEntropyWithLogits", DenseKernel)
    .Cpu({{"T", kFloatingTypes}})
    .Gpu({{"T", kFloatingTypes}});
WB_KERNEL("SparseSoftmaxCrossEntropyWithLogits", SparseKernel)
    .Cpu({{"T", kFloatingTypes}, {"Tlabels", kIndexTypes}})
    .Gpu({{"T", kSparseGpu}, {"Tlabels", kIndexTypes}});
WB_GRADIENT("SoftmaxCrossEntropyWithLogits", DenseGradient);
WB_GRADIENT("SparseSoftmaxCrossEntropyWithLogits", SparseGradient);

}  // namespace warpbeam::host_pass
