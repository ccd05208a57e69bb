// StepGraph: what one step of a graph consists of, as numbers, for simulating it many times with
// different placements. Made once; a placement then is no more than a device for each of its nodes.
//
//   WB_ASSIGN_OR_RETURN(StepGraph step, StepGraph::Make(graph, bounds, catalog, machine, {}));
//   std::vector<int> devices = step.Devices(graph.sites());    // of the nodes of the step
//
// Nodes are numbered as in `bounds.kept`. Outputs have numbers over all nodes; fed ones come from
// the host and have no producer. A loop's nodes stand once, for as long as all its turns take
// (edges back from a NextIteration are left out); both sides of a Switch run, and a call costs what
// it is handed and hands back.
//
// Ownership: a value, which keeps nothing of the graph but its nodes' names. Thread safety: const
// access from many threads. Errors: INVALID_ARGUMENT for a cycle that is no loop; INTERNAL where
// `bounds` leaves out a node that a kept one reads.
#ifndef WARPBEAM_PLACEMENT_SIMULATE_STEP_GRAPH_H_
#define WARPBEAM_PLACEMENT_SIMULATE_STEP_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "placement/average.h"
#include "placement/cost/machine.h"
#include "placement/cost/op_costs.h"
#include "placement/kernel_catalog.h"

namespace warpbeam {

// How large a block is in which so many bytes are kept.
using BlockBytes = size_t (*)(size_t bytes);

struct StepGraphOptions {
  int64_t unknown_extent = kDefaultUnknownExtent;
  // What kernels have taken, where it was measured (placement/cost/op_costs.h); may be null.
  const OpCosts* costs = nullptr;
  // Of a graph that went through a plan's passes: the one before, whose nodes the members of fused
  // nodes are; may be null.
  const Graph* before_passes = nullptr;
  // Of host memory, as this process hands it out: BlockSizes::Rounded. Null: no larger than what is
  // kept in it.
  BlockBytes host_block = nullptr;
  // How often a loop turns, by the name of its frame; null: once. Inner loops turn so often in each
  // turn of the outer ones.
  std::function<double(const std::string& frame)> turns;
};

class StepGraph {
 public:
  struct Output {
    int producer = -1;  // -1: fed
    double bytes = 0;
    bool on_host = false;          // whatever the producer's device
    bool is_resident = false;      // there before and after the step: of constants and variables
    bool is_free_to_copy = false;  // of constants, which are in each memory before the step
    bool is_fetched = false;
    int shared_input = -1;  // the producer's input whose buffer it is
    int reused_input = -1;  // that whose buffer it takes over where nobody else needs it any more
    bool is_gradient = false;  // of a node that tf.gradients has made, as its name says
    double turns = 1;          // how often it is made in a step
  };
  struct Input {
    int output = -1;       // what is read
    bool on_host = false;  // whatever the reader's device
  };
  // Who waits for an output: input `input` of `node`.
  struct Use {
    int node = 0;
    int input = 0;  // counted over all nodes
  };

  static StatusOr<StepGraph> Make(const Graph& graph, const PlanBounds& bounds,
                                  const KernelCatalog& catalog, const Machine& machine,
                                  const StepGraphOptions& options);

  int num_nodes() const { return static_cast<int>(names_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  NodeId id(int k) const { return ids_[k]; }
  const std::string& name(int k) const { return names_[k]; }
  const NodeCost& cost(int k) const { return costs_[k]; }
  // Whether the node is there before the step, as constants and variables are.
  bool is_source(int k) const { return is_source_[k]; }
  // What so many bytes take of a memory: of a host's in whole blocks.
  double HeldBytes(double bytes, bool on_host) const;
  // What the variable of the node has in memory besides its output.
  double state_bytes(int k) const { return state_bytes_[k]; }
  // Nodes take the same time on devices of one kind.
  int kind(int device) const { return kind_of_[device]; }
  // Infinite where the device has no kernel for the node.
  double Seconds(int k, int device) const { return seconds_[kind_of_[device]][k]; }

  // What its kernel takes of the device's memory besides its outputs, where it was measured.
  double workspace_bytes(int k, int device) const { return workspaces_[kind_of_[device]][k]; }

  const Output& output(int o) const { return outputs_[o]; }
  // Fed outputs are the last ones, from here.
  int first_feed() const { return output_begin_.back(); }
  int first_output(int k) const { return output_begin_[k]; }
  int end_output(int k) const { return output_begin_[k + 1]; }
  const Input& input(int i) const { return inputs_[i]; }
  int first_input(int k) const { return input_begin_[k]; }
  int end_input(int k) const { return input_begin_[k + 1]; }
  Span<const Use> uses(int o) const { return Part(uses_, use_begin_, o); }
  // Who waits for the node's end and reads nothing of it.
  Span<const int> control_uses(int k) const { return Part(control_, control_begin_, k); }
  // How many inputs and nodes it waits for.
  int num_waits(int k) const { return waits_[k]; }
  // Such that producers stand before consumers.
  const std::vector<int>& order() const { return order_; }

  // In which one thread alone runs them: that of a plan's items, which is as the nodes are numbered
  // where producers stand before consumers so.
  const std::vector<int>& serial_order() const { return serial_order_; }

  // Devices of the nodes from the sites of the graph's.
  std::vector<int> Devices(Span<const Site> sites) const;
  // INVALID_ARGUMENT naming a node on a device that has no kernel for it.
  Status CheckKernels(const Machine& machine, Span<const int> devices) const;
  // No placement takes less: the longest path of nodes, each on the device that is fastest for it,
  // and the time in which all lanes together could do the work of all of them if nodes could be
  // divided, whichever is longer.
  double LowerBoundSeconds(const Machine& machine) const;

  int64_t unknown_extent() const { return unknown_extent_; }
  int num_assumed() const { return num_assumed_; }        // nodes with extents that nobody knew
  int num_loop_edges() const { return num_loop_edges_; }  // edges left out, which close loops
  double most_turns() const { return most_turns_; }       // of any loop, those around it included
  // Of the nodes that take time on some device with measured costs: those measured themselves, and
  // those scaled by their family.
  int num_measured() const { return num_measured_; }
  int num_scaled() const { return num_scaled_; }
  int num_calls() const { return num_calls_; }  // nodes whose functions are not looked into

 private:
  class Maker;
  double SharedWorkSeconds(const Machine& machine) const;
  template <class T>
  static Span<const T> Part(const std::vector<T>& all, const std::vector<int>& begin, int i) {
    return MakeConstSpan(all).subspan(begin[i], begin[i + 1] - begin[i]);
  }

  std::vector<NodeId> ids_;
  std::vector<std::string> names_;
  std::vector<NodeCost> costs_;
  std::vector<bool> is_source_;
  std::vector<double> state_bytes_;
  std::vector<int> kind_of_;  // by device: devices of one kind take the same time
  std::vector<std::vector<double>> seconds_, workspaces_;  // by kind, then node
  std::vector<Output> outputs_;
  std::vector<Input> inputs_;
  std::vector<Use> uses_;
  std::vector<int> control_;
  std::vector<int> output_begin_, input_begin_, use_begin_, control_begin_;
  std::vector<int> waits_, order_, serial_order_;
  BlockBytes host_block_ = nullptr;
  int64_t unknown_extent_ = 0;
  int num_assumed_ = 0;
  int num_loop_edges_ = 0;
  double most_turns_ = 1;
  int num_calls_ = 0;
  int num_measured_ = 0;
  int num_scaled_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_SIMULATE_STEP_GRAPH_H_
