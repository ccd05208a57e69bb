#include "tests/fuzz/list_lengths.h"

#include <vector>

#include "graph/op/op_registry.h"
#include "proto/graph.pb.h"
#include "tests/conformance/case.pb.h"
#include "tests/fuzz/op_call.h"
#include "tests/fuzz/wire_form.h"

namespace warpbeam {
namespace fuzz {
namespace {

using tensorflow::AttrValue;
using tensorflow::GraphDef;
using tensorflow::NodeDef;

constexpr int kHighestRank = 2;

// Calls `fn` with each graph in which one list of node `i` has another length.
void ForEachListGraph(const GraphDef& graph, int i, absl::FunctionRef<void(const GraphDef&)> fn) {
  const OpSchema* const schema = OpRegistry::Global().Find(graph.node(i).op());
  if (schema == nullptr) return;
  for (const AttrSpec& spec : schema->attrs) {
    if (!IsLength(*schema, spec)) continue;
    NodeDef before = graph.node(i);
    const AttrValue* const attr = FindAttr(spec, &before);
    if (attr == nullptr) continue;
    const int length = LengthOf(spec, *attr);
    for (const int other : {0, length - 1, length + 1}) {
      if (other < 0 || other == length || (other == 0 && length == 1)) continue;
      GraphDef changed = graph;
      NodeDef node = before;
      SetLength(spec, other, FindAttr(spec, &node));
      FitInputs(*schema, before, 1, &changed, &node);
      *changed.mutable_node(i) = node;
      fn(changed);
    }
  }
}

}  // namespace

void ForEachListCase(const conformance::Case& c,
                     absl::FunctionRef<void(const std::string& wire_form)> fn) {
  GraphDef graph;
  if (!graph.ParseFromString(c.graph())) return;
  for (int i = 0; i < graph.node_size(); ++i) {
    conformance::Case made = c;
    // It runs whatever becomes of what was read of it.
    for (auto& step : *made.mutable_steps()) step.add_targets(graph.node(i).name());
    ForEachListGraph(graph, i, [&](const GraphDef& changed) {
      made.set_graph(WireForm(changed));
      fn(WireForm(made));
    });
  }
}

void ForEachListCase(const OpSchema& schema,
                     absl::FunctionRef<void(const std::string& wire_form)> fn) {
  std::vector<const AttrSpec*> lists;
  for (const AttrSpec& spec : schema.attrs) {
    if (IsLength(schema, spec)) lists.push_back(&spec);
  }
  const auto make = [&](int rank, int length, const AttrSpec* changed, int other) {
    GraphDef graph;
    NodeDef node = CallWithoutInputs(schema);
    for (const AttrSpec* list : lists) {
      AttrValue* const attr = FindAttr(*list, &node);
      if (attr != nullptr) SetLength(*list, list == changed ? other : length, attr);
    }
    NodeDef none = node;
    none.clear_input();
    FitInputs(schema, none, rank, &graph, &node);
    *graph.add_node() = node;
    conformance::Case c;
    c.set_graph(WireForm(graph));
    c.add_steps()->add_targets("node");
    fn(WireForm(c));
  };
  for (int rank = 0; rank <= kHighestRank; ++rank) {
    for (const int length : {0, 1, 2}) {
      for (const AttrSpec* list : lists) {
        for (const int other : {0, 1, 2, 3}) make(rank, length, list, other);
      }
    }
  }
}

}  // namespace fuzz
}  // namespace warpbeam
