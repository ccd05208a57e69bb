// Streams, events, copies and recordings.
#include <cuda_runtime_api.h>

#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "tests/cuda_stand_in/libraries.h"
#include "tests/cuda_stand_in/order.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace stand_in = warpbeam::cuda_stand_in;
using stand_in::Leftovers;
using stand_in::Use;

namespace {

// What a stream is given.
struct Item {
  std::function<void()> run;
  const char* function = "";
  std::vector<Use> uses = {};
};
using Work = std::vector<Item>;

// A point of a stream that an event was recorded at.
struct Mark {
  std::mutex mutex;
  std::condition_variable passed;
  bool is_passed = false;
  stand_in::Clock before;  // what comes before it

  stand_in::Clock Before() {
    std::lock_guard<std::mutex> lock(mutex);
    return before;
  }
  void Pass() {
    std::lock_guard<std::mutex> lock(mutex);
    is_passed = true;
    passed.notify_all();
  }
  void Wait() {
    std::unique_lock<std::mutex> lock(mutex);
    passed.wait(lock, [&] { return is_passed; });
  }
  bool IsPassed() {
    std::lock_guard<std::mutex> lock(mutex);
    return is_passed;
  }
};

thread_local int current_gpu = 0;

}  // namespace

struct CUevent_st {
  const int gpu = current_gpu;
  std::mutex mutex;
  std::shared_ptr<Mark> mark;  // null until it is recorded

  std::shared_ptr<Mark> Get() {
    std::lock_guard<std::mutex> lock(mutex);
    return mark;
  }
};

struct CUgraph_st {
  Work work;
};

struct CUgraphExec_st {
  std::shared_ptr<const Work> work;
};

struct CUstream_st {
  CUstream_st() : thread([this] { Main(); }) {}
  ~CUstream_st() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      is_stopping = true;
    }
    changed.notify_all();
    thread.join();
  }

  // Enqueues, or records.
  cudaError_t Add(Item item) {
    std::lock_guard<std::mutex> lock(mutex);
    if (recorded != nullptr) {
      recorded->push_back(std::move(item));
      return cudaSuccess;
    }
    order.Give(item.function, item.uses);
    Enqueue([this, run = std::move(item.run)] {
      if (!stand_in::HasFaulted(gpu)) run();
    });
    return cudaSuccess;
  }
  cudaError_t AddAll(const std::shared_ptr<const Work>& work) {
    std::lock_guard<std::mutex> lock(mutex);
    for (const Item& item : *work) order.Give(item.function, item.uses);
    Enqueue([this, work] {
      for (const Item& item : *work) {
        if (!stand_in::HasFaulted(gpu)) item.run();
      }
    });
    return cudaSuccess;
  }
  cudaError_t AddMark(const std::shared_ptr<Mark>& mark) {
    std::lock_guard<std::mutex> lock(mutex);
    {
      std::lock_guard<std::mutex> mark_lock(mark->mutex);
      mark->before = order.Now();
    }
    Enqueue([mark] { mark->Pass(); });
    return cudaSuccess;
  }
  cudaError_t AddWait(const std::shared_ptr<Mark>& mark) {
    std::lock_guard<std::mutex> lock(mutex);
    order.ComesAfter(mark->Before());
    Enqueue([mark] { mark->Wait(); });
    return cudaSuccess;
  }
  // Under the lock.
  void Enqueue(std::function<void()> run) {
    queue.push_back(std::move(run));
    changed.notify_all();
  }
  // What cannot be recorded spoils the recording.
  bool Refuses() {
    std::lock_guard<std::mutex> lock(mutex);
    if (recorded == nullptr) return false;
    is_spoilt = true;
    return true;
  }
  // The host waits for what it has been given so far.
  void Drain() {
    std::unique_lock<std::mutex> lock(mutex);
    const stand_in::Clock so_far = order.Now();
    changed.wait(lock, [&] { return queue.empty() && !is_busy; });
    stand_in::HostComesAfter(so_far);
  }
  bool IsIdle() {
    std::lock_guard<std::mutex> lock(mutex);
    return queue.empty() && !is_busy;
  }
  void Main() {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return is_stopping || !queue.empty(); });
      if (queue.empty()) return;
      std::function<void()> work = std::move(queue.front());
      queue.pop_front();
      is_busy = true;
      lock.unlock();
      work();
      work = nullptr;
      lock.lock();
      is_busy = false;
      changed.notify_all();
    }
  }

  const int gpu = current_gpu;
  std::mutex mutex;
  stand_in::StreamOrder order;
  std::condition_variable changed;
  std::deque<std::function<void()>> queue;
  std::unique_ptr<Work> recorded;  // while it records
  bool is_spoilt = false;
  bool is_busy = false;
  bool is_stopping = false;
  std::thread thread;
};

