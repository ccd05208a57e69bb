#include "graph/functions/call_cycles.h"

#include "absl/strings/str_cat.h"
#include "graph/functions/callees.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

// A library of functions that call others, by an op of that name.
FunctionLibrary Library(
    const std::vector<std::pair<std::string, std::vector<std::string>>>& calls) {
  FunctionLibrary library;
  for (const auto& [name, callees] : calls) {
    auto function = std::make_shared<Function>();
    function->signature.name = name;
    for (const std::string& callee : callees) {
      NodeSpec node;
      node.name = absl::StrCat("n", function->nodes.size());
      node.op = callee;
      function->nodes.push_back(std::move(node));
    }
    EXPECT_TRUE(library.Add(std::move(function)).ok());
  }
  return library;
}

TEST(CallCyclesTest, RingsAndWhatLeadsToThem) {
  const FunctionLibrary library = Library({{"into", {"a"}},
                                           {"a", {"b", "leaf"}},
                                           {"b", {"c"}},
                                           {"c", {"leaf", "a", "out"}},
                                           {"out", {"leaf", "NoSuchFunction"}},
                                           {"leaf", {}},
                                           {"self", {"self"}}});
  CallCycles cycles(library);
  for (const char* name : {"a", "b", "c", "self"}) EXPECT_TRUE(cycles.CallsItself(name)) << name;
  for (const char* name : {"into", "out", "leaf", "NoSuchFunction"}) {
    EXPECT_FALSE(cycles.CallsItself(name)) << name;
  }
}

TEST(CallCyclesTest, TwoRingsThatShareAFunction) {
  const FunctionLibrary library =
      Library({{"a", {"b"}}, {"b", {"a", "c"}}, {"c", {"d"}}, {"d", {"b", "e"}}, {"e", {}}});
  CallCycles cycles(library);
  EXPECT_FALSE(cycles.CallsItself("e"));
  for (const char* name : {"d", "c", "b", "a"}) EXPECT_TRUE(cycles.CallsItself(name)) << name;
}

TEST(CallCyclesTest, AnAttributeCallsToo) {
  auto function = std::make_shared<Function>();
  function->signature.name = "f";
  NodeSpec node;
  node.name = "n";
  node.op = "PartitionedCall";
  FunctionRef ref;
  ref.name = "f";
  node.attrs.Set("f", ref);
  function->nodes.push_back(std::move(node));
  FunctionLibrary library;
  ASSERT_TRUE(library.Add(function).ok());
  EXPECT_TRUE(CallCycles(library).CallsItself("f"));
}

TEST(CallCyclesTest, ALongChainIsNoRecursion) {
  constexpr int kLength = 100'000;
  std::vector<std::pair<std::string, std::vector<std::string>>> calls;
  for (int i = 0; i < kLength; ++i) {
    calls.push_back({absl::StrCat("f", i), {absl::StrCat("f", i + 1)}});
  }
  calls.push_back({absl::StrCat("f", kLength), {"f7"}});
  const FunctionLibrary library = Library(calls);
  CallCycles cycles(library);
  EXPECT_TRUE(cycles.CallsItself("f7"));
  EXPECT_TRUE(cycles.CallsItself(absl::StrCat("f", kLength)));
  EXPECT_FALSE(cycles.CallsItself("f6"));
}

TEST(CalleesTest, AllNamesInTheirOrder) {
  const FunctionLibrary library = Library({{"a", {"b", "b", "Neg"}}, {"b", {"c"}}, {"c", {}}});
  EXPECT_EQ(CalleesOf(*library.Find("a")), (std::vector<std::string>{"b", "b", "Neg"}));
}

}  // namespace
}  // namespace warpbeam
