#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "graph/op/op_registry.h"
#include "proto/config.pb.h"
#include "proto/graph.pb.h"
#include "runtime/checkpoint/table_reader.h"
#include "tests/conformance/case.pb.h"
#include "tests/conformance/case_file.h"
#include "tests/fuzz/byte_mutator.h"
#include "tests/fuzz/call_script.pb.h"
#include "tests/fuzz/call_script_mutator.h"
#include "tests/fuzz/case_mutator.h"
#include "tests/fuzz/file_set.h"
#include "tests/fuzz/file_set.pb.h"
#include "tests/fuzz/file_set_mutator.h"
#include "tests/fuzz/message_mutator.h"
#include "tests/fuzz/op_call_mutator.h"
#include "tests/fuzz/table_image.h"
#include "tests/fuzz/wire_form.h"

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

TEST(OpCallTest, EveryOpCanBeCalled) {
  int made = 0;
  for (const OpSchema* schema : OpRegistry::Global().All()) {
    RandomSource a(7), b(7);
    conformance::Case first = MakeCall(a, *schema), second = MakeCall(b, *schema);
    for (int i = 0; i < 5; ++i) {
      MutateCall(a, &first);
      MutateCall(b, &second);
    }
    EXPECT_EQ(first.graph(), second.graph()) << schema->name;
    tensorflow::GraphDef graph;
    made += graph.ParseFromString(first.graph()) && graph.node_size() > 0;
  }
  EXPECT_GT(made, 1100);
}

TEST(MessageMutatorTest, ChangesFieldsOfEveryKind) {
  tensorflow::ConfigProto config;
  (*config.mutable_device_count())["CPU"] = 1;
  (*config.mutable_device_count())["GPU"] = 2;
  config.add_device_filters("/job:ps");
  config.mutable_gpu_options()->set_per_process_gpu_memory_fraction(0.5);
  config.set_operation_timeout_in_ms(100);
  const std::string before = WireForm(config);
  std::set<std::string> made;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    RandomSource a(seed), b(seed);
    tensorflow::ConfigProto first = config, second;
    second.ParseFromString(before);
    MutateMessage(a, &first);
    MutateMessage(b, &second);
    EXPECT_EQ(WireForm(first), WireForm(second));
    made.insert(WireForm(first));
  }
  EXPECT_GT(made.size(), 50u);
}

TEST(CallScriptTest, ScriptsRunTheStepsOfTheirCase) {
  const std::vector<CaseBytes> cases = ControlCases();
  ASSERT_GT(cases.size(), 1u);
  conformance::Case c;
  ASSERT_TRUE(c.ParseFromString(cases[0].wire_form));
  const calls::Script script = ScriptOf(c, Flavour::kCallables);
  std::set<int> methods;
  for (const calls::Call& call : script.calls()) methods.insert(call.method());
  for (const int method : {calls::Call::CREATE_SESSION, calls::Call::MAKE_CALLABLE,
                           calls::Call::RUN_CALLABLE, calls::Call::CLOSE_SESSION}) {
    EXPECT_EQ(methods.count(method), 1u) << method;
  }
  const std::string bytes = WireForm(script);
  for (uint64_t seed = 0; seed < 200; ++seed) {
    RandomSource a(seed), b(seed);
    EXPECT_EQ(MutateScript(a, bytes, kMaxSize), MutateScript(b, bytes, kMaxSize));
  }
  // Handles of the second are those behind the first's.
  RandomSource random(1);
  calls::Script both;
  ASSERT_TRUE(both.ParseFromString(CrossScripts(random, bytes, bytes, kMaxSize)));
  EXPECT_EQ(both.calls_size(), 2 * script.calls_size());
  EXPECT_NE(WireForm(both).find("#1"), std::string::npos);
}

TEST(FileSetTest, NothingLeadsOutOfTheFolder) {
  files::FileSet set;
  set.set_base("tests/fuzz/testdata/records");
  EXPECT_EQ(ContentsOf(set).count("vocab.txt"), 1u);
  const auto add = [&](const std::string& path, files::Change::Kind kind) {
    files::Change* const change = set.add_changes();
    change->set_path(path);
    change->set_kind(kind);
    change->set_content("new");
  };
  add("vocab.txt", files::Change::GONE);
  add("deep/new.txt", files::Change::CONTENT);
  add("../outside.txt", files::Change::CONTENT);
  EXPECT_EQ(ContentsOf(set).count("vocab.txt"), 0u);
  ScratchFolder folder;
  folder.Fill(set);
  EXPECT_TRUE(std::filesystem::exists(folder.path() + "/data.tfrecord"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() + "/deep/new.txt"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/vocab.txt"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/../outside.txt"));
  for (uint64_t seed = 0; seed < 200; ++seed) {
    RandomSource a(seed), b(seed);
    files::FileSet first = set, second = set;
    MutateFiles(a, kMaxSize, &first);
    MutateFiles(b, kMaxSize, &second);
    EXPECT_EQ(WireForm(first), WireForm(second));
  }
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
