#include "tests/fuzz/graph_mutator.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "proto/graph.pb.h"
#include "tests/fuzz/node_mutator.h"
#include "tests/fuzz/tensor_mutator.h"

namespace warpbeam {
namespace fuzz {
namespace {

using tensorflow::FunctionDef;
using tensorflow::GraphDef;
using tensorflow::NodeDef;
using Nodes = google::protobuf::RepeatedPtrField<NodeDef>;

constexpr int kMostSpliced = 64;

// "x" of "x", "x:1" and "^x".
std::string ProducerOf(const std::string& input) {
  const size_t begin = !input.empty() && input[0] == '^' ? 1 : 0;
  return input.substr(begin, input.find(':') - begin);
}

NodeDef* PickNode(RandomSource& random, Nodes* nodes) {
  return nodes->empty() ? nullptr : nodes->Mutable(random.IntBelow(nodes->size()));
}

bool IsControl(const std::string& input) { return !input.empty() && input[0] == '^'; }

// An input that some node has, or the first output of one: of a kind that is there.
std::string AnyOutput(RandomSource& random, const Nodes& nodes) {
  const NodeDef& node = nodes.Get(random.IntBelow(nodes.size()));
  if (random.OneIn(2) || node.input_size() == 0) return node.name();
  return node.input(random.IntBelow(node.input_size()));
}

void Rewire(RandomSource& random, Nodes* nodes) {
  NodeDef* const node = PickNode(random, nodes);
  if (node->input_size() == 0) return;
  std::string* const input = node->mutable_input(random.IntBelow(node->input_size()));
  std::string output = AnyOutput(random, *nodes);
  if (IsControl(*input) != IsControl(output)) return;
  *input = std::move(output);
}

void ChangeInputs(RandomSource& random, Nodes* nodes) {
  NodeDef* const node = PickNode(random, nodes);
  switch (random.Below(5)) {
    case 0:
      if (node->input_size() > 0) node->mutable_input()->RemoveLast();
      return;
    case 1:
      node->add_input(AnyOutput(random, *nodes));
      return;
    case 2:
      if (node->input_size() > 1) node->mutable_input()->SwapElements(0, 1);
      return;
    case 3:
      if (node->input_size() > 0) {
        node->set_input(0, absl::StrCat(ProducerOf(node->input(0)), ":", random.Below(3)));
      }
      return;
    default:
      node->add_input("^" + PickNode(random, nodes)->name());
  }
}

// What read the node reads its first input instead.
void Delete(RandomSource& random, Nodes* nodes) {
  const int at = random.IntBelow(nodes->size());
  const std::string name = nodes->Get(at).name();
  const std::string stand_in = nodes->Get(at).input_size() > 0 ? nodes->Get(at).input(0) : "";
  nodes->DeleteSubrange(at, 1);
  if (stand_in.empty() || IsControl(stand_in)) return;
  for (NodeDef& node : *nodes) {
    for (std::string& input : *node.mutable_input()) {
      if (ProducerOf(input) != name) continue;
      input = IsControl(input) ? "^" + ProducerOf(stand_in) : stand_in;
    }
  }
}

void Duplicate(RandomSource& random, Nodes* nodes) {
  const NodeDef copied = *PickNode(random, nodes);
  NodeDef* const copy = nodes->Add();
  *copy = copied;
  if (random.OneIn(16)) return;  // two nodes of one name
  copy->set_name(absl::StrCat(copied.name(), "_", random.Below(1000)));
  NodeDef* const reader = PickNode(random, nodes);
  for (std::string& input : *reader->mutable_input()) {
    if (ProducerOf(input) == copied.name())
      input.replace(input.find(copied.name()), copied.name().size(), copy->name());
  }
}

// Another type throughout the graph, so that it fits again.
void ReplaceTypeEverywhere(RandomSource& random, GraphDef* graph) {
  const int from = RandomType(random);
  const int to = RandomType(random);
  for (NodeDef& node : *graph->mutable_node()) ReplaceType(from, to, &node);
  for (FunctionDef& function : *graph->mutable_library()->mutable_function()) {
    for (NodeDef& node : *function.mutable_node_def()) ReplaceType(from, to, &node);
    auto* const signature = function.mutable_signature();
    for (auto* args : {signature->mutable_input_arg(), signature->mutable_output_arg()}) {
      for (auto& arg : *args) {
        if (arg.type() == from) arg.set_type(static_cast<tensorflow::DataType>(to));
      }
    }
  }
}

void MutateSignature(RandomSource& random, FunctionDef* function) {
  auto* const signature = function->mutable_signature();
  auto* const args =
      random.OneIn(2) ? signature->mutable_input_arg() : signature->mutable_output_arg();
  if (args->empty()) return;
  switch (random.Below(4)) {
    case 0:
      args->RemoveLast();
      return;
    case 1: {
      const auto copied = args->Get(0);
      *args->Add() = copied;
      return;
    }
    case 2:
      args->Mutable(random.IntBelow(args->size()))
          ->set_type(static_cast<tensorflow::DataType>(RandomType(random)));
      return;
    default: {
      // A result from somewhere else.
      if (function->ret().empty() || function->node_def().empty()) return;
      std::map<std::string, std::string> sorted(function->ret().begin(), function->ret().end());
      const std::string key =
          std::next(sorted.begin(), random.IntBelow(static_cast<int>(sorted.size())))->first;
      (*function->mutable_ret())[key] = AnyOutput(random, function->node_def());
    }
  }
}

GraphNames NamesOf(const GraphDef& graph, const Nodes& nodes) {
  GraphNames names;
  for (const NodeDef& node : nodes) names.nodes.push_back(node.name());
  for (const FunctionDef& function : graph.library().function()) {
    names.functions.push_back(function.signature().name());
  }
  return names;
}

// The node and, as far as there is room, what it needs.
std::set<std::string> WithInputs(const GraphDef& graph, const std::string& name) {
  std::map<std::string, const NodeDef*> by_name;
  for (const NodeDef& node : graph.node()) by_name[node.name()] = &node;
  std::set<std::string> taken;
  std::vector<std::string> todo = {name};
  while (!todo.empty() && taken.size() < kMostSpliced) {
    const auto found = by_name.find(todo.back());
    todo.pop_back();
    if (found == by_name.end() || !taken.insert(found->first).second) continue;
    for (const std::string& input : found->second->input()) todo.push_back(ProducerOf(input));
  }
  return taken;
}

std::string Prefixed(const std::string& prefix, const std::string& input) {
  return IsControl(input) ? absl::StrCat("^", prefix, input.substr(1)) : prefix + input;
}

void AddFunctions(const GraphDef& donor, GraphDef* graph) {
  std::set<std::string> known;
  for (const FunctionDef& f : graph->library().function()) known.insert(f.signature().name());
  for (const FunctionDef& f : donor.library().function()) {
    if (known.insert(f.signature().name()).second) *graph->mutable_library()->add_function() = f;
  }
  for (const auto& g : donor.library().gradient()) *graph->mutable_library()->add_gradient() = g;
}

}  // namespace

void MutateGraph(RandomSource& random, GraphDef* graph) {
  Nodes* nodes = graph->mutable_node();
  FunctionDef* function = nullptr;
  auto* const functions = graph->mutable_library()->mutable_function();
  if (!functions->empty() && random.OneIn(3)) {
    function = functions->Mutable(random.IntBelow(functions->size()));
    nodes = function->mutable_node_def();
  }
  if (nodes->empty()) return;
  const size_t choice = random.Below(24);
  if (choice < 14) {
    // A node with a constant more often than any: values go furthest.
    NodeDef* node = PickNode(random, nodes);
    for (int i = 0; i < 2 && node->op() != "Const"; ++i) node = PickNode(random, nodes);
    MutateNode(random, NamesOf(*graph, *nodes), node);
  } else if (choice < 17) {
    Rewire(random, nodes);
  } else if (choice == 17) {
    ChangeInputs(random, nodes);
  } else if (choice == 18) {
    Delete(random, nodes);
  } else if (choice == 19) {
    Duplicate(random, nodes);
  } else if (choice == 20) {
    ReplaceTypeEverywhere(random, graph);
  } else if (choice == 21 && function != nullptr) {
    MutateSignature(random, function);
  } else if (choice == 22 && function != nullptr) {
    functions->DeleteSubrange(random.IntBelow(functions->size()), 1);
  } else if (random.OneIn(8)) {
    graph->mutable_versions()->set_producer(static_cast<int>(random.EdgeInt()));
  } else {
    MutateNode(random, NamesOf(*graph, *nodes), PickNode(random, nodes));
  }
}

void SpliceGraph(RandomSource& random, const GraphDef& donor, GraphDef* graph) {
  if (donor.node().empty() || graph->node().empty()) return;
  const std::string prefix = absl::StrCat("spliced", random.Below(100), "/");
  const NodeDef& last = donor.node(random.IntBelow(donor.node_size()));
  const std::set<std::string> taken = WithInputs(donor, last.name());
  const int own = graph->node_size();
  for (const NodeDef& node : donor.node()) {
    if (taken.count(node.name()) == 0) continue;
    NodeDef* const added = graph->add_node();
    *added = node;
    added->set_name(prefix + node.name());
    for (std::string& input : *added->mutable_input()) input = Prefixed(prefix, input);
  }
  AddFunctions(donor, graph);
  // One edge from there to here, and now and then one back.
  NodeDef* const here = graph->mutable_node(random.IntBelow(own));
  if (here->input_size() > 0) {
    here->set_input(random.IntBelow(here->input_size()), prefix + last.name());
  }
  if (random.OneIn(3)) {
    NodeDef* const there = graph->mutable_node(own + random.IntBelow(graph->node_size() - own));
    if (there->input_size() > 0) there->set_input(0, graph->node(random.IntBelow(own)).name());
  }
}

}  // namespace fuzz
}  // namespace warpbeam
