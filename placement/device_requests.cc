#include "placement/device_requests.h"

namespace warpbeam {

DeviceRequests::DeviceRequests() { Add(DeviceName()); }

int DeviceRequests::Add(const DeviceName& name) {
  auto [it, added] = by_canonical_.try_emplace(name.ToString(), static_cast<int>(names_.size()));
  if (added) names_.push_back(name);
  return it->second;
}

StatusOr<int> DeviceRequests::Intern(absl::string_view text) {
  if (text.empty()) return 0;
  auto it = by_text_.find(text);
  if (it != by_text_.end()) return it->second;
  WB_ASSIGN_OR_RETURN(DeviceName name, DeviceName::Parse(text));
  const int request = Add(name);
  by_text_.emplace(std::string(text), request);
  return request;
}

StatusOr<int> DeviceRequests::Merge(int a, int b, bool soft) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  DeviceName merged = names_[a];
  WB_RETURN_IF_ERROR(merged.MergeWith(names_[b], soft));
  return Add(merged);
}

int DeviceRequests::WithoutId(int request) {
  DeviceName name = names_[request];
  name.id.reset();
  return Add(name);
}

int DeviceRequests::OnlyTask(int request) {
  DeviceName name = names_[request];
  name.id.reset();
  name.type.reset();
  return Add(name);
}

}  // namespace warpbeam