namespace {

struct Streams {
  std::mutex mutex;
  std::set<cudaStream_t> all;
};

Streams& TheStreams() {
  static auto* const streams = new Streams;
  return *streams;
}

bool Exists(cudaStream_t stream) {
  std::lock_guard<std::mutex> lock(TheStreams().mutex);
  return TheStreams().all.count(stream) > 0;
}

// What every call that has to do with a GPU gives.
cudaError_t ErrorOf(int gpu) {
  return stand_in::HasFaulted(gpu) ? cudaErrorIllegalAddress : cudaSuccess;
}
cudaError_t ErrorOf(cudaStream_t stream) {
  return Exists(stream) ? ErrorOf(stream->gpu) : cudaErrorInvalidResourceHandle;
}

}  // namespace

int stand_in::CurrentGpu() { return current_gpu; }

void stand_in::WaitForAllStreams() {
  std::set<cudaStream_t> all;
  {
    std::lock_guard<std::mutex> lock(TheStreams().mutex);
    all = TheStreams().all;
  }
  for (const cudaStream_t stream : all) {
    if (Exists(stream)) stream->Drain();
  }
}

int stand_in::GpuOf(CUstream_st* stream) { return Exists(stream) ? stream->gpu : -1; }

void stand_in::Enqueue(CUstream_st* stream, const char* function, std::vector<Use> uses,
                       std::function<void()> work) {
  stream->Add({std::move(work), function, std::move(uses)});
}

void stand_in::NoteUses(void* stream, const std::string& by, const std::vector<MemoryUse>& uses) {
  static auto* const names = new std::set<std::string>;
  static std::mutex mutex;
  const auto at = static_cast<CUstream_st*>(stream);
  if (!Exists(at)) return;
  const char* name;
  {
    std::lock_guard<std::mutex> lock(mutex);
    name = names->insert(by).first->c_str();
  }
  std::vector<Use> of_work;
  for (const MemoryUse& use : uses) of_work.push_back({use.at, use.bytes, use.writes});
  Enqueue(at, name, std::move(of_work), [] {});
}

#define STAND_IN_CALL(error) \
  if (stand_in::MustFail(__func__)) return error
// Of calls that FailCall does not count.
#define STAND_IN_ASKS(error) \
  if (stand_in::MustFailByName(__func__)) return error
