#include "ops/nn/conv/convolution.h"

#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include "ops/launch/type_list.h"
#include "ops/launch/vec.h"
#include "ops/math/gemm.h"

namespace warpbeam {
namespace {

using host_pass::LoadVec;
using host_pass::StoreVec;
using host_pass::Vec;

constexpr size_t kAlignment = 64;
size_t Aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

template <class From, class To>
void Convert(KernelContext& ctx, const From* from, To* to, int64_t count) {
  constexpr int64_t kBlock = 4096;
  ctx.ParallelFor((count + kBlock - 1) / kBlock, 1000, [&](int64_t begin, int64_t end) {
    const int64_t last = std::min(count, end * kBlock);
    int64_t i = begin * kBlock;
    constexpr int kLanes = Vec<float>::kLanes;
    for (; i + kLanes <= last; i += kLanes) StoreVec(LoadVec(from + i), to + i);
    for (; i < last; ++i) to[i] = static_cast<To>(static_cast<float>(from[i]));
  });
}

// sum += other
void AddTo(KernelContext& ctx, float* sum, const float* other, int64_t count) {
  constexpr int64_t kBlock = 4096;
  ctx.ParallelFor((count + kBlock - 1) / kBlock, 1000, [&](int64_t begin, int64_t end) {
    const int64_t last = std::min(count, end * kBlock);
#pragma GCC ivdep
    for (int64_t i = begin * kBlock; i < last; ++i) sum[i] += other[i];
  });
}

struct Sizes {
  int64_t a, b, result;
};
Sizes SizesOf(ConvPass pass, const ConvGeometry& g) {
  const int64_t in = g.input_elements(), out = g.output_elements(), filter = g.filter_elements();
  if (pass == ConvPass::kForward) return {in, filter, out};
  if (pass == ConvPass::kBackwardInput) return {out, filter, in};
  return {in, out, filter};
}

// With a window of one place that leaves none out, pixels are the rows of a matrix product.
bool IsMatrixProduct(const ConvGeometry& g) {
  if (g.taps() != 1 || g.groups != 1) return false;
  for (int i = 0; i < 3; ++i) {
    if (g.stride[i] != 1 || g.before[i] != 0 || g.after[i] != 0) return false;
  }
  return true;
}

// A large filter for few places costs oneDNN more to lay out anew than what its layout gains; and
// on small images it runs at half the speed of a matrix product.
bool HasFewPlaces(const ConvGeometry& g) {
  constexpr int64_t kManyChannels = 16;
  return g.groups == 1 && g.in_channels >= kManyChannels &&
         g.batch * g.output_pixels() <= g.taps() * g.in_channels;
}

// oneDNN computes the gradient of images of 3 channels as if they had 16: a first layer's, which
// graphs ask for although nobody reads it.
bool HasFewChannels(ConvPass pass, const ConvGeometry& g) {
  constexpr int64_t kFewChannels = 4;
  return pass == ConvPass::kBackwardInput && g.groups == 1 && g.in_channels <= kFewChannels;
}

absl::Status MatrixProduct(const KernelContext& ctx, ConvPass pass, const ConvGeometry& g,
                           const float* a, const float* b, float* result) {
  const int64_t pixels = g.batch * g.input_pixels();
  GemmProblem problem;
  problem.m = pass == ConvPass::kBackwardFilter ? g.in_channels : pixels;
  problem.n = pass == ConvPass::kBackwardInput ? g.in_channels : g.out_channels;
  problem.k = pass == ConvPass::kForward         ? g.in_channels
              : pass == ConvPass::kBackwardInput ? g.out_channels
                                                 : pixels;
  problem.transpose_a = pass == ConvPass::kBackwardFilter;
  problem.transpose_b = pass == ConvPass::kBackwardInput;
  return Gemm(ctx, DType::kFloat, problem, a, b, result);
}

// About what one core does in a nanosecond.
constexpr double kMultiplyAddsPerNanosecond = 30;
constexpr double kSerialNanoseconds = 20000;

}  // namespace

absl::StatusOr<Convolution::Compiled> Convolution::Compile(const ConvGeometry& geometry) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      if (entry->geometry == geometry) {
        entries_.splice(entries_.begin(), entries_, entry);
        return entry->compiled;
      }
    }
  }
  auto made = DnnlConvolution::Make(pass_, geometry);
  if (!made.ok() && !absl::IsUnimplemented(made.status())) return made.status();
  Compiled compiled = made.ok() ? *std::move(made) : nullptr;
  const std::lock_guard<std::mutex> lock(mutex_);
  entries_.push_front({geometry, compiled});
  if (entries_.size() > kMostEntries) entries_.pop_back();
  return compiled;
}

