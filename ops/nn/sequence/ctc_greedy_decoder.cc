// CTCGreedyDecoder: takes the likeliest label of every frame, merges repetitions on request and
// drops blanks.

#include <algorithm>
#include <memory>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/nn/sequence/ctc_decoding.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class CtcGreedyDecoderKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool merge, init.attr<bool>("merge_repeated"));
    WB_ASSIGN_OR_RETURN(const int64_t blank, init.attr<int64_t>("blank_index"));
    return std::make_unique<CtcGreedyDecoderKernel>(merge, blank);
  }
  CtcGreedyDecoderKernel(bool merge, int64_t blank) : merge_(merge), blank_(blank) {}

  Status Compute(KernelContext& ctx) override {
    WB_RETURN_IF_ERROR(CheckCtcInputs(ctx));
    const Tensor &x = ctx.input(0), &frames = ctx.input(1);
    const int64_t batch = x.dim(1), classes = x.dim(2);
    if (blank_ < -classes || blank_ >= classes) {
      return InvalidArgument("blank_index must be in [", -classes, ", ", classes, "), but is ",
                             blank_);
    }
    return DispatchTypes<float, double>(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return Decode(ctx, x.data<T>(), frames.data<int32_t>(), batch, classes);
    });
  }

 private:
  template <class T>
  Status Decode(KernelContext& ctx, const T* x, const int32_t* frames, int64_t batch,
                int64_t classes) const {
    const int64_t blank = blank_ < 0 ? blank_ + classes : blank_;
    WB_ASSIGN_OR_RETURN(Tensor * score, ctx.Allocate(3, Shape({batch, 1})));
    std::vector<std::vector<int64_t>> sequences(static_cast<size_t>(batch));
    for (int64_t b = 0; b < batch; ++b) {
      T sum = 0;
      int64_t last = -1;
      for (int64_t t = 0; t < frames[b]; ++t) {
        const T* row = x + (t * batch + b) * classes;
        const T* best = std::max_element(row, row + classes);
        sum -= *best;
        const int64_t label = best - row;
        if (label != blank && !(merge_ && label == last)) {
          sequences[static_cast<size_t>(b)].push_back(label);
        }
        last = label;
      }
      score->data<T>()[b] = sum;
    }
    return StorePath(ctx, 0, 1, sequences);
  }

  const bool merge_;
  const int64_t blank_;
};

Status CtcGreedyDecoderShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(0, 3));
  WB_ASSIGN_OR_RETURN(const PartialShape frames, c.WithRank(1, 1));
  WB_ASSIGN_OR_RETURN(const PartialShape batch,
                      PartialShape::Merge(PartialShape({x.dim(1)}), frames));
  c.set_output(0, PartialShape({-1, 2}));
  c.set_output(1, PartialShape({-1}));
  c.set_output(2, PartialShape({2}));
  c.set_output(3, PartialShape({batch.dim(0), 1}));
  return OkStatus();
}

constexpr TypeSet kCtcTypes = {DType::kFloat, DType::kDouble};

}  // namespace

WB_OP("CTCGreedyDecoder")
    .Input("inputs: T")
    .Input("sequence_length: int32")
    .Output("decoded_indices: int64")
    .Output("decoded_values: int64")
    .Output("decoded_shape: int64")
    .Output("log_probability: T")
    .Attr("merge_repeated: bool = false")
    .Attr("blank_index: int = -1")
    .Attr("T: {float, double} = float")
    .Shape(CtcGreedyDecoderShape);
WB_KERNEL("CTCGreedyDecoder", CtcGreedyDecoderKernel).Cpu({{"T", kCtcTypes}});
WB_NO_GRADIENT("CTCGreedyDecoder");

}  // namespace warpbeam
