// DeviceFilters: which devices of other tasks a session has (ConfigProto's device_filters).
//
//   DeviceFilters filters;
//   WB_RETURN_IF_ERROR(filters.Add("/job:ps"));
//   if (filters.Has(name)) …             // of a device, or of a task
//
// Thread safety: a value. Errors: INVALID_ARGUMENT for a filter that is no part of a device's name.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_DEVICE_FILTERS_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_DEVICE_FILTERS_H_

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "placement/device_name.h"

namespace warpbeam {

class DeviceFilters {
 public:
  Status Add(const std::string& filter) {
    auto parsed = DeviceName::Parse(filter);
    if (!parsed.ok()) return Annotate(parsed.status(), "device_filters");
    filters_.push_back(*std::move(parsed));
    return OkStatus();
  }
  // Without filters, all.
  bool empty() const { return filters_.empty(); }
  // Whether it fits one of them.
  bool Has(const DeviceName& name) const {
    return empty() || std::any_of(filters_.begin(), filters_.end(), [&](const DeviceName& filter) {
             return filter.IsCompatibleWith(name);
           });
  }

 private:
  std::vector<DeviceName> filters_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_DEVICE_FILTERS_H_
