// The devices of a session as a machine that steps can be simulated on (placement/cost/machine.h).
//
//   WB_ASSIGN_OR_RETURN(Machine machine,
//                       MachineOf(target.sites().names(), {home.devices().get()}));
//
// Rates and links are the usual ones, models and memories those of the devices; of the devices of
// other processes their limits may be known. What `warpbeam calibrate` or a person has described is
// read from a file (placement/cost/machine_json.h), which must have all of the session's devices
// and may have more.
//
// Thread safety: pure functions. Errors: those of Machine::Create and of reading the file;
// INVALID_ARGUMENT for a device that the file lacks.
#ifndef WARPBEAM_RUNTIME_SESSION_SESSION_MACHINE_H_
#define WARPBEAM_RUNTIME_SESSION_SESSION_MACHINE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "placement/cost/machine.h"
#include "runtime/device/local/device_set.h"

namespace warpbeam {

// "Intel(R) Xeon(R) Processor, 1 core": what computes as fast as another of the same model.
std::string CpuModel(const std::string& description);

// How many bytes the memories of devices have, by full name.
using MemoryLimits = std::map<std::string, int64_t>;

// `names` are all devices in the order in which nodes are placed on them, `local` those of this
// process among them.
StatusOr<Machine> MachineOf(const std::vector<DeviceName>& names,
                            const std::vector<const DeviceSet*>& local,
                            const MemoryLimits& elsewhere = {});
StatusOr<Machine> ReadMachine(const std::string& path);
StatusOr<Machine> ReadMachineOf(const std::string& path, const std::vector<DeviceName>& names);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_SESSION_MACHINE_H_
