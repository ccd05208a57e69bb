// InputWatch: keeps the input that runs in a file, so that no end of the process loses it, and ends
// the process itself when an input takes too long or too much memory. Where inputs have deadlines,
// the time of the CPU says best whether one is obeyed: it is hardly more on a machine that has much
// else to do.
//
//   WB_ASSIGN_OR_RETURN(auto watch, InputWatch::Start(options));
//   watch->Begin(input);
//   LLVMFuzzerTestOneInput(...);
//   watch->End();
//   watch->Finish();                      // nothing was found: the file goes away
//
// However the process ends meanwhile (signal, sanitizer's report, failed allocation, exit by the
// code under test), the file stays, and a line on stderr says how to run it again where there is
// time for one.
//
// Ownership: one per process. Thread safety: Begin, End and Finish from one thread. Errors:
// FAILED_PRECONDITION when the file cannot be written.
#ifndef WARPBEAM_TESTS_FUZZ_INPUT_WATCH_H_
#define WARPBEAM_TESTS_FUZZ_INPUT_WATCH_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "graph/types/errors.h"

namespace warpbeam {
namespace fuzz {

struct WatchOptions {
  std::string program;              // as it was called: for the line that says how to run again
  std::string file;                 // gets the input
  int64_t input_timeout_ms = 0;     // 0: for ever
  int64_t input_cpu_ms = 0;         // of all threads, ten times that under a sanitizer; 0: any
  int64_t memory_limit_mib = 3072;  // of the process; 0: none
  int64_t largest_block_mib = 512;  // that one `new` may ask for; 0: any
};

// Where what is found is kept unless somebody says so: a test's outputs, or the working directory.
std::string FindingsFolder();

class InputWatch {
 public:
  static StatusOr<std::unique_ptr<InputWatch>> Start(const WatchOptions& options);
  ~InputWatch();
  InputWatch(const InputWatch&) = delete;
  InputWatch& operator=(const InputWatch&) = delete;

  void Begin(const std::string& input);
  void End() { begun_ms_.store(0); }
  void Finish();

 private:
  explicit InputWatch(const WatchOptions& options) : options_(options) {}
  Status Open();
  void Watch();

  const WatchOptions options_;
  int fd_ = -1;
  std::atomic<int64_t> begun_ms_{0};  // 0: no input runs
  std::atomic<int64_t> begun_cpu_ms_{0};
  std::atomic<bool> stopping_{false};
  std::thread watcher_;
};

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_INPUT_WATCH_H_
