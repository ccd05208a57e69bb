#include "tools/cli/model_problems.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "absl/strings/match.h"
#include "frontend/model/model.h"
#include "runtime/checkpoint/bundle_reader.h"
#include "runtime/session/step_compiler.h"
#include "tools/cli/path_check.h"
#include "tools/cli/step_walk.h"

namespace warpbeam {
namespace cli {
namespace {

bool AsksForJobs(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (absl::StrContains(node.device(), "/job:") &&
        !absl::StrContains(node.device(), "/job:localhost")) {
      return true;
    }
  }
  return false;
}

// Goes through the steps of one graph.
class StepsCheck {
 public:
  StepsCheck(std::shared_ptr<Graph> graph, const SessionOptions& options)
      : graph_(std::move(graph)), options_(options) {}

  Status Open() {
    WB_ASSIGN_OR_RETURN(check_, NodeCheck::Create(*graph_, options_));
    walk_.emplace(*graph_, *check_);
    return OkStatus();
  }

  void AddStep(const ModelStep& step) {
    absl::flat_hash_set<OutputRef> fed;
    std::vector<NodeId> roots;
    const size_t before = found_.problems.size();
    const auto output = [&](const std::string& name, const char* what) {
      auto ref = ParseOutput(*graph_, name, what);
      if (!ref.ok()) AddProblem(step, ref.status());
      return ref;
    };
    for (const std::string& feed : step.feeds) {
      if (const auto ref = output(feed, "feed"); ref.ok()) fed.insert(*ref);
    }
    for (const std::string& fetch : step.fetches) {
      if (const auto ref = output(fetch, "fetch"); ref.ok()) roots.push_back(ref->node);
    }
    for (const std::string& target : step.targets) {
      const Node* node = graph_->Find(target);
      if (node != nullptr) roots.push_back(node->id());
    }
    const std::vector<NodeId> nodes = walk_->Visit(roots, fed, /*will_run=*/true);
    Prepared prepared{&step, {}, found_.problems.size() > before};
    for (NodeId id : nodes) {
      if (walk_->bad_nodes().count(id) > 0) prepared.bad.push_back(id);
    }
    steps_.push_back(std::move(prepared));
  }

  void AddWholeGraph() {
    std::vector<NodeId> all(graph_->num_nodes());
    for (NodeId id = 0; id < graph_->num_nodes(); ++id) all[id] = id;
    walk_->Visit(all, {}, /*will_run=*/false);
    for (const auto& [id, bad] : walk_->bad_nodes()) condemned_.insert(id);
  }

  ModelFindings Finish() {
    const bool in_functions = !walk_->in_functions().empty() || !walk_->functions().empty();
    Compile(in_functions);
    NodeGroups groups;
    for (NodeId id : condemned_) {
      const Node& node = graph_->node(id);
      groups.Add(node.op_name(), walk_->bad_nodes().at(id).problem, node.name(), "");
    }
    for (const std::vector<std::string>& lines :
         {walk_->functions(), groups.Lines(), walk_->in_functions().Lines()}) {
      found_.problems.insert(found_.problems.end(), lines.begin(), lines.end());
    }
    if (!steps_.empty()) NoteOthers();
    found_.restored = walk_->restored();
    return std::move(found_);
  }

 private:
  // A step and what it reaches that has no kernel.
  struct Prepared {
    const ModelStep* step;
    std::vector<NodeId> bad;
    bool names_are_wrong;
  };

  void AddProblem(const ModelStep& step, const Status& status) {
    found_.problems.push_back(ShownMessage(absl::StrCat(step.what, ": ", status.message())));
  }

  // Nodes count as bad where the step does not compile because of them, or fails when it runs.
  void Compile(bool in_functions) {
    const auto session = Session::Create(options_, graph_);
    if (!session.ok()) {
      for (const Prepared& p : steps_) condemned_.insert(p.bad.begin(), p.bad.end());
      if (!condemned_.empty() || in_functions) return;
      found_.problems.push_back(absl::StrCat(
          session.status().message(),
          AsksForJobs(*graph_) ? " The model was saved on a cluster: --clear_devices forgets the "
                                 "devices that it asks for."
                               : ""));
      return;
    }
    for (const Prepared& p : steps_) {
      Status compiled;
      if (!p.names_are_wrong) {
        compiled = (*session)->Prepare(p.step->feeds, p.step->fetches, p.step->targets);
      }
      for (NodeId id : p.bad) {
        if (!compiled.ok() || walk_->bad_nodes().at(id).at_run) condemned_.insert(id);
      }
      if (!compiled.ok() && p.bad.empty() && !in_functions) AddProblem(*p.step, compiled);
    }
  }

