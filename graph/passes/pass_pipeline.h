// PassPipeline: the passes that a part of a graph goes through before it becomes a plan.
//
// A pass is a function over a GraphPart: the nodes that one plan runs, and their bounds. Passes run
// in the order in which they were added; a required one (without which there is no plan) runs
// whatever is selected. After each pass a text of the part can be kept.
//
//   PassPipeline pipeline;
//   pipeline.AddRequired("prune", PrunePass);
//   pipeline.Add("fold", FoldPass);
//   WB_RETURN_IF_ERROR(pipeline.Select("none"));          // or "default", or "fold,cse"
//   WB_RETURN_IF_ERROR(pipeline.Run(&part, dump));
//
// Ownership: the graph outlives the part. Thread safety: none while it is set up; Run is const.
// Errors: INVALID_ARGUMENT naming an unknown pass and those that there are; those of the passes,
// with the pass named.
#ifndef WARPBEAM_GRAPH_PASSES_PASS_PIPELINE_H_
#define WARPBEAM_GRAPH_PASSES_PASS_PIPELINE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "graph/graph.h"

namespace warpbeam {

struct GraphPart {
  const Graph* graph = nullptr;
  absl::Span<const OutputRef> feeds;
  absl::Span<const OutputRef> fetches;
  absl::Span<const NodeId> targets;
  std::vector<NodeId> nodes;  // what runs, ascending; empty before the first pass
  std::string notes;          // lines that the last pass adds to its dump

  // A line per node: "name = Op(input:0, other:1, ^control)", then the notes.
  std::string ToText() const;
};

class PassPipeline {
 public:
  using Pass = std::function<absl::Status(GraphPart* part)>;
  // Gets a pass's name and the text of what it left.
  using Dump = std::function<void(const std::string& pass, const std::string& text)>;

  void Add(std::string name, Pass pass) { Append(std::move(name), std::move(pass), false); }
  void AddRequired(std::string name, Pass pass) { Append(std::move(name), std::move(pass), true); }

  // "default": all. "none": only the required ones. Otherwise names, separated by commas.
  absl::Status Select(absl::string_view passes);
  // `dump` may be null.
  absl::Status Run(GraphPart* part, const Dump& dump) const;

 private:
  struct Entry {
    std::string name;
    Pass pass;
    bool required;
    bool selected;
  };
  void Append(std::string name, Pass pass, bool required) {
    entries_.push_back({std::move(name), std::move(pass), required, true});
  }

  std::vector<Entry> entries_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_PASS_PIPELINE_H_