#define STAND_IN_USES(gpu_or_stream) \
  if (const cudaError_t error = ErrorOf(gpu_or_stream); error != cudaSuccess) return error

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  STAND_IN_CALL(cudaErrorUnknown);
  if (stand_in::driver() != stand_in::kFittingDriver) return cudaErrorInsufficientDriver;
  if (const int error = stand_in::counting_error()) return static_cast<cudaError_t>(error);
  *count = stand_in::gpus();
  return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int gpu) {
  STAND_IN_CALL(cudaErrorUnknown);
  if (gpu < 0 || gpu >= stand_in::gpus()) return cudaErrorInvalidDevice;
  *properties = {};
  std::strcpy(properties->name, "stand-in");
  std::snprintf(properties->uuid.bytes, sizeof(properties->uuid.bytes), "GPU %d", gpu);
  properties->totalGlobalMem = stand_in::kMemoryBytes;
  const int architecture = stand_in::architecture();
  properties->multiProcessorCount = architecture == 0 ? 0 : 1;
  properties->major = architecture / 10;
  properties->minor = architecture % 10;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  STAND_IN_CALL(cudaErrorUnknown);
  const int driver = stand_in::driver();
  *version = driver == stand_in::kFittingDriver ? CUDART_VERSION : driver;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  STAND_IN_CALL(cudaErrorUnknown);
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int gpu, int peer) {
  STAND_IN_CALL(cudaErrorUnknown);
  *can = gpu != peer ? 1 : 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int gpu) {
  STAND_IN_ASKS(cudaErrorUnknown);
  if (gpu < 0 || gpu >= stand_in::gpus()) return cudaErrorInvalidDevice;
  current_gpu = gpu;
  return ErrorOf(gpu);
}

cudaError_t cudaGetDevice(int* gpu) {
  STAND_IN_ASKS(cudaErrorUnknown);
  STAND_IN_USES(current_gpu);
  *gpu = current_gpu;
  return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
  STAND_IN_CALL(cudaErrorUnknown);
  STAND_IN_USES(current_gpu);
  return memory == nullptr ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned) {
  STAND_IN_CALL(cudaErrorMemoryAllocation);
  STAND_IN_USES(current_gpu);
  *memory = std::malloc(bytes);
  if (*memory == nullptr) return cudaErrorMemoryAllocation;
  stand_in::Count(&Leftovers::pinned, 1);
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void* memory) {
  std::free(memory);
  stand_in::Count(&Leftovers::pinned, -1);
  return ErrorOf(current_gpu);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  STAND_IN_CALL(cudaErrorMemoryAllocation);
  STAND_IN_USES(current_gpu);
  *stream = new CUstream_st;
  std::lock_guard<std::mutex> lock(TheStreams().mutex);
  TheStreams().all.insert(*stream);
  stand_in::Count(&Leftovers::streams, 1);
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  {
    std::lock_guard<std::mutex> lock(TheStreams().mutex);
    if (TheStreams().all.erase(stream) == 0) return cudaErrorInvalidResourceHandle;
  }
  delete stream;
  stand_in::Count(&Leftovers::streams, -1);
  return ErrorOf(current_gpu);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* gpu) {
  STAND_IN_CALL(cudaErrorUnknown);
  STAND_IN_USES(stream);
  *gpu = stream->gpu;
  return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  STAND_IN_ASKS(cudaErrorUnknown);
  STAND_IN_USES(stream);
  if (stream->Refuses()) return cudaErrorStreamCaptureUnsupported;
  return stream->IsIdle() ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  STAND_IN_USES(stream);
  if (stream->Refuses()) return cudaErrorStreamCaptureUnsupported;
  stream->Drain();
  STAND_IN_USES(stream);
  STAND_IN_CALL(cudaErrorUnknown);  // of work before it
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  STAND_IN_USES(current_gpu);
  stand_in::WaitForAllStreams();
  STAND_IN_CALL(cudaErrorUnknown);  // of work before it
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  STAND_IN_CALL(cudaErrorMemoryAllocation);
  STAND_IN_USES(current_gpu);
  *event = new CUevent_st;
  stand_in::Count(&Leftovers::events, 1);
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  stand_in::Count(&Leftovers::events, -1);
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  STAND_IN_CALL(cudaErrorUnknown);
  STAND_IN_USES(stream);
  if (stream->Refuses()) return cudaErrorStreamCaptureUnsupported;
  const auto mark = std::make_shared<Mark>();
  {
    std::lock_guard<std::mutex> lock(event->mutex);
    event->mark = mark;
  }
  return stream->AddMark(mark);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  STAND_IN_ASKS(cudaErrorUnknown);
  STAND_IN_USES(event->gpu);
  const std::shared_ptr<Mark> mark = event->Get();
  if (mark == nullptr) return cudaSuccess;
  if (!mark->IsPassed()) return cudaErrorNotReady;
  stand_in::HostComesAfter(mark->Before());
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  STAND_IN_USES(event->gpu);
  const std::shared_ptr<Mark> mark = event->Get();
  if (mark != nullptr) {
    mark->Wait();
    stand_in::HostComesAfter(mark->Before());
  }
  STAND_IN_USES(event->gpu);
  STAND_IN_CALL(cudaErrorUnknown);  // of work before it
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  STAND_IN_CALL(cudaErrorUnknown);
  STAND_IN_USES(stream);
  if (stream->Refuses()) return cudaErrorStreamCaptureUnsupported;
  const std::shared_ptr<Mark> mark = event->Get();
  if (mark == nullptr) return cudaSuccess;
  return stream->AddWait(mark);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  STAND_IN_CALL(cudaErrorInvalidValue);
  STAND_IN_USES(stream);
  void* const target = stand_in::HostAddress(to);
  const void* const source = stand_in::HostAddress(from);
  return stream->Add({[=] { std::memcpy(target, source, bytes); },
                      __func__,
                      {{source, bytes, false}, {target, bytes, true}}});
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  STAND_IN_CALL(cudaErrorInvalidValue);
  STAND_IN_USES(stream);
  void* const target = stand_in::HostAddress(to);
  return stream->Add(
      {[=] { std::memset(target, value, bytes); }, __func__, {{target, bytes, true}}});
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* argument) {
  STAND_IN_CALL(cudaErrorUnknown);
  STAND_IN_USES(stream);
  return stream->Add({[=] {
                        if (!stand_in::FaultsNow(stream->gpu)) function(argument);
                      },
                      __func__});
}

