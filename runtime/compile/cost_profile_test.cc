#include "runtime/compile/cost_profile.h"

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

StepStats Step(int64_t relu_ns) {
  StepStats stats;
  const auto add = [&](const char* node, const char* op, int64_t ns) {
    NodeStats n;
    n.node = node;
    n.op = op;
    n.start_ns = 1000;
    n.end_ns = 1000 + ns;
    stats.nodes.push_back(n);
  };
  add("net/product", "MatMul", 5000);
  add("net/relu", "Relu", relu_ns);
  add("net/relu", "_Copy", 999);
  stats.nodes.back().is_copy = true;
  return stats;
}

constexpr char kText[] = "warpbeam costs 1\n5000 MatMul net/product\n30 Relu net/relu\nend 2\n";

TEST(CostProfileTest, AveragesStepsAndComesBack) {
  const CostProfile profile = CostProfile::Of({Step(20), Step(40)});
  EXPECT_EQ(profile.ToText(), kText);
  const auto read = CostProfile::Parse(kText, "file");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->ToText(), kText);
  EXPECT_EQ(read->size(), 2u);
  EXPECT_THAT(read->ToString(), HasSubstr("file, 2 nodes, hash "));
  const auto other = CostProfile::Parse(absl::StrReplaceAll(kText, {{"30", "31"}}), "file");
  EXPECT_NE(other->ToString(), read->ToString());
}

TEST(CostProfileTest, EntriesAreOfANodeAndItsOp) {
  OpRegistry ops;
  ASSERT_TRUE(ops.Register(OpSchemaBuilder("Relu").Output("y: float")).ok());
  ASSERT_TRUE(ops.Register(OpSchemaBuilder("Tanh").Output("y: float")).ok());
  Graph graph(ops);
  const auto add = [&](const char* name, const char* op) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    return *graph.AddNode(spec, {}, {});
  };
  const auto profile = CostProfile::Parse(kText, "file");
  EXPECT_EQ(profile->Find(*add("net/relu", "Relu")), 30);
  EXPECT_EQ(profile->Find(*add("net/product", "Tanh")), std::nullopt);
  EXPECT_EQ(profile->Find(*add("other", "Relu")), std::nullopt);
}

TEST(CostProfileTest, RefusesWhatIsNoProfile) {
  const auto expect = [](const std::string& text, const char* message) {
    const auto profile = CostProfile::Parse(text, "costs.txt");
    EXPECT_EQ(profile.status().code(), StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(profile.status().message()), HasSubstr(message));
    EXPECT_THAT(std::string(profile.status().message()), HasSubstr("costs.txt"));
  };
  expect("", "begins with");
  expect(
      "\x7f"
      "ELF",
      "line 1");
  expect("warpbeam costs 2\nend 0\n", "begins with");
  expect("warpbeam costs 1\n", "NANOSECONDS");
  expect("warpbeam costs 1\n5 MatMul a", "is missing");
  expect("warpbeam costs 1\n5 MatMul a\n6 MatMul a\nend 2\n", "line 3: the node 'a'");
  expect("warpbeam costs 1\n-5 MatMul a\nend 1\n", "line 2: it is not of the form");
  expect("warpbeam costs 1\n99999999999999999999 MatMul a\nend 1\n", "line 2");
  expect("warpbeam costs 1\n5 MatMul\nend 1\n", "line 2");
  expect("warpbeam costs 1\n5 MatMul a\nend 2\n", "more or fewer");
  expect("warpbeam costs 1\n5 MatMul a\nend 1\n5 MatMul b\n", "more or fewer");
  EXPECT_EQ(CostProfile::Read("/no/such/file").status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace warpbeam
