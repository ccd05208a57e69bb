// DeviceSet: the devices of one session with the lanes that run on them.
//
// Devices stand in placement order: CPU:0…, GPU:0…. Lane i is the compute lane of device i; a
// device with memory of its own has a copy lane behind them.
//
//   WB_ASSIGN_OR_RETURN(auto devices, DeviceSet::Create({.cpu_devices = 2, .simulated_gpus = 2}));
//   devices->lane(0).Schedule(…);   devices->copy_lane(2)
//
// Ownership: owns devices and streams. Thread safety: immutable after Create.
#ifndef WARPBEAM_RUNTIME_EXECUTOR_DEVICE_SET_H_
#define WARPBEAM_RUNTIME_EXECUTOR_DEVICE_SET_H_

#include <memory>
#include <string>
#include <vector>

#include "graph/types/status.h"
#include "runtime/device/device.h"
#include "runtime/executor/lane.h"

namespace warpbeam {

struct DeviceSetOptions {
  std::string job = "localhost";
  int task = 0;
  int cpu_devices = 1;
  int simulated_gpus = 0;
  int64_t simulated_gpu_memory = int64_t{1} << 30;
  int threads = 0;           // of all cpu devices together; 0: the cores of the machine
  uint64_t stress_seed = 0;  // perturbs the schedule (schedule_perturbation.h); 0: does not
};

class DeviceSet {
 public:
  static absl::StatusOr<std::unique_ptr<DeviceSet>> Create(const DeviceSetOptions& options);
  ~DeviceSet();

  int size() const { return static_cast<int>(devices_.size()); }
  Device* device(int i) const { return devices_[i].get(); }
  const std::vector<DeviceName>& names() const { return names_; }
  // Compute lanes of all devices, then the copy lanes.
  const std::vector<Lane>& lanes() const { return lanes_; }
  bool is_stressed() const { return perturbation_ != nullptr; }
  // The index in lanes() of a device's copy lane; its compute lane when it has none.
  int copy_lane(int device) const { return copy_lane_[device]; }

 private:
  DeviceSet() = default;
  std::unique_ptr<SchedulePerturbation> perturbation_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<DeviceName> names_;
  std::vector<std::unique_ptr<Stream>> copy_streams_;
  std::vector<Lane> lanes_;
  std::vector<int> copy_lane_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_EXECUTOR_DEVICE_SET_H_
