#include "ops/data/element_buffer.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <list>
#include <mutex>
#include <utility>

#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

struct Entry {
  Status status;
  bool end = false;
  Element element;
};

int64_t BytesOf(const Element& element) {
  int64_t bytes = 0;
  for (const Tensor& t : element) bytes += static_cast<int64_t>(t.bytes());
  return bytes;
}

// Someone who asked before there was an element.
struct Request {
  ElementBuffer::Done done;
  StepContext* step = nullptr;
  StepContext::Token token = StepContext::kAlreadyCancelled;
  bool is_open = true;        // not answered yet; guarded by the state's lock
  bool is_cancelled = false;  // its step is
};
using RequestRef = std::shared_ptr<Request>;

}  // namespace

// What the thread and the owner share. It lives as long as the longer of the two.
class ElementBuffer::State : public std::enable_shared_from_this<ElementBuffer::State> {
 public:
  State(DatasetRef dataset, std::unique_ptr<PipelineContext> context,
        std::unique_ptr<DatasetIterator> input, Options options)
      : dataset_(std::move(dataset)),
        context_(std::move(context)),
        input_(std::move(input)),
        options_(options),
        capacity_(options.capacity) {
    hook_ = std::make_unique<CancellationHook>(context_->cancellation(), [this] {
      std::lock_guard<std::mutex> lock(mutex_);
      ready_.notify_all();
      room_.notify_all();
    });
  }

  std::mutex& mutex() { return mutex_; }
  const Dataset& dataset() const { return *dataset_; }
  const Options& options() const { return options_; }
  PipelineContext& context() { return *context_; }

  void Main();
  Status WaitForElement(Element* element, bool* end);
  void Ask(StepContext* step, Done done);
  void Stop();
  // False when the thread has not ended within `ms`.
  bool WaitForThread(int64_t ms);

 private:
  bool HasEntry() const { return !entries_.empty() || has_ended_; }
  // Takes the next entry and lets the thread go on.
  Entry Take();
  bool HasRoom() const {
    return static_cast<int64_t>(entries_.size()) < capacity_ || !requests_.empty() ||
           (is_waited_for_ && entries_.empty());
  }
  // Somebody has to wait. For the first element everybody does, and nothing is known of it.
  void Grow() {
    if (!has_delivered_) return;
    const int64_t most =
        std::min(options_.max_capacity, options_.max_bytes / std::max<int64_t>(1, element_bytes_));
    capacity_ = std::max(capacity_, std::min(capacity_ * 2, most));
  }
  void Deliver(Entry entry, std::unique_lock<std::mutex>& lock);
  void AnswerAllWithEnd(std::unique_lock<std::mutex>& lock);
  void Abandon(const RequestRef& request);
  static void Answer(const RequestRef& request, Entry entry);

  const DatasetRef dataset_;
  const std::unique_ptr<PipelineContext> context_;
  std::unique_ptr<DatasetIterator> input_;  // the thread's
  const Options options_;

  std::mutex mutex_;
  std::condition_variable ready_;  // an entry, for WaitForElement; the end of the thread
  std::condition_variable room_;   // for the thread
  int64_t capacity_;
  bool has_delivered_ = false;
  int64_t element_bytes_ = 0;  // of the largest seen
  std::deque<Entry> entries_;
  std::list<RequestRef> requests_;
  bool thread_waits_ = false;
  bool is_waited_for_ = false;  // somebody is in WaitForElement
  bool has_ended_ = false;
  bool is_stopping_ = false;
  bool thread_is_done_ = false;
  std::unique_ptr<CancellationHook> hook_;
};

void ElementBuffer::State::Main() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!has_ended_) {
    thread_waits_ = true;
    room_.wait(lock, [this] { return is_stopping_ || context_->IsCancelled() || HasRoom(); });
    thread_waits_ = false;
    if (is_stopping_ || context_->IsCancelled()) break;
    lock.unlock();
    Entry entry;
    entry.status = input_->GetNext(&entry.element, &entry.end);
    if (!entry.status.ok()) entry.end = false;
    lock.lock();
    Deliver(std::move(entry), lock);
  }
  lock.unlock();
  input_.reset();  // ends the threads behind it
  lock.lock();
  thread_is_done_ = true;
  ready_.notify_all();
}

void ElementBuffer::State::Deliver(Entry entry, std::unique_lock<std::mutex>& lock) {
  if (entry.end) {
    has_ended_ = true;
    ready_.notify_one();
    return AnswerAllWithEnd(lock);
  }
  has_delivered_ = true;
  element_bytes_ = std::max(element_bytes_, BytesOf(entry.element));
  if (requests_.empty()) {
    entries_.push_back(std::move(entry));
    if (is_waited_for_) ready_.notify_one();
    return;
  }
  const RequestRef request = std::move(requests_.front());
  requests_.pop_front();
  request->is_open = false;
  lock.unlock();
  Answer(request, std::move(entry));
  lock.lock();
}

void ElementBuffer::State::AnswerAllWithEnd(std::unique_lock<std::mutex>& lock) {
  std::list<RequestRef> requests = std::move(requests_);
  requests_.clear();
  for (const RequestRef& r : requests) r->is_open = false;
  lock.unlock();
  for (const RequestRef& r : requests) {
    Entry entry;
    entry.end = !is_stopping_;
    if (is_stopping_) entry.status = Cancelled("the iterator has been closed");
    Answer(r, std::move(entry));
  }
  lock.lock();
}

