// DeviceSet: the devices of one session with the lanes that run on them.
//
// Devices stand in placement order: CPU:0…, GPU:0…. Each has a compute lane, one with memory of its
// own also a lane for copies into it and one for copies to the host, so that the two directions do
// not wait for each other. Lanes have numbers of their own, and so have the devices of all tasks
// together (placement/cut.h: SiteList), of which these are one task's. A set has the machine's
// GPUs, in a build that has code for them, or simulated ones where those are asked for.
//
// The sets of a process that ask for the same CPU devices share them, and so their threads, unless
// they want threads of their own: several sessions then run no more threads than one.
//
//   WB_ASSIGN_OR_RETURN(auto devices, DeviceSet::Create({.cpu_devices = 2, .simulated_gpus = 2}));
//   devices->lanes()[devices->copy_in_lane(2)].Schedule(work);
//
// Ownership: owns GPUs and streams, and CPU devices together with the other sets that share them.
// Thread safety: immutable after Create.
#ifndef WARPBEAM_RUNTIME_DEVICE_LOCAL_DEVICE_SET_H_
#define WARPBEAM_RUNTIME_DEVICE_LOCAL_DEVICE_SET_H_

#include <memory>
#include <string>
#include <vector>

#include "graph/types/errors.h"
#include "runtime/device/device.h"
#include "runtime/device/local/lane.h"

namespace warpbeam {

struct DeviceSetOptions {
  std::string job = "localhost";
  int task = 0;
  int cpu_devices = 1;
  int gpus = -1;                   // of the machine, if none are simulated; -1: all that it has
  double gpu_memory_fraction = 1;  // of each, at most
  // Which of them, simulated ones too, and what they are cut into (gpu_shares.h).
  std::vector<int> visible_gpus;
  std::vector<std::vector<int64_t>> gpu_parts;
  int equal_gpu_parts = 0;
  int simulated_gpus = 0;
  int64_t simulated_gpu_memory = int64_t{1} << 30;
  bool simulated_gpus_enqueue = false;  // SimulatedDeviceOptions::enqueues
  bool simulated_gpu_kernels = false;   // SimulatedDeviceOptions::gpu_kernels
  int threads = 0;                      // of all cpu devices together; 0: the cores of the machine
  bool own_threads = false;             // shares no CPU devices with other sets
  bool lends_threads = true;            // idle threads of a CPU device help with the others' loops
  bool blocking_launches = false;       // Lane::is_blocking of GPUs whose kernels only enqueue
  bool fixed_cuts = false;   // kernels on CPUs do not see how many threads there are (fixed_cuts.h)
  uint64_t stress_seed = 0;  // perturbs the schedule (schedule_perturbation.h); 0: does not
};

class DeviceSet {
 public:
  static StatusOr<std::unique_ptr<DeviceSet>> Create(const DeviceSetOptions& options);
  ~DeviceSet();

  int size() const { return static_cast<int>(devices_.size()); }
  Device* device(int i) const { return devices_[i]; }
  const std::vector<DeviceName>& names() const { return names_; }
  // Compute lanes of all devices, then the copy lanes.
  const std::vector<Lane>& lanes() const { return lanes_; }
  bool has_fixed_cuts() const { return !fixed_cuts_.empty(); }
  bool is_stressed() const { return perturbation_ != nullptr; }
  // Where there is no driver. On CUDA's stand-in of the tests there is one, so that nodes are
  // placed as on a GPU, though its kernels are host code (tests/cuda_stand_in).
  bool gpus_are_simulated() const {
    return gpus_.empty() || (gpus_[0]->runs_host_code() && !gpus_[0]->has_driver());
  }
  // The index in lanes() of a device's compute lane.
  int compute_lane(int device) const { return device; }
  // The same of its lanes for copies, from the host or another device, and to the host; its compute
  // lane when it has none.
  int copy_in_lane(int device) const { return copy_lanes_[device].in; }
  int copy_out_lane(int device) const { return copy_lanes_[device].out; }

 private:
  struct Cpus;
  struct CopyLanes {
    int in, out;
  };

  DeviceSet() = default;
  static StatusOr<std::shared_ptr<Cpus>> NewCpus(const DeviceSetOptions& options);
  static StatusOr<std::shared_ptr<Cpus>> SharedCpus(const DeviceSetOptions& options);
  Status AddGpus(const DeviceSetOptions& options);
  // A further lane of a device, with a stream of its own: its index.
  StatusOr<int> AddCopyLane(int device);

  std::unique_ptr<SchedulePerturbation> perturbation_;
  std::shared_ptr<Cpus> cpus_;
  std::vector<std::unique_ptr<Device>> fixed_cuts_;  // around cpus_
  std::vector<std::unique_ptr<Device>> gpus_;
  std::vector<Device*> devices_;
  std::vector<DeviceName> names_;
  std::vector<std::unique_ptr<Stream>> copy_streams_;
  std::vector<std::unique_ptr<LaunchThread>> launches_;  // of GPUs whose kernels only enqueue
  std::vector<Lane> lanes_;
  std::vector<CopyLanes> copy_lanes_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_LOCAL_DEVICE_SET_H_
