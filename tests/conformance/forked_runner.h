// Runs cases in child processes, so that a crash or a hang is one case's failure and no more.
//
//   for (const CaseResult& r : RunForked(cases, run, {})) if (!r.passed())
//   puts(r.difference.c_str());
//
// Each child runs a few cases after the other; when it dies, the case it was at is reported with
// the signal, and the rest goes to another child.
//
// Thread safety: call it while the process has one thread: children are forked without exec. Errors
// are differences of the cases.
#ifndef WARPBEAM_TESTS_CONFORMANCE_FORKED_RUNNER_H_
#define WARPBEAM_TESTS_CONFORMANCE_FORKED_RUNNER_H_

#include <functional>
#include <string>
#include <vector>

#include "tests/conformance/case_file.h"

namespace warpbeam {

struct CaseResult {
  std::string name;
  std::string difference;  // empty: passed
  bool passed() const { return difference.empty(); }
};

struct ForkOptions {
  int jobs = 0;  // children at a time; 0: as many as cores
  int cases_per_child = 25;
  int64_t case_timeout_ms = 150'000;
  // Called in the parent after each case.
  std::function<void(const CaseResult&)> on_result;
};

// Runs one case and says what differed.
using RunOneCase = std::function<std::string(const CaseBytes&)>;

// One result per case, in the cases' order.
std::vector<CaseResult> RunForked(const std::vector<CaseBytes>& cases, const RunOneCase& run,
                                  const ForkOptions& options);

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_CONFORMANCE_FORKED_RUNNER_H_
