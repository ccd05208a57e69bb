// CTCLossV2 on a GPU, in the steps of the CPU (ops/nn/sequence/ctc_loss.cc): the logarithms of the
// frames' sums, a block for each; then the sums over the alignments' beginnings and over their
// ends, a block for each sequence and direction, frame by frame; then the gradient, a block for
// each frame. Sums are doubles, as on the CPU. The labels are in host memory and travel with the
// launch.
#include <limits>

#include "ops/launch/gpu_function.h"
#include "ops/launch/math.h"

#if WB_HOST_PASS
#include <algorithm>
#include <memory>
#include <vector>

#include "ops/array/gpu_copier.h"
#include "ops/nn/gpu_loops/items.h"
#include "ops/nn/sequence/ctc_loss_inputs.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// log(exp(a) + exp(b)); minus infinity is the logarithm of nothing.
WB_HD inline double LogOfBoth(double a, double b) {
  constexpr double kNothing = -std::numeric_limits<double>::infinity();
  if (a == kNothing) return b;
  if (b == kNothing) return a;
  return Max(a, b) + Log1p(Exp(-Abs(a - b)));
}

// A sequence's symbols are its labels with blanks before, between and behind them.
struct CtcProblem {
  static constexpr int32_t kBlank = 0;

  const float* x;  // [frames, batch, classes]
  int64_t frames, batch, classes;
  const int32_t* frames_of;    // [batch]
  const int32_t* labels_of;    // [batch]: how many; negative: there is no loss
  const int32_t* first_label;  // [batch]
  const int32_t* labels;
  int64_t symbols;     // of the longest sequence
  double* log_sums;    // [frames, batch]: of the exponentials of the logits
  double* beginnings;  // [batch, frames, symbols]: of alignments that are at this symbol
  double* ends;
  bool merge_repeated;

  WB_HD int64_t Symbols(int64_t b) const { return 2 * labels_of[b] + 1; }
  WB_HD int32_t Symbol(int64_t b, int64_t u) const {
    return u % 2 == 0 ? kBlank : labels[first_label[b] + u / 2];
  }
  WB_HD double LogY(int64_t t, int64_t b, int64_t u) const {
    const int64_t row = t * batch + b;
    return x[row * classes + Symbol(b, u)] - log_sums[row];
  }
  // Whether the next frame may be the same symbol.
  WB_HD bool Stays(int64_t u) const { return merge_repeated || u % 2 == 0; }
  // Whether the blank before u may be left out.
  WB_HD bool Skips(int64_t b, int64_t u) const {
    if (u < 2 || u % 2 == 0) return false;
    return !(merge_repeated && Symbol(b, u) == Symbol(b, u - 2));
  }
  WB_HD double* Row(double* sums, int64_t b, int64_t t) const {
    return sums + (b * frames + t) * symbols;
  }
  // Of all alignments of a sequence.
  WB_HD double LogOfAll(int64_t b) const {
    const double* const last = Row(beginnings, b, frames_of[b] - 1);
    const int64_t n = Symbols(b);
    return n == 1 ? last[0] : LogOfBoth(last[n - 1], last[n - 2]);
  }
};

struct CtcLogSumsBlock {
  CtcProblem p;

  WB_BLOCK void operator()(GpuBlock& block) const {
    const auto sum = [](double a, double b) { return a + b; };
    const auto larger = [](float a, float b) { return Max(a, b); };
    for (int64_t row = block.index(); row < p.frames * p.batch; row += block.count()) {
      const float* const x = p.x + row * p.classes;
      const float most = block.Reduce(
          [&](int thread) {
            float own = -std::numeric_limits<float>::infinity();
            for (int64_t k = thread; k < p.classes; k += block.threads()) own = Max(own, x[k]);
            return own;
          },
          larger);
      const double all = block.Reduce(
          [&](int thread) {
            double own = 0;
            for (int64_t k = thread; k < p.classes; k += block.threads()) {
              own += Exp(static_cast<double>(x[k]) - most);
            }
            return own;
          },
          sum);
      block.ForEach([&](int thread) {
        if (thread == 0) p.log_sums[row] = most + Log(all);
      });
    }
  }
};

// Blocks of even numbers go forward, those of odd ones backward.
struct CtcSumsBlock {
  CtcProblem p;

