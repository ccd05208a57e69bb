// Functions that give lists say a mistake in the scope, and their lists may be asked for anything.
#include <functional>
#include <string>
#include <vector>

#include "frontend/warpbeam.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

// Asks for what a program asks that believes all went well, and builds on it.
template <typename T>
void AskFor(const Scope& scope, const HandleList<T>& constant) {
  HandleList<T> list = constant;
  for (const size_t i : {size_t{0}, size_t{1}, list.size(), ~size_t{0}}) {
    EXPECT_TRUE(i < list.size() || !constant[i].valid());
    list[i] = T();
  }
  EXPECT_FALSE(list.front().valid());
  EXPECT_EQ(list.size(), constant.size());
  (void)constant.back();
  (void)scope;
}

void AskFor(const Scope& scope, const OutputList& constant) {
  OutputList list = constant;
  for (const size_t i : {size_t{0}, size_t{1}, list.size(), ~size_t{0}}) {
    EXPECT_TRUE(i < list.size() || !constant[i].valid());
    EXPECT_FALSE(Identity(scope, list[i]).valid());
    list[i] = constant.back();
  }
  EXPECT_FALSE((list.front() + constant.front()).valid());
}

struct Mistake {
  const char* name;
  std::function<void(const Scope& scope)> make;
};

const std::vector<Output> kNone;

std::vector<Mistake> MistakesOfTensors() {
  const auto matrix = [](const Scope& s) { return Zeros(s, {4, 6}); };
  const auto no_list = [](const Scope&) { return kNone; };
  const auto rows = [](const Scope&, const std::vector<Output>& row) { return row; };
  return {
      {"split into none", [=](const Scope& s) { AskFor(s, Split(s, matrix(s), 0)); }},
      {"split into less", [=](const Scope& s) { AskFor(s, Split(s, matrix(s), -3)); }},
      {"split unevenly", [=](const Scope& s) { AskFor(s, Split(s, matrix(s), 5, 1)); }},
      {"split along none", [=](const Scope& s) { AskFor(s, Split(s, matrix(s), 2, 7)); }},
      {"split into a billion", [=](const Scope& s) { AskFor(s, Split(s, matrix(s), 1 << 30)); }},
      {"unstack a billion",
       [=](const Scope& s) {
         AskFor(s, Unstack(s, Placeholder(s, DType::kFloat, PartialShape()), 1 << 30));
       }},
      {"partition into a billion",
       [=](const Scope& s) {
         AskFor(s, DynamicPartition(s, matrix(s), {0, 0, 0, 0}, 1 << 30));
       }},
      {"shards of nothing, a billion",
       [=](const Scope& s) { AskFor(s, train::ShardBatch(s, {Output()}, 1 << 30)[5]); }},
      {"a sparse split into very many",
       [=](const Scope& s) {
         const SparseTensor x = SparseTensor::Of(s, {{0, 0}}, {1.0f}, {2, 2});
         AskFor(s, SparseSplit(s, x, int64_t{1} << 40, 0));
       }},
      {"split nothing", [=](const Scope& s) { AskFor(s, Split(s, Output(), 2)); }},
      {"unstack a number", [=](const Scope& s) { AskFor(s, Unstack(s, Constant(s, 1))); }},
      {"unstack others", [=](const Scope& s) { AskFor(s, Unstack(s, matrix(s), 3)); }},
      {"unstack nothing", [=](const Scope& s) { AskFor(s, Unstack(s, Output())); }},
      {"shapes of nothing", [=](const Scope& s) { AskFor(s, ShapeN(s, kNone)); }},
      {"identities of nothing", [=](const Scope& s) { AskFor(s, IdentityN(s, kNone)); }},
      {"partition into none",
       [=](const Scope& s) {
         AskFor(s, DynamicPartition(s, matrix(s), {0, 0, 0, 0}, 0));
       }},
      {"mesh of nothing", [=](const Scope& s) { AskFor(s, Meshgrid(s, {Output()})); }},
      {"rows of nothing", [=](const Scope& s) { AskFor(s, MapFn(s, rows, InputList(kNone))); }},
      {"rows of a number",
       [=](const Scope& s) { AskFor(s, MapFn(s, rows, InputList({Constant(s, 1)}))); }},
      {"scan of nothing",
       [=](const Scope& s) {
         AskFor(s, Scan(
                       s,
                       [](const Scope&, const std::vector<Output>& a, const std::vector<Output>&) {
                         return a;
                       },
                       InputList(kNone)));
       }},
      {"loop of nothing",
       [=](const Scope& s) {
         AskFor(
             s,
             WhileLoop(
                 s, [](const Scope& in, const std::vector<Output>&) { return Constant(in, true); },
                 rows, InputList(kNone)));
       }},
      {"loop that loses a variable",
       [=](const Scope& s) {
         AskFor(
             s,
             WhileLoop(
                 s, [](const Scope& in, const std::vector<Output>&) { return Constant(in, true); },
                 [=](const Scope& in, const std::vector<Output>&) { return no_list(in); }, {1, 2}));
       }},
      {"branches that differ",
       [=](const Scope& s) {
         AskFor(s, Cond(s, Constant(s, true), BranchFunction(no_list),
                        BranchFunction(
                            [=](const Scope& in) { return std::vector<Output>{matrix(in)}; })));
       }},
      {"switch of no branches", [=](const Scope& s) { AskFor(s, SwitchCase(s, 0, {})); }},
      {"tuple of nothing", [=](const Scope& s) { AskFor(s, Tuple(s, kNone)); }},
  };
}

