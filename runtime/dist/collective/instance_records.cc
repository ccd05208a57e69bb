#include "runtime/dist/collective/instance_records.h"

#include "runtime/comm/communicator.h"

namespace warpbeam {
namespace {

// Of a group, which only programs that count without end have more of.
constexpr size_t kMostInstances = 100000;

}  // namespace

Status InstanceRecords::CheckLocked(const Key& key, const Terms& terms, Record* record) const {
  WB_RETURN_IF_ERROR(record->failed);
  const Terms& first = record->terms;
  if (terms.kind != first.kind || terms.dtype != first.dtype) {
    return Internal(kAbortedBy, "Collective instance ", key.second, " expected type ", first.kind,
                    " and data_type ", static_cast<int>(first.dtype), " but got type ", terms.kind,
                    " and data_type ", static_cast<int>(terms.dtype), " of ", terms.device);
  }
  if (terms.shape != first.shape) {
    return InvalidArgument(kAbortedBy, "Shape mismatch in the collective instance ", key.second,
                           ". Op at device ", terms.device, " expected shape ",
                           terms.shape.ToString(), " but another member in the group, at ",
                           first.device, ", expected shape ", first.shape.ToString(),
                           " (group_key=", group_, ")");
  }
  if (terms.kind != kBroadcast) return OkStatus();
  if (terms.is_source && record->source >= 0 && record->source != terms.rank) {
    return Internal(kAbortedBy, "Instance ", key.second, " already has source ", record->source,
                    ", received second claim from ", terms.rank);
  }
  if (terms.is_source) record->source = terms.rank;
  record->known.insert(terms.rank);
  if (static_cast<int>(record->known.size()) < size_ || record->source >= 0) return OkStatus();
  return Internal(kAbortedBy, "Instance ", key.second,
                  " found no source for broadcast.  This could mean that there were group_size=",
                  size_, " BcastRecvs but no BcastSend.");
}

void InstanceRecords::Complete(const Key& key, Terms terms, Done done) {
  std::vector<std::pair<int, Done>> answered;
  Status status;
  int source = -1;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (records_.size() >= kMostInstances && records_.count(key) == 0) {
      status = ResourceExhausted("the group ", group_, " has ", kMostInstances,
                                 " collectives and takes no more");
    } else {
      Record& record = records_[key];
      if (record.terms.device.empty()) record.terms = terms;
      status = CheckLocked(key, terms, &record);
      if (record.failed.ok()) record.failed = status;
      const bool waits =
          status.ok() && terms.kind == kBroadcast && static_cast<int>(record.known.size()) < size_;
      record.waiting.emplace_back(terms.rank, std::move(done));
      if (waits) return;
      answered.swap(record.waiting);
      for (const auto& [rank, answer] : answered) record.answered.insert(rank);
      source = record.source;
      if (!status.ok() && static_cast<int>(record.answered.size()) == size_) records_.erase(key);
    }
  }
  if (answered.empty()) return done(status, source);
  for (const auto& [rank, answer] : answered) answer(status, source);
}

void InstanceRecords::End(const Status& why) {
  std::map<Key, Record> all;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    all.swap(records_);
  }
  for (const auto& [key, record] : all) {
    for (const auto& [rank, answer] : record.waiting) answer(why, -1);
  }
}

}  // namespace warpbeam
