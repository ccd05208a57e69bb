// ParallelMapDataset and V2, ParallelFilterDataset.
#include "ops/data/transform/parallel_map_dataset.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "ops/data/call_tuner.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

constexpr int64_t kMostThreads = 64;
constexpr size_t kLongestRun = 64;
// What a run should take: some hundred times the price of waking a thread, which takes the place of
// one that works.
constexpr int64_t kRunNs = 2'000'000;

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

class ParallelMapDataset::Iterator final : public DatasetIterator {
 public:
  Iterator(const ParallelMapDataset& dataset, PipelineContext& pipeline)
      : dataset_(dataset),
        part_(pipeline),
        tuner_(dataset.options_.threads),
        hook_(part_.cancellation(), [this] {
          std::lock_guard<std::mutex> lock(mutex_);
          ready_.notify_all();
          room_.notify_all();
        }) {}

  ~Iterator() override {
    part_.Cancel();
    for (std::thread& t : threads_) t.join();
  }

  Status Init() {
    WB_ASSIGN_OR_RETURN(input_, dataset_.input().MakeIterator(part_));
    // So that a function that cannot be compiled is an error of the iterator, not of an element.
    return CapturedCall::Create(dataset_.function(), part_).status();
  }

  Status GetNext(Element* element, bool* end) override;

 private:
  struct Result {
    Status status;
    bool is_calls = false;  // the status is the function's
    bool is_left_out = false;
    Element element;
  };
  // Results [next, size) are still to be given out.
  struct Run {
    std::vector<Result> results;
    size_t next = 0;
    bool is_done = false;
  };

  Run* ReadyRun();
  Status GiveOut(Run* run, Element* element, bool* end, bool* is_left_out);
  // Somebody is going to wait.
  Status AddCalls();
  Status StartThread();
  void Work(CapturedCall& call, int64_t index);
  // Calls at a time, and runs that may be on their way.
  int64_t calls() const {
    return dataset_.options_.is_tuned ? tuner_.calls() : dataset_.options_.threads;
  }
  size_t most_runs() const { return static_cast<size_t>(calls()) + 1; }
  // Threads that rest would take the place of one that works.
  void WakeThread() { dataset_.options_.is_tuned ? room_.notify_all() : room_.notify_one(); }
  bool Pull(Run* run, size_t length);
  void Call(CapturedCall& call, Run* run);

  const ParallelMapDataset& dataset_;
  PipelineContext part_;
  std::unique_ptr<DatasetIterator> input_;  // belongs to whoever set is_pulling_

  std::mutex mutex_;
  std::condition_variable ready_;  // for GetNext
  std::condition_variable room_;   // for threads
  std::deque<std::unique_ptr<Run>> runs_;
  size_t run_length_ = 1;
  bool is_pulling_ = false;
  bool input_has_ended_ = false;
  bool has_ended_ = false;
  CallTuner tuner_;
  int64_t num_busy_ = 0;  // threads
  std::vector<std::unique_ptr<CapturedCall>> calls_;
  std::vector<std::thread> threads_;
  CancellationHook hook_;
};

ParallelMapDataset::Iterator::Run* ParallelMapDataset::Iterator::ReadyRun() {
  if (dataset_.options_.in_order) {
    return !runs_.empty() && runs_.front()->is_done ? runs_.front().get() : nullptr;
  }
  for (const auto& run : runs_) {
    if (run->is_done) return run.get();
  }
  return nullptr;
}

Status ParallelMapDataset::Iterator::GetNext(Element* element, bool* end) {
  std::unique_lock<std::mutex> lock(mutex_);
  bool has_waited = false;
  for (;;) {
    if (part_.IsCancelled()) return part_.cancel_reason();
    *end = has_ended_ || (input_has_ended_ && runs_.empty());
    if (*end) return OkStatus();
    if (Run* run = ReadyRun(); run != nullptr) {
      if (!has_waited) tuner_.Takes();
      bool is_left_out = false;
      const Status status = GiveOut(run, element, end, &is_left_out);
      if (is_left_out) continue;
      return status;
    }
    WB_RETURN_IF_ERROR(AddCalls());
    has_waited = true;
    ready_.wait(lock, [this] {
      return ReadyRun() != nullptr || (input_has_ended_ && runs_.empty()) || part_.IsCancelled();
    });
  }
}

