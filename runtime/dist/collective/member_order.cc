#include "runtime/dist/collective/member_order.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/types/shown_name.h"
#include "placement/device_name.h"
#include "proto/worker.pb.h"

namespace warpbeam {

int MemberOrder::RankOf(absl::string_view device) const {
  for (size_t rank = 0; rank < members.size(); ++rank) {
    if (members[rank].device == device) return static_cast<int>(rank);
  }
  return -1;
}

StatusOr<MemberOrder> OrderMembers(std::vector<MemberOrder::Member> members) {
  using Place = std::tuple<std::string, std::string, int>;  // task, type and number of the device
  std::vector<std::pair<Place, MemberOrder::Member>> places;
  for (MemberOrder::Member& member : members) {
    WB_ASSIGN_OR_RETURN(const DeviceName name, DeviceName::Parse(member.device));
    if (!name.IsFull()) {
      return InvalidArgument("a member of a group has the device '", ShownName(member.device),
                             "', which is not full");
    }
    member.task =
        absl::StrCat("/job:", *name.job, "/replica:", *name.replica, "/task:", *name.task);
    Place place(member.task, *name.type, *name.id);
    places.emplace_back(std::move(place), std::move(member));
  }
  std::sort(places.begin(), places.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  MemberOrder order;
  for (auto& [place, member] : places) {
    if (!order.members.empty() && order.members.back().device == member.device) {
      return InvalidArgument("the device ", ShownName(member.device), " is a member twice");
    }
    const bool is_first = order.members.empty() || order.members.back().task != member.task;
    if (!is_first && (member.has_links || order.members.back().has_links)) {
      return Unimplemented("members of collectives with tasks of TensorFlow's on several GPUs of ",
                           member.task, ", which it orders by the links between them");
    }
    if (is_first) order.task_sizes.push_back(0);
    ++order.task_sizes.back();
    order.members.push_back(std::move(member));
  }
  return order;
}

StatusOr<MemberOrder> OrderMembers(const tensorflow::CompleteGroupResponse& formed) {
  std::vector<MemberOrder::Member> members;
  for (const tensorflow::DeviceAttributes& device : formed.device_attributes()) {
    members.push_back(
        {device.name(), device.incarnation(), device.locality().links().link_size() > 0, ""});
  }
  return OrderMembers(std::move(members));
}

}  // namespace warpbeam
