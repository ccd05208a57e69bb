#include "runtime/session/partial_run.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_join.h"
#include "runtime/step/feed_check.h"

namespace warpbeam {
namespace {

std::string NameOf(const Graph& graph, OutputRef output) {
  return absl::StrCat(graph.node(output.node).name(), ":", output.index);
}

// The feeds that `fetch` is computed from, as indices into `feeds`.
std::vector<int> FeedsBefore(const Graph& graph, OutputRef fetch,
                             const std::vector<OutputRef>& feeds) {
  std::vector<int> found;
  absl::flat_hash_set<OutputRef> seen_outputs;
  std::vector<bool> seen_nodes(graph.num_nodes(), false);
  std::vector<NodeId> to_visit;
  const auto visit_node = [&](NodeId node) {
    if (seen_nodes[node]) return;
    seen_nodes[node] = true;
    to_visit.push_back(node);
  };
  const auto visit = [&](OutputRef output) {
    if (!seen_outputs.insert(output).second) return;
    const auto fed = std::find(feeds.begin(), feeds.end(), output);
    if (fed != feeds.end()) {
      found.push_back(static_cast<int>(fed - feeds.begin()));
    } else {
      visit_node(output.node);
    }
  };
  visit(fetch);
  while (!to_visit.empty()) {
    const Node& node = graph.node(to_visit.back());
    to_visit.pop_back();
    for (OutputRef input : node.inputs()) visit(input);
    for (NodeId control : node.control_inputs()) visit_node(control);
  }
  return found;
}

}  // namespace

PartialRun::PartialRun(const Graph& graph, std::vector<OutputRef> feeds,
                       std::vector<OutputRef> fetches, std::shared_ptr<StepRunner> runner,
                       std::shared_ptr<PartialStep> step)
    : runner_(std::move(runner)), step_(std::move(step)) {
  for (OutputRef feed : feeds) {
    const Node& node = graph.node(feed.node);
    const DType dtype = BaseType(node.output_type(feed.index));
    feeds_.push_back({feed, NameOf(graph, feed), dtype, false, {}});
  }
  for (OutputRef fetch : fetches) {
    fetches_.push_back(
        {fetch, NameOf(graph, fetch), DType::kInvalid, false, FeedsBefore(graph, fetch, feeds)});
  }
}

void PartialRun::Start() {
  runner_->Start(step_, [step = step_](Status s) { step->End(std::move(s)); });
}

int PartialRun::Find(const std::vector<Border>& borders, OutputRef output) {
  for (size_t i = 0; i < borders.size(); ++i) {
    if (borders[i].output == output) return static_cast<int>(i);
  }
  return -1;
}

Status PartialRun::CheckFeed(OutputRef feed, absl::string_view name) const {
  if (Find(feeds_, feed) >= 0) return OkStatus();
  return InvalidArgument("The feed ", name, " was not specified in partial_run_setup.");
}

Status PartialRun::CheckFetch(OutputRef fetch, absl::string_view name) const {
  if (Find(fetches_, fetch) >= 0) return OkStatus();
  return InvalidArgument("The fetch ", name, " was not specified in partial_run_setup.");
}

Status PartialRun::Take(const std::vector<OutputRef>& feeds, const std::vector<Tensor>& values,
                        const std::vector<OutputRef>& fetches) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<bool> fed;
  for (const Border& feed : feeds_) fed.push_back(feed.given);
  for (size_t i = 0; i < feeds.size(); ++i) {
    const int at = Find(feeds_, feeds[i]);
    if (fed[at]) return InvalidArgument("The feed ", feeds_[at].name, " has already been fed.");
    WB_RETURN_IF_ERROR(warpbeam::CheckFeed(feeds_[at].name, feeds_[at].dtype, values[i]));
    fed[at] = true;
  }
  std::vector<bool> asked(fetches_.size(), false);
  for (size_t i = 0; i < fetches.size(); ++i) {
    const int at = Find(fetches_, fetches[i]);
    const Border& fetch = fetches_[at];
    if (fetch.given || asked[at]) {
      return InvalidArgument("The fetch ", fetch.name, " has already been fetched.");
    }
    asked[at] = true;
    for (int needed : fetch.needs) {
      if (fed[needed]) continue;
      return InvalidArgument("Fetch ", fetch.name,
                             " can't be computed from the feeds that have been fed so far: ",
                             feeds_[needed].name, " is missing");
    }
  }
  for (size_t i = 0; i < feeds_.size(); ++i) feeds_[i].given = fed[i];
  for (size_t i = 0; i < fetches_.size(); ++i) fetches_[i].given = fetches_[i].given || asked[i];
  return OkStatus();
}

Status PartialRun::Late(const Status& status) const {
  const std::vector<std::string> running = runner_->RunningOf(step_.get());
  return DeadlineExceeded(status.message(), "; running: ", absl::StrJoin(running, "; "));
}

Status PartialRun::Exchange(const std::vector<OutputRef>& feeds, const std::vector<Tensor>& values,
                            const std::vector<OutputRef>& fetches, int64_t timeout_ms,
                            std::vector<Tensor>* fetched) {
  for (size_t i = 0; i < feeds.size(); ++i) step_->Feed(Find(feeds_, feeds[i]), values[i]);
  std::vector<Tensor> results(fetches.size());
  for (size_t i = 0; i < fetches.size(); ++i) {
    const Status s = step_->Fetch(Find(fetches_, fetches[i]), timeout_ms, &results[i]);
    if (IsDeadlineExceeded(s) && !step_->IsCancelled()) return Late(s);
    if (!s.ok()) return s;
  }
  if (IsComplete()) WB_RETURN_IF_ERROR(step_->WaitForEnd(timeout_ms));
  if (fetched != nullptr) *fetched = std::move(results);
  return OkStatus();
}

bool PartialRun::IsComplete() const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto is_given = [](const Border& border) { return border.given; };
  return std::all_of(feeds_.begin(), feeds_.end(), is_given) &&
         std::all_of(fetches_.begin(), fetches_.end(), is_given);
}

void PartialRun::End(const Status& why) {
  step_->Cancel(why);
  if (IsDeadlineExceeded(step_->WaitForEnd(PlanRunner::kGraceMs))) {
    runner_->ReplaceWorkers(step_.get());
  }
}

}  // namespace warpbeam
