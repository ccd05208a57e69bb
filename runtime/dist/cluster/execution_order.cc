#include "runtime/dist/cluster/execution_order.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/comm/communicator.h"

namespace warpbeam {
Status ExecutionOrder::Check(const Execution& execution, const Waiting& waiting, int rank,
                             const Terms& terms) const {
  if (rank < 0 || rank >= static_cast<int>(tasks_.size())) {
    return InvalidArgument("a group of ", tasks_.size(), " tasks has none of rank ", rank);
  }
  if (waiting.count(rank) > 0) {
    return Internal(kAbortedBy, tasks_[static_cast<size_t>(rank)],
                    " has joined the collective instance ", execution.instance, " twice");
  }
  if (waiting.empty()) return OkStatus();
  const auto& [first_rank, first] = *waiting.begin();
  if (terms.graph_key != first.terms.graph_key) {
    return InvalidArgument(kAbortedBy, tasks_[static_cast<size_t>(rank)],
                           " joins the collective instance ", execution.instance,
                           " in a step of collective_graph_key ", terms.graph_key, ", ",
                           tasks_[static_cast<size_t>(first_rank)], " in one of ",
                           first.terms.graph_key, kSameGraphKey);
  }
  if (terms.kind != first.terms.kind || terms.dtype != first.terms.dtype) {
    return Internal(kAbortedBy, "Collective instance ", execution.instance, " expected type ",
                    first.terms.kind, " and data_type ", static_cast<int>(first.terms.dtype),
                    " but got type ", terms.kind, " and data_type ", static_cast<int>(terms.dtype),
                    " of ", tasks_[static_cast<size_t>(rank)]);
  }
  if (terms.shape != first.terms.shape) {
    return InvalidArgument(
        kAbortedBy, "Shape mismatch in the collective instance ", execution.instance,
        ". Op at device ", tasks_[static_cast<size_t>(rank)], " expected shape ",
        terms.shape.ToString(), " but another member in the group, of ",
        tasks_[static_cast<size_t>(first_rank)], ", expected shape ", first.terms.shape.ToString(),
        ". This is likely due to different input shapes at different members of the collective "
        "op.");
  }
  return OkStatus();
}

StatusOr<ExecutionOrder::Place> ExecutionOrder::NextPlace(const Execution& execution,
                                                          const Waiting& all) {
  Place place;
  place.on_gpus = true;
  for (const auto& [rank, arrived] : all) {
    place.on_gpus &= arrived.terms.on_gpus;
    if (arrived.terms.kind != kBroadcast || !arrived.terms.has_source) continue;
    if (place.source >= 0) {
      return Internal(kAbortedBy, "Instance ", execution.instance, " already has source ",
                      place.source, ", received second claim from ", rank);
    }
    place.source = rank;
    place.source_member = arrived.terms.source_member;
  }
  if (all.begin()->second.terms.kind == kBroadcast && place.source < 0) {
    return Internal(kAbortedBy, "Instance ", execution.instance,
                    " found no source for broadcast.  This could mean that there were BcastRecvs "
                    "on all of ",
                    all.size(), " tasks but no BcastSend.");
  }
  place.number = ++last_number_;
  return place;
}

void ExecutionOrder::RememberLocked(const Execution& execution, const Status& why) {
  if (!failed_.emplace(execution, why).second) return;
  failed_order_.push_back(execution);
  if (failed_order_.size() <= kRemembered) return;
  failed_.erase(failed_order_.front());
  failed_order_.pop_front();
}

void ExecutionOrder::Arrive(const Execution& execution, int rank, Terms terms, Done done) {
  Waiting served;
  StatusOr<Place> place = Place();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto failed = failed_.find(execution);
    Status status = ended_;
    if (status.ok() && failed != failed_.end()) status = failed->second;
    if (!status.ok()) {
      place = status;
    } else {
      Waiting& waiting = open_[execution];
      status = Check(execution, waiting, rank, terms);
      const bool is_of_group = rank >= 0 && rank < static_cast<int>(tasks_.size());
      if (status.ok()) waiting[rank] = {std::move(terms), done};
      if (status.ok() && waiting.size() < tasks_.size()) return;
      if (status.ok()) {
        place = NextPlace(execution, waiting);
        status = place.status();
      } else {
        place = status;
      }
      if (is_of_group) {
        served.swap(waiting);
        served.erase(rank);  // it is served below
        open_.erase(execution);
        if (!status.ok()) RememberLocked(execution, status);
      } else if (waiting.empty()) {
        open_.erase(execution);
      }
    }
  }
  for (auto& [other, arrived] : served) arrived.done(place);
  done(std::move(place));
}

std::string ExecutionOrder::Missing(const Waiting& waiting) const {
  std::vector<std::string> missing;
  for (size_t rank = 0; rank < tasks_.size(); ++rank) {
    if (waiting.count(static_cast<int>(rank)) == 0) missing.push_back(tasks_[rank]);
  }
  return absl::StrJoin(missing, ", ");
}

void ExecutionOrder::Withdraw(const Execution& execution, const Status& why) {
  Waiting served;
  Status told = why;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    // What is withdrawn may come here sooner than what it takes back.
    RememberLocked(execution, why);
    const auto found = open_.find(execution);
    if (found == open_.end()) return;
    served.swap(found->second);
    open_.erase(found);
    told =
        Status(why.code(), absl::StrCat(why.message(), " (not there yet: ", Missing(served), ")"));
  }
  for (auto& [rank, arrived] : served) arrived.done(told);
}

void ExecutionOrder::End(const Status& why) {
  std::map<Execution, Waiting> all;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (ended_.ok()) ended_ = why;
    all.swap(open_);
  }
  for (auto& [execution, waiting] : all) {
    for (auto& [rank, arrived] : waiting) arrived.done(why);
  }
}

}  // namespace warpbeam
