// What a collective does with its members' tensors.
//
// Thread safety, errors: constants.
#ifndef WARPBEAM_RUNTIME_COMM_COLLECTIVE_KIND_H_
#define WARPBEAM_RUNTIME_COMM_COLLECTIVE_KIND_H_

#include <cstdint>

namespace warpbeam {

// The numbers that TensorFlow gives the kinds of collectives.
enum CollectiveKind : int {
  kReduction = 0,
  kBroadcast = 1,
  kGather = 2,
  kAllToAll = 4,
  kReduceScatter = 5,
  // Of no number of TensorFlow's: a gather of what is not of the shape and dtype of the call alone.
  kPackedGather = 100,
};
// Whether a member gets but its share of the result: as many rows as any other, in the order of the
// members.
constexpr bool HasShares(int kind) { return kind == kAllToAll || kind == kReduceScatter; }

// How a reduction makes one element of two.
enum class MergeOp { kAdd, kMul, kMin, kMax };

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMM_COLLECTIVE_KIND_H_
