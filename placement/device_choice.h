// DeviceChooser: the best device for a request among those on which all kernels needed exist.
//
// Devices are preferred in this order: the default device, GPUs, CPUs, each in the order of the
// list. With soft placement a request that no device meets is relaxed step by step: first the
// device's number, then its type; job, replica and task never. Answers are cached per request and
// type set.
//
//   DeviceChoice c = chooser.Choose(request, types);
//   if (c.device < 0) …   // nowhere
//
// Ownership: devices and requests must outlive it. Thread safety: none. Errors: none.
#ifndef WARPBEAM_PLACEMENT_DEVICE_CHOICE_H_
#define WARPBEAM_PLACEMENT_DEVICE_CHOICE_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "placement/device_requests.h"
#include "placement/kernel_support.h"

namespace warpbeam {

struct DeviceChoice {
  int device = -1;
  int request = 0;       // the one that was met
  bool relaxed = false;  // it is not the one that was asked for
};

class DeviceChooser {
 public:
  DeviceChooser(const std::vector<DeviceName>& devices, int default_device, bool soft,
                DeviceRequests* requests);

  DeviceChoice Choose(int request, DeviceTypes types);
  // Whether a device matches the request and is of one of the types.
  bool Allows(int request, DeviceTypes types, int device) const;
  // Whether any device matches the request, whatever its type.
  bool Exists(int request) const;
  // The types of the devices that there are.
  DeviceTypes available() const { return available_; }

 private:
  int Best(int request, DeviceTypes types) const;

  const std::vector<DeviceName>& devices_;
  const bool soft_;
  DeviceRequests* requests_;
  DeviceTypes available_ = 0;
  std::vector<DeviceTypes> type_of_;  // one bit per device; none for a type unknown here
  std::vector<int> preferred_;        // devices, best first
  absl::flat_hash_map<int, DeviceChoice> cache_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_DEVICE_CHOICE_H_
