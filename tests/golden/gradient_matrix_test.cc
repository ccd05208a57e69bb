// Every op has the kind of gradient that TensorFlow gives it. gradient_differences.tsv lists what
// differs; it is kept exact.
#include <fstream>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "graph/gradients/gradient_registry.h"
#include "gtest/gtest.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

constexpr char kFolder[] = "tests/golden/";

// Lines "op<TAB>value", comments left out.
std::map<std::string, std::string> ReadTable(const std::string& name) {
  std::ifstream file(kFolder + name);
  EXPECT_TRUE(file.good()) << name;
  std::map<std::string, std::string> table;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    const size_t tab = line.find('\t');
    table[line.substr(0, tab)] = tab == std::string::npos ? "" : line.substr(tab + 1);
  }
  return table;
}

// In tf_no_gradient.txt's words; "differentiable" for an op that is not in it.
std::string KindOf(const std::string& op) {
  const GradientEntry* entry = GradientRegistry::Global().Find(op);
  if (entry == nullptr || !entry->reason.empty()) return "unregistered";
  return entry->function == nullptr ? "not_differentiable" : "differentiable";
}

// Calls of functions are differentiated by the function's own gradient.
bool IsCall(const std::string& op) {
  return op == "PartitionedCall" || op == "StatefulPartitionedCall" || op == "SymbolicGradient";
}

TEST(GradientMatrixTest, EveryOpHasTensorFlowsKindOfGradientButThoseListed) {
  ASSERT_TRUE(GradientRegistry::GlobalStatus().ok()) << GradientRegistry::GlobalStatus();
  const auto without = ReadTable("tf_no_gradient.txt");
  std::map<std::string, std::string> found;
  int compared = 0;
  for (const auto& [op, unused] : ReadTable("ops.txt")) {
    if (!KernelRegistry::Global().KnowsOp(op) || IsCall(op)) continue;
    const auto golden = without.find(op);
    const std::string wanted = golden == without.end() ? "differentiable" : golden->second;
    if (KindOf(op) != wanted) found[op] = absl::StrCat("ours: ", KindOf(op), ", theirs: ", wanted);
    ++compared;
  }
  EXPECT_GT(compared, 0) << "no ops are linked into this test";
  std::string text;
  for (const auto& [op, what] : found) absl::StrAppend(&text, op, "\t", what, "\n");
  EXPECT_EQ(found, ReadTable("gradient_differences.tsv")) << "the file would now hold:\n" << text;
}

}  // namespace
}  // namespace warpbeam
