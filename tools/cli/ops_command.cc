// warpbeam ops: which ops models need, and the libraries that have them.
#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "graph/functions/function_library.h"
#include "tools/cli/command.h"
#include "tools/cli/graph_to_place.h"

namespace warpbeam {
namespace cli {
namespace {

// What compiling puts into any step beside the graph's own nodes: values from one task to another,
// constants, averages, what becomes of conditionals and loops, reads that see later writes.
constexpr const char* kOfEveryStep[] = {"Cast",           "Const",
                                        "ControlTrigger", "Enter",
                                        "Exit",           "Identity",
                                        "LoopCond",       "Merge",
                                        "NextIteration",  "NoOp",
                                        "RefMerge",       "RefSwitch",
                                        "Reshape",        "Shape",
                                        "Switch",         "ToBool",
                                        "_Average",       "_Constants",
                                        "_Recv",          "_Send",
                                        "_SwitchN",       "_ValueAsReference"};

class NeededOps {
 public:
  // The ops of the graph's nodes and of the functions that they may call.
  void Add(const Graph& graph) {
    for (NodeId id = 0; id < graph.num_nodes(); ++id) AddNode(graph, graph.node(id).op_name());
    for (const auto& [name, function] : graph.functions().functions()) {
      for (const NodeSpec& node : function->nodes) AddNode(graph, node.op);
    }
  }

  void AddOfEveryStep(const OpRegistry& ops) {
    for (const char* name : kOfEveryStep) {
      if (const OpSchema* op = ops.Find(name); op != nullptr) libraries_.insert(op->library);
    }
  }

  // Each op with its nodes and its library.
  void Print(Console& console) const {
    size_t longest = 0;
    for (const auto& [name, need] : needs_) longest = std::max(longest, name.size());
    for (const auto& [name, need] : needs_) {
      console.out << name << std::string(longest - name.size() + 2, ' ') << need.nodes << "\t"
                  << (need.library.empty() ? "is part of every program" : need.library) << "\n";
    }
  }

  // As the deps of a target in another workspace.
  void PrintDeps(Console& console) const {
    for (const std::string& library : libraries_) {
      if (library.empty()) continue;
      const bool is_ours = absl::StartsWith(library, "//");
      console.out << "        \"" << (is_ours ? "@warpbeam" : "") << library << "\",\n";
    }
  }

  // Ops that this program does not know.
  const std::set<std::string>& unknown() const { return unknown_; }

 private:
  struct Need {
    int64_t nodes = 0;
    std::string library;
  };

  void AddNode(const Graph& graph, const std::string& name) {
    const OpSchema* op = graph.ops().Find(name);
    if (op == nullptr) {
      if (graph.functions().Find(name) == nullptr) unknown_.insert(name);
      return;
    }
    Need& need = needs_[name];
    ++need.nodes;
    need.library = op->library;
    libraries_.insert(op->library);
  }

  std::map<std::string, Need> needs_;
  std::set<std::string> libraries_;
  std::set<std::string> unknown_;
};

}  // namespace

StatusOr<Outcome> ListOps(const std::vector<std::string>& words, Console& console) {
  Arguments args(
      "warpbeam ops MODEL… [--bazel]",
      "Lists the ops that models need: how many nodes each has, and the library that it is "
      "in. MODEL is a\nSavedModel's folder, a graph (.pb, .pbtxt) or a .meta file. A "
      "program that links these libraries in the\nplace of @warpbeam//ops runs the models "
      "and is smaller.");
  GraphToPlace reading;
  bool bazel = false;
  args.Bool("bazel", &bazel, "print the libraries alone, as deps of a Bazel target");
  args.Strings("tags", &reading.tags, "which of the SavedModel's graphs, if there are several");
  reading.import.AddTo(args);
  bool help = false;
  WB_RETURN_IF_ERROR(ParseWords(args, words, console, &help));
  if (help) return Outcome::kHelp;
  if (args.words().empty()) return WrongCall(InvalidArgument("at least one model is needed"));
  NeededOps needed;
  for (const std::string& path : args.words()) {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<Graph> graph, reading.Read(path, console));
    needed.Add(*graph);
    needed.AddOfEveryStep(graph->ops());
  }
  if (!needed.unknown().empty()) {
    return NotFound("no library of this program has the op '", *needed.unknown().begin(), "'",
                    needed.unknown().size() == 1
                        ? std::string()
                        : absl::StrCat(" and ", needed.unknown().size() - 1, " others"));
  }
  if (bazel) {
    needed.PrintDeps(console);
  } else {
    needed.Print(console);
  }
  return Outcome::kRan;
}

}  // namespace cli
}  // namespace warpbeam
