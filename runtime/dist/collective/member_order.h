// MemberOrder: the members of a group of collectives in the order in which TensorFlow's tasks rank
// them. Each task finds it from the members' devices alone, so that nobody has to be told.
//
//   WB_ASSIGN_OR_RETURN(MemberOrder order, OrderMembers(members));
//   const int rank = order.RankOf("/job:worker/replica:0/task:1/device:CPU:0");
//
// Tasks go by their names as texts (task 10 before task 2), the devices of a task by type and
// number. TensorFlow puts several GPUs of one task in the order of the links between them, which
// their task tells; such groups are not there.
//
// Ownership: plain data. Thread safety: pure. Errors: INVALID_ARGUMENT for names of devices that
// are none or come twice; UNIMPLEMENTED for GPUs with links.
#ifndef WARPBEAM_RUNTIME_DIST_COLLECTIVE_MEMBER_ORDER_H_
#define WARPBEAM_RUNTIME_DIST_COLLECTIVE_MEMBER_ORDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "graph/types/errors.h"

namespace tensorflow {
class CompleteGroupResponse;
}  // namespace tensorflow

namespace warpbeam {

struct MemberOrder {
  struct Member {
    std::string device;
    uint64_t incarnation = 0;
    bool has_links = false;  // to other GPUs of its task
    std::string task;        // OrderMembers fills it in
  };

  std::vector<Member> members;  // by rank
  std::vector<int> task_sizes;  // how many of them each task has, one task after the other

  int size() const { return static_cast<int>(members.size()); }
  int num_tasks() const { return static_cast<int>(task_sizes.size()); }
  // -1: the device is no member.
  int RankOf(absl::string_view device) const;
};

StatusOr<MemberOrder> OrderMembers(std::vector<MemberOrder::Member> members);
StatusOr<MemberOrder> OrderMembers(const tensorflow::CompleteGroupResponse& formed);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_COLLECTIVE_MEMBER_ORDER_H_
