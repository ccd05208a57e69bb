// What a run tells of the graph that it ran: what each node cost, and the part of each device.
//
//   CostGraph cost = CostGraphOf(graph, metadata.step_stats);
//
// Thread safety: values. Errors: none.
#ifndef WARPBEAM_RUNTIME_TRACE_RUN_GRAPHS_H_
#define WARPBEAM_RUNTIME_TRACE_RUN_GRAPHS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "runtime/trace/step_stats.h"

namespace warpbeam {

// A node, or a copy, with its measured cost; those that ran several times have their sum.
struct CostNode {
  struct Input {
    int32_t node = 0;  // its `id`
    int32_t output = 0;
  };
  std::string name;
  std::string device;
  int32_t id = 0;
  std::vector<Input> inputs;
  std::vector<OutputStats> outputs;
  std::vector<int32_t> control_inputs;
  int64_t cost_us = 0;
  bool is_final = false;  // nothing that ran reads it
};

struct CostGraph {
  std::vector<CostNode> nodes;
  // Of the step as a whole, by what they are.
  std::vector<std::pair<std::string, int64_t>> totals;
};

CostGraph CostGraphOf(const Graph& graph, const StepStats& stats);

// The nodes of one device. Tensors from elsewhere come through _Recv nodes and leave through _Send;
// feeds are _Arg nodes and fetches _Retval.
struct DeviceGraph {
  std::string device;
  std::vector<NodeSpec> nodes;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_TRACE_RUN_GRAPHS_H_
