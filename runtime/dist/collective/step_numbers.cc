#include "runtime/dist/collective/step_numbers.h"

#include <chrono>

#include "proto/worker.pb.h"
#include "runtime/dist/requests/request_id.h"

namespace warpbeam {
namespace {

// Of what only clients that are out of their minds have more.
constexpr size_t kMostSequences = 100000;
// How soon a step that waits for its number sees that it was cancelled.
constexpr std::chrono::milliseconds kLook{50};
// TensorFlow leaves the highest bits free.
constexpr int64_t kNumberBits = (int64_t{1} << 57) - 1;

}  // namespace

int64_t StepNumbers::NextHere(int64_t graph_key) {
  Sequence& sequence = sequences_[graph_key];
  // Somewhere in the middle, so that counting on is no matter of wrapping round soon.
  if (sequence.next == 0) sequence.next = (NewRequestId() & (kNumberBits >> 1)) | 1;
  const int64_t next = sequence.next;
  for (auto at = sequences_.begin();
       sequences_.size() > kMostSequences && at != sequences_.end();) {
    at = at->first == graph_key || at->second.is_taken ? std::next(at) : sequences_.erase(at);
  }
  return next;
}

StatusOr<int64_t> StepNumbers::Begin(int64_t graph_key, const AskLeader& ask,
                                     const IsCancelled& is_cancelled) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (sequences_[graph_key].is_taken) {
    changed_.wait_for(lock, kLook);
    if (is_cancelled()) {
      return Cancelled("the step has ended while another had the number of its collectives");
    }
  }
  sequences_[graph_key].is_taken = true;
  if (ask == nullptr) return NextHere(graph_key);
  if (const int64_t next = sequences_[graph_key].next; next != 0) return next;
  lock.unlock();
  const StatusOr<int64_t> asked = ask();
  lock.lock();
  Sequence& sequence = sequences_[graph_key];
  if (asked.ok()) {
    sequence.next = *asked;
  } else {
    sequence.is_taken = false;
    changed_.notify_all();
  }
  return asked;
}

void StepNumbers::End(int64_t graph_key, int64_t number, bool has_succeeded) {
  std::lock_guard<std::mutex> lock(mutex_);
  Sequence& sequence = sequences_[graph_key];
  sequence.is_taken = false;
  if (has_succeeded && sequence.next == number) sequence.next = (number + 1) & kNumberBits;
  changed_.notify_all();
}

void StepNumbers::Answer(const tensorflow::GetStepSequenceRequest& request,
                         tensorflow::GetStepSequenceResponse* response) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const int64_t graph_key : request.graph_key()) {
    tensorflow::StepSequence* const sequence = response->add_step_sequence();
    sequence->set_graph_key(graph_key);
    sequence->set_next_step_id(NextHere(graph_key));
  }
}

int64_t DefaultGraphKey(const std::set<int32_t>& instance_keys) {
  // TensorFlow's constants, by which all its masters arrive at the same key.
  uint64_t hash = 0x8774aa605c729c72;
  for (const int32_t key : instance_keys) {
    const auto value = static_cast<uint64_t>(int64_t{key});
    hash = value ^ (hash + 0x9e3779b97f4a7800 + (value << 10) + (value >> 4));
  }
  return static_cast<int64_t>(hash);
}

}  // namespace warpbeam
