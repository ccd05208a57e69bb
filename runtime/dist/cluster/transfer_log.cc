#include "runtime/dist/cluster/transfer_log.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "proto/step_stats.pb.h"
#include "runtime/dist/cluster/rendezvous_key.h"

namespace warpbeam {
namespace {

int64_t NowMicros() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The text of the bar in a timeline, in TensorFlow's form.
std::string Label(const RendezvousKey& key, int64_t bytes, int64_t micros) {
  const std::string size = bytes >= 104858 ? absl::StrFormat("[%.1fMB] ", bytes / 1048576.0)
                                           : absl::StrCat("[", bytes, "B] ");
  const double megabits = 8.0 * static_cast<double>(bytes) / static_cast<double>(micros);
  const std::string rate = megabits >= 1000 ? absl::StrFormat("[%.1fGb/s] ", megabits / 1000)
                                            : absl::StrFormat("[%.1fMb/s] ", megabits);
  return absl::StrCat(size, rate, key.tensor, " from ", key.from, " to ", key.to);
}

tensorflow::DeviceStepStats* StatsOf(absl::string_view device, tensorflow::StepStats* stats) {
  for (tensorflow::DeviceStepStats& known : *stats->mutable_dev_stats()) {
    if (known.device() == device) return &known;
  }
  tensorflow::DeviceStepStats* const added = stats->add_dev_stats();
  added->set_device(std::string(device));
  return added;
}

}  // namespace

int64_t TransferLog::Begin() const {
  return is_on_.load(std::memory_order_relaxed) ? NowMicros() : 0;
}

void TransferLog::Record(int64_t step_id, absl::string_view key, int64_t begin_micros,
                         int64_t bytes) {
  Transfer transfer;
  transfer.key = std::string(key);
  transfer.begin_micros = begin_micros;
  transfer.end_micros = NowMicros();
  transfer.bytes = bytes;
  std::lock_guard<std::mutex> lock(mutex_);
  if (num_transfers_ >= kMostTransfers ||
      (steps_.size() >= kMostSteps && steps_.count(step_id) == 0)) {
    steps_.clear();
    num_transfers_ = 0;
  }
  steps_[step_id].push_back(std::move(transfer));
  ++num_transfers_;
}

void TransferLog::Take(int64_t step_id, tensorflow::StepStats* stats) {
  std::vector<Transfer> transfers;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = steps_.find(step_id);
    if (found == steps_.end()) return;
    transfers = std::move(found->second);
    num_transfers_ -= transfers.size();
    steps_.erase(found);
  }
  for (const Transfer& transfer : transfers) {
    const RendezvousKey key = RendezvousKey::Parse(transfer.key);
    const int64_t micros = std::max<int64_t>(1, transfer.end_micros - transfer.begin_micros);
    tensorflow::NodeExecStats* const node = StatsOf(key.to, stats)->add_node_stats();
    node->set_node_name("RecvTensor");
    node->set_timeline_label(Label(key, transfer.bytes, micros));
    node->set_all_start_micros(transfer.begin_micros);
    node->set_op_end_rel_micros(micros);
    node->set_all_end_rel_micros(micros);
    node->add_output()
        ->mutable_tensor_description()
        ->mutable_allocation_description()
        ->set_requested_bytes(transfer.bytes);
  }
}

void TransferLog::Clear() {
  std::lock_guard<std::mutex> lock(mutex_);
  steps_.clear();
  num_transfers_ = 0;
}

}  // namespace warpbeam
