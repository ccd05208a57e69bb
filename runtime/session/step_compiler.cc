#include "runtime/session/step_compiler.h"

#include <cstdio>
#include <fstream>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "graph/passes/loop_frames.h"
#include "graph/types/nearest_name.h"
#include "graph/types/shown_name.h"
#include "runtime/session/ops_in_use.h"

namespace warpbeam {

namespace {

// What may be meant by a name that no node has.
std::string MeantNode(const Graph& graph, absl::string_view name) {
  NearestName nearest(name);
  for (const Node& node : graph.nodes()) nearest.Offer(node.name());
  return nearest.Question();
}

}  // namespace

StatusOr<OutputRef> ParseOutput(const Graph& graph, const std::string& text, const char* what) {
  const size_t colon = text.rfind(':');
  int index = 0;
  std::string name = text;
  if (colon != std::string::npos) {
    name = text.substr(0, colon);
    if (!absl::SimpleAtoi(text.substr(colon + 1), &index)) {
      return InvalidArgument("the ", what, " '", ShownName(text),
                             "' is not of the form node:output");
    }
  }
  const Node* node = graph.Find(name);
  if (node == nullptr) {
    return InvalidArgument("the ", what, " '", ShownName(text), "' names no node of the graph",
                           MeantNode(graph, name));
  }
  if (index < 0 || index >= node->num_outputs()) {
    return OutOfRange("the ", what, " '", ShownName(text), "' names output ", index, " of '",
                      ShownName(name), "' (", node->op_name(), "), which has ",
                      node->num_outputs());
  }
  return OutputRef{node->id(), index};
}

StepCompiler::StepCompiler(const SessionOptions& options, std::shared_ptr<Graph> graph)
    : options_(options), graph_(std::move(graph)) {}

StatusOr<std::shared_ptr<StepCompiler>> StepCompiler::Create(const SessionOptions& options,
                                                             std::shared_ptr<Graph> graph,
                                                             const NewTarget& new_target) {
  std::shared_ptr<StepCompiler> compiler(new StepCompiler(options, std::move(graph)));
  LocalTask::Dump dump;
  if (!options.dump_directory.empty()) {
    dump = [at = compiler.get()](const std::string& step, const std::string& text) {
      at->DumpStep(step, text);
    };
  }
  const Graph& of_session = *compiler->graph_;
  WB_ASSIGN_OR_RETURN(compiler->target_, new_target(of_session, std::move(dump)));
  StepTarget& target = *compiler->target_;
  compiler->checks_.set_has_other_masters(target.has_other_masters());
  compiler->catalog_ = std::make_unique<CallableCatalog>(target.kernels(), of_session.functions());
  PlacerOptions placing = PlacingOf(options);
  placing.declared = &KernelRegistry::Global();
  compiler->placer_ =
      std::make_unique<Placer>(compiler->catalog_.get(), target.sites().names(), placing);
  WB_ASSIGN_OR_RETURN(compiler->search_, AutoPlacer::Create(options, target, *compiler->catalog_));
  WB_RETURN_IF_ERROR(compiler->PlaceNew());
  return compiler;
}

Status StepCompiler::PlaceNew() {
  const int before = placer_->num_placed();
  const std::vector<const OpSchema*> ops = OpsInUse(*graph_, before);
  for (const OpSchema* op : ops) {
    has_loops_ |= op->role == OpRole::kEnter || op->role == OpRole::kExit;
  }
  if (has_loops_) WB_RETURN_IF_ERROR(CheckLoopFrames(*graph_));
  warm_up_.Begin(ops, graph_->functions());
  WB_RETURN_IF_ERROR(
      placer_->Place(*graph_, search_ == nullptr ? nullptr : search_->AsReconsider()));
  checks_.Add(*graph_, before, ops);
  target_->UpdateLibrary(graph_->functions());
  if (options_.log_device_placement == nullptr) return OkStatus();
  for (int id = before; id < graph_->num_nodes(); ++id) {
    options_.log_device_placement(PlacementLogLine(placer_->Explain(*graph_, id)));
  }
  return OkStatus();
}

Status StepCompiler::Extend(const std::function<Status(Graph&)>& change) {
  std::unique_lock<std::shared_mutex> lock(graph_mutex_);
  const int before = graph_->num_nodes();
  const FunctionLibrary functions = graph_->functions();
  Status status = change(*graph_);
  if (status.ok()) status = PlaceNew();
  if (!status.ok()) {
    graph_->TakeBack(before);
    graph_->functions() = functions;
  }
  return status;
}

std::shared_ptr<const Graph> StepCompiler::Snapshot() {
  std::lock_guard<std::mutex> lock(snapshot_mutex_);
  if (snapshot_ == nullptr || snapshot_->num_nodes() < graph_->num_nodes()) {
    std::shared_ptr<Graph> snapshot = Graph::Overlay(graph_);
    snapshot->SetSites(placer_->sites());
    snapshot_ = std::move(snapshot);
  }
  return snapshot_;
}

StatusOr<std::shared_lock<std::shared_mutex>> StepCompiler::LockPlaced() {
  std::shared_lock<std::shared_mutex> lock(graph_mutex_);
  while (graph_->num_nodes() > placer_->num_placed()) {
    lock.unlock();
    {
      std::unique_lock<std::shared_mutex> alone(graph_mutex_);
      WB_RETURN_IF_ERROR(PlaceNew());
    }
    lock.lock();
  }
  return lock;
}

StatusOr<StepBounds> StepCompiler::Resolve(const std::vector<std::string>& feeds,
                                           const std::vector<std::string>& fetches,
                                           const std::vector<std::string>& targets) {
  WB_ASSIGN_OR_RETURN(const std::shared_lock<std::shared_mutex> lock, LockPlaced());
  StepBounds bounds;
  bounds.graph = Snapshot();
  absl::flat_hash_set<OutputRef> fed;
  for (const std::string& feed : feeds) {
    WB_ASSIGN_OR_RETURN(OutputRef r, ParseOutput(*graph_, feed, "feed"));
    if (!fed.insert(r).second) return InvalidArgument("'", ShownName(feed), "' is fed twice");
    bounds.feeds.push_back(r);
  }
  for (const std::string& fetch : fetches) {
    WB_ASSIGN_OR_RETURN(OutputRef r, ParseOutput(*graph_, fetch, "fetch"));
    if (fed.contains(r)) {
      return InvalidArgument("'", ShownName(fetch),
                             "' is both fed and fetched; leave out one of the two");
    }
    bounds.fetches.push_back(r);
  }
  for (const std::string& target : targets) {
    const Node* node = graph_->Find(target);
    if (node == nullptr) {
      return NotFound("the target '", ShownName(target), "' names no node of the graph",
                      MeantNode(*graph_, target));
    }
    bounds.targets.push_back(node->id());
  }
  if (fetches.empty() && targets.empty()) {
    return InvalidArgument("Must specify at least one target to fetch or execute.");
  }
  return bounds;
}

StatusOr<std::unique_ptr<StepRunner>> StepCompiler::Compile(const StepBounds& bounds,
                                                            const PlanMode& mode) {
  // The snapshot shares the names of the session's graph.
  std::shared_lock<std::shared_mutex> lock(graph_mutex_);
  const Graph& graph = *bounds.graph;
  WB_RETURN_IF_ERROR(checks_.Check(graph, bounds.feeds, bounds.fetches, bounds.targets));
  std::vector<NodeId> in_doubt =
      checks_.DequeuesInDoubt(graph, bounds.feeds, bounds.fetches, bounds.targets);
  if (options_.resources != nullptr && !in_doubt.empty()) {
    std::fprintf(stderr, "warning: %s\n",
                 std::string(checks_.CheckDequeues(*graph_, in_doubt).message()).c_str());
  }
  WB_ASSIGN_OR_RETURN(std::unique_ptr<StepRunner> runner, target_->Compile(bounds, mode));
  runner->set_dequeues_in_doubt(std::move(in_doubt));
  return runner;
}

Status StepCompiler::CheckDequeues(const StepRunner& runner) {
  std::shared_lock<std::shared_mutex> lock(graph_mutex_);
  return checks_.CheckDequeues(*graph_, runner.dequeues_in_doubt());
}

StatusOr<PlacementReport> StepCompiler::Placement() {
  std::unique_lock<std::shared_mutex> lock(graph_mutex_);
  WB_RETURN_IF_ERROR(PlaceNew());
  return placer_->Report(*graph_);
}

void StepCompiler::DumpStep(const std::string& step, const std::string& text) {
  std::ofstream file(
      absl::StrCat(options_.dump_directory, "/", dump_count_.fetch_add(1), "_", step, ".txt"));
  file << text;
}

}  // namespace warpbeam
