// Branches, loops, frames and functions.
#include "proto/graph.pb.h"
#include "tests/growth/form_writer.h"
#include "tests/growth/graph_forms.h"

namespace warpbeam {
namespace {

using tensorflow::FunctionDef;
using tensorflow::GraphDef;
using tensorflow::NodeDef;
using Inputs = FormWriter::Inputs;

void Branches(int size, GraphDef* graph) {
  FormWriter w(graph);
  std::string x = w.Fed("x");
  NodeDef* p = w.Node("PlaceholderWithDefault", "p", {w.Bool("yes", true)});
  w.SetType(p, "dtype", DType::kBool);
  (*p->mutable_attr())["shape"].mutable_shape();
  for (int i = 0; i < size / 4; ++i) {
    const std::string s = w.Float("Switch", w.Name("switch", i), {x, "p"});
    const std::string a = w.Float("Sin", w.Name("a", i), {s});
    const std::string b = w.Float("Cos", w.Name("b", i), {s + ":1"});
    NodeDef* merge = w.Node("Merge", w.Name("n", i), {a, b});
    w.SetType(merge, "T", DType::kFloat);
    w.SetInt(merge, "N", 2);
    x = merge->name();
  }
  w.Float("Identity", "end", {x});
}

// Each inside the other's true branch.
void NestedBranches(int size, GraphDef* graph) {
  FormWriter w(graph);
  std::string x = w.Fed("x");
  NodeDef* p = w.Node("PlaceholderWithDefault", "p", {w.Bool("yes", true)});
  w.SetType(p, "dtype", DType::kBool);
  (*p->mutable_attr())["shape"].mutable_shape();
  Inputs otherwise;
  for (int i = 0; i < size / 3; ++i) {
    const std::string q = w.Name("q", i);
    const std::string s = w.Float("Switch", w.Name("switch", i), {x, "p"});
    otherwise.push_back(w.Float("Cos", w.Name("b", i), {s}));
    x = s + ":1";
  }
  otherwise.push_back(x);
  NodeDef* merge = w.Node("Merge", "merge", otherwise);
  w.SetType(merge, "T", DType::kFloat);
  w.SetInt(merge, "N", static_cast<int>(otherwise.size()));
  w.Float("Identity", "end", {"merge"});
}

struct LoopShape {
  int variables = 1;
  int constants = 0;  // that come from outside and are the same in all iterations
  int body = 1;       // nodes for each variable
};

NodeDef* Enter(FormWriter& w, const std::string& name, const std::string& from,
               const std::string& frame, bool is_constant) {
  NodeDef* enter = w.Node("Enter", name, {from});
  w.SetType(enter, "T", DType::kFloat);
  (*enter->mutable_attr())["frame_name"].set_s(frame);
  (*enter->mutable_attr())["is_constant"].set_b(is_constant);
  return enter;
}

// A loop of two iterations that begins with `x`; what it leaves with.
std::string Loop(FormWriter& w, const std::string& scope, const std::string& x,
                 const LoopShape& shape) {
  const auto name = [&](const char* what, int i) { return scope + w.Name(what, i); };
  const std::string limit = name("limit", 0);
  Enter(w, limit, w.Scalar(name("two", 0), 2), scope + "frame", true);
  Inputs constants, variables;
  for (int i = 0; i < shape.constants; ++i) {
    constants.push_back(Enter(w, name("constant", i), x, scope + "frame", true)->name());
  }
  for (int i = 0; i < shape.variables; ++i) {
    Enter(w, name("enter", i), x, scope + "frame", false);
    NodeDef* merge = w.Node("Merge", name("merge", i), {name("enter", i), name("next", i)});
    w.SetType(merge, "T", DType::kFloat);
    w.SetInt(merge, "N", 2);
    variables.push_back(merge->name());
  }
  w.Float("Less", name("less", 0), {variables[0], limit});
  w.Node("LoopCond", name("goes_on", 0), {name("less", 0)});
  for (int i = 0; i < shape.variables; ++i) {
    const std::string s = w.Float("Switch", name("switch", i), {variables[i], name("goes_on", 0)});
    std::string value = s + ":1";
    for (int k = 0; k < shape.body; ++k) {
      const int number = i * shape.body + k;
      const std::string one = number < shape.constants ? constants[number] : limit;
      value = w.Float("Add", name("add", number), {value, one});
    }
    w.Float("NextIteration", name("next", i), {value});
    w.Float("Exit", name("exit", i), {s});
  }
  return name("exit", 0);
}

void LoopsInTurn(int size, GraphDef* graph) {
  FormWriter w(graph);
  std::string x = w.Fed("x");
  for (int i = 0; i < size / 10; ++i) x = Loop(w, w.Name("loop", i) + "/", x, {});
  w.Float("Identity", "end", {x});
}

void LoopOfManyVariables(int size, GraphDef* graph) {
  FormWriter w(graph);
  LoopShape shape;
  shape.variables = size / 6;
  Loop(w, "", w.Fed("x"), shape);
  Inputs all;
  for (int i = 0; i < shape.variables; ++i) all.push_back("^" + w.Name("exit", i));
  w.NoOp("end", all);
}

void LoopOfLongBody(int size, GraphDef* graph) {
  FormWriter w(graph);
  LoopShape shape;
  shape.body = size;
  w.Float("Identity", "end", {Loop(w, "", w.Fed("x"), shape)});
}

void LoopOfManyConstants(int size, GraphDef* graph) {
  FormWriter w(graph);
  LoopShape shape;
  shape.body = shape.constants = size / 2;
  w.Float("Identity", "end", {Loop(w, "", w.Fed("x"), shape)});
}

// A node in a loop that reads as many values as there are, and waits for as many.
void LoopOfWideNodes(int size, GraphDef* graph) {
  FormWriter w(graph);
  w.Fed("x");
  Loop(w, "", "x", {});
  Inputs all, controls;
  for (int i = 0; i < size / 2; ++i) {
    all.push_back(w.Float("Sin", w.Name("sin", i), {"switch0:1"}));
    controls.push_back("^" + w.Float("Cos", w.Name("cos", i), {"switch0:1"}));
  }
  all.insert(all.end(), controls.begin(), controls.end());
  NodeDef* sum = w.Node("AddN", "sum", all);
  w.SetType(sum, "T", DType::kFloat);
  w.SetInt(sum, "N", size / 2);
  for (NodeDef& node : *graph->mutable_node()) {
    if (node.name() == "next0") node.add_input("^sum");
  }
  w.Float("Identity", "end", {"exit0"});
}

// What is outside of a loop besides.
void LoopBesideChain(int size, GraphDef* graph) {
  FormWriter w(graph);
  std::string x = Loop(w, "", w.Fed("x"), {});
  for (int i = 0; i < size; ++i) x = w.Float("Sin", w.Name("n", i), {x});
  w.Float("Identity", "end", {x});
}

// Loops inside each other, each of one iteration.
void DeepFrames(int size, GraphDef* graph) {
  FormWriter w(graph);
  std::string x = w.Fed("x");
  for (int i = 0; i < size; ++i) {
    x = Enter(w, w.Name("enter", i), x, w.Name("frame", i), false)->name();
  }
  for (int i = 0; i < size; ++i) x = w.Float("Exit", w.Name("exit", i), {x});
  w.Float("Identity", "end", {x});
}

// Functions of one float.
FunctionDef* AddFunction(GraphDef* graph, const std::string& name) {
  FunctionDef* function = graph->mutable_library()->add_function();
  auto* signature = function->mutable_signature();
  signature->set_name(name);
  auto* in = signature->add_input_arg();
  in->set_name("x");
  in->set_type(tensorflow::DT_FLOAT);
  auto* out = signature->add_output_arg();
  out->set_name("y");
  out->set_type(tensorflow::DT_FLOAT);
  return function;
}

NodeDef* AddToBody(FunctionDef* function, const std::string& op, const std::string& name,
                   const std::string& input) {
  NodeDef* node = function->add_node_def();
  node->set_op(op);
  node->set_name(name);
  node->add_input(input);
  return node;
}

void AddFloat(FunctionDef* function, const std::string& op, const std::string& name,
              const std::string& input) {
  FormWriter::SetType(AddToBody(function, op, name, input), "T", DType::kFloat);
}

void ManyCalls(int size, GraphDef* graph) {
  FormWriter w(graph);
  FunctionDef* f = AddFunction(graph, "f");
  AddFloat(f, "Sin", "n", "x");
  (*f->mutable_ret())["y"] = "n:y:0";
  std::string x = w.Fed("x");
  for (int i = 0; i < size; ++i) x = w.Node("f", w.Name("n", i), {x})->name();
  w.Float("Identity", "end", {x});
}

void ManyFunctions(int size, GraphDef* graph) {
  FormWriter w(graph);
  std::string x = w.Fed("x");
  for (int i = 0; i < size; ++i) {
    FunctionDef* f = AddFunction(graph, w.Name("f", i));
    AddFloat(f, "Sin", "n", "x");
    (*f->mutable_ret())["y"] = "n:y:0";
    x = w.Node(w.Name("f", i), w.Name("n", i), {x})->name();
  }
  w.Float("Identity", "end", {x});
}

// Each calls the next.
void DeepFunctions(int size, GraphDef* graph) {
  FormWriter w(graph);
  for (int i = 0; i < size; ++i) {
    FunctionDef* f = AddFunction(graph, w.Name("f", i));
    if (i + 1 < size) {
      AddToBody(f, w.Name("f", i + 1), "n", "x");
    } else {
      AddFloat(f, "Sin", "n", "x");
    }
    (*f->mutable_ret())["y"] = "n:y:0";
  }
  w.Node("f0", "call", {w.Fed("x")});
  w.Float("Identity", "end", {"call"});
}

// The same by an attribute.
void DeepFunctionAttributes(int size, GraphDef* graph) {
  FormWriter w(graph);
  const auto call = [](NodeDef* node, const std::string& function) {
    for (const char* attr : {"Tin", "Tout"}) {
      (*node->mutable_attr())[attr].mutable_list()->add_type(tensorflow::DT_FLOAT);
    }
    (*node->mutable_attr())["f"].mutable_func()->set_name(function);
  };
  for (int i = 0; i < size; ++i) {
    FunctionDef* f = AddFunction(graph, w.Name("f", i));
    if (i + 1 < size) {
      call(AddToBody(f, "PartitionedCall", "n", "x"), w.Name("f", i + 1));
      (*f->mutable_ret())["y"] = "n:output:0";
    } else {
      AddFloat(f, "Sin", "n", "x");
      (*f->mutable_ret())["y"] = "n:y:0";
    }
  }
  call(w.Node("PartitionedCall", "call", {w.Fed("x")}), "f0");
  w.Float("Identity", "end", {"call"});
}

void LongFunction(int size, GraphDef* graph) {
  FormWriter w(graph);
  FunctionDef* f = AddFunction(graph, "f");
  std::string x = "x";
  for (int i = 0; i < size; ++i) {
    AddFloat(f, "Sin", w.Name("n", i), x);
    x = w.Name("n", i) + ":y:0";
  }
  (*f->mutable_ret())["y"] = x;
  w.Node("f", "call", {w.Fed("x")});
  w.Float("Identity", "end", {"call"});
}

void FunctionOfManyArguments(int size, GraphDef* graph) {
  FormWriter w(graph);
  FunctionDef* f = AddFunction(graph, "f");
  f->mutable_signature()->clear_input_arg();
  f->mutable_signature()->clear_output_arg();
  Inputs all(size / 3, w.Fed("x"));
  for (int i = 0; i < size / 3; ++i) {
    auto* in = f->mutable_signature()->add_input_arg();
    in->set_name(w.Name("x", i));
    in->set_type(tensorflow::DT_FLOAT);
    auto* out = f->mutable_signature()->add_output_arg();
    out->set_name(w.Name("y", i));
    out->set_type(tensorflow::DT_FLOAT);
    AddFloat(f, "Sin", w.Name("n", i), w.Name("x", i));
    (*f->mutable_ret())[w.Name("y", i)] = w.Name("n", i) + ":y:0";
  }
  w.Node("f", "call", all);
  w.Float("Identity", "end", {"call"});
}

using Fate = GraphForm::Fate;
constexpr GraphForm kForms[] = {
    {"branches", 2000, Branches},
    {"nested branches", 2000, NestedBranches},
    {"loops in turn", 1000, LoopsInTurn},
    {"loop of many variables", 2000, LoopOfManyVariables},
    {"loop of a long body", 2000, LoopOfLongBody},
    {"loop of many constants", 2000, LoopOfManyConstants},
    {"loop of wide nodes", 2000, LoopOfWideNodes},
    {"loop beside a chain", 2000, LoopBesideChain},
    {"deep frames", 10, DeepFrames},
    {"many calls", 1000, ManyCalls},
    {"many functions", 1000, ManyFunctions},
    {"deep functions", 1000, DeepFunctions, Fate::kPlaced},
    {"deep functions by attribute", 1000, DeepFunctionAttributes, Fate::kPlaced},
    {"long function", 2000, LongFunction},
    {"function of many arguments", 1000, FunctionOfManyArguments},
};

}  // namespace

Span<const GraphForm> FormsOfLoops() { return kForms; }

}  // namespace warpbeam