// A run is not touched by its thread any more once it is done.
Status ParallelMapDataset::Iterator::GiveOut(Run* run, Element* element, bool* end,
                                             bool* is_left_out) {
  Result result = std::move(run->results[run->next++]);
  if (run->next == run->results.size()) {
    runs_.erase(
        std::find_if(runs_.begin(), runs_.end(), [run](const auto& r) { return r.get() == run; }));
    WakeThread();
  }
  if (result.is_calls && IsOutOfRange(result.status)) {
    if (dataset_.options_.preserve_cardinality) {
      return InvalidArgument("the function of a map that preserves cardinality gave OUT_OF_RANGE: ",
                             result.status.message());
    }
    *end = has_ended_ = true;
    return OkStatus();
  }
  *is_left_out = result.is_left_out;
  element->swap(result.element);
  return std::move(result.status);
}

Status ParallelMapDataset::Iterator::AddCalls() {
  if (input_has_ended_) return OkStatus();
  const int64_t started = static_cast<int64_t>(threads_.size());
  if (dataset_.options_.is_tuned) tuner_.Waits(std::min(started, calls()) - num_busy_);
  if (runs_.size() >= most_runs()) return OkStatus();
  if (started < calls()) return StartThread();
  if (dataset_.options_.is_tuned) WakeThread();  // it may rest
  return OkStatus();
}

Status ParallelMapDataset::Iterator::StartThread() {
  WB_ASSIGN_OR_RETURN(std::unique_ptr<CapturedCall> call,
                      CapturedCall::Create(dataset_.function(), part_));
  const int64_t index = static_cast<int64_t>(threads_.size());
  WB_ASSIGN_OR_RETURN(std::thread thread,
                      NewThread([this, call = call.get(), index] { Work(*call, index); }));
  calls_.push_back(std::move(call));
  threads_.push_back(std::move(thread));
  return OkStatus();
}

void ParallelMapDataset::Iterator::Work(CapturedCall& call, int64_t index) {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    room_.wait(lock, [&] {
      return part_.IsCancelled() || input_has_ended_ ||
             (!is_pulling_ && index < calls() && runs_.size() < most_runs());
    });
    if (part_.IsCancelled() || input_has_ended_) return;
    is_pulling_ = true;
    ++num_busy_;
    runs_.push_back(std::make_unique<Run>());
    Run* run = runs_.back().get();
    const size_t length = run_length_;
    lock.unlock();
    const bool end = Pull(run, length);
    lock.lock();
    is_pulling_ = false;
    if (run->results.empty()) {
      // Only the thread that pulls adds runs, so this is still the last one.
      runs_.pop_back();
      run = nullptr;
    }
    if (end) {
      input_has_ended_ = true;
      room_.notify_all();
      ready_.notify_one();
    } else {
      WakeThread();
    }
    if (run != nullptr) {
      lock.unlock();
      Call(call, run);
      lock.lock();
      run->is_done = true;
    }
    --num_busy_;
    if (ReadyRun() == nullptr && !(input_has_ended_ && runs_.empty())) continue;
    // The reader is not to wake up only to wait for the lock.
    lock.unlock();
    ready_.notify_one();
    lock.lock();
  }
}

// True at the end of the input. A slow input ends the run early.
bool ParallelMapDataset::Iterator::Pull(Run* run, size_t length) {
  const int64_t start = NowNs();
  while (run->results.size() < length) {
    Result result;
    bool end = false;
    result.status = input_->GetNext(&result.element, &end);
    if (result.status.ok() && end) return true;
    if (part_.IsCancelled()) return true;
    run->results.push_back(std::move(result));
    if (length > 1 && NowNs() - start > kRunNs) break;
  }
  return false;
}

void ParallelMapDataset::Iterator::Call(CapturedCall& call, Run* run) {
  const int64_t start = NowNs();
  Element verdict;
  for (Result& result : run->results) {
    if (!result.status.ok()) continue;
    result.is_calls = true;
    Element* const returned = dataset_.options_.filters ? &verdict : &result.element;
    result.status = call.Run(result.element, returned);
    if (!result.status.ok()) continue;
    result.is_calls = false;
    if (dataset_.options_.filters) {
      const StatusOr<bool> holds = PredicateResult(verdict);
      result.status = holds.status();
      result.is_left_out = holds.ok() && !*holds;
    } else {
      result.status = dataset_.spec().CheckElement(result.element);
    }
  }
  const int64_t each = (NowNs() - start) / static_cast<int64_t>(run->results.size()) + 1;
  const size_t fitting = static_cast<size_t>(kRunNs / each);
  std::lock_guard<std::mutex> lock(mutex_);
  run_length_ = std::clamp<size_t>(fitting, 1, std::min(kLongestRun, 2 * run_length_));
}

