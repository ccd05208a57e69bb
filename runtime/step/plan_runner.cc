#include "runtime/step/plan_runner.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_join.h"
#include "runtime/lower/flush_denormals.h"
#include "runtime/memory/pooled_allocator.h"
#include "runtime/step/feed_check.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace warpbeam {
namespace {

using Clock = std::chrono::steady_clock;

// How often the caller looks before it sleeps: some 50 µs, about what a wake-up costs.
constexpr int kSpins = 1500;

void Pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

}  // namespace

// Shared between a waiting caller and the thread that ends the step.
struct PlanRunner::Waiter {
  std::atomic<bool> done{false};
  std::mutex mutex;
  std::condition_variable finished;
  std::unique_ptr<Step> abandoned;  // the step, once its caller has gone
  // What the end of the step needs, should its caller have gone by then.
  PlanRunner* runner = nullptr;
  std::shared_ptr<StepContext> context;
  std::shared_ptr<Waiter> self;
  std::optional<Takings::Scope> takings;  // of a step with a deadline

  // What the caller goes with; the step's context may go then, too.
  Status End(Status status) {
    takings.reset();
    return status;
  }

  void Wait() {
    for (int i = 0; i < kSpins && !done.load(std::memory_order_acquire); ++i) Pause();
    std::unique_lock<std::mutex> lock(mutex);
    finished.wait(lock, [&] { return done.load(std::memory_order_acquire); });
  }
  bool WaitUntil(Clock::time_point end) {
    std::unique_lock<std::mutex> lock(mutex);
    return finished.wait_until(lock, end, [&] { return done.load(std::memory_order_acquire); });
  }
};

PlanRunner::PlanRunner(std::unique_ptr<Plan> plan)
    : plan_(std::move(plan)),
      has_streams_(std::any_of(
          plan_->program.items.begin(), plan_->program.items.end(),
          [&](const PlanItem& item) { return plan_->program.lanes[item.lane].pool == nullptr; })) {}
PlanRunner::~PlanRunner() { Drain(-1); }

bool PlanRunner::Drain(int64_t timeout_ms) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto is_idle = [&] { return running_.empty(); };
  if (timeout_ms >= 0) {
    return idle_.wait_for(lock, std::chrono::milliseconds(timeout_ms), is_idle);
  }
  idle_.wait(lock, is_idle);
  return true;
}

Status PlanRunner::CheckFeeds(Span<const Tensor> feeds) const {
  if (feeds.size() != plan_->program.feeds.size()) {
    return InvalidArgument("expected ", plan_->program.feeds.size(), " feeds, got ", feeds.size());
  }
  for (size_t i = 0; i < feeds.size(); ++i) {
    const PlanFeed& f = plan_->program.feeds[i];
    WB_RETURN_IF_ERROR(CheckFeed(f.name, f.dtype, feeds[i]));
  }
  return OkStatus();
}

Status PlanRunner::CheckTasks() const {
  if (plan_->program.frames == nullptr) return OkStatus();
  return Unimplemented(
      "the order of a step with loops of Enter and Exit is neither recorded nor replayed: it has "
      "no "
      "tasks");
}

bool PlanRunner::IsSerial(Span<const Tensor> feeds) const {
  if (plan_->program.is_serial || plan_->program.items.empty()) return true;
  if (plan_->program.serial_below == 0) return false;
  int64_t elements = 0;
  for (const Tensor& feed : feeds) elements += feed.num_elements();
  return elements < plan_->program.serial_below;
}

std::unique_ptr<Step> PlanRunner::TakeStep(const StepContext* context) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!steps_.empty()) {
      std::unique_ptr<Step> step = std::move(steps_.back());
      steps_.pop_back();
      running_.emplace_back(step.get(), context);
      return step;
    }
  }
  std::unique_ptr<Step> step = NewStep(*plan_);
  std::lock_guard<std::mutex> lock(mutex_);
  running_.emplace_back(step.get(), context);
  return step;
}

void PlanRunner::GiveBack(std::unique_ptr<Step> step) {
  step->Clear();
  std::lock_guard<std::mutex> lock(mutex_);
  const auto it = std::find_if(running_.begin(), running_.end(),
                               [&](const auto& entry) { return entry.first == step.get(); });
  running_.erase(it);
  steps_.push_back(std::move(step));
  if (running_.empty()) idle_.notify_all();
}

