// Chains, stars, layers, diamonds and barriers.
#include "proto/graph.pb.h"
#include "tests/growth/form_writer.h"
#include "tests/growth/graph_forms.h"

namespace warpbeam {
namespace {

using tensorflow::GraphDef;
using tensorflow::NodeDef;
using Inputs = FormWriter::Inputs;

std::string After(const std::string& node) { return "^" + node; }

void ChainOf(const char* op, int size, GraphDef* graph) {
  FormWriter w(graph);
  std::string x = w.Fed("x");
  for (int i = 0; i < size; ++i) x = w.Float(op, w.Name("n", i), {x});
  w.Float("Identity", "end", {x});
}
void Identities(int size, GraphDef* graph) { ChainOf("Identity", size, graph); }
void Negations(int size, GraphDef* graph) { ChainOf("Neg", size, graph); }
void Elementwise(int size, GraphDef* graph) { ChainOf("Sin", size, graph); }

void NeutralSums(int size, GraphDef* graph) {
  FormWriter w(graph);
  std::string x = w.Fed("x");
  const std::string zero = w.Scalar("one", 1);
  for (int i = 0; i < size; ++i) x = w.Float("Mul", w.Name("n", i), {x, zero});
  w.Float("Identity", "end", {x});
}

void Reshapes(int size, GraphDef* graph) {
  FormWriter w(graph);
  const std::string a = w.Vector("a", {1, 1}), b = w.Vector("b", {1, 1, 1});
  std::string x = w.Float("Reshape", "first", {w.Fed("x"), a});
  for (int i = 0; i < size; ++i) {
    NodeDef* node = w.Node("Reshape", w.Name("n", i), {x, i % 2 == 0 ? b : a});
    w.SetType(node, "T", DType::kFloat);
    x = node->name();
  }
  w.Float("Identity", "end", {x});
}

void Transposes(int size, GraphDef* graph) {
  FormWriter w(graph);
  const std::string swap = w.Vector("swap", {1, 0});
  std::string x = w.Float("Reshape", "first", {w.Fed("x"), w.Vector("a", {1, 1})});
  for (int i = 0; i < size; ++i) {
    NodeDef* node = w.Node("Transpose", w.Name("n", i), {x, swap});
    w.SetType(node, "T", DType::kFloat);
    w.SetType(node, "Tperm", DType::kInt32);
    x = node->name();
  }
  w.Float("Identity", "end", {x});
}

void Casts(int size, GraphDef* graph) {
  FormWriter w(graph);
  std::string x = w.Fed("x");
  for (int i = 0; i < size / 2 * 2; ++i) {
    NodeDef* node = w.Node("Cast", w.Name("n", i), {x});
    w.SetType(node, "SrcT", i % 2 == 0 ? DType::kFloat : DType::kDouble);
    w.SetType(node, "DstT", i % 2 == 0 ? DType::kDouble : DType::kFloat);
    x = node->name();
  }
  w.Float("Identity", "end", {x});
}

void NoOps(int size, GraphDef* graph) {
  FormWriter w(graph);
  std::string last = w.NoOp("first");
  for (int i = 0; i < size; ++i) last = w.NoOp(w.Name("n", i), {After(last)});
  w.NoOp("end", {After(last)});
}

// Each waits for the one before.
void OrderedIdentities(int size, GraphDef* graph) {
  FormWriter w(graph);
  const std::string x = w.Fed("x");
  std::string last = w.NoOp("first");
  for (int i = 0; i < size; ++i) last = w.Float("Identity", w.Name("n", i), {x, After(last)});
  w.Float("Identity", "end", {x, After(last)});
}

// Each waits for all of the ones before, by way of NoOps that gather two.
void GatheredIdentities(int size, GraphDef* graph) {
  FormWriter w(graph);
  const std::string x = w.Fed("x");
  std::string all = w.NoOp("first");
  for (int i = 0; i < size / 2; ++i) {
    const std::string n = w.Float("Identity", w.Name("n", i), {x, After(all)});
    all = w.NoOp(w.Name("all", i), {After(all), After(n)});
  }
  w.NoOp("end", {After(all)});
}

void Asserts(int size, GraphDef* graph) {
  FormWriter w(graph);
  std::string x = w.Fed("x");
  const std::string yes = w.Bool("yes", true);
  for (int i = 0; i < size / 2; ++i) {
    NodeDef* check = w.Node("Assert", w.Name("check", i), {yes, x});
    (*check->mutable_attr())["T"].mutable_list()->add_type(tensorflow::DT_FLOAT);
    w.SetInt(check, "summarize", 3);
    x = w.Float("Identity", w.Name("n", i), {x, After(check->name())});
  }
  w.Float("Identity", "end", {x});
}

void Star(int size, GraphDef* graph) {
  FormWriter w(graph);
  const std::string x = w.Fed("x");
  Inputs all;
  for (int i = 0; i < size; ++i) {
    all.push_back(w.Float("Mul", w.Name("n", i), {x, w.Scalar(w.Name("c", i), i)}));
  }
  w.Float("AddN", "end", all);
  w.SetInt(graph->mutable_node(graph->node_size() - 1), "N", size);
}

// One tensor that a node reads many times.
void SameInputs(int size, GraphDef* graph) {
  FormWriter w(graph);
  const std::string x = w.Float("Sin", "sin", {w.Fed("x")});
  NodeDef* sum = w.Node("AddN", "sum", Inputs(size, x));
  w.SetType(sum, "T", DType::kFloat);
  w.SetInt(sum, "N", size);
  w.Float("Add", "end", {"sum", x});
}

// Many tensors, each of which is read by two nodes of many inputs.
void WideReaders(int size, GraphDef* graph) {
  FormWriter w(graph);
  const std::string x = w.Fed("x");
  Inputs all;
  for (int i = 0; i < size; ++i) all.push_back(w.Float("Sin", w.Name("n", i), {x}));
  for (const char* name : {"sum1", "sum2"}) {
    NodeDef* sum = w.Node("AddN", name, all);
    w.SetType(sum, "T", DType::kFloat);
    w.SetInt(sum, "N", size);
  }
  w.Float("Add", "end", {"sum1", "sum2"});
}

void PackedAndUnpacked(int size, GraphDef* graph) {
  FormWriter w(graph);
  const std::string x = w.Fed("x");
  Inputs parts, squares;
  for (int i = 0; i < size / 2; ++i) parts.push_back(w.Float("Sin", w.Name("n", i), {x}));
  NodeDef* pack = w.Node("Pack", "pack", parts);
  w.SetType(pack, "T", DType::kFloat);
  w.SetInt(pack, "N", size / 2);
  NodeDef* unpack = w.Node("Unpack", "unpack", {"pack"});
  w.SetType(unpack, "T", DType::kFloat);
  w.SetInt(unpack, "num", size / 2);
  for (int i = 0; i < size / 2; ++i) {
    squares.push_back(w.Float("Cos", w.Name("m", i), {"unpack:" + std::to_string(i)}));
  }
  NodeDef* sum = w.Node("AddN", "end", squares);
  w.SetType(sum, "T", DType::kFloat);
  w.SetInt(sum, "N", size / 2);
}

void StarOfControls(int size, GraphDef* graph) {
  FormWriter w(graph);
  const std::string first = w.NoOp("first");
  Inputs all;
  for (int i = 0; i < size; ++i) {
    all.push_back(After(w.NoOp(w.Name("n", i), {After(first)})));
  }
  w.NoOp("end", all);
}

// Many nodes before a NoOp, many behind it, again and again.
void Barriers(int size, GraphDef* graph) {
  constexpr int kWidth = 50;
  FormWriter w(graph);
  const std::string x = w.Fed("x");
  std::string barrier = w.NoOp("first");
  for (int layer = 0; layer * kWidth < size; ++layer) {
    Inputs all;
    for (int i = 0; i < kWidth; ++i) {
      all.push_back(
          After(w.Float("Identity", w.Name("n", layer * kWidth + i), {x, After(barrier)})));
    }
    barrier = w.NoOp(w.Name("barrier", layer), all);
  }
  w.Float("Identity", "end", {x, After(barrier)});
}

// One barrier for half of the graph before it and half behind it.
void OneBarrier(int size, GraphDef* graph) {
  FormWriter w(graph);
  const std::string x = w.Fed("x");
  Inputs before, behind;
  for (int i = 0; i < size / 2; ++i) {
    before.push_back(After(w.Float("Sin", w.Name("n", i), {x})));
  }
  const std::string barrier = w.NoOp("barrier", before);
  for (int i = 0; i < size / 2; ++i) {
    behind.push_back(After(w.Float("Identity", w.Name("m", i), {x, After(barrier)})));
  }
  w.NoOp("end", behind);
}

// Each layer waits for all of the layer before.
template <typename Add>
void Layers(int size, GraphDef* graph, Add add) {
  constexpr int kWidth = 5;
  FormWriter w(graph);
  Inputs before = {After(w.NoOp("first"))};
  for (int layer = 0; layer * kWidth < size; ++layer) {
    Inputs now;
    for (int i = 0; i < kWidth; ++i) {
      now.push_back(After(add(w, w.Name("n", layer * kWidth + i), before)));
    }
    before = now;
  }
  w.NoOp("end", before);
}

void LayersOfIdentities(int size, GraphDef* graph) {
  FormWriter(graph).Fed("x");
  Layers(size, graph, [](FormWriter& w, const std::string& name, Inputs before) {
    before.insert(before.begin(), "x");
    return w.Float("Identity", name, before);
  });
}
void LayersOfNoOps(int size, GraphDef* graph) {
  Layers(size, graph, [](FormWriter& w, const std::string& name, const Inputs& before) {
    return w.NoOp(name, before);
  });
}
void LayersOfConstants(int size, GraphDef* graph) {
  Layers(size, graph, [](FormWriter& w, const std::string& name, const Inputs& before) {
    return w.Scalar(name, 1, before);
  });
}
void LayersOfSums(int size, GraphDef* graph) {
  constexpr int kWidth = 5;
  FormWriter w(graph);
  const std::string x = w.Fed("x");
  Inputs before(kWidth, x);
  for (int layer = 0; layer * kWidth < size; ++layer) {
    Inputs now;
    for (int i = 0; i < kWidth; ++i) {
      NodeDef* sum = w.Node("AddN", w.Name("n", layer * kWidth + i), before);
      w.SetType(sum, "T", DType::kFloat);
      w.SetInt(sum, "N", kWidth);
      now.push_back(sum->name());
    }
    before = now;
  }
  w.Float("Identity", "end", {before[0]});
}

void Diamonds(int size, GraphDef* graph) {
  FormWriter w(graph);
  std::string x = w.Fed("x");
  for (int i = 0; i < size / 3; ++i) {
    const std::string a = w.Float("Sin", w.Name("a", i), {x});
    const std::string b = w.Float("Cos", w.Name("b", i), {x});
    x = w.Float("Mul", w.Name("n", i), {a, b});
  }
  w.Float("Identity", "end", {x});
}

void DiamondsOfControls(int size, GraphDef* graph) {
  FormWriter w(graph);
  std::string x = w.NoOp("first");
  for (int i = 0; i < size / 3; ++i) {
    const std::string a = w.NoOp(w.Name("a", i), {After(x)});
    const std::string b = w.NoOp(w.Name("b", i), {After(x)});
    x = w.NoOp(w.Name("n", i), {After(a), After(b)});
  }
  w.NoOp("end", {After(x)});
}

// An identity on the one side, an identity that waits for it on the other.
void DiamondsOfIdentities(int size, GraphDef* graph) {
  FormWriter w(graph);
  std::string x = w.Fed("x");
  for (int i = 0; i < size / 3; ++i) {
    const std::string a = w.Float("Identity", w.Name("a", i), {x});
    const std::string b = w.Float("Identity", w.Name("b", i), {x, After(a)});
    x = w.Float("Identity", w.Name("n", i), {a, After(b)});
  }
  w.Float("Identity", "end", {x});
}

void Tree(int size, GraphDef* graph) {
  FormWriter w(graph);
  const std::string x = w.Fed("x");
  Inputs level;
  for (int i = 0; i < size / 2; ++i) level.push_back(w.Float("Sin", w.Name("leaf", i), {x}));
  for (int n = 0; level.size() > 1;) {
    Inputs next;
    for (size_t i = 0; i + 1 < level.size(); i += 2) {
      next.push_back(w.Float("Mul", w.Name("n", n++), {level[i], level[i + 1]}));
    }
    if (level.size() % 2 == 1) next.push_back(level.back());
    level = next;
  }
  w.Float("Identity", "end", {level[0]});
}

// All small groups of elementwise nodes, which no fused node joins.
void ManyGroups(int size, GraphDef* graph) {
  FormWriter w(graph);
  std::string x = w.Fed("x");
  const std::string axes = w.Vector("axes", {});
  for (int i = 0; i < size / 4; ++i) {
    const std::string a = w.Float("Sin", w.Name("a", i), {x});
    const std::string b = w.Float("Mul", w.Name("b", i), {a, a});
    const std::string c = w.Float("Add", w.Name("c", i), {b, a});
    NodeDef* sum = w.Node("Sum", w.Name("n", i), {c, axes});
    w.SetType(sum, "T", DType::kFloat);
    w.SetType(sum, "Tidx", DType::kInt32);
    x = sum->name();
  }
  w.Float("Identity", "end", {x});
}

constexpr GraphForm kForms[] = {
    {"identities", 2000, Identities},
    {"negations", 2000, Negations},
    {"elementwise", 2000, Elementwise},
    {"neutral factors", 2000, NeutralSums},
    {"reshapes", 2000, Reshapes},
    {"transposes", 2000, Transposes},
    {"casts", 2000, Casts},
    {"NoOps", 2000, NoOps},
    {"ordered identities", 2000, OrderedIdentities},
    {"gathered identities", 2000, GatheredIdentities},
    {"asserts", 2000, Asserts},
    {"star", 1000, Star},
    {"one tensor read many times", 4000, SameInputs},
    {"nodes of many inputs", 2000, WideReaders},
    {"packed and unpacked", 2000, PackedAndUnpacked},
    {"star of controls", 2000, StarOfControls},
    {"barriers", 2000, Barriers},
    {"one barrier", 2000, OneBarrier},
    {"layers of identities", 1000, LayersOfIdentities},
    {"layers of NoOps", 1000, LayersOfNoOps},
    {"layers of constants", 1000, LayersOfConstants},
    {"layers of sums", 1000, LayersOfSums},
    {"diamonds", 2000, Diamonds},
    {"diamonds of controls", 2000, DiamondsOfControls},
    {"diamonds of identities", 2000, DiamondsOfIdentities},
    {"tree", 2000, Tree},
    {"groups of elementwise nodes", 2000, ManyGroups},
};

}  // namespace

Span<const GraphForm> FormsOfEdges() { return kForms; }

}  // namespace warpbeam
