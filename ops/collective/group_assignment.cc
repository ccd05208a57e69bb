#include "ops/collective/group_assignment.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_join.h"

namespace warpbeam {

StatusOr<GroupAssignment> GroupAssignment::Read(const Tensor& matrix, int64_t members) {
  if (matrix.rank() != 2 || matrix.num_elements() != members) {
    return InvalidArgument("group_assignment must be a matrix of the ranks of all ", members,
                           " members of the communicator, but is ", matrix.ToString());
  }
  GroupAssignment groups;
  groups.words_.push_back(static_cast<int32_t>(matrix.dim(1)));
  std::vector<bool> is_there(static_cast<size_t>(members), false);
  for (const int32_t rank : matrix.flat<int32_t>()) {
    const bool is_rank = rank >= 0 && rank < members;
    if (!is_rank || is_there[static_cast<size_t>(rank)]) {
      return InvalidArgument("group_assignment must have each rank below ", members,
                             " once, but has ", rank, is_rank ? " twice: " : ": ",
                             matrix.ToString());
    }
    is_there[static_cast<size_t>(rank)] = true;
    groups.words_.push_back(rank);
  }
  return groups;
}

Span<const int32_t> GroupAssignment::RowOf(int32_t rank) const {
  const auto length = static_cast<size_t>(words_[0]);
  const auto found = std::find(words_.begin() + 1, words_.end(), rank);
  const auto row = static_cast<size_t>(found - (words_.begin() + 1)) / length;
  return MakeConstSpan(words_).subspan(1 + row * length, length);
}

StatusOr<Tensor> GroupAssignment::Pack(const KernelContext& ctx, const Tensor& input) const {
  const auto bytes = static_cast<int64_t>(header_bytes() + input.bytes());
  WB_ASSIGN_OR_RETURN(Tensor both, ctx.AllocateTemp(DType::kUInt8, Shape({bytes})));
  memcpy(both.raw_data(), words_.data(), header_bytes());
  if (input.bytes() > 0) {
    memcpy(both.data<char>() + header_bytes(), input.raw_data(), input.bytes());
  }
  return both;
}

void GroupAssignment::Gather(CollectiveCall* call) const {
  call->kind = kPackedGather;
  call->pack = [groups = *this](KernelContext& ctx, const Tensor& input) {
    return groups.Pack(ctx, input);
  };
  call->combine = GatherInputs;
}

std::string GroupAssignment::ToString(const int32_t* words) const {
  std::vector<std::string> rows;
  const int32_t length = std::max(words[0], 1);
  for (size_t i = 1; i + static_cast<size_t>(length) <= words_.size();
       i += static_cast<size_t>(length)) {
    rows.push_back(absl::StrJoin(words + i, words + i + length, ","));
  }
  return absl::StrCat("[", absl::StrJoin(rows, "; "), "]");
}

StatusOr<std::vector<Tensor>> GroupAssignment::InputsOf(const KernelContext& ctx,
                                                        Span<const int32_t> row,
                                                        const CollectiveCommunicator& communicator,
                                                        const Tensor& gathered, DType dtype,
                                                        const Shape& shape) const {
  const size_t piece = gathered.bytes() / static_cast<size_t>(communicator.size());
  const auto at = [&](int64_t place) {
    return gathered.data<char>() + static_cast<size_t>(place) * piece;
  };
  std::vector<int32_t> first(words_.size()), other(words_.size());
  memcpy(first.data(), at(0), header_bytes());
  for (int64_t place = 1; place < communicator.size(); ++place) {
    memcpy(other.data(), at(place), header_bytes());
    if (other == first) continue;
    const std::vector<int32_t>& ranks = communicator.terms().ranks;
    return InvalidArgument(kAbortedBy, "the members of group_key=", communicator.terms().group,
                           " do not agree on their subgroups: rank ", ranks[0],
                           " has the group_assignment ", ToString(first.data()), ", rank ",
                           ranks[static_cast<size_t>(place)], " has ", ToString(other.data()));
  }
  std::vector<Tensor> inputs;
  for (const int32_t rank : row) {
    WB_ASSIGN_OR_RETURN(Tensor input, ctx.AllocateTemp(dtype, shape));
    if (input.bytes() > 0) {
      memcpy(input.raw_data(), at(communicator.PlaceOf(rank)) + header_bytes(), input.bytes());
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

}  // namespace warpbeam