Status PlanRunner::RunInCaller(Step* step, const Step::Request& request) {
  const FlushDenormals flush;
  const WorkerPool::Owner owner(request.context);
  if (request.order == nullptr && IsSerial(request.feeds)) {
    step->Begin(request, nullptr);
    step->RunSerial();
    return step->status();
  }
  Waiter waiter;
  WorkerPool* home = plan_->program.lanes[plan_->program.home_lane].pool;
  step->Begin(request, [&waiter, home] {
    std::lock_guard<std::mutex> lock(waiter.mutex);
    waiter.done.store(true, std::memory_order_seq_cst);
    waiter.finished.notify_one();
    if (home != nullptr) home->WakeHelper(&waiter.done);
  });
  WorkerPool::Participant self(home);
  step->RunFrom(step->Launch(/*keep_one=*/home != nullptr));
  self.HelpUntil(waiter.done);
  waiter.Wait();
  return step->status();
}

Status PlanRunner::RunOnWorkers(std::unique_ptr<Step>* step, const Step::Request& request,
                                std::shared_ptr<StepContext> context, int64_t timeout_ms,
                                Clock::time_point deadline, std::shared_ptr<Takings> takings) {
  const auto waiter = std::allocate_shared<Waiter>(PooledAllocator<Waiter>());
  waiter->runner = this;
  waiter->context = context;
  waiter->self = waiter;
  if (takings != nullptr) waiter->takings.emplace(context.get(), std::move(takings));
  // One pointer fits into a std::function without an allocation.
  (*step)->Begin(request, [at = waiter.get()] {
    const std::shared_ptr<Waiter> waiter = std::move(at->self);
    std::unique_ptr<Step> abandoned;
    {
      std::lock_guard<std::mutex> lock(waiter->mutex);
      waiter->done.store(true, std::memory_order_release);
      waiter->finished.notify_one();
      abandoned = std::move(waiter->abandoned);
    }
    if (abandoned == nullptr) return;
    waiter->takings.reset();
    waiter->runner->GiveBack(std::move(abandoned));
  });
  (*step)->Launch(/*keep_one=*/false);
  bool in_time = true;
  if (timeout_ms > 0) {
    in_time = waiter->WaitUntil(deadline);
  } else {
    waiter->Wait();
  }
  if (in_time) return waiter->End((*step)->status());
  const std::vector<std::string> running = (*step)->Running();
  const Status late = DeadlineExceeded(
      "the step did not end within ", timeout_ms, " ms; running: ",
      running.empty() ? "nothing, all threads are busy" : absl::StrJoin(running, "; "));
  context->Cancel(late);
  if (waiter->WaitUntil(Clock::now() + std::chrono::milliseconds(kGraceMs))) {
    return waiter->End(late);
  }
  {
    std::lock_guard<std::mutex> lock(waiter->mutex);
    if (waiter->done.load(std::memory_order_acquire)) return waiter->End(late);
    waiter->abandoned = std::move(*step);
  }
  ReplaceWorkers(context.get());
  return DeadlineExceeded(late.message(), "; left behind, since it did not end when cancelled: ",
                          absl::StrJoin(Running(context.get()), "; "));
}

