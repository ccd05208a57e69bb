#include <gtest/gtest.h>

#include "proto/graph.pb.h"
#include "runtime/checkpoint/table_reader.h"
#include "tests/conformance/case.pb.h"
#include "tests/conformance/case_file.h"
#include "tests/fuzz/byte_mutator.h"
#include "tests/fuzz/case_mutator.h"
#include "tests/fuzz/table_image.h"

namespace warpbeam {
namespace fuzz {
namespace {

constexpr size_t kMaxSize = 1 << 16;

TEST(ByteMutatorTest, ChangesAndStaysWithinTheLimit) {
  const std::string bytes(100, 'x');
  int changed = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    RandomSource random(seed);
    std::string mutated = bytes;
    MutateBytes(random, 102, &mutated);
    EXPECT_LE(mutated.size(), 102u);
    changed += mutated != bytes;
    EXPECT_LE(CrossBytes(random, bytes, mutated, 120).size(), 120u);
  }
  EXPECT_GT(changed, 700);
}

std::vector<CaseBytes> ControlCases() {
  auto cases = LoadCases({"tests/conformance/cases/control.cases.gz"});
  EXPECT_TRUE(cases.ok()) << cases.status();
  return cases.ok() ? *std::move(cases) : std::vector<CaseBytes>();
}

TEST(CaseMutatorTest, TheSameSeedMakesTheSameInput) {
  const std::vector<CaseBytes> cases = ControlCases();
  ASSERT_GT(cases.size(), 10u);
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const std::string& input = cases[seed % cases.size()].wire_form;
    const std::string& donor = cases[(seed * 7 + 1) % cases.size()].wire_form;
    RandomSource a(seed), b(seed);
    EXPECT_EQ(MutateCase(a, input, kMaxSize), MutateCase(b, input, kMaxSize));
    EXPECT_EQ(CrossCases(a, input, donor, kMaxSize), CrossCases(b, input, donor, kMaxSize));
  }
}

TEST(CaseMutatorTest, MostResultsAreGraphs) {
  const std::vector<CaseBytes> cases = ControlCases();
  ASSERT_FALSE(cases.empty());
  int graphs = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    RandomSource random(seed);
    conformance::Case c;
    tensorflow::GraphDef graph;
    graphs += c.ParseFromString(MutateCase(random, random.Pick(cases).wire_form, kMaxSize)) &&
              graph.ParseFromString(c.graph());
  }
  EXPECT_GT(graphs, 180);
}

TEST(CaseMutatorTest, CrossingAddsTheDonorsNodes) {
  const std::vector<CaseBytes> cases = ControlCases();
  ASSERT_GT(cases.size(), 1u);
  conformance::Case before, after;
  tensorflow::GraphDef graph, crossed;
  RandomSource random(1);
  ASSERT_TRUE(before.ParseFromString(cases[0].wire_form));
  ASSERT_TRUE(
      after.ParseFromString(CrossCases(random, cases[0].wire_form, cases[1].wire_form, kMaxSize)));
  ASSERT_TRUE(graph.ParseFromString(before.graph()));
  ASSERT_TRUE(crossed.ParseFromString(after.graph()));
  EXPECT_GT(crossed.node_size(), graph.node_size());
}

TEST(TableImageTest, WhatItWritesIsATable) {
  TableImage empty;
  TableImage image;
  ASSERT_TRUE(image.Parse(empty.Bytes()));
  EXPECT_EQ(image.Bytes(), empty.Bytes());
  RandomSource random(1);
  image.Mutate(random);  // an entry, for there is none to change
  const auto table = Table::Parse(image.Bytes(), "the image");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->entries().size(), 1u);
}

}  // namespace
}  // namespace fuzz
}  // namespace warpbeam
