// What variable scopes hand on: constraints, types, custom getters, partitioners.
#include "frontend/variables/variable_scope.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/operators.h"
#include "frontend/variables/updates.h"
#include "frontend/variables/variance_scaling.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::ElementsAre;

bool ScopedMentions(const Status& status, const std::string& text) {
  return std::string(status.message()).find(text) != std::string::npos;
}

std::vector<float> ValuesOf(ClientSession& session, const Output& output) {
  const auto run = session.Run({output});
  EXPECT_TRUE(run.ok()) << run.status();
  if (!run.ok()) return {};
  const auto values = (*run)[0].flat<float>();
  return std::vector<float>(values.begin(), values.end());
}

std::vector<float> InitialValues(const Scope& root, const Output& output) {
  const Operation init = GlobalVariablesInitializer(root);
  ClientSession session(root);
  const auto made = session.Run({init});
  EXPECT_TRUE(made.ok()) << made.status();
  return ValuesOf(session, output);
}

TEST(VariableScopeTest, TheTypeIsTheScopes) {
  const Scope root = Scope::NewRoot();
  const Scope doubles = root.VariableScope("d", VariableScopeOptions().dtype(DType::kDouble));
  EXPECT_EQ(GetVariable(doubles.VariableScope("in"), "w", {2}).dtype(), DType::kDouble);
  EXPECT_EQ(GetVariable(doubles, "i", {2}, GetVariableOptions().dtype(DType::kInt32)).dtype(),
            DType::kInt32);
  EXPECT_EQ(GetVariable(root, "f", {2}).dtype(), DType::kFloat);
  EXPECT_TRUE(root.ok()) << root.status();
}

TEST(VariableScopeTest, TheConstraintIsTheScopes) {
  const Constraint positive = [](const Scope& s, const Output& v) { return Maximum(s, v, 0); };
  const Constraint none = [](const Scope& s, const Output& v) { return Identity(s, v); };
  const Scope root = Scope::NewRoot();
  const Scope scope = root.VariableScope("c", VariableScopeOptions().constraint(positive));
  const auto least = [&](const Variable& v) {
    return InitialValues(root, v.constraint()(root, Constant(root, {-1.0f})));
  };
  EXPECT_THAT(least(GetVariable(scope, "w", {2})), ElementsAre(0));
  EXPECT_THAT(least(GetVariable(scope, "x", {2}, GetVariableOptions().constraint(none))),
              ElementsAre(-1));
  EXPECT_EQ(GetVariable(root, "y", {2}).constraint(), nullptr);
  EXPECT_THAT(least(Variable(root, 1.0f, VariableOptions().constraint(positive))), ElementsAre(0));
}

TEST(CustomGetterTest, MayAskForAnotherName) {
  const Scope root = Scope::NewRoot();
  std::vector<std::string> asked;
  const auto suffixed = [&](const VariableGetter& getter, const Scope& s, const std::string& name,
                            const Shape& shape, const GetVariableOptions& options) {
    asked.push_back(name);
    return getter(s, name + "_suffix", shape, options);
  };
  const Scope scope = root.VariableScope("a", VariableScopeOptions().custom_getter(suffixed));
  EXPECT_EQ(GetVariable(scope.VariableScope("b"), "w", {2}).name(), "a/b/w_suffix");
  EXPECT_EQ(GetVariableFrom(scope, "v", {1.0f, 2.0f}).name(), "a/v_suffix");
  EXPECT_THAT(asked, ElementsAre("a/b/w", "a/v"));
  EXPECT_TRUE(root.ok()) << root.status();
}

TEST(CustomGetterTest, TheInnerOneAsksTheOuterOne) {
  const Scope root = Scope::NewRoot();
  const auto adds = [](const std::string& text) {
    return [text](const VariableGetter& getter, const Scope& s, const std::string& name,
                  const Shape& shape, const GetVariableOptions& options) {
      return getter(s, name + text, shape, options);
    };
  };
  const Scope outer = root.VariableScope("o", VariableScopeOptions().custom_getter(adds("_o")));
  const Scope inner = outer.VariableScope("i", VariableScopeOptions().custom_getter(adds("_i")));
  EXPECT_EQ(GetVariable(inner, "w", {2}).name(), "o/i/w_i_o");
  EXPECT_TRUE(root.ok()) << root.status();
}

