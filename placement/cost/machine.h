// Machine: devices and links that a step might run on, whether or not anybody has them.
//
//   WB_ASSIGN_OR_RETURN(Machine machine, Machine::Create(devices, links));
//   machine.Seconds(cost, "MatMul", device);              // of one node
//   machine.route(from, to).Seconds(bytes);               // of one transfer between memories
//
// A device computes at two rates for each class of cost (graph/op/op_schema.h): operations and
// bytes per second; a node takes the longer of the two, after the time of a launch. Where the rates
// of its op are known they count instead of the class's. A CPU that has nothing to do begins a node
// that another device has made ready after the time of a hand-over, in which its thread finds out;
// once it has looked for work as long as waking takes it sleeps, and has to be woken. Devices of
// the same task share their
// host's memory if they are CPUs; every other device has its own. A memory is called by the number
// of the first device that uses it.
//
// A link leads from devices to devices, which it may name in part ("/gpu:*", "/job:worker", or
// nothing for all); between two memories the first that fits counts. It takes latency + bytes ÷
// bandwidth for each transfer, one after the other. What links have in common, such as a bus, is a
// name in `shares`: one transfer at a time uses it, whatever link it is on. Without one, each pair
// of memories has a way of its own in each direction.
//
// Ownership: a value. Thread safety: immutable. Errors of Create: INVALID_ARGUMENT for machines
// that make no sense, naming the device or link, and what would.
#ifndef WARPBEAM_PLACEMENT_COST_MACHINE_H_
#define WARPBEAM_PLACEMENT_COST_MACHINE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "placement/cost/node_cost.h"
#include "placement/device_name.h"

namespace warpbeam {

inline constexpr int kNumCostClasses = 3;
// As files of machines and costs call them.
inline constexpr const char* kCostClassNames[kNumCostClasses] = {"elements", "product",
                                                                 "convolution"};

struct ComputeRate {
  double flops_per_s = 0;
  double bytes_per_s = 0;
};

// Of one op: what its class of cost has, and what each call of it takes besides.
struct OpRate : ComputeRate {
  double setup_s = 0;
};

struct MachineDevice {
  DeviceName name;           // full
  std::string model;         // what measured costs call it (op_costs.h); empty: nobody said
  int64_t memory_bytes = 0;  // 0: no limit is known
  int lanes = 1;             // how many nodes it computes at once, each at the full rate
  double launch_s = 0;       // before each node that is work
  double hand_over_s = 0;    // before one that another device has made ready, if a lane is idle
  double wake_s = 0;         // the same, if it has been idle for longer than this
  ComputeRate rates[kNumCostClasses];
  std::map<std::string, OpRate> op_rates;  // of ops for which the class's would be wrong

  // What a device of the type is taken to be where nothing else is said.
  static MachineDevice Usual(DeviceName name, DeviceType type);
  const ComputeRate& rate(CostClass c) const { return rates[static_cast<int>(c)]; }
};

struct MachineLink {
  DeviceName from, to;  // full, or in part
  double latency_s = 0;
  double bytes_per_s = 0;
  std::string shares;
  bool both_ways = true;
};

class Machine {
 public:
  static constexpr int kMostDevices = 8192;

  struct Route {
    double latency_s = 0;
    double bytes_per_s = 1;
    int64_t channel = 0;  // what carries one transfer at a time
    double Seconds(double bytes) const { return latency_s + bytes / bytes_per_s; }
  };

  static StatusOr<Machine> Create(std::vector<MachineDevice> devices,
                                  std::vector<MachineLink> links);
  // Usual devices of these names; every pair of memories has a link of its own.
  static StatusOr<Machine> Usual(const std::vector<DeviceName>& devices);

  int num_devices() const { return static_cast<int>(devices_.size()); }
  const MachineDevice& device(int d) const { return devices_[d]; }
  const std::vector<MachineDevice>& devices() const { return devices_; }
  const std::vector<MachineLink>& links() const { return links_; }
  std::vector<DeviceName> names() const;
  DeviceType type(int d) const { return types_[d]; }
  // Of the device's own tensors, and of those that its kernels have on the host.
  int memory_of(int d) const { return memory_of_[d]; }
  int host_of(int d) const { return host_of_[d]; }
  // `from` and `to` are two memories.
  Route route(int from, int to) const {
    const int link = link_of_[static_cast<size_t>(class_of_[from]) * num_classes_ + class_of_[to]];
    const int bus = bus_of_[link];
    const int64_t own = static_cast<int64_t>(buses_.size()) + int64_t{from} * num_devices() + to;
    return {links_[link].latency_s, links_[link].bytes_per_s, bus >= 0 ? bus : own};
  }
  // What the links of a channel say that they share; empty for one way between two memories.
  std::string channel_name(int64_t c) const {
    return c < static_cast<int64_t>(buses_.size()) ? buses_[c] : "";
  }
  // Of a node of op `op`.
  double Seconds(const NodeCost& cost, const std::string& op, int d) const;

 private:
  Status CheckDevices();
  Status FindMemories();
  Status CheckLinks() const;
  void FindClasses();
  void LayRoutes();
  Status CheckRoutes() const;
  std::vector<bool> MemoriesOf(const DeviceName& name) const;

  std::vector<MachineDevice> devices_;
  std::vector<MachineLink> links_;
  std::vector<DeviceType> types_;
  std::vector<int> memory_of_, host_of_;
  // Memories that the same links start and end at are of one class.
  std::vector<int> class_of_;
  int num_classes_ = 0;
  std::vector<std::vector<int>> starts_, ends_;  // by link: classes
  std::vector<int> link_of_;                     // by the classes of from and to; -1: none
  std::vector<int> bus_of_;                      // by link: which of `buses_`; -1: none
  std::vector<std::string> buses_;               // what links share
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_COST_MACHINE_H_
