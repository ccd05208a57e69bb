#include "ops/launch/broadcast.h"

#include <algorithm>
#include <string>

namespace warpbeam {
namespace {

std::string Describe(std::initializer_list<const Shape*> inputs) {
  std::string out;
  for (const Shape* s : inputs) absl::StrAppend(&out, out.empty() ? "" : " vs. ", s->ToString());
  return out;
}

// The extent of `s` in dimension d of `rank`, shapes aligned at their ends.
int64_t Extent(const Shape& s, int d, int rank) {
  const int own = d - (rank - s.rank());
  return own < 0 ? 1 : s.dim(own);
}

// Adds a dimension (from the innermost outwards) to the plan, merging it with the one before where
// every input goes on as it did.
class PlanBuilder {
 public:
  explicit PlanBuilder(Broadcast* plan) : plan_(plan) {}

  bool Add(int64_t extent, const bool* repeats) {
    if (extent == 1) return true;
    const int n = plan_->num_inputs;
    if (rank_ > 0 && std::equal(repeats, repeats + n, last_)) {
      dims_[rank_ - 1] *= extent;
    } else {
      if (rank_ == Broadcast::kMaxDims) return false;
      for (int i = 0; i < n; ++i) {
        strides_[i][rank_] = repeats[i] ? 0 : size_[i];
        last_[i] = repeats[i];
      }
      dims_[rank_++] = extent;
    }
    for (int i = 0; i < n; ++i) {
      if (!repeats[i]) size_[i] *= extent;
    }
    return true;
  }

  void Finish() {
    if (rank_ == 0) {  // one element
      plan_->rank = 1;
      plan_->dims[0] = 1;
      for (int i = 0; i < plan_->num_inputs; ++i) plan_->strides[i][0] = 1;
      return;
    }
    plan_->rank = rank_;
    for (int d = 0; d < rank_; ++d) {
      plan_->dims[d] = dims_[rank_ - 1 - d];
      for (int i = 0; i < plan_->num_inputs; ++i) {
        plan_->strides[i][d] = strides_[i][rank_ - 1 - d];
      }
    }
  }

 private:
  Broadcast* plan_;
  int rank_ = 0;
  int64_t dims_[Broadcast::kMaxDims];
  int64_t strides_[Broadcast::kMaxInputs][Broadcast::kMaxDims];
  int64_t size_[Broadcast::kMaxInputs] = {1, 1, 1};
  bool last_[Broadcast::kMaxInputs] = {};
};

}  // namespace

Status MakeBroadcast(std::initializer_list<const Shape*> inputs, Broadcast* plan, Shape* result) {
  int rank = 0;
  for (const Shape* s : inputs) rank = std::max(rank, s->rank());
  int64_t dims[kMaxRank];
  for (int d = 0; d < rank; ++d) {
    int64_t extent = 1;
    for (const Shape* s : inputs) {
      const int64_t own = Extent(*s, d, rank);
      if (own == 1) continue;
      if (extent != 1 && extent != own) {
        return InvalidArgument("Incompatible shapes: ", Describe(inputs));
      }
      extent = own;
    }
    dims[d] = extent;
  }
  WB_ASSIGN_OR_RETURN(*result, Shape::Make({dims, static_cast<size_t>(rank)}));
  if (plan == nullptr) return OkStatus();

  plan->num_inputs = static_cast<int>(inputs.size());
  plan->count = result->num_elements();
  PlanBuilder builder(plan);
  for (int d = rank - 1; d >= 0; --d) {
    bool repeats[Broadcast::kMaxInputs];
    int i = 0;
    for (const Shape* s : inputs) repeats[i++] = Extent(*s, d, rank) == 1;
    if (!builder.Add(dims[d], repeats)) {
      return Unimplemented("broadcasting of ", Describe(inputs), " needs more than ",
                           Broadcast::kMaxDims, " dimensions");
    }
  }
  builder.Finish();
  return OkStatus();
}

}  // namespace warpbeam
