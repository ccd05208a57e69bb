// Replay: one task of a step on a lane that enqueues, recorded once and from then on played again.
//
// Calling hundreds of kernels for work that is the same in every step costs the host more than
// small kernels cost the device. The first run of a task goes as ever: libraries plan, and it is
// seen how much memory it takes. The second is recorded, in an arena of that size
// (runtime/device/arena.h), and then enqueued.
// Later ones are enqueued in one call where everything is as it was: shapes, values on the host,
// where results of other recorded tasks and variables lie. Inputs from elsewhere are copied to
// where the first ones were put. Where something differs the task runs as ever, and where that goes
// on it is recorded anew, a few times at most. Whether playing pays at all is found out beside this
// (replayed_tasks.h).
//
//   Replay replay(plan, task);                       // of a task with PlanTask::may_replay
//   switch (replay.Prepare(slots, *context, are_last)) {
//     case Replay::Way::kPlay:    status = replay.Play(slots);  break;
//     case Replay::Way::kMeasure: replay.BeginMeasuring(slots);
//                                 …                              // run the items
//                                 replay.EndMeasuring(slots);  break;
//     case Replay::Way::kRecord:  status = replay.BeginRecording(slots);
//                                 …                              // run the items
//                                 status = replay.EndRecording(slots, *context, true);  break;
//     case Replay::Way::kRun:     …                              // run the items
//   }
//
// Ownership: belongs to a step's block; refers to its plan. Thread safety: one thread at a time.
// Errors: those of the stream.
#ifndef WARPBEAM_RUNTIME_STEP_REPLAY_H_
#define WARPBEAM_RUNTIME_STEP_REPLAY_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "runtime/device/arena.h"
#include "runtime/device/recording.h"
#include "runtime/kernel/step_context.h"
#include "runtime/plan/plan.h"
#include "runtime/state/variable_watch.h"

namespace warpbeam {

class Replay {
 public:
  enum class Way { kRun, kMeasure, kRecord, kPlay };

  // `plan` outlives it.
  Replay(const Plan& plan, int32_t task);

  // Whether of a slot that several tasks read only so many items of this one are still to read it.
  using AreLast = absl::FunctionRef<bool(int32_t slot, int32_t items)>;
  // What is to be done this time. For kPlay the variables are held until Play, and readings of them
  // that nobody else waits for are gone from their slots.
  Way Prepare(Slot* slots, const StepContext& context, AreLast are_last);
  // Whether there is a recording that may be played.
  bool is_recorded() const { return recording_ != nullptr; }
  // Enqueues the recording and leaves the task's results in their slots. What the items would have
  // released is the caller's to release.
  Status Play(Slot* slots);

  // What this thread's kernels take of the device's memory meanwhile is what a recording of them
  // will want.
  void BeginMeasuring(const Slot* slots);
  void EndMeasuring(const Slot* slots);

  // From here on this thread's kernels are recorded. Inputs lie where they will always be.
  Status BeginRecording(Slot* slots);
  // Enqueues what was recorded, all of it or what came before a failed item. An error says that
  // nothing of it happens.
  Status EndRecording(const Slot* slots, const StepContext& context, bool ran);

  // Whether a slot is the task's alone, so that nothing is in it after a recording was played.
  bool IsOwn(int32_t slot) const { return is_own_[slot] != 0; }

  // How many tasks this process has played, and how many recordings needed more memory than their
  // tasks had been seen to take.
  static int64_t played();
  static int64_t outgrown();

 private:
  // An input as it was when the task was recorded.
  struct Input {
    int32_t slot;
    bool on_host;
    bool is_copied;  // into `kept`; else it lies at the same address each time
    RefVariable* ref = nullptr;
    Shape shape;
    DType dtype = DType::kInvalid;
    const void* address = nullptr;
    std::string value;  // on the host
    Tensor kept;        // where it was put; of handles and the like, the tensor itself
  };
  // What of several tensors of the same memory holds it: a variable, an input that was put
  // somewhere, another result; else the result itself. Nobody may hold it a second time: who holds
  // it alone knows by that when others have let go.
  struct Result {
    int32_t slot;
    RefVariable* ref = nullptr;
    const Tensor* holder = nullptr;  // null: `made`
    int32_t variable = -1;           // or the value of that one of `variables_`
    bool is_fixed = false;           // a constant, or on the host: nothing writes to it again
    Tensor made;                     // without a holder
    Shape shape;
    DType dtype = DType::kInvalid;
    void* address = nullptr;
  };

  // A reading of one of `variables_` that was in a slot.
  struct Reading {
    int32_t slot;
    size_t variable;
    DType dtype;
    Shape shape;
    void* address;
  };

  void FindBorders();
  void FindResults();
  void FindInputs();
  void FindWhatIsLetGo();
  void Keep(const Slot& slot, Result* result);
  Tensor Made(const Result& result) const;
  bool LookAtInput(const Slot& slot, Input* input) const;
  bool Matches(const Slot* slots, const StepContext& context) const;
  bool HoldVariables(Slot* slots, AreLast are_last);
  void LetGo(const void* memory, size_t variable, Slot* slots, AreLast are_last,
             std::vector<Reading>* gone) const;
  void Forget();

  const Program& program_;
  const PlanTask& task_;
  const Lane& lane_;
  RecordingStream* const recorder_;  // the lane's stream; null where it cannot record
  std::vector<Input> inputs_;
  std::vector<Result> results_;
  std::vector<uint8_t> is_own_;      // by slot
  std::vector<uint8_t> is_on_host_;  // by slot: of the task's results
  std::vector<uint8_t> comes_from_;  // by slot: an Origin
  // Inputs that the items let go of: the slot, and how many items it counts; 0: the last alone.
  std::vector<std::pair<int32_t, int32_t>> let_go_;

  bool never_;      // it cannot be recorded
  int misses_ = 0;  // in a row
  int recordings_ = 0;
  // Of the last run that was measured: what gives its memory, what its inputs were, and the bytes.
  std::shared_ptr<SizingAllocator> sizing_;
  std::vector<Tensor> measured_inputs_;
  std::optional<size_t> arena_bytes_;
  std::shared_ptr<Arena> arena_;
  std::unique_ptr<Recording> recording_;
  std::unique_ptr<VariableWatch> watch_;
  std::unique_ptr<MemoryScope> memory_;
  std::vector<VariableWatch::Seen> variables_;
  std::vector<Tensor> held_;  // their values, between Prepare and Play
  uint64_t generation_ = 0;   // of the resources
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_STEP_REPLAY_H_
