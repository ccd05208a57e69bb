#include "ops/math/reduction.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

struct Dim {
  int64_t extent;
  int64_t stride;  // in elements
};
using DimList = absl::InlinedVector<Dim, 4>;

// How a tensor is walked: a block of two dimensions, one of which is reduced, inside loops over the
// other kept and the other reduced dimensions.
struct Walk {
  bool inner_reduced = false;
  Dim kept{1, 0};     // of the block
  Dim reduced{1, 0};  // of the block
  DimList outer_kept, outer_reduced;
  int64_t outer_results = 1, outer_steps = 1;  // products of the outer extents

  int64_t results() const { return outer_results * kept.extent; }
  int64_t reduced_count() const { return outer_steps * reduced.extent; }
};

Walk MakeWalk(const Shape& shape, uint64_t axes) {
  // Innermost first; dimensions of extent 1 do not matter, neighbours of one kind are one.
  absl::InlinedVector<std::pair<Dim, bool>, 8> dims;
  int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    const int64_t extent = shape.dim(i);
    const bool reduced = i < 64 && ((axes >> i) & 1) != 0;
    if (extent != 1) {
      if (!dims.empty() && dims.back().second == reduced) {
        dims.back().first.extent *= extent;
      } else {
        dims.push_back({Dim{extent, stride}, reduced});
      }
    }
    stride *= extent;
  }
  Walk walk;
  walk.inner_reduced = dims.empty() || dims[0].second;
  bool have_kept = false, have_reduced = false;
  for (const auto& [dim, reduced] : dims) {
    bool& have = reduced ? have_reduced : have_kept;
    if (!have) {
      (reduced ? walk.reduced : walk.kept) = dim;
      have = true;
    } else {
      (reduced ? walk.outer_reduced : walk.outer_kept).push_back(dim);
      (reduced ? walk.outer_steps : walk.outer_results) *= dim.extent;
    }
  }
  return walk;
}

int64_t OffsetOf(const DimList& dims, int64_t index) {
  int64_t offset = 0;
  for (const Dim& d : dims) {  // innermost first
    offset += index % d.extent * d.stride;
    index /= d.extent;
  }
  return offset;
}

// One call of Reduce.
class Run {
 public:
  Run(const ReductionLoops& loops, const Walk& walk, const Tensor& x, Tensor* out)
      : loops_(loops),
        walk_(walk),
        x_(static_cast<const char*>(x.raw_data())),
        x_bytes_(DTypeSize(x.dtype())),
        out_(static_cast<char*>(out->raw_data())),
        out_bytes_(DTypeSize(out->dtype())) {
    Divide();
  }

