// DeviceName: "/job:worker/replica:0/task:1/device:GPU:0", whole or in part; DeviceType: CPU or
// GPU.
//
// Requests may leave parts out ("/gpu:1", "/job:ps", "/device:CPU:0", "/cpu:*"), and scopes merge
// them: an inner scope's parts override the outer one's. Old spellings (/cpu:0, /gpu:0) are read;
// full names are always written "/device:CPU:0".
//
//   WB_ASSIGN_OR_RETURN(DeviceName d, DeviceName::Parse("/gpu:1"));   d.type == DeviceType::kGpu
//   DeviceName outer = …; outer.OverrideWith(d);   d.Matches(full)
//
// Thread safety: values. Errors: INVALID_ARGUMENT quoting the text and the part that is wrong.
#ifndef WARPBEAM_PLACEMENT_DEVICE_NAME_H_
#define WARPBEAM_PLACEMENT_DEVICE_NAME_H_

#include <optional>
#include <string>

#include "graph/types/errors.h"

namespace warpbeam {

enum class DeviceType : uint8_t { kCpu = 0, kGpu = 1 };
inline constexpr int kNumDeviceTypes = 2;
const char* DeviceTypeName(DeviceType type);  // "CPU", "GPU"

struct DeviceName {
  std::optional<std::string> job;
  std::optional<int> replica;
  std::optional<int> task;
  std::optional<std::string> type;  // as written, upper case: "CPU", "GPU", or a type unknown here
  std::optional<int> id;

  static StatusOr<DeviceName> Parse(absl::string_view text);
  // A full name of this process's devices: "/job:localhost/replica:0/task:0/device:GPU:1".
  static DeviceName Local(DeviceType type, int id);

  bool empty() const { return !job && !replica && !task && !type && !id; }
  bool IsFull() const { return job && replica && task && type && id; }
  // The device type when it is one that exists here.
  std::optional<DeviceType> known_type() const;
  // Whether every part given here equals the other's.
  bool Matches(const DeviceName& full) const;
  // Whether no part given in both differs.
  bool IsCompatibleWith(const DeviceName& other) const;
  // Parts given in `inner` replace this one's.
  void OverrideWith(const DeviceName& inner);
  // Both requests at once. INVALID_ARGUMENT when they contradict; with `soft`, type and id of
  // contradicting requests are dropped instead.
  Status MergeWith(const DeviceName& other, bool soft);
  std::string ToString() const;

  friend bool operator==(const DeviceName& a, const DeviceName& b) {
    return a.job == b.job && a.replica == b.replica && a.task == b.task && a.type == b.type &&
           a.id == b.id;
  }
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_DEVICE_NAME_H_