TEST(CustomGetterTest, MayGiveSomethingElse) {
  const Scope root = Scope::NewRoot();
  const auto halved = [](const VariableGetter& getter, const Scope& s, const std::string& name,
                         const Shape& shape, const GetVariableOptions& options) {
    const Variable v = getter(s, name, shape, options);
    return v.WithValue(Multiply(s, v, 0.5));
  };
  const Scope scope = root.VariableScope("h", VariableScopeOptions().custom_getter(halved));
  const Variable w = GetVariable(scope, "w", {2}, ConstantInitializer({4, 6}));
  EXPECT_EQ(w.name(), "h/w");
  EXPECT_THAT(InitialValues(root, w + 1.0f), ElementsAre(3, 4));
  EXPECT_EQ(TrainableVariables(root).size(), 1u);
  // What is computed is not changed.
  EXPECT_FALSE(Assign(root, w, {1.0f, 2.0f}).valid());
  EXPECT_TRUE(IsInvalidArgument(root.status())) << root.status();
}

TEST(CustomGetterTest, WhatItAsksForItselfDoesNotComeBack) {
  const Scope root = Scope::NewRoot();
  const auto again = [](const VariableGetter&, const Scope& s, const std::string&,
                        const Shape& shape, const GetVariableOptions& options) {
    return GetVariable(s, "own", shape, options);
  };
  const Scope scope = root.VariableScope("a", VariableScopeOptions().custom_getter(again));
  EXPECT_EQ(GetVariable(scope, "w", {2}).name(), "a/own");
  const auto nothing = [](const VariableGetter&, const Scope&, const std::string&, const Shape&,
                          const GetVariableOptions&) { return Variable(); };
  const Scope none = root.VariableScope("n", VariableScopeOptions().custom_getter(nothing));
  EXPECT_FALSE(Identity(root, GetVariable(none, "w", {2})).valid());
  EXPECT_FALSE(root.ok());
}

using Numbers = std::vector<int64_t>;

Numbers Parts(const Partitioner& partitioner, const Shape& shape, DType dtype = DType::kFloat) {
  const auto parts = partitioner(shape, dtype);
  EXPECT_TRUE(parts.ok()) << parts.status();
  return parts.value_or(Numbers());
}

// The numbers are those of TensorFlow's partitioners.
TEST(PartitionersTest, NumbersOfParts) {
  EXPECT_EQ(Parts(FixedSizePartitioner(3), {5, 2}), (Numbers{3, 1}));
  EXPECT_EQ(Parts(FixedSizePartitioner(3, 1), {5, 2}), (Numbers{1, 2}));
  EXPECT_EQ(Parts(VariableAxisSizePartitioner(1000), {100, 8}), (Numbers{4, 1}));
  EXPECT_EQ(Parts(VariableAxisSizePartitioner(10), {7, 8}), (Numbers{7, 1}));
  EXPECT_EQ(Parts(VariableAxisSizePartitioner(10, 1, 16, 3), {7, 8}), (Numbers{1, 3}));
  EXPECT_EQ(Parts(VariableAxisSizePartitioner(64), {9, 2}, DType::kString), (Numbers{5, 1}));
  EXPECT_EQ(Parts(MinMaxVariablePartitioner(100), {1024, 1024}), (Numbers{16, 1}));
  EXPECT_EQ(Parts(MinMaxVariablePartitioner(10), {1024, 1024}), (Numbers{10, 1}));
  EXPECT_EQ(Parts(MinMaxVariablePartitioner(), {1024, 1024}), (Numbers{1, 1}));
  EXPECT_EQ(Parts(MinMaxVariablePartitioner(100, 1, 1), {1024, 3}), (Numbers{1, 3}));
}