  // Notes what is wrong in the rest of the graph, which the steps do not reach.
  void NoteOthers() {
    NodeGroups others;
    for (const Node& node : graph_->nodes()) {
      if (walk_->has_seen(node.id())) continue;
      NodeProblem problem = check_->Against(node, /*will_run=*/false);
      if (problem.none()) problem = NodeCheck::AtRun(node);
      if (!problem.none()) others.Add(node.op_name(), problem, node.name(), "");
    }
    if (others.empty()) return;
    found_.notes.push_back(absl::StrCat(
        "nodes that cannot run here, and that nothing of this needs: ", others.Counts()));
  }

  const std::shared_ptr<Graph> graph_;
  const SessionOptions& options_;
  std::unique_ptr<NodeCheck> check_;
  std::optional<StepWalk> walk_;
  std::vector<Prepared> steps_;
  std::set<NodeId> condemned_;
  ModelFindings found_;
};

ModelFindings Problem(const Status& status) {
  ModelFindings found;
  found.problems.emplace_back(status.message());
  return found;
}

// Tensors that the graph restores and the checkpoint does not have, or not so.
void AppendRestoredProblems(const std::string& prefix, const BundleReader& reader,
                            const std::map<std::string, DType>& restored,
                            std::vector<std::string>* problems) {
  std::vector<std::string> missing, others;
  for (const auto& [name, dtype] : restored) {
    const auto entry = reader.Find(name);
    if (!entry.ok()) {
      missing.push_back(absl::StrCat("'", ShownName(name), "'"));
    } else if (entry->dtype != dtype) {
      others.push_back(absl::StrCat("'", ShownName(name), "' (", DTypeName(entry->dtype),
                                    ", the graph restores ", DTypeName(dtype), ")"));
    }
  }
  const auto add = [&](const std::vector<std::string>& names, const char* what) {
    if (names.empty()) return;
    problems->push_back(absl::StrCat("the checkpoint ", prefix, " ", what, ": ", names.size(),
                                     names.size() == 1 ? " tensor, " : " tensors, the first is ",
                                     names[0], ". Give the checkpoint that the graph saved."));
  };
  add(missing, "lacks what the graph restores");
  add(others, "has other dtypes than the graph restores");
}

}  // namespace

ModelFindings CheckSteps(const std::shared_ptr<Graph>& graph, const SessionOptions& options,
                         const std::vector<ModelStep>& steps) {
  StepsCheck check(graph, options);
  if (const Status opened = check.Open(); !opened.ok()) return Problem(opened);
  for (const ModelStep& step : steps) check.AddStep(step);
  return check.Finish();
}

ModelFindings CheckWholeGraph(const std::shared_ptr<Graph>& graph, const SessionOptions& options) {
  StepsCheck check(graph, options);
  if (const Status opened = check.Open(); !opened.ok()) return Problem(opened);
  check.AddWholeGraph();
  return check.Finish();
}

void AppendCheckpointProblems(const std::string& prefix,
                              const std::map<std::string, DType>& restored,
                              std::vector<std::string>* problems) {
  const auto add = [&](const Status& status) {
    problems->push_back(absl::StrCat(status.message(), ": copy the files again"));
  };
  if (const Status files = frontend::CheckCheckpointFiles(prefix); !files.ok()) {
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
    if (error || size >= needed) continue;
    const std::string foreign = ForeignFile(file);
    problems->push_back(foreign.empty()
                            ? absl::StrCat(file, " is cut off: it has ", size, " bytes of ", needed,
                                           ": copy the file again")
                            : absl::StrCat(file, " is ", foreign));
  }
  AppendRestoredProblems(prefix, **reader, restored, problems);
}

}  // namespace cli
}  // namespace warpbeam
