#include "tools/cli/model_problems.h"

#include <filesystem>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "frontend/model/model.h"
#include "graph/functions/instantiate.h"
#include "runtime/checkpoint/bundle_reader.h"
#include "runtime/executor/callable_catalog.h"

namespace warpbeam {
namespace cli {
namespace {

// Their kernels only say so.
bool IsPythonFunction(const Node& node) {
  return node.op_name() == "PyFunc" || node.op_name() == "PyFuncStateless";
}

// Nodes that no kernel takes, or none that computes, by op and dtypes.
class MissingKernels {
 public:
  explicit MissingKernels(const Graph& graph)
      : catalog_(KernelRegistry::Global(), graph.functions()) {}

  void Add(const Graph& graph, const std::string& where) {
    for (const Node& node : graph.nodes()) {
      if (absl::StartsWith(node.op_name(), "_")) continue;  // of a function's border
      if (!IsPythonFunction(node) && catalog_.Supports(node.op(), node.attrs(), DeviceType::kCpu)) {
        continue;
      }
      Group& group = groups_[Key(node)];
      if (group.count++ == 0) {
        group.op = node.op_name();
        group.is_python = IsPythonFunction(node);
        group.first = absl::StrCat("'", node.name(), "'", where);
      }
    }
  }

  void AppendTo(std::vector<std::string>* problems) const {
    for (const auto& [key, group] : groups_) {
      if (group.is_python) {
        problems->push_back(absl::StrCat(
            key, " calls a function of the Python program that wrote the graph: ", group.count,
            group.count == 1 ? " node, " : " nodes, the first is ", group.first,
            ". What needs it cannot run here: feed its results, or fetch what comes before it."));
        continue;
      }
      const std::vector<std::string> kernels = catalog_.Describe(group.op);
      problems->push_back(absl::StrCat(
          key, " has no kernel on the CPU: ", group.count,
          group.count == 1 ? " node, " : " nodes, ", group.count == 1 ? "" : "the first is ",
          group.first, ". ",
          kernels.empty() ? "The op is known but not computed here."
                          : absl::StrCat("There are kernels for ", absl::StrJoin(kernels, "; "),
                                         ": cast its inputs to one of these.")));
    }
  }

 private:
  struct Group {
    std::string op;
    int64_t count = 0;
    std::string first;
    bool is_python = false;
  };

  // "MatMul (T=half)".
  static std::string Key(const Node& node) {
    std::vector<std::string> types;
    for (const AttrMap::Entry& entry : node.attrs()) {
      if (entry.second.kind() == AttrValue::Kind::kType) {
        types.push_back(
            absl::StrCat(absl::string_view(entry.first), "=", DTypeName(entry.second.type())));
      }
    }
    return types.empty() ? node.op_name()
                         : absl::StrCat(node.op_name(), " (", absl::StrJoin(types, ", "), ")");
  }

  const CallableCatalog catalog_;
  std::map<std::string, Group> groups_;
};

bool AsksForJobs(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (absl::StrContains(node.device(), "/job:") &&
        !absl::StrContains(node.device(), "/job:localhost")) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> GraphProblems(const std::shared_ptr<Graph>& graph,
                                       const SessionOptions& options) {
  std::vector<std::string> problems;
  MissingKernels missing(*graph);
  missing.Add(*graph, "");
  for (const auto& [name, function] : graph->functions().functions()) {
    if (!function->signature.attrs.empty()) continue;  // its types are known where it is called
    const auto body =
        InstantiateFunction(graph->functions(), FunctionRef{name, AttrMap()}, graph->ops());
    if (body.ok()) {
      missing.Add(*body->graph, absl::StrCat(" in function '", name, "'"));
    } else {
      problems.push_back(absl::StrCat(body.status().message()));
    }
  }
  missing.AppendTo(&problems);
  if (!problems.empty()) return problems;
  const auto session = Session::Create(options, graph);
  if (!session.ok()) {
    problems.push_back(absl::StrCat(
        session.status().message(),
        AsksForJobs(*graph) ? " The model was saved on a cluster: --clear_devices forgets the "
                              "devices that it asks for."
                            : ""));
  }
  return problems;
}

void AppendCheckpointProblems(const std::string& prefix, std::vector<std::string>* problems) {
  const auto add = [&](const absl::Status& status) {
    problems->push_back(absl::StrCat(status.message(), ": copy the files again"));
  };
  if (const absl::Status files = frontend::CheckCheckpointFiles(prefix); !files.ok()) {
    return add(files);
  }
  const auto reader = BundleReader::Open(prefix);
  if (!reader.ok()) return;  // of version 1
  const auto entries = (*reader)->AllEntries();
  if (!entries.ok()) return add(entries.status());
  const int32_t shards = (*reader)->header().num_shards;
  std::vector<int64_t> ends(static_cast<size_t>(shards));
  for (const auto& [key, entry] : *entries) {
    if (entry.shard < 0 || entry.shard >= shards || !entry.slices.empty()) continue;
    int64_t& end = ends[static_cast<size_t>(entry.shard)];
    end = std::max(end, entry.offset + entry.size);
  }
  for (int32_t i = 0; i < shards; ++i) {
    const std::string file = DataFileName(prefix, i, shards);
    std::error_code error;
    const auto size = static_cast<int64_t>(std::filesystem::file_size(file, error));
    const int64_t needed = ends[static_cast<size_t>(i)];
    if (!error && size < needed) {
      problems->push_back(absl::StrCat(file, " is cut off: it has ", size, " bytes of ", needed,
                                       ": copy the file again"));
    }
  }
}

}  // namespace cli
}  // namespace warpbeam