TEST(PartitionedVariableTest, IsReadAndAssignedAsOne) {
  for (const bool use_resource : {false, true}) {
    const Scope root = Scope::NewRoot();
    const Scope scope = root.VariableScope(
        "p",
        VariableScopeOptions().partitioner(FixedSizePartitioner(2)).use_resource(use_resource));
    const Variable w = GetVariable(scope, "w", {3, 2}, IdentityInitializer(2));
    ASSERT_TRUE(w.valid()) << root.status();
    EXPECT_EQ(w.partitions(), (Numbers{2, 1}));
    ASSERT_EQ(w.parts().size(), 2u);
    EXPECT_EQ(w.parts()[0].shape(), Shape({2, 2}));
    EXPECT_EQ(w.parts()[1].shape(), Shape({1, 2}));
    EXPECT_EQ(w.parts()[1].name(), "p/w/part_1");
    const Output assigned = Assign(root, w, {{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}});
    const Output added = AssignAdd(root, w, {{1.0f, 1.0f}, {1.0f, 1.0f}, {9.0f, 9.0f}});
    const Operation init = GlobalVariablesInitializer(root);
    ASSERT_TRUE(root.ok()) << root.status();
    ClientSession session(root);
    ASSERT_TRUE(session.Run({init}).ok());
    EXPECT_THAT(ValuesOf(session, w), ElementsAre(2, 0, 0, 2, 0, 0));
    EXPECT_THAT(ValuesOf(session, assigned), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(ValuesOf(session, added), ElementsAre(2, 3, 4, 5, 14, 15));
    EXPECT_THAT(ValuesOf(session, w), ElementsAre(2, 3, 4, 5, 14, 15));
    EXPECT_FALSE(LoadValue(session, w, Tensor::Scalar<float>(5)).ok());
    EXPECT_EQ(TrainableVariables(root).size(), 2u);
    // A number is not cut.
    EXPECT_FALSE(GetVariable(scope, "number", {}).is_partitioned());
    EXPECT_TRUE(root.ok()) << root.status();
  }
}

TEST(PartitionedVariableTest, IsFoundAgain) {
  const Scope root = Scope::NewRoot();
  const VariableScopeOptions halves =
      VariableScopeOptions().partitioner(FixedSizePartitioner(2)).auto_reuse();
  const Variable w = GetVariable(root.VariableScope("a", halves), "w", {4});
  EXPECT_TRUE(SameVariable(GetVariable(root.VariableScope("a", halves), "w", {4}), w));
  const Scope whole = root.VariableScope("a", VariableScopeOptions().reuse(true));
  EXPECT_TRUE(SameVariable(GetVariable(whole, "w", {4}), w));
  EXPECT_TRUE(SameVariable(GetVariable(whole, "w/part_1", {2}), w.parts()[1]));
  EXPECT_TRUE(root.ok()) << root.status();
  GetVariable(whole, "w", {4}, GetVariableOptions().partitioner(FixedSizePartitioner(4)));
  EXPECT_TRUE(ScopedMentions(root.status(), "'a/w' is cut into [2] parts, asked for in [4]"))
      << root.status();
}

TEST(PartitionedVariableTest, WhatIsWrongIsSaid) {
  const auto error = [](const Partitioner& partitioner) {
    const Scope root = Scope::NewRoot();
    const Variable w =
        GetVariable(root, "w", {3, 2}, GetVariableOptions().partitioner(partitioner));
    EXPECT_FALSE(w.valid());
    EXPECT_FALSE(Identity(root, w).valid());
    EXPECT_FALSE(Identity(root, w.parts()[0]).valid());
    EXPECT_TRUE(IsInvalidArgument(root.status())) << root.status();
    return std::string(root.status().message());
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(error(FixedSizePartitioner(0)), HasSubstr("'w': a partitioner's number of shards"));
  EXPECT_THAT(error(FixedSizePartitioner(2, 2)), HasSubstr("no dimension 2"));
  EXPECT_THAT(error(FixedSizePartitioner(2, -1)), HasSubstr("no dimension -1"));
  EXPECT_THAT(error(VariableAxisSizePartitioner(0)), HasSubstr("max_shard_bytes"));
  EXPECT_THAT(error(MinMaxVariablePartitioner(1, 0, 0)), HasSubstr("min_slice_size"));
  const auto gives = [](const Numbers& numbers) {
    return [numbers](const Shape&, DType) { return numbers; };
  };
  EXPECT_THAT(error(gives({2})), HasSubstr("gave [2] for the shape [3,2]"));
  EXPECT_THAT(error(gives({2, 2})), HasSubstr("one dimension at most"));
  EXPECT_THAT(error(gives({0, 1})), HasSubstr("there must be a part"));
  EXPECT_THAT(error(gives({4, 1})), HasSubstr("no more than rows"));
  const Scope root = Scope::NewRoot();
  EXPECT_FALSE(CreatePartitionedVariables(root, {4}, {2, 2}, ZerosInitializer())[0].valid());
  EXPECT_TRUE(IsInvalidArgument(root.status())) << root.status();
  const Scope scalar = Scope::NewRoot();
  EXPECT_FALSE(CreatePartitionedVariables(scalar, {}, {}, ZerosInitializer())[0].valid());
  EXPECT_TRUE(ScopedMentions(scalar.status(), "a number cannot be cut")) << scalar.status();
}

TEST(PartitionedVariableTest, AreMadeWithoutAScope) {
  const Scope root = Scope::NewRoot();
  const std::vector<Variable> parts =
      CreatePartitionedVariables(root, {4, 3}, {1, 2}, OnesInitializer());
  ASSERT_EQ(parts.size(), 2u) << root.status();
  EXPECT_EQ(parts[0].name(), "PartitionedVariable/part_0");
  EXPECT_EQ(parts[0].shape(), Shape({4, 2}));
  EXPECT_EQ(parts[1].shape(), Shape({4, 1}));
  const std::vector<Variable> more =
      CreatePartitionedVariables(root, {4, 3}, {1, 1}, OnesInitializer());
  ASSERT_EQ(more.size(), 1u) << root.status();
  EXPECT_EQ(more[0].name(), "PartitionedVariable_1/part_0");
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
