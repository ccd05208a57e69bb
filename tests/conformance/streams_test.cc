// Random streams: every op that is given a seed gives TensorFlow's values bit by bit, over four
// steps and several sizes, or docs/op_deviations.tsv says that it does not; both ways.
#include <map>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "graph/op/op_registry.h"
#include "gtest/gtest.h"
#include "runtime/kernel/kernel_registry.h"
#include "tests/conformance/case_runner.h"
#include "tests/conformance/expectations.h"
#include "tests/conformance/forked_runner.h"

namespace warpbeam {
namespace {

// How op_deviations.tsv begins what it says of such an op.
constexpr char kNotEqual[] = "last bits of the values differ";

// What has a seed and no stream that could be compared.
const std::map<std::string, std::string>& Untried() {
  static const auto* const ops = new std::map<std::string, std::string>{
      {"AnonymousRandomSeedGenerator", "makes a handle"},
      {"AnonymousSeedGenerator", "makes a handle"},
      {"ExperimentalRandomDataset", "TensorFlow refuses its own output types"},
  };
  return *ops;
}

// "streams/RandomUniform_3": the op is RandomUniform.
std::string OpOf(const std::string& name) {
  const size_t begin = name.find('/') + 1;
  return name.substr(begin, name.rfind('_') - begin);
}

bool HasSeed(const OpSchema& op) {
  if (op.FindAttr("seed") != nullptr) return true;
  for (const ArgSpec& input : op.inputs) {
    // "alg" and "algorithm" come with the state of a generator.
    for (const char* name : {"seed", "seed_generator", "alg", "algorithm"}) {
      if (input.name == name) return true;
    }
  }
  return false;
}

const std::vector<CaseBytes>& Cases() {
  static const auto* const cases = [] {
    auto loaded = LoadCases({"tests/conformance/streams.cases.gz"});
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    return new std::vector<CaseBytes>(*std::move(loaded));
  }();
  return *cases;
}

TEST(StreamsTest, EveryOpWithASeedIsTried) {
  std::map<std::string, int> cases;
  for (const CaseBytes& c : Cases()) ++cases[OpOf(c.name)];
  for (const OpSchema* op : OpRegistry::Global().All()) {
    if (op->name[0] == '_' || !KernelRegistry::Global().KnowsOp(op->name) || !HasSeed(*op)) {
      continue;
    }
    const bool is_tried = cases.count(op->name) > 0;
    EXPECT_NE(is_tried, Untried().count(op->name) > 0)
        << op->name << (is_tried ? " is tried" : " has no case in streams.cases.gz");
  }
}

TEST(StreamsTest, EqualBitByBitOrListed) {
  std::set<std::string> listed;
  const auto lines = ReadLines("docs/op_deviations.tsv");
  ASSERT_TRUE(lines.ok()) << lines.status();
  for (const std::string& line : *lines) {
    const std::vector<std::string> columns = absl::StrSplit(line, '\t');
    if (columns.size() == 2 && absl::StartsWith(columns[1], kNotEqual)) listed.insert(columns[0]);
  }
  const RunOneCase run = [](const CaseBytes& c) {
    return absl::StrJoin(RunCase(c.wire_form, CaseOptions()), "\n    ");
  };
  std::set<std::string> differ;
  for (const CaseResult& result : RunForked(Cases(), run, ForkOptions())) {
    if (result.passed()) continue;
    differ.insert(OpOf(result.name));
    EXPECT_EQ(listed.count(OpOf(result.name)), 1u)
        << result.name << " differs: " << result.difference;
  }
  EXPECT_EQ(differ, listed) << "docs/op_deviations.tsv lists an op whose streams are equal";
}

}  // namespace
}  // namespace warpbeam
