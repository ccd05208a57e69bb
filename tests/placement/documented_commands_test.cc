// What docs/placement_search.md shows runs, in the order of the page, and what it prints there of
// its worked example comes out.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/cli/command.h"

namespace warpbeam {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr char kPage[] = "docs/placement_search.md";
constexpr char kProgram[] = "bazel run //tools:warpbeam -- ";

// A step without feeds, whose two halves could run on two devices: loss and train.
constexpr char kModel[] = R"(
  node { name: "shape" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
         attr { key: "value" value { tensor { dtype: DT_INT32 int_val: 64 int_val: 64
           tensor_shape { dim { size: 2 } } } } } }
  node { name: "a" op: "RandomUniform" input: "shape"
         attr { key: "T" value { type: DT_INT32 } } attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "seed" value { i: 1 } } attr { key: "seed2" value { i: 1 } } }
  node { name: "b" op: "RandomUniform" input: "shape"
         attr { key: "T" value { type: DT_INT32 } } attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "seed" value { i: 2 } } attr { key: "seed2" value { i: 2 } } }
  node { name: "ab" op: "MatMul" input: "a" input: "b" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "ba" op: "MatMul" input: "b" input: "a" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "loss" op: "Add" input: "ab" input: "ba" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "train" op: "NoOp" input: "^loss" })";

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The indented blocks of a page, one string each.
std::vector<std::string> Blocks(const std::string& page) {
  std::vector<std::string> blocks;
  bool in_block = false;
  for (absl::string_view line : absl::StrSplit(page, '\n')) {
    const bool indented = absl::ConsumePrefix(&line, "    ");
    if (indented && !in_block) blocks.emplace_back();
    if (indented) absl::StrAppend(&blocks.back(), line, "\n");
    in_block = indented || (in_block && line.empty());
    if (in_block && line.empty() && !indented) absl::StrAppend(&blocks.back(), "\n");
  }
  return blocks;
}

// The words behind the program's name, of each command of a block.
std::vector<std::vector<std::string>> Commands(const std::string& block) {
  std::vector<std::vector<std::string>> commands;
  const std::string joined = absl::StrReplaceAll(block, {{"\\\n", " "}});
  for (absl::string_view line : absl::StrSplit(joined, '\n')) {
    if (!absl::ConsumePrefix(&line, kProgram)) continue;
    line = line.substr(0, line.find(" #"));
    commands.push_back(absl::StrSplit(line, ' ', absl::SkipWhitespace()));
  }
  return commands;
}

class DocumentedCommandsTest : public ::testing::Test {
 protected:
  DocumentedCommandsTest()
      : folder_(fs::path(::testing::TempDir()) / "documented"), blocks_(Blocks(ReadFile(kPage))) {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "model.pbtxt") << kModel;
  }

  // Files of the page are the test's own, those of the repository are where they are.
  std::vector<std::string> Here(std::vector<std::string> words) const {
    for (std::string& word : words) {
      word = absl::StrReplaceAll(word, {{"$PWD/tools/", "tools/"}, {"model.pb", "model.pbtxt"}});
      word = absl::StrReplaceAll(word, {{"$PWD", folder_.string()}});
    }
    return words;
  }
  std::string Run(const std::vector<std::string>& words) const {
    std::ostringstream out, err;
    cli::Console console{out, err, /*is_terminal=*/false};
    EXPECT_EQ(cli::RunProgram(Here(words), console), 0) << absl::StrJoin(words, " ") << "\n"
                                                        << err.str();
    return out.str();
  }

  const fs::path folder_;
  const std::vector<std::string> blocks_;
};

TEST_F(DocumentedCommandsTest, EachOneRuns) {
  // The machine that the page describes is there until one is measured.
  for (const std::string& block : blocks_) {
    if (absl::StartsWith(block, "{")) std::ofstream(folder_ / "machine.json") << block;
  }
  int count = 0;
  for (const std::string& block : blocks_) {
    for (const std::vector<std::string>& words : Commands(block)) {
      Run(words);
      ++count;
    }
  }
  EXPECT_GE(count, 8) << "the page's commands were not found";
  for (const char* file : {"machine.json", "model.costs", "placed.pb", "report.json"}) {
    EXPECT_TRUE(fs::exists(folder_ / file)) << file;
  }
}

TEST_F(DocumentedCommandsTest, TheWorkedExamplesComeOut) {
  int examples = 0;
  for (const std::string& block : blocks_) {
    const size_t shown = block.find("\n\n");  // below the command
    const auto commands = Commands(block.substr(0, shown));
    // Blocks of commands alone show nothing.
    if (commands.size() != 1 || shown == std::string::npos) continue;
    if (shown + 2 >= block.size() || !Commands(block.substr(shown)).empty()) continue;
    const std::string out = Run(commands[0]);
    for (absl::string_view line : absl::StrSplit(block.substr(shown), '\n')) {
      if (absl::StrContains(line, "…")) continue;
      EXPECT_THAT(out, HasSubstr(std::string(line)));
    }
    ++examples;
  }
  EXPECT_EQ(examples, 3) << "the page's worked examples were not found";
}

}  // namespace
}  // namespace warpbeam
