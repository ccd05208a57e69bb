// The driver of the fuzz targets: runs the files it is given, once each, or inputs that it makes
// from a corpus by mutation. The same seed makes the same inputs in the same order.
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "graph/io/graph_file.h"
#include "tests/fuzz/byte_mutator.h"
#include "tests/fuzz/corpus.h"
#include "tests/fuzz/input_watch.h"
#include "tests/fuzz/target.h"

ABSL_FLAG(double, seconds, 10, "how long to run; 0: until --runs");
ABSL_FLAG(int64_t, runs, 0, "how many inputs to run; 0: as many as the time allows");
ABSL_FLAG(uint64_t, seed, 1, "of the mutations");
ABSL_FLAG(std::vector<std::string>, corpus, {}, "seeds: folders, files and packs");
ABSL_FLAG(uint64_t, max_input_bytes, 1 << 16, "longer inputs are not made, longer seeds left out");
ABSL_FLAG(std::string, findings, "",
          "the folder that gets the input that was found; by default the test's outputs or the "
          "working directory");
ABSL_FLAG(int64_t, input_timeout_s, 300, "an input that takes longer is a finding; 0: none");
ABSL_FLAG(int64_t, input_cpu_s, 0,
          "an input that takes more time of the CPU is a finding; 0: none");
ABSL_FLAG(int64_t, memory_limit_mib, warpbeam::fuzz::WatchOptions().memory_limit_mib,
          "a process that grows beyond it is a finding; 0: none");
ABSL_FLAG(int64_t, largest_block_mib, warpbeam::fuzz::WatchOptions().largest_block_mib,
          "a `new` of more is a finding; 0: none");

namespace warpbeam {
namespace fuzz {
namespace {

constexpr char kUsage[] =
    "Runs a fuzz target.\n\n"
    "  TARGET --corpus=DIR [--seconds=N] [--runs=N] [--seed=N]    runs inputs made from the "
    "corpus\n"
    "  TARGET FILE...                                             runs each file once\n\n"
    "When an input ends the process, it stays in a file, and the way to run it again is printed.";

using Clock = std::chrono::steady_clock;

class Driver {
 public:
  Driver(Corpus corpus, InputWatch* watch)
      : corpus_(std::move(corpus)),
        watch_(watch),
        max_size_(absl::GetFlag(FLAGS_max_input_bytes)),
        begin_(Clock::now()) {}

  void RunOne(const std::string& input) {
    watch_->Begin(input);
    // A copy of exactly this size: reading beyond its end shows.
    const std::vector<uint8_t> bytes(input.begin(), input.end());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    watch_->End();
    ++runs_;
  }

  void RunMutations() {
    for (size_t i = 0; i < corpus_.num_files && !IsOver(); ++i) RunOne(corpus_.inputs[i]);
    const uint64_t seed = absl::GetFlag(FLAGS_seed);
    // Each input has numbers of its own, so that none depends on how many the one before drew.
    for (uint64_t i = 0; !IsOver(); ++i) {
      RandomSource numbers(RandomSource(seed * 0x100000001b3u + i).Next());
      RunOne(MakeInput(numbers));
    }
  }