Status PlanRunner::Run(std::shared_ptr<StepContext> context, Span<const Tensor> feeds,
                       int64_t timeout_ms, std::vector<Tensor>* fetched, StepReport* report) {
  WB_RETURN_IF_ERROR(CheckFeeds(feeds));
  std::shared_ptr<const TaskOrder> order;
  if (report != nullptr && (report->schedule != nullptr || report->replay != nullptr)) {
    WB_RETURN_IF_ERROR(CheckTasks());
    if (report->replay != nullptr) {
      WB_ASSIGN_OR_RETURN(TaskOrder replayed, TaskOrder::Of(*report->replay, *plan_));
      order = std::make_shared<const TaskOrder>(std::move(replayed));
    }
  }
  std::unique_ptr<Step> step = TakeStep(context.get());
  Step::Request request;
  request.context = context.get();
  request.feeds = feeds;
  request.trace = report == nullptr ? TraceLevel::kNone : report->trace;
  request.track = timeout_ms > 0;
  request.note_tasks = report != nullptr && report->schedule != nullptr;
  request.order = std::move(order);
  Clock::time_point deadline;
  if (report != nullptr && report->deadline.has_value()) {
    deadline = *report->deadline;
  } else if (timeout_ms > 0) {
    deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  }
  const auto takings =
      timeout_ms > 0 ? std::allocate_shared<Takings>(PooledAllocator<Takings>()) : nullptr;
  Status status = plan_->program.bounded && timeout_ms <= 0
                      ? RunInCaller(step.get(), request)
                      : RunOnWorkers(&step, request, context, timeout_ms, deadline, takings);
  // Also when others have ended it: whoever waits for a step with a deadline asks again.
  const bool was_ended = IsDeadlineExceeded(status) || IsCancelled(status);
  if (takings != nullptr && was_ended) takings->GiveBack();
  if (step == nullptr) return status;
  if (report != nullptr) {
    report->takings = takings;
    report->items_run = step->items_run();
    report->bytes_copied = step->bytes_copied();
    if (report->trace != TraceLevel::kNone) step->TakeStats(report->stats);
    if (report->schedule != nullptr) *report->schedule = ScheduleOf(*plan_, step->TasksBegun());
  }
  if (status.ok() && fetched != nullptr) status = step->TakeFetches(fetched);
  GiveBack(std::move(step));
  return status;
}

// The block is given back before `done` runs: it may call the plan again.
void PlanRunner::EndCall(std::unique_ptr<Step> step, const Done& done) {
  Status status = step->status();
  std::vector<Tensor> results;
  if (status.ok()) status = step->TakeFetches(&results);
  GiveBack(std::move(step));
  done(std::move(status), std::move(results));
}

void PlanRunner::RunAsync(StepContext* context, Span<const Tensor> feeds, Done done) {
  if (Status s = CheckFeeds(feeds); !s.ok()) return done(s, {});
  const FlushDenormals flush;
  const WorkerPool::Guest guest(
      plan_->program.one_thread ? plan_->program.lanes[plan_->program.home_lane].pool : nullptr);
  std::unique_ptr<Step> owned = TakeStep(context);
  Step::Request request;
  request.context = context;
  request.feeds = feeds;
  if (IsSerial(feeds)) {
    owned->Begin(request, nullptr);
    owned->RunSerial();
    return EndCall(std::move(owned), done);
  }
  Step* step = owned.release();  // `finish` owns it from here on
  const auto finish = [this, step, done = std::move(done)] {
    EndCall(std::unique_ptr<Step>(step), done);
  };
  if (!has_streams_) {
    step->Begin(request, finish);
  } else {
    step->Begin(request, [this, finish] {
      // The first lane is a CPU's.
      plan_->program.lanes[0].Schedule({[](void* call, int64_t) {
                                          std::unique_ptr<std::function<void()>> owned(
                                              static_cast<std::function<void()>*>(call));
                                          (*owned)();
                                        },
                                        new std::function<void()>(finish), 0});
    });
  }
  step->RunFrom(step->Launch(/*keep_one=*/true));
}

void PlanRunner::Start(std::shared_ptr<StepContext> context, std::function<void(Status)> done) {
  Step* step = TakeStep(context.get()).release();  // the callback owns it from here on
  Step::Request request;
  request.context = context.get();
  request.track = true;
  const auto finish = [this, step, context, done = std::move(done)] {
    Status status = step->status();
    GiveBack(std::unique_ptr<Step>(step));
    done(std::move(status));
  };
  step->Begin(request, finish);
  step->Launch(/*keep_one=*/false);
}

void PlanRunner::ReplaceWorkers(const StepContext* context) {
  for (const Lane& lane : plan_->program.lanes) {
    if (lane.pool != nullptr) lane.pool->ReplaceStuck(context);
  }
}

std::vector<std::string> PlanRunner::Running(const StepContext* context) const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [step, of] : running_) {
    if (context != nullptr && of != context) continue;
    std::vector<std::string> more = step->Running();
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

}  // namespace warpbeam