void ElementBuffer::State::Answer(const RequestRef& request, Entry entry) {
  if (request->token != StepContext::kAlreadyCancelled) {
    request->step->RemoveCallback(request->token);
  }
  request->done(std::move(entry.status), entry.end, std::move(entry.element));
}

Entry ElementBuffer::State::Take() {
  Entry entry;
  if (entries_.empty()) {
    entry.end = true;
    return entry;
  }
  entry = std::move(entries_.front());
  entries_.pop_front();
  // Waking the thread for every element would cost more than many an element does.
  const bool is_low = 2 * static_cast<int64_t>(entries_.size()) <= capacity_;
  if (thread_waits_ && is_low && capacity_ > 0) room_.notify_one();
  return entry;
}

Status ElementBuffer::State::WaitForElement(Element* element, bool* end) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!HasEntry()) {
    Grow();
    is_waited_for_ = true;
    room_.notify_one();
    ready_.wait(lock, [this] { return HasEntry() || context_->IsCancelled(); });
    is_waited_for_ = false;
  }
  if (!HasEntry()) return context_->cancel_reason();
  Entry entry = Take();
  lock.unlock();
  *end = entry.end;
  element->swap(entry.element);
  return std::move(entry.status);
}

void ElementBuffer::State::Ask(StepContext* step, Done done) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (requests_.empty() && HasEntry()) {
    Entry entry = Take();
    lock.unlock();
    return done(std::move(entry.status), entry.end, std::move(entry.element));
  }
  Grow();
  lock.unlock();
  // Registered before the thread can answer, so that the answer finds the token. A step that is
  // cancelled meanwhile marks the request.
  auto request = std::make_shared<Request>();
  request->done = std::move(done);
  request->step = step;
  if (step != nullptr) {
    request->token =
        step->OnCancel([self = shared_from_this(), request] { self->Abandon(request); });
    if (request->token == StepContext::kAlreadyCancelled) request->is_cancelled = true;
  }
  lock.lock();
  Entry entry;
  if (request->is_cancelled) {
    entry.status = step->cancel_reason();
  } else if (is_stopping_ || context_->IsCancelled()) {
    entry.status = Cancelled("the iterator has been closed");
  } else if (requests_.empty() && HasEntry()) {
    entry = Take();
  } else {
    requests_.push_back(request);
    room_.notify_one();
    return;
  }
  request->is_open = false;
  const bool runs_callback = request->is_cancelled;
  lock.unlock();
  if (runs_callback) request->token = StepContext::kAlreadyCancelled;
  Answer(request, std::move(entry));
}

void ElementBuffer::State::Abandon(const RequestRef& request) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    request->is_cancelled = true;
    const auto it = std::find(requests_.begin(), requests_.end(), request);
    if (it == requests_.end()) return;  // answered, or about to be asked
    requests_.erase(it);
    request->is_open = false;
  }
  request->done(request->step->cancel_reason(), false, {});
}

void ElementBuffer::State::Stop() {
  std::unique_lock<std::mutex> lock(mutex_);
  is_stopping_ = true;
  room_.notify_all();
  AnswerAllWithEnd(lock);
  lock.unlock();
  context_->Cancel();
}

bool ElementBuffer::State::WaitForThread(int64_t ms) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (ms < 0) {
    ready_.wait(lock, [this] { return thread_is_done_; });
    return true;
  }
  return ready_.wait_for(lock, std::chrono::milliseconds(ms), [this] { return thread_is_done_; });
}

ElementBuffer::ElementBuffer(DatasetRef dataset, std::unique_ptr<PipelineContext> context,
                             std::unique_ptr<DatasetIterator> input, Options options)
    : state_(std::make_shared<State>(std::move(dataset), std::move(context), std::move(input),
                                     options)) {}

ElementBuffer::~ElementBuffer() {
  state_->Stop();
  if (!thread_.joinable()) return;
  const bool is_own_thread = thread_.get_id() == std::this_thread::get_id();
  if (!is_own_thread && state_->WaitForThread(state_->options().close_ms)) {
    thread_.join();
    return;
  }
  if (!is_own_thread) {
    std::fprintf(stderr,
                 "warpbeam: a thread of an input pipeline (%s) did not end within %lld ms; it is "
                 "left behind\n",
                 state_->dataset().name(), static_cast<long long>(state_->options().close_ms));
  }
  thread_.detach();
}

Status ElementBuffer::Start() {
  std::lock_guard<std::mutex> lock(state_->mutex());
  if (thread_.joinable()) return OkStatus();
  WB_ASSIGN_OR_RETURN(thread_, NewThread([state = state_] { state->Main(); }));
  return OkStatus();
}

Status ElementBuffer::GetNext(Element* element, bool* end) {
  if (!thread_.joinable()) WB_RETURN_IF_ERROR(Start());
  return state_->WaitForElement(element, end);
}

void ElementBuffer::GetNextAsync(StepContext* step, Done done) {
  if (Status s = Start(); !s.ok()) return done(std::move(s), false, {});
  state_->Ask(step, std::move(done));
}

}  // namespace warpbeam
