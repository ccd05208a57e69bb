// StepNumbers: the numbers by which steps of several masters meet that have collectives with tasks
// of TensorFlow's. Under each graph key the group leader says where they begin, and each task
// counts on from there alone, by one with each step that has succeeded.
//
//   StepNumbers numbers;
//   WB_ASSIGN_OR_RETURN(int64_t step, numbers.Begin(graph_key, ask_leader, is_cancelled));
//   numbers.End(graph_key, step, status.ok());
//   numbers.Answer(request, &response);                       // on the leader: GetStepSequence
//
// A step that fails leaves its number to the next one. Ownership: none. Thread safety: any thread;
// Begin blocks while another step has the key's number. Errors: the leader's; CANCELLED.
#ifndef WARPBEAM_RUNTIME_DIST_COLLECTIVE_STEP_NUMBERS_H_
#define WARPBEAM_RUNTIME_DIST_COLLECTIVE_STEP_NUMBERS_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>

#include "graph/types/errors.h"

namespace tensorflow {
class GetStepSequenceRequest;
class GetStepSequenceResponse;
}  // namespace tensorflow

namespace warpbeam {

class StepNumbers {
 public:
  // The leader's next number of the key. Null: this task is the leader.
  using AskLeader = std::function<StatusOr<int64_t>()>;
  using IsCancelled = std::function<bool()>;

  StatusOr<int64_t> Begin(int64_t graph_key, const AskLeader& ask, const IsCancelled& is_cancelled);
  void End(int64_t graph_key, int64_t number, bool has_succeeded);
  // All tasks that ask get the same, and count on alone.
  void Answer(const tensorflow::GetStepSequenceRequest& request,
              tensorflow::GetStepSequenceResponse* response);

 private:
  struct Sequence {
    int64_t next = 0;  // 0: not known yet
    bool is_taken = false;
  };
  // With the lock held.
  int64_t NextHere(int64_t graph_key);

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::map<int64_t, Sequence> sequences_;  // by graph key
};

// The key of a step whose RunOptions have none, as TensorFlow makes it of the instance keys of its
// collectives of the first versions: those of a set, in their order.
int64_t DefaultGraphKey(const std::set<int32_t>& instance_keys);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_COLLECTIVE_STEP_NUMBERS_H_