StatusOr<std::unique_ptr<DatasetIterator>> ParallelMapDataset::MakeIterator(
    PipelineContext& pipeline) const {
  auto iterator = std::make_unique<Iterator>(*this, pipeline);
  WB_RETURN_IF_ERROR(iterator->Init());
  return iterator;
}

Status SetCalls(int64_t num_parallel_calls, ParallelMapOptions* options) {
  options->is_tuned = num_parallel_calls == Dataset::kAutotune;
  if (options->is_tuned) {
    options->threads = std::max<int64_t>(1, std::thread::hardware_concurrency());
    return OkStatus();
  }
  if (num_parallel_calls <= 0) {
    return InvalidArgument("num_parallel_calls must be greater than zero, got ",
                           num_parallel_calls);
  }
  options->threads = std::min(num_parallel_calls, kMostThreads);
  return OkStatus();
}

StatusOr<bool> ReadsInOrder(const KernelInit& init) {
  WB_ASSIGN_OR_RETURN(const std::string deterministic, init.attr<std::string>("deterministic"));
  if (deterministic == "true" || deterministic == "default") return true;
  if (deterministic == "false") return false;
  return InvalidArgument("`deterministic` must be true, false or default, got '", deterministic,
                         "'");
}

namespace {

class ParallelMapDatasetKernel final : public FunctionDatasetKernel {
  Status ReadAttrs(KernelInit& init) override {
    WB_ASSIGN_OR_RETURN(options_.preserve_cardinality, init.attr<bool>("preserve_cardinality"));
    if (init.schema.FindAttr("sloppy") != nullptr) {
      WB_ASSIGN_OR_RETURN(const bool sloppy, init.attr<bool>("sloppy"));
      options_.in_order = !sloppy;
    } else {
      WB_ASSIGN_OR_RETURN(options_.in_order, ReadsInOrder(init));
    }
    return FunctionDatasetKernel::ReadAttrs(init);
  }

  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    const int last = ctx.num_inputs() - 1;
    int64_t calls;
    if (ctx.input(last).dtype() == DType::kInt32) {
      WB_ASSIGN_OR_RETURN(calls, ScalarInput<int32_t>(ctx, last, "num_parallel_calls"));
    } else {
      WB_ASSIGN_OR_RETURN(calls, ScalarInput<int64_t>(ctx, last, "num_parallel_calls"));
    }
    ParallelMapOptions options = options_;
    WB_RETURN_IF_ERROR(SetCalls(calls, &options));
    return std::make_shared<ParallelMapDataset>(spec(), std::move(input), Capture(ctx, 1), options);
  }

  ParallelMapOptions options_;
};

class ParallelFilterDatasetKernel final : public FunctionDatasetKernel {
  Status ReadAttrs(KernelInit& init) override {
    WB_ASSIGN_OR_RETURN(in_order_, ReadsInOrder(init));
    return FunctionDatasetKernel::ReadAttrs(init);
  }
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(const int64_t calls,
                        ScalarInput<int64_t>(ctx, 1 + num_captured(), "num_parallel_calls"));
    ParallelMapOptions options;
    options.filters = true;
    options.in_order = in_order_;
    WB_RETURN_IF_ERROR(SetCalls(calls, &options));
    return std::make_shared<ParallelMapDataset>(spec(), std::move(input), Capture(ctx, 1), options);
  }
  bool in_order_ = true;
};

WB_OP("ParallelMapDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("num_parallel_calls: int32")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("use_inter_op_parallelism: bool = true")
    .Attr("sloppy: bool = false")
    .Attr("preserve_cardinality: bool = false")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("ParallelMapDatasetV2")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("num_parallel_calls: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("use_inter_op_parallelism: bool = true")
    .Attr("deterministic: string = 'default'")
    .Attr("preserve_cardinality: bool = false")
    .Attr("use_unbounded_threadpool: bool = false")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("ParallelFilterDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("num_parallel_calls: int64")
    .Output("handle: variant")
    .Attr("predicate: func")
    .Attr("deterministic: string = 'default'")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_KERNEL("ParallelMapDataset", KernelOf<ParallelMapDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ParallelMapDatasetV2", KernelOf<ParallelMapDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ParallelFilterDataset", KernelOf<ParallelFilterDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
