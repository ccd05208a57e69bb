// What a placer keeps between calls: devices, caches, and a decision per placed node.
//
// Internal to placement/. Thread safety: none.
#ifndef WARPBEAM_PLACEMENT_PLACER_STATE_H_
#define WARPBEAM_PLACEMENT_PLACER_STATE_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "placement/device_choice.h"
#include "placement/device_requests.h"
#include "placement/kernel_support.h"
#include "placement/placer.h"

namespace warpbeam {

// What made the rule decide as it did; together with Decision::forced_by it gives the reason.
enum class PlacementCause : uint8_t {
  kOwn,            // the node's own request, or none
  kPlacedEarlier,  // forced_by is on the device since an earlier call
  kRequestOf,      // forced_by asked for the device
  kKernelsOf,      // forced_by has no kernel for another device type
  kNoSuchDevice,   // no device matches what was asked for
  kNoKernel,       // the node has no kernel for the device type asked for
  kContradicts,    // forced_by, of the same group, asked for another device
  kNotColocated,   // "loc:@" forced_by could not be met
};

struct Decision {
  int32_t device = -1;
  NodeId forced_by = kNoNode;
  PlacementRule rule = PlacementRule::kDefault;
  PlacementCause cause = PlacementCause::kOwn;
  int32_t reason = -1;  // of kSearched: one of PlacerState::search_reasons
};

struct PlacerState {
  PlacerState(const KernelCatalog* catalog, std::vector<DeviceName> device_list,
              PlacerOptions placer_options)
      : devices(std::move(device_list)),
        options(placer_options),
        support(catalog),
        chooser(devices, options.default_device, options.allow_soft_placement, &requests) {}

  const std::vector<DeviceName> devices;
  const PlacerOptions options;
  DeviceRequests requests;
  KernelSupport support;
  DeviceChooser chooser;
  std::vector<Decision> decisions;  // of nodes 0…
  std::vector<std::string> search_reasons;
  // What the decisions come to.
  std::vector<Site> Sites() const {
    std::vector<Site> sites;
    sites.reserve(decisions.size());
    for (const Decision& decision : decisions) sites.push_back(decision.device);
    return sites;
  }
  // Names that "loc:@" gave and no node had so far → a placed node that named it.
  absl::flat_hash_map<std::string, NodeId> open_groups;
};

struct Placer::State : PlacerState {
  using PlacerState::PlacerState;
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_PLACER_STATE_H_
