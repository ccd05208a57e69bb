// Calls of every op: the inputs are conformance cases that say which op they are about, and its
// call is what is changed. Each op has as many of the seeds as any other.
#include <cstring>
#include <map>
#include <set>

#include "graph/op/op_registry.h"
#include "tests/conformance/case.pb.h"
#include "tests/conformance/case_file.h"
#include "tests/fuzz/byte_mutator.h"
#include "tests/fuzz/case_mutator.h"
#include "tests/fuzz/case_pipeline.h"
#include "tests/fuzz/op_call_mutator.h"
#include "tests/fuzz/target.h"
#include "tests/fuzz/wire_form.h"

namespace warpbeam {
namespace fuzz {
namespace {

using conformance::Case;

constexpr size_t kMostOfAnOp = 4;  // in one pack
constexpr size_t kLongest = 1 << 14;

struct Counted {
  StageCounts stages;
  std::set<std::string> ops;
  std::set<std::string> ops_run;
};
Counted& Counts() {
  static Counted counts;
  return counts;
}

void Run(absl::string_view input) {
  const Stage stage = CasePipeline::Process().Run(input);
  Counts().stages.Add(stage);
  Case c;
  if (!c.ParseFromArray(input.data(), static_cast<int>(input.size())) || c.ops().empty()) return;
  Counts().ops.insert(c.ops(0));
  if (stage == Stage::kRun) Counts().ops_run.insert(c.ops(0));
}

std::string Mutate(RandomSource& random, std::string input, size_t max_size) {
  Case c;
  const auto& ops = OpRegistry::Global().All();
  // Ops that no case is about are called as well.
  if (random.OneIn(8)) {
    c = MakeCall(random, *random.Pick(ops));
  } else if (!c.ParseFromString(input)) {
    MutateBytes(random, max_size, &input);
    return input;
  }
  do {
    MutateCall(random, &c);
  } while (random.OneIn(2));
  std::string made = WireForm(c);
  return made.size() <= max_size ? made : input;
}

}  // namespace

StatusOr<std::vector<std::string>> ReadSeedPack(const std::string& path) {
  WB_ASSIGN_OR_RETURN(const std::vector<CaseBytes> cases, LoadCases({path}));
  std::map<std::string, size_t> made;
  std::vector<std::string> seeds;
  for (const CaseBytes& bytes : cases) {
    Case c;
    if (bytes.wire_form.size() > kLongest || !c.ParseFromString(bytes.wire_form)) continue;
    // What is expected is of no interest here, and long.
    for (auto& step : *c.mutable_steps()) {
      for (auto& expected : *step.mutable_expected()) expected.clear_tensor();
    }
    const Case with_all = c;
    for (const std::string& op : with_all.ops()) {
      if (++made[op] > kMostOfAnOp) continue;
      c.clear_ops();
      c.add_ops(op);
      seeds.push_back(WireForm(c));
    }
  }
  return seeds;
}

bool SummarizeRuns(std::string* text) {
  absl::StrAppend(text, Counts().ops.size(), " ops were called, ", Counts().ops_run.size(),
                  " of them were run; ");
  return Counts().stages.Summarize(text);
}

}  // namespace fuzz
}  // namespace warpbeam

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  warpbeam::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  warpbeam::fuzz::RandomSource random(seed);
  const std::string made = warpbeam::fuzz::Mutate(
      random, std::string(reinterpret_cast<const char*>(data), size), max_size);
  memcpy(data, made.data(), made.size());
  return made.size();
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                            const uint8_t* data2, size_t size2, uint8_t* out,
                                            size_t max_out_size, unsigned int seed) {
  warpbeam::fuzz::RandomSource random(seed);
  const std::string made =
      warpbeam::fuzz::CrossCases(random, {reinterpret_cast<const char*>(data1), size1},
                                 {reinterpret_cast<const char*>(data2), size2}, max_out_size);
  memcpy(out, made.data(), made.size());
  return made.size();
}