  WB_BLOCK void operator()(GpuBlock& block) const {
    for (int64_t s = block.index(); s < 2 * p.batch; s += block.count()) {
      const int64_t b = s / 2, frames = p.frames_of[b];
      if (p.labels_of[b] < 0) continue;
      for (int64_t i = 0; i < frames; ++i) {
        block.ForEach([&](int thread) {
          for (int64_t u = thread; u < p.Symbols(b); u += block.threads()) {
            if (s % 2 == 0) {
              Begin(b, i, u);
            } else {
              End(b, frames - 1 - i, u);
            }
          }
        });
      }
    }
  }

 private:
  static constexpr double kNothing = -std::numeric_limits<double>::infinity();

  WB_BLOCK void Begin(int64_t b, int64_t t, int64_t u) const {
    double sum = u < 2 ? 0 : kNothing;
    if (t > 0) {
      const double* const before = p.Row(p.beginnings, b, t - 1);
      sum = p.Stays(u) ? before[u] : kNothing;
      if (u > 0) sum = LogOfBoth(sum, before[u - 1]);
      if (p.Skips(b, u)) sum = LogOfBoth(sum, before[u - 2]);
    }
    p.Row(p.beginnings, b, t)[u] = sum + p.LogY(t, b, u);
  }
  WB_BLOCK void End(int64_t b, int64_t t, int64_t u) const {
    const int64_t n = p.Symbols(b);
    double sum = u >= n - 2 ? 0 : kNothing;
    if (t + 1 < p.frames_of[b]) {
      const double* const next = p.Row(p.ends, b, t + 1);
      sum = p.Stays(u) ? next[u] + p.LogY(t + 1, b, u) : kNothing;
      if (u + 1 < n) sum = LogOfBoth(sum, next[u + 1] + p.LogY(t + 1, b, u + 1));
      if (u + 2 < n && p.Skips(b, u + 2)) {
        sum = LogOfBoth(sum, next[u + 2] + p.LogY(t + 1, b, u + 2));
      }
    }
    p.Row(p.ends, b, t)[u] = sum;
  }
};

// What the frame's classes are, less how often alignments have them there.
struct CtcGradientBlock {
  CtcProblem p;
  float* loss;      // [batch]
  float* gradient;  // as x

  WB_BLOCK void operator()(GpuBlock& block) const {
    for (int64_t row = block.index(); row < p.frames * p.batch; row += block.count()) {
      const int64_t t = row / p.batch, b = row - t * p.batch;
      const bool has_loss = p.labels_of[b] >= 0;
      const double log_of_all = has_loss ? p.LogOfAll(b) : 0;
      const bool has_frame = has_loss && t < p.frames_of[b];
      block.ForEach([&](int thread) {
        if (t == 0 && thread == 0) loss[b] = static_cast<float>(-log_of_all);
        for (int64_t k = thread; k < p.classes; k += block.threads()) {
          gradient[row * p.classes + k] = has_frame ? static_cast<float>(Softmax(row, k)) : 0;
        }
      });
      if (!has_frame || log_of_all == -std::numeric_limits<double>::infinity()) continue;
      const double blanks = block.Reduce(
          [&](int thread) { return Share(b, t, 2 * thread, 2 * block.threads(), log_of_all); },
          [](double x, double y) { return x + y; });
      block.ForEach([&](int thread) {
        if (thread == 0) Subtract(row, CtcProblem::kBlank, blanks);
        for (int64_t i = thread; i < p.labels_of[b]; i += block.threads()) {
          if (IsFirst(b, i)) Subtract(row, Label(b, i), ShareOfLabel(b, t, i, log_of_all));
        }
      });
    }
  }

 private:
  WB_BLOCK int32_t Label(int64_t b, int64_t i) const { return p.Symbol(b, 2 * i + 1); }
  WB_BLOCK double Softmax(int64_t row, int64_t k) const {
    return Exp(static_cast<double>(p.x[row * p.classes + k]) - p.log_sums[row]);
  }
  WB_BLOCK void Subtract(int64_t row, int64_t k, double share) const {
    gradient[row * p.classes + k] = static_cast<float>(Softmax(row, k) - share);
  }
  // Of the symbols from `first` on, every `step`th.
  WB_BLOCK double Share(int64_t b, int64_t t, int64_t first, int64_t step,
                        double log_of_all) const {
    const double* const beginnings = p.Row(p.beginnings, b, t);
    const double* const ends = p.Row(p.ends, b, t);
    double share = 0;
    for (int64_t u = first; u < p.Symbols(b); u += step) {
      share += Exp(beginnings[u] + ends[u] - log_of_all);
    }
    return share;
  }
  // One thread has all places of a class: nobody else writes its gradient.
  WB_BLOCK bool IsFirst(int64_t b, int64_t i) const {
    for (int64_t j = 0; j < i; ++j) {
      if (Label(b, j) == Label(b, i)) return false;
    }
    return true;
  }
  WB_BLOCK double ShareOfLabel(int64_t b, int64_t t, int64_t i, double log_of_all) const {
    double share = 0;
    for (int64_t j = i; j < p.labels_of[b]; ++j) {
      if (Label(b, j) != Label(b, i)) continue;
      const int64_t u = 2 * j + 1;
      share += Exp(p.Row(p.beginnings, b, t)[u] + p.Row(p.ends, b, t)[u] - log_of_all);
    }
    return share;
  }
};

