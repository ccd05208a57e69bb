// GroupAssignment: the subgroups in which the members of a communicator meet, as a matrix of their
// ranks, a row for each subgroup.
//
//   WB_ASSIGN_OR_RETURN(const GroupAssignment groups, GroupAssignment::Read(ctx.input(2), size));
//   const Span<const int32_t> row = groups.RowOf(rank);
//
// All members of the communicator take part: each brings its matrix and its tensor to all (Gather),
// and takes what the others of its row have brought (InputsOf). So members of different rows wait
// for each other, and whoever has another matrix than the others is seen; it costs the bytes of a
// gather.
//
// Ownership: a value. Thread safety: immutable. Errors: INVALID_ARGUMENT for what is no matrix of
// all ranks, each once; for members whose matrices differ.
#ifndef WARPBEAM_OPS_COLLECTIVE_GROUP_ASSIGNMENT_H_
#define WARPBEAM_OPS_COLLECTIVE_GROUP_ASSIGNMENT_H_

#include <vector>

#include "graph/types/span.h"
#include "ops/collective/collective_communicator.h"

namespace warpbeam {

class GroupAssignment {
 public:
  static StatusOr<GroupAssignment> Read(const Tensor& matrix, int64_t members);

  Span<const int32_t> RowOf(int32_t rank) const;
  // Turns `call` into a gather of all members' matrices and inputs.
  void Gather(CollectiveCall* call) const;
  // Of what has been gathered, if all matrices are equal: the tensors of a row, in its order.
  StatusOr<std::vector<Tensor>> InputsOf(const KernelContext& ctx, Span<const int32_t> row,
                                         const CollectiveCommunicator& communicator,
                                         const Tensor& gathered, DType dtype,
                                         const Shape& shape) const;

 private:
  size_t header_bytes() const { return words_.size() * sizeof(int32_t); }
  std::string ToString(const int32_t* words) const;
  StatusOr<Tensor> Pack(const KernelContext& ctx, const Tensor& input) const;

  std::vector<int32_t> words_;  // how many a row has, and the ranks row by row
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_COLLECTIVE_GROUP_ASSIGNMENT_H_
