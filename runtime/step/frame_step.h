// FrameStep: the step of a plan with loops of Enter, Exit and NextIteration.
//
// Items become ready one by one, when the last of their inputs has arrived in an iteration: dead
// values travel along edges, a merge starts with the first live one. A thread works through a queue
// of its own; what is too much for one thread, or belongs to another lane, is scheduled. As long as
// a single thread works on the step it takes no lock; once a second one is called in, the state of
// the loops is guarded by a mutex, until one is left again. Kernels run without it.
//
// Iterations of a loop overlap as far as parallel_iterations allows; then NextIterations wait for
// the oldest to end. A loop ends when all Enters have come and no iteration is alive; Exits that
// were dead in the last one are then dead outside, too. A straight loop (straight_loop.h) waits
// for all its Enters and then runs on one thread, unless the step is traced or its order perturbed.
//
// Thread safety: as Step.
#ifndef WARPBEAM_RUNTIME_STEP_FRAME_STEP_H_
#define WARPBEAM_RUNTIME_STEP_FRAME_STEP_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/comm/transfer_kernel.h"
#include "runtime/step/frame_unit.h"
#include "runtime/step/loop_state.h"
#include "runtime/step/step.h"

namespace warpbeam {

class FrameStep final : public Step {
 public:
  explicit FrameStep(const Plan& plan);
  ~FrameStep() override;

  void Begin(const Request& request, std::function<void()> done) override;
  void RunSerial() override;
  int32_t Launch(bool keep_one) override;
  void RunFrom(int32_t kept) override;
  void Clear() override;

 private:
  struct AsyncRun;

  std::vector<std::string> RunningItems() const override;
  void ListItems(LiveTensors* live) const override;
  static void RunWork(void* step, int64_t unit);
  void RunUnit(FrameUnit* unit);
  void Process(FrameUnit* unit, const FrameWork& work);
  Status RunItem(const FrameWork& work);
  Status MoveValues(const PlanItem& item, const FrameItem& f, Iteration* it);
  void StartAsync(FrameUnit* unit, const FrameWork& work);
  void RunAwaited(AsyncRun* run);
  void AsyncDone(AsyncRun* run, Status status);
  // Of an item that sends or receives, which other tasks know by it.
  LoopPlace PlaceOf(const Iteration& iteration) const;
  // Iterations of a straight loop, until it ends, is handed on or others have waited long enough.
  void RunStraight(FrameUnit* unit, const FrameWork& work);

  // The rest is called by the only thread, or with the mutex held.
  std::unique_lock<std::mutex> LockIfShared();
  void Finish(FrameUnit* unit, const FrameWork& work, bool dead);
  void Activate(FrameUnit* unit, int32_t from, Iteration* to, bool dead);
  void DeliverToMerge(FrameUnit* unit, const FrameEdge& edge, Iteration* to, bool dead,
                      bool from_enter);
  void FinishEnter(FrameUnit* unit, const FrameWork& work, bool dead);
  void FinishExit(FrameUnit* unit, const FrameWork& work, bool dead);
  void FinishNextIteration(FrameUnit* unit, const FrameWork& work, bool dead);
  bool MayRunStraight(int32_t frame) const;
  void BeginStraight(FrameUnit* unit, Loop* loop);
  void FinishStraight(FrameUnit* unit, const FrameWork& work, bool goes_on);
  void StartIteration(FrameUnit* unit, Loop* loop);
  void EndIterations(FrameUnit* unit, Loop* loop);
  // frame_release.cc
  void ReleaseInputs(const PlanItem& item, Iteration* it);
  bool MayStillBeWritten(const PlanItem& item, const Iteration& it, int32_t slot) const;
  void MakeReady(FrameUnit* unit, int32_t item, Iteration* it);
  bool IsCheap(int32_t item, const Iteration* it) const;
  void SpreadWork(FrameUnit* unit);
  FrameUnit* TakeUnit(int32_t lane);
  // Without the mutex.
  void ScheduleOthers(FrameUnit* unit);
  void EndUnit(FrameUnit* unit);

  const FramePlan& frames_;
  LoopState loops_;
  std::vector<int32_t> root_slots_to_clear_;
  std::vector<bool> shares_work_;  // by lane: more than one thread

  std::mutex state_mutex_;
  bool shared_ = false;  // set by the only thread, before it calls in a second one
  int32_t units_ = 0;    // threads at work, scheduled work, asynchronous kernels
  std::vector<FrameUnit*> spare_units_;
  // While work is spread, by lane: the unit that takes what is cheap together.
  std::vector<FrameUnit*> takes_more_;
  FrameUnit* kept_ = nullptr;  // for the caller of Launch

  mutable std::mutex all_units_mutex_;
  std::vector<std::unique_ptr<FrameUnit>> all_units_;
  std::vector<AsyncRun*> async_runs_;  // of tracked steps
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_STEP_FRAME_STEP_H_
