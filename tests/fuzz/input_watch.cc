#include "tests/fuzz/input_watch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "absl/memory/memory.h"
#include "tests/fuzz/block_limit.h"
#include "tests/fuzz/end_with.h"

#ifdef WB_UNDER_SANITIZER
extern "C" void __sanitizer_set_death_callback(void (*callback)());
#endif

namespace warpbeam {
namespace fuzz {
namespace {

// What a signal handler prints; made beforehand, for a handler may not allocate.
char how_to_repeat[1024] = "";

void OnDeath() { WriteText(how_to_repeat); }

void OnSignal(int signal) {
  OnDeath();
  ::signal(signal, SIG_DFL);
  raise(signal);
}

void HandleDeath() {
#ifdef WB_UNDER_SANITIZER
  __sanitizer_set_death_callback(OnDeath);
  const int signals[] = {SIGABRT, SIGTERM};
#else
  const int signals[] = {SIGABRT, SIGTERM, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  static char stack[64 << 10];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
#endif
  for (int signal : signals) {
    struct sigaction action = {};
    action.sa_handler = OnSignal;
    action.sa_flags = SA_ONSTACK;
    sigaction(signal, &action, nullptr);
  }
  atexit([] {
    if (how_to_repeat[0] != 0) EndWith("the code under test ended the process\n");
  });
}

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int64_t CpuMs() {
  timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return int64_t{used.tv_sec} * 1000 + used.tv_nsec / 1'000'000;
}

#ifdef WB_UNDER_SANITIZER
constexpr int64_t kSlowness = 10;
#else
constexpr int64_t kSlowness = 1;
#endif

int64_t ResidentMib() {
  FILE* const file = fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  long size = 0;
  long resident = 0;
  const int got = fscanf(file, "%ld %ld", &size, &resident);
  fclose(file);
  return got == 2 ? static_cast<int64_t>(resident) * sysconf(_SC_PAGESIZE) >> 20 : 0;
}

// malloc and its kin return null beyond this, which is a status to whoever asked. Under a sanitizer
// the address space is full of shadows; there, its own limit on one allocation serves.
void LimitAddressSpace(int64_t mib) {
#ifndef WB_UNDER_SANITIZER
  rlimit limit;
  limit.rlim_cur = limit.rlim_max = static_cast<rlim_t>(mib) << 20;
  setrlimit(RLIMIT_AS, &limit);
#else
  static_cast<void>(mib);
#endif
}

}  // namespace

std::string FindingsFolder() {
  for (const char* name : {"TEST_UNDECLARED_OUTPUTS_DIR", "TEST_TMPDIR"}) {
    const char* const value = getenv(name);
    if (value != nullptr) return value;
  }
  return ".";
}

StatusOr<std::unique_ptr<InputWatch>> InputWatch::Start(const WatchOptions& options) {
  auto watch = absl::WrapUnique(new InputWatch(options));
  WB_RETURN_IF_ERROR(watch->Open());
  snprintf(how_to_repeat, sizeof how_to_repeat,
           "\nThe input that ran is in %s; run it again:\n  %s %s\n", options.file.c_str(),
           options.program.c_str(), options.file.c_str());
  HandleDeath();
  if (options.memory_limit_mib > 0) LimitAddressSpace(options.memory_limit_mib);
  if (options.largest_block_mib > 0) {
    LimitBlocks(static_cast<size_t>(options.largest_block_mib) << 20);
  }
  watch->watcher_ = std::thread([w = watch.get()] { w->Watch(); });
  return watch;
}

Status InputWatch::Open() {
  fd_ = open(options_.file.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd_ >= 0) return OkStatus();
  return FailedPrecondition("cannot write ", options_.file, ": ", strerror(errno));
}

InputWatch::~InputWatch() {
  stopping_.store(true);
  if (watcher_.joinable()) watcher_.join();
  if (fd_ >= 0) close(fd_);
}

void InputWatch::Begin(const std::string& input) {
  // Not ftruncate(0) first: a process killed between the two would leave nothing.
  if (pwrite(fd_, input.data(), input.size(), 0) != static_cast<ssize_t>(input.size()) ||
      ftruncate(fd_, static_cast<off_t>(input.size())) != 0) {
    EndWith("the input cannot be written to its file\n");
  }
  begun_cpu_ms_.store(CpuMs());
  begun_ms_.store(NowMs());
}

void InputWatch::Finish() {
  End();
  how_to_repeat[0] = 0;
  LimitBlocks(SIZE_MAX);
  unlink(options_.file.c_str());
}

void InputWatch::Watch() {
  while (!stopping_.load()) {
    usleep(50'000);
    const int64_t begun = begun_ms_.load();
    if (begun == 0) continue;
    if (options_.input_timeout_ms > 0 && NowMs() - begun > options_.input_timeout_ms) {
      EndWith("the input takes too long\n");
    }
    if (options_.input_cpu_ms > 0 &&
        CpuMs() - begun_cpu_ms_.load() > options_.input_cpu_ms * kSlowness &&
        begun_ms_.load() == begun) {
      EndWith("the input takes too much time of the CPU\n");
    }
    if (options_.memory_limit_mib > 0 && ResidentMib() > options_.memory_limit_mib) {
      EndWith("the input takes too much memory\n");
    }
  }
}

}  // namespace fuzz
}  // namespace warpbeam
