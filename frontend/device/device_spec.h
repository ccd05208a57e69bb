// DeviceSpec: the parts of a device's name, each given or left open (tf.DeviceSpec).
//
//   DeviceSpec gpu = DeviceSpec().job("worker").task(1).device_type("GPU").device_index(0);
//   Scope there = scope.Device(gpu.ToString());          // "/job:worker/task:1/device:GPU:0"
//   StatusOr<DeviceSpec> ps = DeviceSpec::FromString("/job:ps/cpu:0");
//   gpu.MergeFrom(DeviceSpec().task(2));                 // parts that are given take the place
//
// Ownership: a value. Thread safety: a value. Errors: INVALID_ARGUMENT for a text that is no name,
// saying which part of it.
#ifndef WARPBEAM_FRONTEND_DEVICE_DEVICE_SPEC_H_
#define WARPBEAM_FRONTEND_DEVICE_DEVICE_SPEC_H_

#include <optional>
#include <string>
#include <utility>

#include "frontend/types.h"

namespace warpbeam {
namespace frontend {

struct DeviceSpec {
  // Tasks' old spellings, such as "/gpu:0", are read.
  static StatusOr<DeviceSpec> FromString(const std::string& spec);

  DeviceSpec& job(std::string value) { return job_name = std::move(value), *this; }
  DeviceSpec& replica(int value) { return replica_number = value, *this; }
  DeviceSpec& task(int value) { return task_number = value, *this; }
  DeviceSpec& device_type(std::string value) { return type = std::move(value), *this; }
  DeviceSpec& device_index(int value) { return index = value, *this; }

  // As scopes merge: what `inner` gives takes the place of what this one does.
  void MergeFrom(const DeviceSpec& inner);
  DeviceSpec MakeMergedSpec(const DeviceSpec& inner) const;
  // "/job:worker/task:1/device:GPU:0"; "" where nothing is given. A type without an index has '*'.
  std::string ToString() const;

  std::optional<std::string> job_name;
  std::optional<int> replica_number;
  std::optional<int> task_number;
  std::optional<std::string> type;  // "GPU"
  std::optional<int> index;
};

bool operator==(const DeviceSpec& a, const DeviceSpec& b);
inline bool operator!=(const DeviceSpec& a, const DeviceSpec& b) { return !(a == b); }

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_DEVICE_DEVICE_SPEC_H_
