// DeviceRequests: the device strings of a graph's nodes, each parsed once and known by a small
// number.
//
// A graph of a million nodes has a handful of distinct device strings. Number 0 is the empty
// request.
//
//   DeviceRequests requests;
//   WB_ASSIGN_OR_RETURN(int r, requests.Intern(node.device()));
//   requests.name(r).Matches(device)
//
// Thread safety: none. Errors: those of DeviceName::Parse and DeviceName::MergeWith.
#ifndef WARPBEAM_PLACEMENT_DEVICE_REQUESTS_H_
#define WARPBEAM_PLACEMENT_DEVICE_REQUESTS_H_

#include <deque>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "placement/device_name.h"

namespace warpbeam {

class DeviceRequests {
 public:
  DeviceRequests();
  // The number of a device as written.
  StatusOr<int> Intern(absl::string_view text);
  int Add(const DeviceName& name);
  const DeviceName& name(int request) const { return names_[request]; }

  bool Compatible(int a, int b) const {
    return a == 0 || b == 0 || a == b || names_[a].IsCompatibleWith(names_[b]);
  }
  // Both at once, as DeviceName::MergeWith.
  StatusOr<int> Merge(int a, int b, bool soft);
  // The same without the device number, or with job, replica and task alone: what soft placement
  // tries next, and what it never gives up.
  int WithoutId(int request);
  int OnlyTask(int request);

 private:
  std::deque<DeviceName> names_;
  absl::flat_hash_map<std::string, int> by_text_;       // as written
  absl::flat_hash_map<std::string, int> by_canonical_;  // as DeviceName::ToString writes it
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_DEVICE_REQUESTS_H_
