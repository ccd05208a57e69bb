// Placer: WHERE each node runs. Assigns devices to the nodes of a graph by rules, incrementally.
//
// Rules in order: the device requested (whole or partial) → colocation groups (loc:@ in "_class",
// reference and resource edges; the whole group, with all its members, decides) → device types that
// have kernels → heuristics (generators beside their consumer, metadata ops beside their producer)
// → soft placement. A node once placed never moves: a later node that contradicts it is an error
// naming both. `docs/placement_rules.md` tells it at length.
//
//   Placer placer(&catalog, devices, options);
//   WB_RETURN_IF_ERROR(placer.Place(graph));         // places every node not yet placed
//   graph.SetSites(placer.sites());                  // indices into placer.devices()
//
// What the rules leave open somebody else may decide, such as a search for the placement whose step
// takes the least time (placement/search/searched_step.h): the placer asks a Reconsider where the
// nodes are to be that it has just placed.
//
// Ownership: catalogs must outlive the placer. Thread safety: none; the session locks. Errors:
// INVALID_ARGUMENT naming node, group, forcing member, kernels and what to do; a failed Place
// leaves the nodes that it looked at unplaced.
#ifndef WARPBEAM_PLACEMENT_PLACER_H_
#define WARPBEAM_PLACEMENT_PLACER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "placement/device_name.h"
#include "placement/kernel_catalog.h"
#include "placement/report.h"

namespace warpbeam {

struct PlacerOptions {
  bool allow_soft_placement = true;
  bool strict = false;
  // A device index for everything that asks for nothing; -1: the first GPU that has a kernel, else
  // the first CPU.
  int default_device = -1;
  // Kernels that are declared, of which the placer's catalog has those that this build has code
  // for; the reasons tell the difference. Null: all of them have code.
  const KernelCatalog* declared = nullptr;
};

// Where nodes are to be, and why.
struct ReconsideredSites {
  std::vector<Site> sites;           // by node of the graph
  std::vector<int32_t> reason_of;    // by node: one of the reasons; -1: it stays, as the rules say
  std::vector<std::string> reasons;  // each a sentence for a reader
};
// Is told where the rules put the nodes of the graph; those before `first` do not move any more.
using Reconsider = std::function<StatusOr<ReconsideredSites>(const Graph& graph,
                                                             Span<const Site> sites, NodeId first)>;

class Placer {
 public:
  // `devices` are full names; those of a process in order CPU:0…, GPU:0….
  Placer(const KernelCatalog* catalog, std::vector<DeviceName> devices, PlacerOptions options);
  ~Placer();

  // `reconsider` may be null; its errors are those of Place.
  Status Place(const Graph& graph, const Reconsider& reconsider = nullptr);
  int num_placed() const;
  // Of the nodes placed, by id: indices into devices().
  std::vector<Site> sites() const;
  const std::vector<DeviceName>& devices() const;
  // The decision for one node, and for all of them with the copies they cause. Both look at the
  // whole graph; a node not placed yet has no assigned device.
  PlacementEntry Explain(const Graph& graph, NodeId node) const;
  PlacementReport Report(const Graph& graph) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_PLACER_H_