// Without multiprocessors there is no device code.
cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t) {
  STAND_IN_CALL(cudaErrorUnknown);
  return cudaErrorInvalidDeviceFunction;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  STAND_IN_CALL(cudaErrorUnknown);
  STAND_IN_USES(stream);
  std::lock_guard<std::mutex> lock(stream->mutex);
  if (stream->recorded != nullptr) return cudaErrorIllegalState;
  stream->recorded = std::make_unique<Work>();
  stream->is_spoilt = false;
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  STAND_IN_USES(stream);
  std::lock_guard<std::mutex> lock(stream->mutex);
  if (stream->recorded == nullptr) return cudaErrorIllegalState;
  const std::unique_ptr<Work> work = std::move(stream->recorded);
  *graph = nullptr;
  if (stream->is_spoilt) return cudaErrorStreamCaptureInvalidated;
  STAND_IN_CALL(cudaErrorStreamCaptureInvalidated);
  *graph = new CUgraph_st{std::move(*work)};
  stand_in::Count(&Leftovers::graphs, 1);
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  STAND_IN_CALL(cudaErrorUnknown);
  STAND_IN_USES(stream);
  std::lock_guard<std::mutex> lock(stream->mutex);
  *status =
      stream->recorded != nullptr ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  STAND_IN_CALL(cudaErrorMemoryAllocation);
  STAND_IN_USES(current_gpu);
  *exec = new CUgraphExec_st{std::make_shared<const Work>(graph->work)};
  stand_in::Count(&Leftovers::graphs, 1);
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  STAND_IN_CALL(cudaErrorUnknown);
  STAND_IN_USES(stream);
  return stream->AddAll(exec->work);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  stand_in::Count(&Leftovers::graphs, -1);
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  delete exec;
  stand_in::Count(&Leftovers::graphs, -1);
  return cudaSuccess;
}

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    case cudaErrorSystemNotReady:
      return "cudaErrorSystemNotReady";
    case cudaErrorStubLibrary:
      return "cudaErrorStubLibrary";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    default:
      return "an error of the stand-in";
  }
}
const char* cudaGetErrorString(cudaError_t) { return "made to fail"; }

}  // extern "C"
