#include "placement/placer.h"

#include <utility>

#include "placement/placement_pass.h"
#include "placement/placer_state.h"

namespace warpbeam {

Placer::Placer(const KernelCatalog* catalog, std::vector<DeviceName> devices, PlacerOptions options)
    : state_(std::make_unique<State>(catalog, std::move(devices), options)) {}

Placer::~Placer() = default;

Status Placer::Place(const Graph& graph, const Reconsider& reconsider) {
  const int device_count = static_cast<int>(state_->devices.size());
  if (device_count == 0) return InvalidArgument("cannot place the graph: there is no device");
  if (state_->options.default_device >= device_count) {
    return InvalidArgument("cannot place the graph: the default device is number ",
                           state_->options.default_device, " of ", device_count);
  }
  if (graph.num_nodes() <= num_placed()) return OkStatus();
  return PlacementPass(graph, state_.get()).Run(reconsider);
}

int Placer::num_placed() const { return static_cast<int>(state_->decisions.size()); }

std::vector<Site> Placer::sites() const { return state_->Sites(); }

const std::vector<DeviceName>& Placer::devices() const { return state_->devices; }

}  // namespace warpbeam
