// Graphs from import to run; the inputs are conformance cases.
#include <cstring>

#include "tests/conformance/case_file.h"
#include "tests/fuzz/case_mutator.h"
#include "tests/fuzz/case_pipeline.h"
#include "tests/fuzz/target.h"

namespace warpbeam {
namespace fuzz {
namespace {

StageCounts& Counts() {
  static StageCounts counts;
  return counts;
}

absl::string_view Text(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace

StatusOr<std::vector<std::string>> ReadSeedPack(const std::string& path) {
  WB_ASSIGN_OR_RETURN(std::vector<CaseBytes> cases, LoadCases({path}));
  std::vector<std::string> seeds;
  for (CaseBytes& c : cases) seeds.push_back(std::move(c.wire_form));
  return seeds;
}

bool SummarizeRuns(std::string* text) { return Counts().Summarize(text); }

}  // namespace fuzz
}  // namespace warpbeam

using warpbeam::fuzz::RandomSource;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto stage = warpbeam::fuzz::CasePipeline::Process().Run(warpbeam::fuzz::Text(data, size));
  warpbeam::fuzz::Counts().Add(stage);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  RandomSource random(seed);
  const std::string made =
      warpbeam::fuzz::MutateCase(random, warpbeam::fuzz::Text(data, size), max_size);
  memcpy(data, made.data(), made.size());
  return made.size();
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                            const uint8_t* data2, size_t size2, uint8_t* out,
                                            size_t max_out_size, unsigned int seed) {
  RandomSource random(seed);
  const std::string made = warpbeam::fuzz::CrossCases(
      random, warpbeam::fuzz::Text(data1, size1), warpbeam::fuzz::Text(data2, size2), max_out_size);
  memcpy(out, made.data(), made.size());
  return made.size();
}
