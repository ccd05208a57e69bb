#include "ops/nn/conv/convolution.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/container/fixed_array.h"
#include "ops/launch/type_list.h"
#include "ops/launch/vec.h"
#include "ops/math/gemm.h"
#include "ops/nn/conv/conv_pieces.h"

namespace warpbeam {
namespace {

using host_pass::LoadVec;
using host_pass::StoreVec;
using host_pass::Vec;

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

Status MatrixProduct(const KernelContext& ctx, ConvPass pass, const ConvGeometry& g, const float* a,
                     const float* b, float* result) {
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

// A convolution cut into pieces, and what oneDNN compiled for them.
struct Convolution::Plan {
  struct Piece {
    ConvPiece piece;
    std::shared_ptr<const DnnlConvolution> conv;
    size_t filter = 0;  // which of the filters in the library's layout is its own
  };
  bool is_possible = true;  // false: oneDNN cannot do it
  std::vector<Piece> pieces;
  size_t filters = 0;
  size_t filter_bytes = 0, scratch_bytes = 0;  // the most that a piece needs
};

StatusOr<std::shared_ptr<const Convolution::Plan>> Convolution::Compile(
    const ConvGeometry& geometry, int64_t parts) const {
  auto plan = std::make_shared<Plan>();
  for (ConvPiece& piece : CutConvolution(pass_, geometry, parts)) {
    Plan::Piece added{std::move(piece), nullptr, plan->filters};
    for (const Plan::Piece& other : plan->pieces) {
      if (other.piece.geometry == added.piece.geometry) added.conv = other.conv;
    }
    if (added.conv == nullptr) {
      auto made = DnnlConvolution::Make(pass_, added.piece.geometry);
      plan->is_possible = !IsUnimplemented(made.status());
      if (!plan->is_possible) return plan;
      WB_RETURN_IF_ERROR(made.status());
      added.conv = *std::move(made);
    }
    // Gradients of the filter are each piece's own.
    for (const Plan::Piece& other : plan->pieces) {
      if (pass_ == ConvPass::kBackwardFilter || !added.conv->PreparesFilterAs(*other.conv))
        continue;
      added.filter = other.filter;
      break;
    }
    plan->filters = std::max(plan->filters, added.filter + 1);
    plan->filter_bytes = std::max(plan->filter_bytes, DnnlAligned(added.conv->filter_bytes()));
    plan->scratch_bytes = std::max(plan->scratch_bytes, DnnlAligned(added.conv->scratch_bytes()));
    plan->pieces.push_back(std::move(added));
  }
  return plan;
}

StatusOr<std::shared_ptr<const Convolution::Plan>> Convolution::PlanFor(
    const ConvGeometry& geometry, int64_t parts) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      if (entry->geometry == geometry && entry->parts == parts) {
        entries_.splice(entries_.begin(), entries_, entry);
        return entry->plan;
      }
    }
  }
  WB_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, Compile(geometry, parts));
  const std::lock_guard<std::mutex> lock(mutex_);
  entries_.push_front({geometry, parts, plan});
  if (entries_.size() > kMostEntries) entries_.pop_back();
  return plan;
}

