// ShortDeviceNames: device names without what all of them have in common, for people to read.
//
//   ShortDeviceNames names(report.devices);
//   names.Short("/job:localhost/replica:0/task:0/device:GPU:0")   // "GPU:0" within one process
//
// Internal to placement/. Thread safety: const access from many threads. Errors: none; a name that
// does not begin like the others comes back whole.
#ifndef WARPBEAM_PLACEMENT_SHORT_NAMES_H_
#define WARPBEAM_PLACEMENT_SHORT_NAMES_H_

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace warpbeam {

class ShortDeviceNames {
 public:
  explicit ShortDeviceNames(const std::vector<std::string>& devices) {
    for (size_t i = 0; i < devices.size(); ++i) {
      const size_t at = devices[i].find("/device:");
      const std::string task = at == std::string::npos ? "" : devices[i].substr(0, at);
      if (i == 0) common_ = task;
      if (task != common_) common_.clear();
    }
    if (!common_.empty()) common_ += "/device:";
  }
  std::string Short(absl::string_view name) const {
    if (!common_.empty() && absl::StartsWith(name, common_)) name.remove_prefix(common_.size());
    return std::string(name);
  }

 private:
  std::string common_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_SHORT_NAMES_H_
