// CTCLoss: minus the logarithm of the probability that the frames' labels, with repetitions merged
// and blanks dropped, spell the given sequence; and the gradient of that by the logits.
//
// CTCLossV2 has its blank in front of the labels instead of behind them.
//
// The forward and backward sums run in log space over the sequence with blanks between its labels.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/nn/sequence/ctc_loss_inputs.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

double LogSum(double a, double b) {
  if (a == kImpossible) return b;
  if (b == kImpossible) return a;
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

// One sequence: its labels with blanks around, and its frames' log probabilities.
class Alignment {
 public:
  Alignment(const std::vector<int32_t>& labels, int64_t blank, bool merge_repeated)
      : blank_(blank), merge_repeated_(merge_repeated), symbols_(2 * labels.size() + 1, blank) {
    for (size_t i = 0; i < labels.size(); ++i) symbols_[2 * i + 1] = labels[i];
  }

  // Logits of frame t begin at x + t * stride. Returns the loss; gradient, laid out alike, is set.
  template <class T>
  double Run(const T* x, int64_t frames, int64_t stride, int64_t classes, T* gradient) {
    TakeLogSoftmax(x, frames, stride, classes);
    const int64_t n = static_cast<int64_t>(symbols_.size());
    std::vector<double> alpha(frames * n, kImpossible), beta(frames * n, kImpossible);
    const auto log_y = [&](int64_t t, int64_t u) { return log_y_[t * classes + symbols_[u]]; };
    alpha[0] = log_y(0, 0);
    if (n > 1) alpha[1] = log_y(0, 1);
    for (int64_t t = 1; t < frames; ++t) {
      for (int64_t u = 0; u < n; ++u) {
        double sum = Stays(u) ? alpha[(t - 1) * n + u] : kImpossible;
        if (u > 0) sum = LogSum(sum, alpha[(t - 1) * n + u - 1]);
        if (Skips(u)) sum = LogSum(sum, alpha[(t - 1) * n + u - 2]);
        alpha[t * n + u] = sum + log_y(t, u);
      }
    }
    beta[frames * n - 1] = 0;
    if (n > 1) beta[frames * n - 2] = 0;
    for (int64_t t = frames - 2; t >= 0; --t) {
      const double* next = beta.data() + (t + 1) * n;
      for (int64_t u = 0; u < n; ++u) {
        double sum = Stays(u) ? next[u] + log_y(t + 1, u) : kImpossible;
        if (u + 1 < n) sum = LogSum(sum, next[u + 1] + log_y(t + 1, u + 1));
        if (u + 2 < n && Skips(u + 2)) sum = LogSum(sum, next[u + 2] + log_y(t + 1, u + 2));
        beta[t * n + u] = sum;
      }
    }
    double log_p = alpha[frames * n - 1];
    if (n > 1) log_p = LogSum(log_p, alpha[frames * n - 2]);
    std::vector<double> share(classes);
    for (int64_t t = 0; t < frames; ++t) {
      std::fill(share.begin(), share.end(), kImpossible);
      for (int64_t u = 0; u < n && log_p != kImpossible; ++u) {
        double& s = share[symbols_[u]];
        s = LogSum(s, alpha[t * n + u] + beta[t * n + u]);
      }
      for (int64_t k = 0; k < classes; ++k) {
        const double posterior = share[k] == kImpossible ? 0 : std::exp(share[k] - log_p);
        gradient[t * stride + k] = static_cast<T>(std::exp(log_y_[t * classes + k]) - posterior);
      }
    }
    return -log_p;
  }

 private:
  bool Stays(int64_t u) const { return merge_repeated_ || symbols_[u] == blank_; }
  // Whether the blank before u may be left out.
  bool Skips(int64_t u) const {
    if (u < 2 || symbols_[u] == blank_) return false;
    return !(merge_repeated_ && symbols_[u] == symbols_[u - 2]);
  }
  template <class T>
  void TakeLogSoftmax(const T* x, int64_t frames, int64_t stride, int64_t classes) {
    log_y_.resize(frames * classes);
    for (int64_t t = 0; t < frames; ++t) {
      const T* row = x + t * stride;
      const double max = *std::max_element(row, row + classes);
      double sum = 0;
      for (int64_t k = 0; k < classes; ++k) sum += std::exp(row[k] - max);
      for (int64_t k = 0; k < classes; ++k) log_y_[t * classes + k] = row[k] - max - std::log(sum);
    }
  }

  const int64_t blank_;
  const bool merge_repeated_;
  std::vector<int64_t> symbols_;
  std::vector<double> log_y_;
};

class CtcLossKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const CtcLossAttrs attrs, ReadCtcLossAttrs(init));
    return std::make_unique<CtcLossKernel>(attrs);
  }
  explicit CtcLossKernel(const CtcLossAttrs& attrs) : attrs_(attrs) {}

  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const CtcSequences sequences, ReadCtcSequences(ctx, attrs_));
    const Tensor& x = ctx.input(0);
    const int64_t batch = x.dim(1);
    WB_ASSIGN_OR_RETURN(Tensor * loss, ctx.Allocate(0, Shape({batch})));
    WB_ASSIGN_OR_RETURN(Tensor * gradient, ctx.Allocate(1, x.shape()));
    return DispatchTypes<float, double>(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      std::fill_n(gradient->data<T>(), gradient->num_elements(), T(0));
      const int64_t classes = x.dim(2);
      StoppableFor(ctx, batch, x.dim(0) * (classes * 30 + 1000), [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b) {
          loss->data<T>()[b] = 0;
          if (!sequences.HasLoss(b)) continue;
          Alignment alignment(sequences.labels[b], attrs_.blank_first ? 0 : classes - 1,
                              attrs_.merge_repeated);
          loss->data<T>()[b] = static_cast<T>(
              alignment.Run(x.data<T>() + b * classes, sequences.frames[b], batch * classes,
                            classes, gradient->data<T>() + b * classes));
        }
      });
      return OkStatus();
    });
  }

 private:
  const CtcLossAttrs attrs_;
};