std::vector<Mistake> OtherMistakes() {
  const auto matrix = [](const Scope& s) { return Zeros(s, {4, 6}); };
  return {
      {"gradients of nothing",
       [=](const Scope& s) { AskFor(s, Hessians(s, InputList(kNone), {Output()})); }},
      {"sparse split into none",
       [=](const Scope& s) {
         const SparseTensor x = SparseTensor::Of(s, {{0, 0}}, {1.0f}, {2, 2});
         AskFor(s, SparseSplit(s, x, 0, 0));
       }},
      {"sparse split of nothing",
       [=](const Scope& s) { AskFor(s, SparseSplit(s, SparseTensor(), 2, 0)); }},
      {"no shards",
       [=](const Scope& s) {
         const auto shards = train::ShardBatch(s, {matrix(s)}, 0);
         EXPECT_FALSE(shards[0][0].valid());
         AskFor(s, shards[1]);
       }},
      {"shards of a number",
       [=](const Scope& s) { AskFor(s, train::ShardBatch(s, {Constant(s, 1)}, 2)[0]); }},
      {"batch of nothing", [=](const Scope& s) { AskFor(s, train::Batch(s, kNone, 2)); }},
      {"batch of none", [=](const Scope& s) { AskFor(s, train::Batch(s, {matrix(s)}, -1)); }},
      {"join of nothing", [=](const Scope& s) { AskFor(s, train::BatchJoin(s, {}, 2)); }},
      {"slices of nothing",
       [=](const Scope& s) { AskFor(s, train::SliceInputProducer(s, kNone)); }},
      {"queue of nothing", [=](const Scope& s) { AskFor(s, FIFOQueue(s, 3, {}).Dequeue(s)); }},
      {"csv without columns",
       [=](const Scope& s) { AskFor(s, io::DecodeCsv(s, "1,2", InputList(kNone))); }},
      {"a prefetched nothing",
       [=](const Scope& s) { AskFor(s, train::PrefetchQueue(s, kNone).Dequeue(s)); }},
      {"a wrong collection",
       [=](const Scope& s) { AskFor(s, GetCollection(s, GraphKeys::kLosses, "(")); }},
      {"partitions of no variable",
       [=](const Scope& s) {
         AskFor(s, CreatePartitionedVariables(s, {4, 2}, {0, 1}, ZerosInitializer()));
       }},
      {"an iterator of nothing",
       [=](const Scope& s) {
         AskFor(s, data::FromTensorSlices(s, {Constant(s, 1)}).MakeOneShotIterator().GetNext());
       }},
  };
}

std::vector<Mistake> Mistakes() {
  std::vector<Mistake> all = MistakesOfTensors();
  for (const Mistake& mistake : OtherMistakes()) all.push_back(mistake);
  return all;
}

TEST(BadListsTest, EveryMistakeIsAStatusOfTheScope) {
  for (const Mistake& mistake : Mistakes()) {
    const Scope root = Scope::NewRoot();
    mistake.make(root);
    EXPECT_FALSE(root.ok()) << mistake.name;
    EXPECT_NE(root.status().message().find("lists_test.cc:"), std::string::npos)
        << mistake.name << ": " << root.status();
  }
}

// After another error nothing is built, and the lists are the same.
TEST(BadListsTest, AFailedScopeGivesListsThatCanBeAsked) {
  for (const Mistake& mistake : Mistakes()) {
    const Scope root = Scope::NewRoot();
    Identity(root, Output());
    const Status first = root.status();
    mistake.make(root);
    EXPECT_EQ(root.status(), first) << mistake.name;
  }
}

TEST(BadListsTest, WhatIsWrittenBesideAListDoesNotStay) {
  const Scope root = Scope::NewRoot();
  OutputList list;
  list[3] = Constant(root, 1);
  EXPECT_FALSE(list[3].valid());
  EXPECT_TRUE(list.empty());
}

TEST(BadListsTest, EmptyCollectionsCanBeAsked) {
  const Scope root = Scope::NewRoot();
  EXPECT_FALSE(GlobalVariables(root)[0].valid());
  EXPECT_FALSE(GetCollection(root, GraphKeys::kLosses)[0].valid());
  EXPECT_FALSE(root.GetOperations()[0].valid());
  EXPECT_FALSE(Operation().outputs()[0].valid());
  EXPECT_FALSE(Gradients(root, {Output()}, {Output()})[1].has_value());
  EXPECT_FALSE(root.ok());
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
