// MemberPlan: what one member of a collective does where some of its group are on tasks of
// TensorFlow's: which pieces of its tensor it asks of which members, merges, and gives to others,
// and under which keys. The algorithms are TensorFlow's, so that all agree without a word.
//
//   WB_ASSIGN_OR_RETURN(MemberPlan plan, PlanReduce(order, rank, pieces, "1:2:0:0"));
//   for (const MemberPlan::Chain& chain : plan.chains) …     // side by side, each step by step
//
// A reduction goes round a ring: the tensor is cut into a chunk for each member (some for each,
// where it is subdivided), each of which is merged from member to member, in a first pass, and goes
// round again as the result, in a second. A gather is the second pass alone, of what each has
// brought. A broadcast goes down a binary tree of a device of each task, then down one within each.
//
// Ownership: plain data. Thread safety: pure. Errors: INTERNAL, as of TensorFlow's tasks, for a
// reduction of nothing that is to be subdivided; INVALID_ARGUMENT for numbers that cannot be.
#ifndef WARPBEAM_RUNTIME_DIST_COLLECTIVE_MEMBER_PLAN_H_
#define WARPBEAM_RUNTIME_DIST_COLLECTIVE_MEMBER_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/dist/collective/member_order.h"

namespace warpbeam {

struct MemberPlan {
  enum class Action { kReceive, kMerge, kFinish, kGive };
  struct Act {
    Action action = Action::kReceive;
    int64_t offset = 0, count = 0;  // elements of the member's tensor
    // What is asked for, of whom; what is given, to whom.
    std::vector<std::string> keys;
    std::vector<int> ranks;
  };
  using Chain = std::vector<Act>;

  std::vector<Chain> chains;
};

// A tensor that goes round a ring, and how it is cut.
struct RingPieces {
  int64_t elements = 0;
  int64_t element_bytes = 0;
  std::vector<int64_t> offsets;  // of the subdivisions' rings; empty: as the sizes ask for
  int64_t most_for_device = -1;  // subdivisions; 0: TensorFlow's default, -1: one in all
};

// `execution` is the same for all members and no other execution of the step.
StatusOr<MemberPlan> PlanReduce(const MemberOrder& order, int rank, const RingPieces& pieces,
                                const std::string& execution);
// `elements` of each member, which are at its rank's place in the tensor when it begins.
MemberPlan PlanGather(const MemberOrder& order, int rank, int64_t elements,
                      const std::string& execution);
MemberPlan PlanBroadcast(const MemberOrder& order, int rank, int source, int64_t elements,
                         const std::string& execution);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_COLLECTIVE_MEMBER_PLAN_H_