Status CtcLossShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape x, c.WithRank(0, 3));
  WB_RETURN_IF_ERROR(c.WithRank(1, 2).status());
  WB_RETURN_IF_ERROR(c.WithRank(2, 1).status());
  WB_ASSIGN_OR_RETURN(const PartialShape frames, c.WithRank(3, 1));
  WB_ASSIGN_OR_RETURN(const PartialShape batch,
                      PartialShape::Merge(PartialShape({x.dim(1)}), frames));
  x.set_dim(1, batch.dim(0));
  c.set_output(0, batch);
  c.set_output(1, std::move(x));
  return OkStatus();
}

// The kernel has computed it already.
Status CtcLossGradient(GradContext& c) {
  const OutputRef column = c.Emit("ExpandDims", {c.dy(0), c.Scalar<int32_t>(-1)});
  c.set_dx(0, c.Mul(column, c.y(1)));
  return OkStatus();
}

constexpr TypeSet kCtcTypes = {DType::kFloat, DType::kDouble};

}  // namespace

WB_OP("CTCLoss")
    .Input("inputs: T")
    .Input("labels_indices: int64")
    .Input("labels_values: int32")
    .Input("sequence_length: int32")
    .Output("loss: T")
    .Output("gradient: T")
    .Attr("preprocess_collapse_repeated: bool = false")
    .Attr("ctc_merge_repeated: bool = true")
    .Attr("ignore_longer_outputs_than_inputs: bool = false")
    .Attr("T: {float, double} = float")
    .Shape(CtcLossShape);
WB_KERNEL("CTCLoss", CtcLossKernel).Cpu({{"T", kCtcTypes}});
WB_GRADIENT("CTCLoss", CtcLossGradient);

WB_OP("CTCLossV2")
    .Input("inputs: float")
    .Input("labels_indices: int64")
    .Input("labels_values: int32")
    .Input("sequence_length: int32")
    .Output("loss: float")
    .Output("gradient: float")
    .Attr("preprocess_collapse_repeated: bool = false")
    .Attr("ctc_merge_repeated: bool = true")
    .Attr("ignore_longer_outputs_than_inputs: bool = false")
    .Shape(CtcLossShape);
WB_KERNEL("CTCLossV2", CtcLossKernel)
    .Gpu()
    .HostMemory({"labels_indices", "labels_values", "sequence_length"});
WB_GRADIENT("CTCLossV2", CtcLossGradient);

}  // namespace warpbeam
