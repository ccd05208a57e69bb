#include "tests/fuzz/huge_extents.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "proto/graph.pb.h"
#include "proto/tensor.pb.h"
#include "tests/conformance/case.pb.h"
#include "tests/fuzz/wire_form.h"

namespace warpbeam {
namespace fuzz {
namespace {

using tensorflow::GraphDef;
using tensorflow::TensorProto;

constexpr int64_t kHuge = int64_t{1} << 50;
// Added to anything or doubled, they overflow.
constexpr int64_t kDeclared[] = {std::numeric_limits<int64_t>::max(), int64_t{1} << 62};
constexpr int kMostDimensions = 5;

TensorProto HugeTensor(const TensorProto& tensor, int huge, int none) {
  TensorProto made;
  made.set_dtype(tensor.dtype());
  *made.mutable_tensor_shape() = tensor.tensor_shape();
  made.mutable_tensor_shape()->mutable_dim(huge)->set_size(kHuge);
  made.mutable_tensor_shape()->mutable_dim(none)->set_size(0);
  return made;
}

// Calls `fn` with each tensor that stands for `tensor`.
void ForEachHugeTensor(const TensorProto& tensor, absl::FunctionRef<void(const TensorProto&)> fn) {
  const int rank = tensor.tensor_shape().dim_size();
  std::set<std::pair<int, int>> pairs;
  for (const int huge : {0, 1, rank - 1}) {
    for (const int none : {0, 1, rank - 1}) {
      if (huge != none && huge < rank && none < rank) pairs.emplace(huge, none);
    }
  }
  if (rank < 2) return;
  for (const auto& pair : pairs) fn(HugeTensor(tensor, pair.first, pair.second));
}

// Null where the node is no constant of two dimensions or more.
TensorProto* MatrixOf(tensorflow::NodeDef* node) {
  const auto attr = node->mutable_attr()->find("value");
  if (node->op() != "Const" || attr == node->mutable_attr()->end()) return nullptr;
  TensorProto* const value = attr->second.mutable_tensor();
  return value->tensor_shape().dim_size() < 2 ? nullptr : value;
}

// Calls `fn` with each graph in which one constant has such a shape, or one and the next: the first
// of many rows, the other of many columns, and the other way round.
void ForEachHugeGraph(const GraphDef& graph, absl::FunctionRef<void(const GraphDef&)> fn) {
  GraphDef changed = graph;
  TensorProto* last = nullptr;
  for (auto& node : *changed.mutable_node()) {
    TensorProto* const value = MatrixOf(&node);
    if (value == nullptr) continue;
    const TensorProto given = *value;
    const int end = given.tensor_shape().dim_size() - 1;
    ForEachHugeTensor(given, [&](const TensorProto& huge) {
      *value = huge;
      fn(changed);
    });
    if (last != nullptr) {
      const TensorProto given_last = *last;
      const int last_end = given_last.tensor_shape().dim_size() - 1;
      *last = HugeTensor(given_last, 0, last_end);
      *value = HugeTensor(given, end, 0);
      fn(changed);
      *last = HugeTensor(given_last, last_end, 0);
      *value = HugeTensor(given, 0, end);
      fn(changed);
      *last = given_last;
    }
    *value = given;
    last = value;
  }
}

// What is written of shapes was known of the tensors before.
void ForgetOutputShapes(GraphDef* graph) {
  for (auto& node : *graph->mutable_node()) node.mutable_attr()->erase("_output_shapes");
}

void ForgetPlaceholderShapes(GraphDef* graph) {
  for (auto& node : *graph->mutable_node()) {
    if (node.op() != "Placeholder") continue;
    (*node.mutable_attr())["shape"].mutable_shape()->set_unknown_rank(true);
    (*node.mutable_attr())["shape"].mutable_shape()->clear_dim();
  }
}

// The shape that a constant has or a placeholder says; null of other nodes.
const tensorflow::TensorShapeProto* ShapeOf(const tensorflow::NodeDef& node) {
  const auto attr = node.attr().find(node.op() == "Const" ? "value" : "shape");
  if ((node.op() != "Const" && node.op() != "Placeholder") || attr == node.attr().end()) {
    return nullptr;
  }
  return node.op() == "Const" ? &attr->second.tensor().tensor_shape() : &attr->second.shape();
}

// Calls `fn` with the graph in which a placeholder with one known extent stands for node `i`.
void ForEachDeclaredGraph(const GraphDef& graph, int i,
                          absl::FunctionRef<void(const GraphDef&)> fn) {
  const tensorflow::TensorShapeProto* const shape = ShapeOf(graph.node(i));
  const auto written = graph.node(i).attr().find("dtype");
  if (shape == nullptr || written == graph.node(i).attr().end()) return;
  GraphDef changed = graph;
  tensorflow::NodeDef& node = *changed.mutable_node(i);
  const tensorflow::AttrValue dtype = written->second;
  node.set_op("Placeholder");
  node.clear_attr();
  (*node.mutable_attr())["dtype"] = dtype;
  tensorflow::TensorShapeProto& declared = *(*node.mutable_attr())["shape"].mutable_shape();
  declared = *shape;
  for (auto& dim : *declared.mutable_dim()) dim.set_size(-1);
  for (int d = 0; d < std::min(kMostDimensions, declared.dim_size()); ++d) {
    for (const int64_t extent : kDeclared) {
      declared.mutable_dim(d)->set_size(extent);
      fn(changed);
    }
    declared.mutable_dim(d)->set_size(-1);
  }
}

}  // namespace

void ForEachHugeCase(const conformance::Case& c,
                     absl::FunctionRef<void(const std::string& wire_form)> fn) {
  GraphDef graph;
  if (!graph.ParseFromString(c.graph())) return;
  ForgetOutputShapes(&graph);
  conformance::Case made = c;
  for (int i = 0; i < graph.node_size(); ++i) {
    ForEachDeclaredGraph(graph, i, [&](const GraphDef& changed) {
      made.set_graph(WireForm(changed));
      fn(WireForm(made));
    });
  }
  ForgetPlaceholderShapes(&graph);
  ForEachHugeGraph(graph, [&](const GraphDef& changed) {
    made.set_graph(WireForm(changed));
    fn(WireForm(made));
  });
  made.set_graph(WireForm(graph));
  for (auto& step : *made.mutable_steps()) {
    for (auto& feed : *step.mutable_feeds()) {
      TensorProto value;
      if (!value.ParseFromString(feed.tensor())) continue;
      const std::string before = feed.tensor();
      ForEachHugeTensor(value, [&](const TensorProto& huge) {
        feed.set_tensor(WireForm(huge));
        fn(WireForm(made));
      });
      feed.set_tensor(before);
    }
  }
}

}  // namespace fuzz
}  // namespace warpbeam