WB_GPU_FUNCTION(CtcLogSumsBlock);
WB_GPU_FUNCTION(CtcSumsBlock);
WB_GPU_FUNCTION(CtcGradientBlock);

#if WB_HOST_PASS
namespace {

class CtcLossOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const CtcLossAttrs attrs, ReadCtcLossAttrs(init));
    return std::make_unique<CtcLossOnGpu>(attrs);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<CtcSumsBlock>(); }
  explicit CtcLossOnGpu(const CtcLossAttrs& attrs) : attrs_(attrs) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const CtcSequences sequences, ReadCtcSequences(ctx, attrs_));
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(Tensor * loss, ctx.Allocate(0, Shape({x.dim(1)})));
    WB_ASSIGN_OR_RETURN(Tensor * gradient, ctx.Allocate(1, x.shape()));
    CtcProblem p;
    p.x = x.data<float>();
    p.frames = x.dim(0);
    p.batch = x.dim(1);
    p.classes = x.dim(2);
    p.merge_repeated = attrs_.merge_repeated;
    WB_ASSIGN_OR_RETURN(const Tensor numbers, PutSequences(ctx, stream, sequences, &p));
    WB_ASSIGN_OR_RETURN(const Tensor sums, TakeSums(ctx, &p));
    const int64_t rows = p.frames * p.batch;
    WB_RETURN_IF_ERROR(Launch(stream, RowGrid(rows, p.classes), CtcLogSumsBlock{p}));
    WB_RETURN_IF_ERROR(Launch(stream, RowGrid(2 * p.batch, p.symbols), CtcSumsBlock{p}));
    return Launch(stream, RowGrid(rows, p.classes),
                  CtcGradientBlock{p, loss->data<float>(), gradient->data<float>()});
  }

 private:
  static StatusOr<Tensor> PutSequences(KernelContext& ctx, GpuStream& stream,
                                       const CtcSequences& sequences, CtcProblem* p) {
    const auto batch = static_cast<size_t>(p->batch);
    std::vector<int32_t> numbers(3 * batch);
    size_t most = 0;
    for (size_t b = 0; b < batch; ++b) {
      const std::vector<int32_t>& labels = sequences.labels[b];
      const bool has_loss = sequences.HasLoss(static_cast<int64_t>(b));
      numbers[b] = static_cast<int32_t>(sequences.frames[b]);
      numbers[batch + b] = has_loss ? static_cast<int32_t>(labels.size()) : -1;
      numbers[2 * batch + b] = static_cast<int32_t>(numbers.size() - 3 * batch);
      if (!has_loss) continue;
      numbers.insert(numbers.end(), labels.begin(), labels.end());
      most = std::max(most, labels.size());
    }
    p->symbols = 2 * static_cast<int64_t>(most) + 1;
    const auto count = static_cast<int64_t>(numbers.size());
    WB_ASSIGN_OR_RETURN(Tensor on_gpu, ctx.AllocateTemp(DType::kInt32, Shape({count})));
    WB_RETURN_IF_ERROR(GpuCopier(stream).CopyFromHost(on_gpu.raw_data(), numbers.data(),
                                                      static_cast<int64_t>(on_gpu.bytes())));
    p->frames_of = on_gpu.data<int32_t>();
    p->labels_of = p->frames_of + batch;
    p->first_label = p->labels_of + batch;
    p->labels = p->first_label + batch;
    return on_gpu;
  }
  static StatusOr<Tensor> TakeSums(KernelContext& ctx, CtcProblem* p) {
    const int64_t rows = p->frames * p->batch;
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({rows, 2 * p->symbols + 1}));
    WB_ASSIGN_OR_RETURN(Tensor sums, ctx.AllocateTemp(DType::kDouble, shape));
    p->log_sums = sums.data<double>();
    p->beginnings = p->log_sums + rows;
    p->ends = p->beginnings + rows * p->symbols;
    return sums;
  }

  const CtcLossAttrs attrs_;
};

}  // namespace

WB_GPU_KERNEL("CTCLossV2", CtcLossOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