absl::Status Convolution::RunParts(KernelContext& ctx, const ConvGeometry& g, int64_t parts,
                                   const float* a, const float* b, float* result, bool* done) {
  const int64_t share = (g.batch + parts - 1) / parts;
  parts = (g.batch + share - 1) / share;
  ConvGeometry part = g, rest = g;
  part.batch = share;
  rest.batch = g.batch - (parts - 1) * share;
  WB_ASSIGN_OR_RETURN(const Compiled most, Compile(part));
  WB_ASSIGN_OR_RETURN(const Compiled last, Compile(rest));
  *done = most != nullptr && last != nullptr;
  if (!*done) return absl::OkStatus();

  const bool to_filter = pass_ == ConvPass::kBackwardFilter;
  const size_t filter_bytes = Aligned(std::max(most->filter_bytes(), last->filter_bytes()));
  const size_t plain_bytes = to_filter ? Aligned(g.filter_elements() * sizeof(float)) : 0;
  const size_t scratch_bytes = Aligned(std::max(most->scratch_bytes(), last->scratch_bytes()));
  const size_t each = to_filter ? filter_bytes + plain_bytes + scratch_bytes : scratch_bytes;
  const size_t total = parts * each + (to_filter ? 0 : 2 * filter_bytes) + kAlignment;
  WB_ASSIGN_OR_RETURN(Tensor memory,
                      ctx.AllocateTemp(DType::kUInt8, Shape({static_cast<int64_t>(total)})));
  char* scratch = memory.data<char>();

  // The filter in the layouts that the parts want.
  const void* filters[2] = {b, b};  // of the most, of the last
  if (!to_filter) {
    char* prepared = scratch + parts * each;
    if (!most->filter_is_plain()) {
      WB_RETURN_IF_ERROR(most->PrepareFilter(b, prepared));
      filters[0] = prepared;
    }
    if (last == most) {
      filters[1] = filters[0];
    } else if (!last->filter_is_plain()) {
      WB_RETURN_IF_ERROR(last->PrepareFilter(b, prepared + filter_bytes));
      filters[1] = prepared + filter_bytes;
    }
  }
  const Sizes step = SizesOf(pass_, part);
  const auto run = [&](int64_t i) -> absl::Status {
    const DnnlConvolution& conv = i + 1 < parts ? *most : *last;
    char* mine = scratch + i * each;
    if (!to_filter) {
      return conv.Run(a + i * step.a, filters[i + 1 < parts ? 0 : 1], result + i * step.result,
                      mine);
    }
    float* plain = i == 0 ? result : reinterpret_cast<float*>(mine + filter_bytes + scratch_bytes);
    float* own = conv.filter_is_plain() ? plain : reinterpret_cast<float*>(mine + scratch_bytes);
    WB_RETURN_IF_ERROR(conv.Run(a + i * step.a, b + i * step.b, own, mine));
    return conv.filter_is_plain() ? absl::OkStatus() : conv.FinishFilter(own, plain);
  };
  if (parts == 1) {
    WB_RETURN_IF_ERROR(run(0));
  } else {
    std::vector<absl::Status> statuses(parts);
    const auto nanoseconds =
        static_cast<int64_t>(g.multiply_adds() / parts / kMultiplyAddsPerNanosecond);
    ctx.ParallelFor(parts, nanoseconds, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) statuses[i] = run(i);
    });
    for (const absl::Status& status : statuses) WB_RETURN_IF_ERROR(status);
  }
  for (int64_t i = 1; to_filter && i < parts; ++i) {
    AddTo(ctx, result,
          reinterpret_cast<const float*>(scratch + i * each + filter_bytes + scratch_bytes),
          g.filter_elements());
  }
  return absl::OkStatus();
}

