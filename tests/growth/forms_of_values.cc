// Constants, attributes, names, devices, variables and problems.
#include "proto/graph.pb.h"
#include "tests/growth/form_writer.h"
#include "tests/growth/graph_forms.h"

namespace warpbeam {
namespace {

using tensorflow::GraphDef;
using tensorflow::NodeDef;
using Inputs = FormWriter::Inputs;

// "end" waits for all of them.
void Gather(FormWriter& w, const Inputs& names) {
  Inputs controls;
  for (const std::string& name : names) controls.push_back("^" + name);
  w.NoOp("end", controls);
}

// All texts have one length, and so one size whatever is in them.
std::string TextOf(int i) { return "constant text " + std::to_string(1'000'000 + i); }

void Texts(int size, GraphDef* graph) {
  FormWriter w(graph);
  Inputs all;
  for (int i = 0; i < size; ++i) all.push_back(w.Text(w.Name("n", i), TextOf(i)));
  Gather(w, all);
}

void EqualTexts(int size, GraphDef* graph) {
  FormWriter w(graph);
  Inputs all;
  for (int i = 0; i < size; ++i) all.push_back(w.Text(w.Name("n", i), TextOf(0)));
  Gather(w, all);
}

void Numbers(int size, GraphDef* graph) {
  FormWriter w(graph);
  Inputs all;
  for (int i = 0; i < size; ++i) all.push_back(w.Scalar(w.Name("n", i), static_cast<float>(i)));
  Gather(w, all);
}

void LargeNumbers(int size, GraphDef* graph) {
  FormWriter w(graph);
  Inputs all;
  for (int i = 0; i < size; ++i) {
    all.push_back(w.Filled(w.Name("n", i), 1500, static_cast<float>(i)));
  }
  Gather(w, all);
}

// Nodes that are alike but for an attribute.
void EqualButAttributes(int size, GraphDef* graph) {
  FormWriter w(graph);
  const std::string x = w.Float("Reshape", "x", {w.Fed("fed"), w.Vector("one", {1})});
  Inputs all;
  for (int i = 0; i < size; ++i) {
    NodeDef* node = w.Node("ApproximateEqual", w.Name("n", i), {x, x});
    w.SetType(node, "T", DType::kFloat);
    (*node->mutable_attr())["tolerance"].set_f(static_cast<float>(i) / 1e6F);
    all.push_back(node->name());
  }
  Gather(w, all);
}

void Equals(int size, GraphDef* graph) {
  FormWriter w(graph);
  const std::string x = w.Fed("x");
  Inputs all;
  for (int i = 0; i < size; ++i) all.push_back(w.Float("Sin", w.Name("n", i), {x}));
  Gather(w, all);
}

void ManyAttributes(int size, GraphDef* graph) {
  FormWriter w(graph);
  NodeDef* node = w.Node("Identity", "end", {w.Fed("x")});
  w.SetType(node, "T", DType::kFloat);
  for (int i = 0; i < size; ++i) w.SetInt(node, w.Name("_a", i).c_str(), i);
}

void ManyAttributesOfFunction(int size, GraphDef* graph) {
  FormWriter w(graph);
  w.Float("Identity", "end", {w.Fed("x")});
  auto* f = graph->mutable_library()->add_function();
  f->mutable_signature()->set_name("f");
  for (int i = 0; i < size; ++i) (*f->mutable_attr())[w.Name("_a", i)].set_i(i);
}

void ListAttribute(int size, GraphDef* graph) {
  FormWriter w(graph);
  NodeDef* node = w.Node("Identity", "end", {w.Fed("x")});
  w.SetType(node, "T", DType::kFloat);
  auto* list = (*node->mutable_attr())["_texts"].mutable_list();
  for (int i = 0; i < size; ++i) list->add_s(TextOf(i));
}

void LongNames(int size, GraphDef* graph) {
  FormWriter w(graph);
  const std::string scope(1000, 'a');
  std::string x = w.Fed("x");
  for (int i = 0; i < size; ++i) x = w.Float("Sin", scope + w.Name("/n", i), {x});
  w.Float("Identity", "end", {x});
}

void OneLongName(int size, GraphDef* graph) {
  FormWriter w(graph);
  const std::string x =
      w.Float("Sin", std::string(static_cast<size_t>(size) * 100, 'a'), {w.Fed("x")});
  w.Float("Identity", "end", {x});
}

void DeepScopes(int size, GraphDef* graph) {
  FormWriter w(graph);
  std::string x = w.Fed("x"), scope;
  for (int i = 0; i < 10; ++i) {
    for (int k = 0; k < size / 10; ++k) scope += "s/";
    x = w.Float("Sin", scope + w.Name("n", i), {x});
  }
  w.Float("Identity", "end", {x});
}

void Devices(int size, GraphDef* graph) {
  FormWriter w(graph);
  std::string x = w.Fed("x");
  for (int i = 0; i < size; ++i) {
    NodeDef* node = w.Node("Sin", w.Name("n", i), {x});
    w.SetType(node, "T", DType::kFloat);
    node->set_device("/device:GPU:" + std::to_string(i));
    x = node->name();
  }
  w.Float("Identity", "end", {x});
}

void Copies(int size, GraphDef* graph) {
  FormWriter w(graph);
  std::string x = w.Fed("x");
  for (int i = 0; i < size; ++i) {
    NodeDef* node = w.Node("Sin", w.Name("n", i), {x});
    w.SetType(node, "T", DType::kFloat);
    node->set_device(i % 2 == 0 ? "/device:GPU:0" : "/device:GPU:1");
    x = node->name();
  }
  w.Float("Identity", "end", {x});
}

void ColocatedWithOne(int size, GraphDef* graph) {
  FormWriter w(graph);
  std::string x = w.Fed("x");
  for (int i = 0; i < size; ++i) {
    NodeDef* node = w.Node("Sin", w.Name("n", i), {x});
    w.SetType(node, "T", DType::kFloat);
    (*node->mutable_attr())["_class"].mutable_list()->add_s("loc:@x");
    x = node->name();
  }
  w.Float("Identity", "end", {x});
}

void ColocatedInChain(int size, GraphDef* graph) {
  FormWriter w(graph);
  std::string x = w.Fed("x");
  for (int i = 0; i < size; ++i) {
    NodeDef* node = w.Node("Sin", w.Name("n", i), {x});
    w.SetType(node, "T", DType::kFloat);
    (*node->mutable_attr())["_class"].mutable_list()->add_s("loc:@" + w.Name("n", i + 1));
    x = node->name();
  }
  w.Float("Sin", w.Name("n", size), {x});
  w.Float("Identity", "end", {w.Name("n", size)});
}

NodeDef* Resource(FormWriter& w, const std::string& name) {
  NodeDef* node = w.Node("VarHandleOp", name);
  w.SetType(node, "dtype", DType::kFloat);
  (*node->mutable_attr())["shape"].mutable_shape();
  (*node->mutable_attr())["shared_name"].set_s(name);
  return node;
}

std::string OnResource(FormWriter& w, const char* op, const std::string& name,
                       const Inputs& inputs) {
  w.SetType(w.Node(op, name, inputs), "dtype", DType::kFloat);
  return name;
}

void Variables(int size, GraphDef* graph) {
  FormWriter w(graph);
  const std::string x = w.Fed("x");
  Inputs all;
  for (int i = 0; i < size / 3; ++i) {
    const std::string v = Resource(w, w.Name("v", i))->name();
    const std::string set = OnResource(w, "AssignVariableOp", w.Name("set", i), {v, x});
    all.push_back(OnResource(w, "ReadVariableOp", w.Name("n", i), {v, "^" + set}));
  }
  Gather(w, all);
}

void UpdatesOfOneVariable(int size, GraphDef* graph) {
  FormWriter w(graph);
  const std::string x = w.Fed("x");
  const std::string v = Resource(w, "v")->name();
  std::string last = OnResource(w, "AssignVariableOp", "set", {v, x});
  for (int i = 0; i < size / 2; ++i) {
    const std::string read = OnResource(w, "ReadVariableOp", w.Name("read", i), {v, "^" + last});
    last = OnResource(w, "AssignAddVariableOp", w.Name("n", i), {v, x, "^" + read});
  }
  w.NoOp("end", {"^" + last});
}

void ReadersOfOneVariable(int size, GraphDef* graph) {
  FormWriter w(graph);
  const std::string v = Resource(w, "v")->name();
  const std::string set = OnResource(w, "AssignVariableOp", "set", {v, w.Fed("x")});
  Inputs all;
  for (int i = 0; i < size; ++i) {
    all.push_back(OnResource(w, "ReadVariableOp", w.Name("n", i), {v, "^" + set}));
  }
  Gather(w, all);
}

// Nothing of it is good, and each node for a reason of its own.
void UnknownOps(int size, GraphDef* graph) {
  FormWriter w(graph);
  for (int i = 0; i < size; ++i) w.Node(w.Name("NoSuchOp", i), w.Name("n", i));
}
void MissingInputs(int size, GraphDef* graph) {
  FormWriter w(graph);
  for (int i = 0; i < size; ++i) w.Float("Sin", w.Name("n", i), {w.Name("missing", i)});
}
void WrongTypes(int size, GraphDef* graph) {
  FormWriter w(graph);
  const std::string x = w.Int("x", 1);
  for (int i = 0; i < size; ++i) w.Float("Sin", w.Name("n", i), {x});
}
void EqualNames(int size, GraphDef* graph) {
  FormWriter w(graph);
  for (int i = 0; i < size; ++i) w.Scalar("n", 1);
}
void Cycle(int size, GraphDef* graph) {
  FormWriter w(graph);
  for (int i = 0; i < size; ++i) w.Float("Sin", w.Name("n", i), {w.Name("n", (i + 1) % size)});
}

using Fate = GraphForm::Fate;
constexpr GraphForm kForms[] = {
    {"texts of one length", 2000, Texts},
    {"equal texts", 2000, EqualTexts},
    {"numbers", 2000, Numbers},
    {"large constants", 500, LargeNumbers},
    {"nodes that only differ by an attribute", 2000, EqualButAttributes},
    {"equal nodes", 2000, Equals},
    {"many attributes", 5000, ManyAttributes},
    {"many attributes of a function", 5000, ManyAttributesOfFunction},
    {"list attribute", 20000, ListAttribute},
    {"long names", 1000, LongNames},
    {"one long name", 2000, OneLongName},
    {"deep scopes", 5000, DeepScopes},
    {"many devices", 1000, Devices},
    {"copies", 1000, Copies},
    {"colocated with one", 2000, ColocatedWithOne},
    {"colocated in a chain", 2000, ColocatedInChain},
    {"variables", 1500, Variables},
    {"updates of one variable", 2000, UpdatesOfOneVariable},
    {"readers of one variable", 2000, ReadersOfOneVariable},
    {"unknown ops", 2000, UnknownOps, Fate::kRefused},
    {"missing inputs", 2000, MissingInputs, Fate::kRefused},
    {"wrong types", 2000, WrongTypes, Fate::kRefused},
    {"equal names", 2000, EqualNames, Fate::kRefused},
    {"a cycle", 2000, Cycle, Fate::kRefused},
};

}  // namespace

Span<const GraphForm> FormsOfValues() { return kForms; }

}  // namespace warpbeam
