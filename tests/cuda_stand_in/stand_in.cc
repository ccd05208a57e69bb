#include "tests/cuda_stand_in/stand_in.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace warpbeam::cuda_stand_in {
namespace {

// For programs that know nothing of the stand-in.
int GpusOfEnvironment() {
  const char* const count = std::getenv("CUDA_STAND_IN_GPUS");
  return count == nullptr ? 1 : std::max(0, std::atoi(count));
}

struct State {
  std::mutex mutex;
  int gpus = GpusOfEnvironment();
  int architecture = 0;
  int driver = kFittingDriver;
  int counting_error = 0;
  void (*look_again)() = nullptr;
  int64_t calls = 0;
  std::map<std::string, int64_t> by_function;
  int64_t failing = 0;           // the number of the call that fails; 0: none
  std::string failing_function;  // of whose calls; empty: of all
  std::string failed;
  std::set<std::string> ever_failed;
  std::map<int, int64_t> until_fault;  // by GPU: functions; 0: it has faulted
  Leftovers left;

  // Under the lock.
  bool MustFailByName(const char* function) {
    const int64_t of_function = ++by_function[function];
    return failing_function == function && of_function == failing && Fails(function);
  }
  bool Fails(const char* function) {
    failed = function;
    ever_failed.insert(function);
    return true;
  }
};

State& TheState() {
  static auto* const state = new State;
  return *state;
}

// Whoever is told may ask at once what there is.
void Change(int* number, int to) {
  void (*look_again)() = nullptr;
  {
    std::lock_guard<std::mutex> lock(TheState().mutex);
    if (*number != to) look_again = TheState().look_again;
    *number = to;
  }
  if (look_again != nullptr) look_again();
}

}  // namespace

void SetGpus(int count) { Change(&TheState().gpus, count); }

int gpus() {
  std::lock_guard<std::mutex> lock(TheState().mutex);
  return TheState().gpus;
}

void SetArchitecture(int architecture) { Change(&TheState().architecture, architecture); }

int architecture() {
  std::lock_guard<std::mutex> lock(TheState().mutex);
  return TheState().architecture;
}

void SetDriver(int version) { Change(&TheState().driver, version); }

int driver() {
  std::lock_guard<std::mutex> lock(TheState().mutex);
  return TheState().driver;
}

void OnChange(void (*look_again)()) {
  std::lock_guard<std::mutex> lock(TheState().mutex);
  TheState().look_again = look_again;
}

void SetCountingError(int error) { Change(&TheState().counting_error, error); }

int counting_error() {
  std::lock_guard<std::mutex> lock(TheState().mutex);
  return TheState().counting_error;
}

void FailCall(int64_t calls) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.failing = calls == 0 ? 0 : state.calls + calls;
  state.failing_function.clear();
  state.failed.clear();
}

void FailCallOf(const std::string& function, int64_t calls) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.failing = state.by_function[function] + calls;
  state.failing_function = function;
  state.failed.clear();
}

int64_t calls() {
  std::lock_guard<std::mutex> lock(TheState().mutex);
  return TheState().calls;
}

std::map<std::string, int64_t> CallsByFunction() {
  std::lock_guard<std::mutex> lock(TheState().mutex);
  return TheState().by_function;
}

std::string failed_call() {
  std::lock_guard<std::mutex> lock(TheState().mutex);
  return TheState().failed;
}

std::vector<std::string> NeverFailed() {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  std::vector<std::string> functions;
  for (const auto& [function, calls] : state.by_function) {
    if (calls > 0 && state.ever_failed.count(function) == 0) functions.push_back(function);
  }
  return functions;
}

bool MustFail(const char* function) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  ++state.calls;
  const bool is_named = state.MustFailByName(function);
  const bool is_next = state.failing_function.empty() && state.calls == state.failing;
  return is_named || (is_next && state.Fails(function));
}

bool MustFailByName(const char* function) {
  std::lock_guard<std::mutex> lock(TheState().mutex);
  return TheState().MustFailByName(function);
}

void FaultAt(int gpu, int64_t functions) {
  std::lock_guard<std::mutex> lock(TheState().mutex);
  TheState().until_fault[gpu] = functions;
}

bool HasFaulted(int gpu) {
  std::lock_guard<std::mutex> lock(TheState().mutex);
  const auto found = TheState().until_fault.find(gpu);
  return found != TheState().until_fault.end() && found->second == 0;
}

bool FaultsNow(int gpu) {
  std::lock_guard<std::mutex> lock(TheState().mutex);
  const auto found = TheState().until_fault.find(gpu);
  if (found == TheState().until_fault.end()) return false;
  if (found->second > 0) --found->second;
  return found->second == 0;
}

void Count(int64_t Leftovers::*kind, int64_t more) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.left.*kind += more;
}

Leftovers Left() {
  std::lock_guard<std::mutex> lock(TheState().mutex);
  return TheState().left;
}

std::string Leftovers::ToString() const {
  std::vector<std::string> parts;
  const auto add = [&](int64_t count, const char* kind) {
    if (count != 0) parts.push_back(absl::StrCat(count, " ", kind));
  };
  add(streams, "streams");
  add(events, "events");
  add(graphs, "graphs");
  add(pinned, "pieces of pinned memory");
  add(ranges, "ranges of addresses");
  add(pieces, "pieces of memory");
  add(libraries, "handles of libraries");
  add(descriptors, "descriptors");
  add(communicators, "communicators");
  return absl::StrJoin(parts, ", ");
}

}  // namespace warpbeam::cuda_stand_in
