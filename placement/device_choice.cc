#include "placement/device_choice.h"

namespace warpbeam {

DeviceChooser::DeviceChooser(const std::vector<DeviceName>& devices, int default_device, bool soft,
                             DeviceRequests* requests)
    : devices_(devices), soft_(soft), requests_(requests) {
  if (default_device >= 0 && default_device < static_cast<int>(devices.size())) {
    preferred_.push_back(default_device);
  }
  for (const DeviceName& device : devices) {
    const std::optional<DeviceType> type = device.known_type();
    type_of_.push_back(type ? BitOf(*type) : 0);
    available_ |= type_of_.back();
  }
  for (DeviceType type : {DeviceType::kGpu, DeviceType::kCpu}) {
    for (int i = 0; i < static_cast<int>(devices.size()); ++i) {
      if (type_of_[i] == BitOf(type) && i != default_device) preferred_.push_back(i);
    }
  }
}

bool DeviceChooser::Allows(int request, DeviceTypes types, int device) const {
  return (type_of_[device] & types) != 0 &&
         (request == 0 || requests_->name(request).Matches(devices_[device]));
}

bool DeviceChooser::Exists(int request) const {
  for (const DeviceName& device : devices_) {
    if (requests_->name(request).Matches(device)) return true;
  }
  return false;
}

int DeviceChooser::Best(int request, DeviceTypes types) const {
  for (int device : preferred_) {
    if (Allows(request, types, device)) return device;
  }
  return -1;
}

DeviceChoice DeviceChooser::Choose(int request, DeviceTypes types) {
  auto [it, added] = cache_.try_emplace(request << kNumDeviceTypes | types);
  DeviceChoice& choice = it->second;
  if (!added) return choice;
  choice.request = request;
  choice.device = Best(request, types);
  if (choice.device >= 0 || !soft_ || request == 0) return choice;
  for (int relaxed : {requests_->WithoutId(request), requests_->OnlyTask(request)}) {
    choice.device = Best(relaxed, types);
    if (choice.device < 0) continue;
    choice.request = relaxed;
    choice.relaxed = true;
    break;
  }
  return choice;
}

}  // namespace warpbeam