  int64_t runs() const { return runs_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  bool IsOver() const {
    const int64_t most = absl::GetFlag(FLAGS_runs);
    const double time = absl::GetFlag(FLAGS_seconds);
    return (most > 0 && runs_ >= most) || (time > 0 && seconds() >= time);
  }

  std::string MakeInput(RandomSource& random) {
    std::string input = corpus_.inputs.empty() ? "" : random.Pick(corpus_.inputs);
    if (random.OneIn(4) && !corpus_.inputs.empty()) {
      input = Cross(random, input, random.Pick(corpus_.inputs));
    }
    do {
      input = Mutate(random, std::move(input));
    } while (random.OneIn(2));
    return input;
  }

  std::string Cross(RandomSource& random, const std::string& a, const std::string& b) {
    if (LLVMFuzzerCustomCrossOver == nullptr) return CrossBytes(random, a, b, max_size_);
    std::string out(max_size_, 0);
    out.resize(LLVMFuzzerCustomCrossOver(Bytes(a), a.size(), Bytes(b), b.size(),
                                         reinterpret_cast<uint8_t*>(&out[0]), max_size_,
                                         static_cast<unsigned int>(random.Next())));
    return out;
  }

  std::string Mutate(RandomSource& random, std::string input) {
    if (LLVMFuzzerCustomMutator == nullptr) {
      MutateBytes(random, max_size_, &input);
      return input;
    }
    const size_t size = input.size();
    input.resize(max_size_);
    input.resize(LLVMFuzzerCustomMutator(reinterpret_cast<uint8_t*>(&input[0]), size, max_size_,
                                         static_cast<unsigned int>(random.Next())));
    return input;
  }

  static const uint8_t* Bytes(const std::string& s) {
    return reinterpret_cast<const uint8_t*>(s.data());
  }

  const Corpus corpus_;
  InputWatch* const watch_;
  const size_t max_size_;
  const Clock::time_point begin_;
  int64_t runs_ = 0;
};

Status RunFiles(const std::vector<std::string>& files, Driver& driver) {
  for (const std::string& file : files) {
    WB_ASSIGN_OR_RETURN(const std::string input, ReadFileBytes(file));
    driver.RunOne(input);
    printf("%s: nothing found\n", file.c_str());
  }
  return OkStatus();
}

// False: the runs were not good enough.
StatusOr<bool> Run(const std::string& program, const std::vector<std::string>& files) {
  WB_ASSIGN_OR_RETURN(
      Corpus corpus, LoadCorpus(absl::GetFlag(FLAGS_corpus), absl::GetFlag(FLAGS_max_input_bytes)));
  WatchOptions watching;
  watching.program = program;
  const std::string folder = absl::GetFlag(FLAGS_findings);
  watching.file = absl::StrCat(folder.empty() ? FindingsFolder() : folder, "/",
                               program.substr(program.rfind('/') + 1), ".input");
  // Not over the very file that is run again.
  if (std::find(files.begin(), files.end(), watching.file) != files.end()) watching.file += ".2";
  watching.input_timeout_ms = absl::GetFlag(FLAGS_input_timeout_s) * 1000;
  watching.input_cpu_ms = absl::GetFlag(FLAGS_input_cpu_s) * 1000;
  watching.memory_limit_mib = absl::GetFlag(FLAGS_memory_limit_mib);
  watching.largest_block_mib = absl::GetFlag(FLAGS_largest_block_mib);
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<InputWatch> watch, InputWatch::Start(watching));
  const size_t num_seeds = corpus.inputs.size();
  const size_t num_too_long = corpus.num_too_long;
  Driver driver(std::move(corpus), watch.get());
  const Status ran = files.empty() ? OkStatus() : RunFiles(files, driver);
  if (files.empty()) driver.RunMutations();
  watch->Finish();
  WB_RETURN_IF_ERROR(ran);
  printf(
      "%lld inputs in %.1f s from %zu seeds (%zu longer ones left out), none ended the process\n",
      static_cast<long long>(driver.runs()), driver.seconds(), num_seeds, num_too_long);
  if (SummarizeRuns == nullptr) return true;
  std::string text;
  const bool good = SummarizeRuns(&text);
  printf("%s", text.c_str());
  return good || !files.empty();
}

}  // namespace
}  // namespace fuzz
}  // namespace warpbeam

int main(int argc, char** argv) {
  // Damaged messages are the rule here, and a line for each one would hide what is found.
  google::protobuf::SetLogHandler(nullptr);
  absl::SetProgramUsageMessage(warpbeam::fuzz::kUsage);
  const std::vector<char*> words = absl::ParseCommandLine(argc, argv);
  const auto good = warpbeam::fuzz::Run(words[0], {words.begin() + 1, words.end()});
  if (!good.ok()) {
    fprintf(stderr, "%s: %s\n", words[0], good.status().ToString().c_str());
    return 2;
  }
  return *good ? 0 : 1;
}