Status Convolution::RunPlan(KernelContext& ctx, const Plan& plan, const ConvGeometry& g,
                            const float* a, const float* b, float* result) const {
  // Filters as the library wants them; for each piece, what the library works in and the gradient
  // of the filter as it gives it, all of which are added up.
  const bool to_filter = pass_ == ConvPass::kBackwardFilter;
  const size_t count = plan.pieces.size();
  const size_t plain_bytes = to_filter ? DnnlAligned(g.filter_elements() * sizeof(float)) : 0;
  const size_t each = plan.scratch_bytes + plain_bytes;
  const size_t total = plan.filters * plan.filter_bytes + count * each + DnnlAligned(1);
  WB_ASSIGN_OR_RETURN(Tensor memory,
                      ctx.AllocateTemp(DType::kUInt8, Shape({static_cast<int64_t>(total)})));
  char* const filters = memory.data<char>();
  const auto filter_of = [&](const Plan::Piece& piece) {
    return filters + piece.filter * plan.filter_bytes;
  };
  const auto scratch_at = [&](size_t i) {
    return filters + plan.filters * plan.filter_bytes + i * each;
  };
  const auto plain_at = [&](size_t i) {
    return i == 0 ? result : reinterpret_cast<float*>(scratch_at(i) + plan.scratch_bytes);
  };
  size_t prepared = 0;
  for (const Plan::Piece& piece : plan.pieces) {
    if (to_filter || piece.filter != prepared) continue;
    ++prepared;
    if (piece.conv->filter_is_plain()) continue;
    WB_RETURN_IF_ERROR(piece.conv->PrepareFilter(b, filter_of(piece)));
  }
  const auto run = [&](size_t i) -> Status {
    const Plan::Piece& piece = plan.pieces[i];
    const DnnlConvolution& conv = *piece.conv;
    const ConvPiece& at = piece.piece;
    const bool is_plain = conv.filter_is_plain();
    if (!to_filter) {
      const void* const filter = is_plain ? static_cast<const void*>(b) : filter_of(piece);
      return conv.Run(a + at.a, filter, result + at.result, scratch_at(i));
    }
    float* const own = is_plain ? plain_at(i) : reinterpret_cast<float*>(filter_of(piece));
    WB_RETURN_IF_ERROR(conv.Run(a + at.a, b + at.b, own, scratch_at(i)));
    return is_plain ? OkStatus() : conv.FinishFilter(own, plain_at(i));
  };
  absl::FixedArray<Status, 64> statuses(count);
  const auto nanoseconds =
      static_cast<int64_t>(g.multiply_adds() / count / kMultiplyAddsPerNanosecond);
  ctx.ParallelFor(static_cast<int64_t>(count), nanoseconds, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) statuses[i] = run(i);
  });
  for (Status& status : statuses) WB_RETURN_IF_ERROR(std::move(status));
  for (size_t i = 1; to_filter && i < count; ++i) {
    AddTo(ctx, result, plain_at(i), g.filter_elements());
  }
  return OkStatus();
}

Status Convolution::RunFloat(KernelContext& ctx, const ConvGeometry& g, const float* a,
                             const float* b, float* result) {
  if (IsMatrixProduct(g)) return MatrixProduct(ctx, pass_, g, a, b, result);
  if (HasFewPlaces(g) || HasFewChannels(pass_, g)) {
    return PatchConvolution(ctx, pass_, DType::kFloat, g, a, b, result);
  }
  int64_t parts = 1;
  if (g.multiply_adds() / kMultiplyAddsPerNanosecond > kSerialNanoseconds) {
    parts = std::max(1, ctx.width());
  }
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<const Plan> plan, PlanFor(g, parts));
  return plan->is_possible ? RunPlan(ctx, *plan, g, a, b, result)
                           : PatchConvolution(ctx, pass_, DType::kFloat, g, a, b, result);
}

template <class T>
Status Convolution::RunInFloat(KernelContext& ctx, const ConvGeometry& g, const T* a, const T* b,
                               T* result) {
  const Sizes sizes = SizesOf(pass_, g);
  WB_ASSIGN_OR_RETURN(Tensor wide,
                      ctx.AllocateTemp(DType::kFloat, Shape({sizes.a + sizes.b + sizes.result})));
  float *wide_a = wide.data<float>(), *wide_b = wide_a + sizes.a, *wide_r = wide_b + sizes.b;
  Convert(ctx, a, wide_a, sizes.a);
  Convert(ctx, b, wide_b, sizes.b);
  WB_RETURN_IF_ERROR(RunFloat(ctx, g, wide_a, wide_b, wide_r));
  Convert(ctx, wide_r, result, sizes.result);
  return OkStatus();
}

Status Convolution::Run(KernelContext& ctx, DType dtype, const ConvGeometry& g, const void* a,
                        const void* b, void* result, const ProductEpilogue* epilogue) {
  WB_RETURN_IF_ERROR(RunPlain(ctx, dtype, g, a, b, result));
  // A thread's part of a batch is larger than its cache, so nothing is lost by finishing it here.
  if (epilogue != nullptr) {
    FinishRows(ctx, *epilogue, result, g.output_elements() / std::max<int64_t>(1, g.out_channels),
               g.out_channels, DTypeSize(dtype));
  }
  return OkStatus();
}

Status Convolution::RunPlain(KernelContext& ctx, DType dtype, const ConvGeometry& g, const void* a,
                             const void* b, void* result) {
  const Sizes sizes = SizesOf(pass_, g);
  if (sizes.result == 0) return OkStatus();
  if (sizes.a == 0 || sizes.b == 0) {
    memset(result, 0, sizes.result * DTypeSize(dtype));
    return OkStatus();
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