absl::Status Convolution::RunFloat(KernelContext& ctx, const ConvGeometry& g, const float* a,
                                   const float* b, float* result) {
  if (IsMatrixProduct(g)) return MatrixProduct(ctx, pass_, g, a, b, result);
  if (HasFewPlaces(g) || HasFewChannels(pass_, g)) {
    return PatchConvolution(ctx, pass_, DType::kFloat, g, a, b, result);
  }
  int64_t parts = 1;
  if (g.multiply_adds() / kMultiplyAddsPerNanosecond > kSerialNanoseconds) {
    parts = std::min<int64_t>(std::max(1, ctx.width()), g.batch);
  }
  bool done = false;
  WB_RETURN_IF_ERROR(RunParts(ctx, g, parts, a, b, result, &done));
  return done ? absl::OkStatus() : PatchConvolution(ctx, pass_, DType::kFloat, g, a, b, result);
}

template <class T>
absl::Status Convolution::RunInFloat(KernelContext& ctx, const ConvGeometry& g, const T* a,
                                     const T* b, T* result) {
  const Sizes sizes = SizesOf(pass_, g);
  WB_ASSIGN_OR_RETURN(Tensor wide,
                      ctx.AllocateTemp(DType::kFloat, Shape({sizes.a + sizes.b + sizes.result})));
  float *wide_a = wide.data<float>(), *wide_b = wide_a + sizes.a, *wide_r = wide_b + sizes.b;
  Convert(ctx, a, wide_a, sizes.a);
  Convert(ctx, b, wide_b, sizes.b);
  WB_RETURN_IF_ERROR(RunFloat(ctx, g, wide_a, wide_b, wide_r));
  Convert(ctx, wide_r, result, sizes.result);
  return absl::OkStatus();
}

absl::Status Convolution::Run(KernelContext& ctx, DType dtype, const ConvGeometry& g, const void* a,
                              const void* b, void* result, const ProductEpilogue* epilogue) {
  WB_RETURN_IF_ERROR(RunPlain(ctx, dtype, g, a, b, result));
  // A thread's part of a batch is larger than its cache, so nothing is lost by finishing it here.
  if (epilogue != nullptr) {
    FinishRows(ctx, *epilogue, result, g.output_elements() / std::max<int64_t>(1, g.out_channels),
               g.out_channels, DTypeSize(dtype));
  }
  return absl::OkStatus();
}

absl::Status Convolution::RunPlain(KernelContext& ctx, DType dtype, const ConvGeometry& g,
                                   const void* a, const void* b, void* result) {
  const Sizes sizes = SizesOf(pass_, g);
  if (sizes.result == 0) return absl::OkStatus();
  if (sizes.a == 0 || sizes.b == 0) {
    memset(result, 0, sizes.result * DTypeSize(dtype));
    return absl::OkStatus();
  }
  switch (dtype) {
    case DType::kFloat:
      return RunFloat(ctx, g, static_cast<const float*>(a), static_cast<const float*>(b),
                      static_cast<float*>(result));
    case DType::kHalf:
      return RunInFloat(ctx, g, static_cast<const Half*>(a), static_cast<const Half*>(b),
                        static_cast<Half*>(result));
    case DType::kBFloat16:
      return RunInFloat(ctx, g, static_cast<const BFloat16*>(a), static_cast<const BFloat16*>(b),
                        static_cast<BFloat16*>(result));
    default:
      return PatchConvolution(ctx, pass_, dtype, g, a, b, result);
  }
}

}  // namespace warpbeam