  Status Execute(KernelContext& ctx) {
    const int64_t items = walk_.outer_results * slices_;
    const int64_t elements = walk_.results() * walk_.reduced_count();
    const int64_t cost = elements / std::max<int64_t>(1, items * groups_) / kElementsPerNanosecond;
    if (groups_ == 1) {
      ForEach(ctx, elements, items, cost, [&](int64_t begin, int64_t end) {
        for (int64_t item = begin; item < end; ++item) WholeItem(item);
      });
      return OkStatus();
    }
    const int64_t bytes = items * groups_ * slice_ * loops_.accumulator_bytes;
    WB_ASSIGN_OR_RETURN(Tensor partial, ctx.AllocateTemp(DType::kUInt8, Shape({bytes})));
    char* const sums = reinterpret_cast<char*>(partial.data<uint8_t>());
    const auto at = [&](int64_t item, int64_t group) {
      return sums + (item * groups_ + group) * slice_ * loops_.accumulator_bytes;
    };
    ForEach(ctx, elements, items * groups_, cost, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        Accumulate(i / groups_, i % groups_, at(i / groups_, i % groups_));
      }
    });
    for (int64_t item = 0; item < items; ++item) {
      for (int64_t group = 1; group < groups_; ++group) {
        loops_.merge(at(item, 0), at(item, group), SliceSize(item));
      }
      Finish(item, at(item, 0));
    }
    return OkStatus();
  }

 private:
  static constexpr int64_t kElementsPerNanosecond = 4;
  static constexpr int64_t kSerialElements = 16384;
  static constexpr int64_t kMaxSlice = 1024;  // results of one item: their sums fit the stack
  static constexpr int64_t kMaxGroups = 16;
  static constexpr int64_t kPieceElements = 32768;

  template <class Fn>
  static void ForEach(const KernelContext& ctx, int64_t elements, int64_t count, int64_t cost,
                      const Fn& fn) {
    if (elements <= kSerialElements) {
      fn(int64_t{0}, count);
    } else {
      StoppableFor(ctx, count, cost + 1, fn);
    }
  }

  // Cuts the kept dimension of the block into slices and, where that leaves too few items for many
  // threads, the reduced range into groups of pieces.
  void Divide() {
    const int64_t per_result = std::max<int64_t>(1, walk_.reduced.extent);
    slice_ = walk_.inner_reduced ? std::clamp<int64_t>(kPieceElements / per_result, 1, kMaxSlice)
                                 : kMaxSlice;
    slice_ = std::max<int64_t>(1, std::min(slice_, walk_.kept.extent));
    slices_ = (walk_.kept.extent + slice_ - 1) / slice_;
    piece_ = std::clamp<int64_t>(kPieceElements / slice_, 1, per_result);
    pieces_per_step_ = (walk_.reduced.extent + piece_ - 1) / piece_;
    const int64_t pieces = walk_.outer_steps * pieces_per_step_;
    const int64_t items = walk_.outer_results * slices_;
    groups_ = items >= kMaxGroups ? 1 : std::clamp<int64_t>(pieces, 1, kMaxGroups);
  }

  int64_t SliceSize(int64_t item) const {
    return std::min(slice_, walk_.kept.extent - item % slices_ * slice_);
  }

  // Takes group `group` of an item's pieces into fresh accumulators.
  void Accumulate(int64_t item, int64_t group, void* accumulators) const {
    const int64_t n = SliceSize(item), pieces = walk_.outer_steps * pieces_per_step_;
    const int64_t base =
        OffsetOf(walk_.outer_kept, item / slices_) + item % slices_ * slice_ * walk_.kept.stride;
    loops_.init(accumulators, n);
    for (int64_t p = pieces * group / groups_; p < pieces * (group + 1) / groups_; ++p) {
      const int64_t from = p % pieces_per_step_ * piece_;
      const int64_t count = std::min(piece_, walk_.reduced.extent - from);
      const int64_t offset =
          base + OffsetOf(walk_.outer_reduced, p / pieces_per_step_) + from * walk_.reduced.stride;
      const char* x = x_ + offset * x_bytes_;
      if (walk_.inner_reduced) {
        loops_.rows(x, n, walk_.kept.stride, count, accumulators);
      } else {
        loops_.columns(x, count, walk_.reduced.stride, n, accumulators);
      }
    }
  }

  void Finish(int64_t item, const void* accumulators) const {
    const int64_t at = item / slices_ * walk_.kept.extent + item % slices_ * slice_;
    loops_.finish(accumulators, SliceSize(item), walk_.reduced_count(), out_ + at * out_bytes_);
  }

  void WholeItem(int64_t item) const {
    alignas(64) char accumulators[kMaxSlice * 16];
    Accumulate(item, 0, accumulators);
    Finish(item, accumulators);
  }

  const ReductionLoops& loops_;
  const Walk& walk_;
  const char* x_;
  const int64_t x_bytes_;
  char* out_;
  const int64_t out_bytes_;
  int64_t slice_ = 1, slices_ = 1, piece_ = 1, pieces_per_step_ = 1, groups_ = 1;
};

}  // namespace

Status Reduce(KernelContext& ctx, Reduction reduction, const Tensor& x, uint64_t axes,
              Tensor* out) {
  if (out->num_elements() == 0) return OkStatus();
  WB_ASSIGN_OR_RETURN(const ReductionLoops loops, FindReductionLoops(reduction, x.dtype()));
  const Walk walk = MakeWalk(x.shape(), axes);
  return Run(loops, walk, x, out).Execute(ctx);
}

}  // namespace warpbeam
