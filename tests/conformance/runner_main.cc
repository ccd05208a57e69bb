// Runs conformance cases: a line for each failing case, and a closing line with the counts.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/str_replace.h"
#include "tests/conformance/case_file.h"
#include "tests/conformance/case_runner.h"
#include "tests/conformance/expectations.h"
#include "tests/conformance/forked_runner.h"

ABSL_FLAG(std::string, passes, "default", "the graph passes to run: default, none, or a list");
ABSL_FLAG(
    std::string, compare_passes, "",
    "passes to run each case with once more: results must be the same, but for 8 units in the "
    "last place");
ABSL_FLAG(int, cpu_devices, 0, "at least so many CPU devices; 0: as each case says");
ABSL_FLAG(uint64_t, stress_seed, 0, "perturbs the order in which nodes run; 0: off");
ABSL_FLAG(
    bool, deterministic, false,
    "run in deterministic sessions, each case twice, with other threads; what those refuse is "
    "counted, not failed");
ABSL_FLAG(int, simulated_gpus, 0, "so many simulated GPUs besides");
ABSL_FLAG(bool, gpus_enqueue, false, "their kernels are enqueued, as on real GPUs");
ABSL_FLAG(std::string, simulated_gpu_kernels, "host",
          "which kernels simulated GPUs run: the CPU's (host), or those written for GPUs (gpu)");
ABSL_FLAG(int, tasks, 1, "more than one: each graph is cut over so many tasks");
ABSL_FLAG(bool, by_messages, false, "those tasks send each other messages, as in a cluster");
ABSL_FLAG(uint64_t, scatter_seed, 1, "says which node is on which task");
ABSL_FLAG(std::string, library, "",
          "a libwarpbeam.so, whose C API is to run the cases in the place of this program");
ABSL_FLAG(int, jobs, 0, "cases run side by side; 0: as many as the machine has cores");
ABSL_FLAG(int, step_timeout_ms, 60000, "how long one step may take");
ABSL_FLAG(bool, fork, true, "run cases in child processes, so that a crash is one case's failure");
ABSL_FLAG(std::string, skip, "", "a file that lists the names of cases to leave out");
ABSL_FLAG(std::string, write_pack, "", "a file: write the cases into it as one pack, run nothing");

namespace warpbeam {
namespace {

constexpr char kUsage[] =
    "Runs conformance cases.\n\n"
    "  runner [--flags] CASE_OR_FOLDER...\n\n"
    "Takes .case files, .cases.gz packs, and folders of both. Prints a line for each failing case\n"
    "(name, step, fetch, what differed) and a closing line. Exits with 0 when all pass, 1 when "
    "one\n"
    "fails, 2 when the cases cannot be read.";

std::string RunOne(const CaseBytes& c) {
  CaseOptions options;
  options.cpu_devices = absl::GetFlag(FLAGS_cpu_devices);
  options.simulated_gpus = absl::GetFlag(FLAGS_simulated_gpus);
  options.gpus_enqueue = absl::GetFlag(FLAGS_gpus_enqueue);
  options.gpu_kernels = absl::GetFlag(FLAGS_simulated_gpu_kernels) == "gpu";
  options.tasks = absl::GetFlag(FLAGS_tasks);
  options.by_messages = absl::GetFlag(FLAGS_by_messages);
  options.scatter_seed = absl::GetFlag(FLAGS_scatter_seed);
  options.library = absl::GetFlag(FLAGS_library);
  options.passes = absl::GetFlag(FLAGS_passes);
  options.compared_passes = absl::GetFlag(FLAGS_compare_passes);
  options.stress_seed = absl::GetFlag(FLAGS_stress_seed);
  options.deterministic = absl::GetFlag(FLAGS_deterministic);
  options.step_timeout_ms = absl::GetFlag(FLAGS_step_timeout_ms);
  const std::vector<std::string> differences = RunCase(c.wire_form, options);
  if (differences.empty()) return "";
  if (differences.size() == 1) return differences[0];
  return absl::StrCat(differences[0], " (and ", differences.size() - 1, " more)");
}

std::vector<CaseResult> RunAll(const std::vector<CaseBytes>& cases) {
  ForkOptions options;
  options.jobs = absl::GetFlag(FLAGS_jobs);
  options.case_timeout_ms = 2 * absl::GetFlag(FLAGS_step_timeout_ms) + 30'000;
  size_t done = 0;
  size_t failed = 0;
  const bool on_terminal = isatty(STDERR_FILENO) != 0;
  options.on_result = [&](const CaseResult& result) {
    ++done;
    failed += !result.passed();
    if (on_terminal) {
      fprintf(stderr, "\r%zu of %zu, %zu failed%s", done, cases.size(), failed,
              done == cases.size() ? "\r\033[K" : "");
    }
  };
  if (absl::GetFlag(FLAGS_fork)) return RunForked(cases, RunOne, options);
  std::vector<CaseResult> results;
  for (const CaseBytes& c : cases) results.push_back({c.name, RunOne(c)});
  return results;
}

Status DropSkipped(std::vector<CaseBytes>* cases) {
  const std::string file = absl::GetFlag(FLAGS_skip);
  if (file.empty()) return OkStatus();
  WB_ASSIGN_OR_RETURN(std::vector<std::string> names, ReadLines(file));
  const std::set<std::string> skipped(names.begin(), names.end());
  cases->erase(std::remove_if(cases->begin(), cases->end(),
                              [&](const CaseBytes& c) { return skipped.count(c.name) > 0; }),
               cases->end());
  return OkStatus();
}

StatusOr<int> Run(const std::vector<std::string>& paths) {
  if (paths.empty()) {
    return InvalidArgument("no cases given; name .case files, .cases.gz packs or folders");
  }
  WB_ASSIGN_OR_RETURN(std::vector<CaseBytes> cases, LoadCases(paths));
  WB_RETURN_IF_ERROR(DropSkipped(&cases));
  if (const std::string pack = absl::GetFlag(FLAGS_write_pack); !pack.empty()) {
    WB_RETURN_IF_ERROR(WritePack(cases, pack));
    printf("%zu cases in %s\n", cases.size(), pack.c_str());
    return 0;
  }
  const std::vector<CaseResult> results = RunAll(cases);
  size_t failed = 0, refused = 0;
  for (const CaseResult& result : results) {
    if (result.passed()) continue;
    const bool is_refused = IsRefused(result.difference);
    ++(is_refused ? refused : failed);
    const std::string line = absl::StrReplaceAll(result.difference, {{"\n", " | "}});
    printf("%s %s: %s\n", is_refused ? "REFUSED" : "FAILED", result.name.c_str(), line.c_str());
  }
  printf("%zu passed, %zu failed", results.size() - failed - refused, failed);
  if (absl::GetFlag(FLAGS_deterministic)) printf(", %zu refused", refused);
  printf("\n");
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace warpbeam

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(warpbeam::kUsage);
  const std::vector<char*> words = absl::ParseCommandLine(argc, argv);
  const auto code = warpbeam::Run({words.begin() + 1, words.end()});
  if (!code.ok()) {
    fprintf(stderr, "runner: %s\n", code.status().ToString().c_str());
    return 2;
  }
  return *code;
}
