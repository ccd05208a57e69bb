// Assertions, custom gradients, branches by a number, quantized numbers, templates, accumulators
// and updates of variables do what TensorFlow's do.
#include <cmath>

#include "frontend/values/expected_values.h"
#include "frontend/warpbeam.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::HasSubstr;

Output After(S s, const Operation& check, const Output& x) {
  return Identity(s.ControlDependencies({check}), x);
}

std::vector<ValueRow> AssertionRows() {
  return {
      {"assert_equal", [](S s, X x) { return After(s, AssertEqual(s, x[0], x[1]), x[0]); }},
      {"assert_none_equal",
       [](S s, X x) { return After(s, AssertNoneEqual(s, x[0], x[1]), x[0]); }},
      {"assert_less", [](S s, X x) { return After(s, AssertLess(s, x[0], x[1]), x[0]); }},
      {"assert_less_equal",
       [](S s, X x) { return After(s, AssertLessEqual(s, x[0], x[1]), x[0]); }},
      {"assert_greater", [](S s, X x) { return After(s, AssertGreater(s, x[0], x[1]), x[0]); }},
      {"assert_greater_equal",
       [](S s, X x) { return After(s, AssertGreaterEqual(s, x[0], x[1]), x[0]); }},
      {"assert_near", [](S s, X x) { return After(s, AssertNear(s, x[0], x[1]), x[0]); }},
      {"assert_positive", [](S s, X x) { return After(s, AssertPositive(s, x[0]), x[0]); }},
      {"assert_negative", [](S s, X x) { return After(s, AssertNegative(s, x[0]), x[0]); }},
      {"assert_non_negative", [](S s, X x) { return After(s, AssertNonNegative(s, x[0]), x[0]); }},
      {"assert_non_positive", [](S s, X x) { return After(s, AssertNonPositive(s, x[0]), x[0]); }},
  };
}

std::vector<Output> Log1pExp(S s, X x) { return {Log(s, Add(s, Exp(s, x[0]), 1))}; }
std::vector<Output> Log1pExpGradient(S s, X x, const std::vector<Output>& dy) {
  const Output e = Exp(s, x[0]);
  return {Multiply(s, dy[0], Subtract(s, 1, Divide(s, 1, Add(s, e, 1))))};
}

std::vector<ValueRow> ControlRows() {
  const auto times = [](const Output& x, int factor) {
    return [=](S s) { return std::vector<Output>{Multiply(s, x, factor)}; };
  };
  const auto three = [=](S s, X x) {
    return SwitchCase(s, x[0], {times(x[1], 1), times(x[1], 2), times(x[1], 3)});
  };
  return {
      {"custom_gradient",
       [](S s, X x) { return CustomGradient(s, Log1pExp, Log1pExpGradient, {x[0]}); }},
      {"grad_pass_through",
       [](S s, X x) {
         return GradPassThrough(
             s, [](S inside, const Output& v) { return Round(inside, v); }, x[0]);
       }},
      {"hessians",
       [](S s, X x) {
         const Output a = ElementAt(s, x[0], 0), b = ElementAt(s, x[0], 1);
         const Output c = ElementAt(s, x[0], 2);
         const Output y = Add(s, Multiply(s, Multiply(s, a, a), b), Exp(s, Multiply(s, c, a)));
         return Hessians(s, {y}, {x[0]});
       }},
      {"tuple",
       [](S s, X x) {
         return Tuple(s, {x[0], x[1]});
       }},
      {"switch_case", three},
      {"switch_case_beyond", three},
      {"switch_case_default",
       [=](S s, X x) { return SwitchCase(s, x[0], {times(x[1], 1)}, times(x[1], 5)); }},
      {"vectorized_map",
       [](S s, X x) {
         const auto row = [](S inside, const Output& r) {
           return Add(inside, Multiply(inside, r, r), 1);
         };
         return VectorizedMap(s, RowFunction(row), x[0]);
       }},
  };
}

std::vector<ValueRow> QuantizedImageRows() {
  const auto image = [](S s, X x) {
    const Output rows =
        Stack(s, {ElementAt(s, x[0], 0), ElementAt(s, x[0], 1), ElementAt(s, x[0], 0)});
    return Quantize(s, Reshape(s, rows, {1, 3, 3, 1}), -1.0f, 1.0f, DType::kQUInt8);
  };
  const auto parts = [](S s, const Quantized& q) {
    return Built{Cast(s, q.output, DType::kInt32), q.output_min, q.output_max};
  };
  return {
      {"quantized_avg_pool",
       [=](S s, X x) {
         const auto [q, low, high] = image(s, x);
         return parts(s,
                      nn::QuantizedAvgPool(s, q, low, high, {1, 2, 1, 1}, {1, 1, 1, 1}, "VALID"));
       }},
      {"quantized_max_pool",
       [=](S s, X x) {
         const auto [q, low, high] = image(s, x);
         return parts(s, nn::QuantizedMaxPool(s, q, low, high, {1, 2, 2, 1}, {1, 2, 2, 1}, "SAME"));
       }},
      {"quantized_conv2d",
       [=](S s, X x) {
         const auto [q, low, high] = image(s, x);
         return parts(s, nn::QuantizedConv2D(s, q, Reshape(s, q, {3, 3, 1, 1}), low, high, low,
                                             high, {1, 1, 1, 1}, "SAME"));
       }},
      {"tensor_array_grad",
       [](S s, X x) {
         const Output first = ElementAt(s, x[0], 0), second = ElementAt(s, x[0], 1);
         const TensorArray array = TensorArray(s, DType::kFloat, 2).Unstack(s, x[0]);
         const TensorArray gradients = array.Grad(s, "g").Write(s, 0, second).Write(s, 1, first);
         // Writing to an element again adds.
         const Scope after = s.ControlDependencies({gradients.flow()});
         const TensorArray again =
             array.Grad(after, "g", gradients.flow()).Write(after, 0, Multiply(s, second, 2));
         return again.Stack(s);
       }},
  };
}

std::vector<ValueRow> QuantizedRows() {
  const auto quantized = [](S s, X x) { return Quantize(s, x[0], -1.0f, 1.0f, DType::kQUInt8); };
  return {
      {"fake_quant_args",
       [](S s, X x) {
         return FakeQuantWithMinMaxArgs(s, x[0], FakeQuantOptions().min(-1).max(1));
       }},
      {"fake_quant_args_gradient",
       [](S s, X x) {
         return FakeQuantWithMinMaxArgsGradient(s, x[0], x[1], FakeQuantOptions().min(-1).max(1));
       }},
      {"fake_quant_vars",
       [](S s, X x) {
         return FakeQuantWithMinMaxVars(s, x[0], x[1], x[2], FakeQuantOptions().num_bits(4));
       }},
      {"fake_quant_vars_gradient",
       [](S s, X x) {
         const auto [input, min, max] = FakeQuantWithMinMaxVarsGradient(s, x[0], x[1], x[2], x[3]);
         return Built{input, min, max};
       }},
      {"fake_quant_channels",
       [](S s, X x) { return FakeQuantWithMinMaxVarsPerChannel(s, x[0], x[1], x[2]); }},
      {"fake_quant_channels_gradient",
       [](S s, X x) {
         const auto [input, min, max] =
             FakeQuantWithMinMaxVarsPerChannelGradient(s, x[0], x[1], x[2], x[3]);
         return Built{input, min, max};
       }},
      {"quantize",
       [=](S s, X x) {
         const auto [output, min, max] = quantized(s, x);
         return Built{Cast(s, output, DType::kInt32), min, max};
       }},
      {"dequantize",
       [=](S s, X x) {
         const auto [output, min, max] = quantized(s, x);
         return Dequantize(s, output, min, max);
       }},
      {"quantized_concat",
       [=](S s, X x) {
         const auto [q, low, high] = quantized(s, x);
         const auto [output, min, max] = QuantizedConcat(s, 0, {q, q}, {low, low}, {high, high});
         return Built{Cast(s, output, DType::kInt32), min, max};
       }},
  };
}

using Update = std::function<Output(const Scope&, const Variable&, const std::vector<Output>&)>;

// The value of a variable after an update.
ValueRow UpdateRow(const std::string& name, bool resource, const Update& update) {
  return {name, [=](S s, X x) {
            const Variable w(s.Named("w"), Add(s, Zeros(s, {4, 2}), 2),
                             VariableOptions().use_resource(resource));
            return update(s.ControlDependencies({w.initializer()}), w, x);
          }};
}

std::vector<ValueRow> UpdateRows(bool resource) {
  const auto whole = [](S s, X x) { return Concat(s, {x[1], x[1]}, 0); };
  const auto places = [](S s, X x) { return ExpandDims(s, x[0], 1); };
  const auto row = [resource](const std::string& name, const Update& update) {
    return UpdateRow(name, resource, update);
  };
  return {
      row("assign", [=](S s, const Variable& w, X x) { return Assign(s, w, whole(s, x)); }),
      row("assign_add", [=](S s, const Variable& w, X x) { return AssignAdd(s, w, whole(s, x)); }),
      row("assign_sub", [=](S s, const Variable& w, X x) { return AssignSub(s, w, whole(s, x)); }),
      row("scatter_update",
          [](S s, const Variable& w, X x) { return ScatterUpdate(s, w, x[0], x[1]); }),
      row("scatter_add", [](S s, const Variable& w, X x) { return ScatterAdd(s, w, x[0], x[1]); }),
      row("scatter_sub", [](S s, const Variable& w, X x) { return ScatterSub(s, w, x[0], x[1]); }),
      row("scatter_mul", [](S s, const Variable& w, X x) { return ScatterMul(s, w, x[0], x[1]); }),
      row("scatter_div", [](S s, const Variable& w, X x) { return ScatterDiv(s, w, x[0], x[1]); }),
      row("scatter_min", [](S s, const Variable& w, X x) { return ScatterMin(s, w, x[0], x[1]); }),
      row("scatter_max", [](S s, const Variable& w, X x) { return ScatterMax(s, w, x[0], x[1]); }),
      row("scatter_nd_update",
          [=](S s, const Variable& w, X x) { return ScatterNdUpdate(s, w, places(s, x), x[1]); }),
      row("scatter_nd_add",
          [=](S s, const Variable& w, X x) { return ScatterNdAdd(s, w, places(s, x), x[1]); }),
      row("scatter_nd_sub",
          [=](S s, const Variable& w, X x) { return ScatterNdSub(s, w, places(s, x), x[1]); }),
      row("batch_scatter_update",
          [=](S s, const Variable& w, X x) {
            const std::vector<int32_t> columns = {1, 0, 1, 0};
            const Output first = StridedSlice(s, whole(s, x), {0, 0}, {0, 1}, {1, 1},
                                              StridedSliceOptions().begin_mask(1).end_mask(1));
            return BatchScatterUpdate(s, w, Constant(s, columns, DType::kInt32, Shape({4, 1})),
                                      first);
          }),
  };
}

TEST(ControlValuesTest, AreTensorFlows) {
  std::vector<ValueRow> rows = AssertionRows();
  for (const auto& more :
       {ControlRows(), QuantizedRows(), QuantizedImageRows(), UpdateRows(/*resource=*/false)}) {
    rows.insert(rows.end(), more.begin(), more.end());
  }
  ExpectTensorFlowsValues("control", rows);
}

Status RunStatus(S root, const Operation& op) {
  ClientSession session(root);
  return session.Run({Fetch(op)}).status();
}

TEST(AssertionsTest, FailTheStepWithMessageAndData) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, {1.0f, 2.0f}), y = Constant(root, {1.0f, 3.0f});
  const Status equal = RunStatus(root, AssertEqual(root, x, y, "sizes"));
  EXPECT_EQ(equal.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(equal.message()), HasSubstr("sizes"));
  EXPECT_THAT(std::string(equal.message()), HasSubstr("x == y"));
  EXPECT_FALSE(RunStatus(root, AssertNoneEqual(root, x, y)).ok());
  EXPECT_FALSE(RunStatus(root, AssertLess(root, x, y)).ok());
  EXPECT_FALSE(RunStatus(root, AssertGreater(root, x, y)).ok());
  EXPECT_FALSE(RunStatus(root, AssertGreaterEqual(root, x, y)).ok());
  EXPECT_FALSE(RunStatus(root, AssertLessEqual(root, y, x)).ok());
  EXPECT_FALSE(RunStatus(root, AssertNear(root, x, y)).ok());
  EXPECT_TRUE(RunStatus(root, AssertNear(root, x, y, 0, 1)).ok());
  EXPECT_FALSE(RunStatus(root, AssertPositive(root, Negative(root, x))).ok());
  EXPECT_FALSE(RunStatus(root, AssertNegative(root, x)).ok());
  EXPECT_FALSE(RunStatus(root, AssertNonNegative(root, Negative(root, x))).ok());
  EXPECT_FALSE(RunStatus(root, AssertNonPositive(root, x)).ok());
}

TEST(AssertionsTest, OfRanksAndTypesAreDecidedWhileBuilding) {
  const auto fails = [](const std::function<void(S)>& build) {
    const Scope root = Scope::NewRoot();
    build(root);
    return root.status().code() == StatusCode::kInvalidArgument;
  };
  const auto matrix = [](S s) { return Zeros(s, {2, 3}); };
  EXPECT_TRUE(fails([&](S s) { AssertRank(s, matrix(s), 3); }));
  EXPECT_FALSE(fails([&](S s) { AssertRank(s, matrix(s), 2); }));
  EXPECT_TRUE(fails([&](S s) { AssertRankAtLeast(s, matrix(s), 3); }));
  EXPECT_TRUE(fails([&](S s) { AssertRankIn(s, matrix(s), {0, 1}); }));
  EXPECT_FALSE(fails([&](S s) { AssertRankIn(s, matrix(s), {1, 2}); }));
  EXPECT_TRUE(fails([&](S s) { AssertScalar(s, matrix(s)); }));
  EXPECT_TRUE(fails([&](S s) { AssertInteger(s, matrix(s)); }));
  EXPECT_TRUE(fails([&](S s) { AssertType(s, matrix(s), DType::kInt32); }));
  EXPECT_TRUE(fails([&](S s) {
    AssertSameFloatDtype(s, {matrix(s), Zeros(s, {1}, DType::kDouble)});
  }));
  EXPECT_TRUE(fails([&](S s) { AssertSameFloatDtype(s, {Zeros(s, {1}, DType::kInt32)}); }));
  const Scope root = Scope::NewRoot();
  EXPECT_EQ(AssertSameFloatDtype(root, {matrix(root), matrix(root)}), DType::kFloat);
  EXPECT_TRUE(IsNumericTensor(matrix(root)));
  EXPECT_FALSE(IsNumericTensor(Constant(root, "a")));
}

TEST(AssertionsTest, OfRanksThatAreNotKnownFailTheStep) {
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root, DType::kFloat);
  ClientSession session(root);
  const Operation two = AssertRank(root, x, 2, "a matrix");
  const Tensor list = Tensor::Vector<float>({1, 2});
  const Status status = session.Run({{x, list}}, {Fetch(two)}).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("a matrix"));
  EXPECT_TRUE(session.Run({{x, list}}, {Fetch(AssertRankIn(root, x, {0, 1}))}).ok());
  EXPECT_FALSE(session.Run({{x, list}}, {Fetch(AssertRankAtLeast(root, x, 2))}).ok());
}

TEST(CustomGradientTest, UsesNothingFromOutside) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, 1.0f), k = Constant(root, 2.0f);
  CustomGradient(
      root, [&](S s, X v) { return std::vector<Output>{Multiply(s, v[0], k)}; },
      [](S s, X v, const std::vector<Output>& dy) { return dy; }, {x});
  EXPECT_THAT(std::string(root.status().message()), HasSubstr("pass it the tensor"));
}

TEST(CustomGradientTest, GivesOneForEachArgument) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, 1.0f);
  CustomGradient(
      root, [](S s, X v) { return std::vector<Output>{Add(s, v[0], v[1])}; },
      [](S s, X v, const std::vector<Output>& dy) { return dy; }, {x, x});
  EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument) << root.status();
}

TEST(TemplateTest, MakesVariablesOnceAndFindsThem) {
  const Scope root = Scope::NewRoot();
  const auto layer = MakeTemplate("layer", [](const Scope& s, const Output& x) {
    return MatMul(s, x, GetVariable(s, "w", {2, 2}));
  });
  const auto other = MakeTemplate("layer", [](const Scope& s, const Output& x) {
    return MatMul(s, x, GetVariable(s, "w", {2, 2}));
  });
  const Output x = Zeros(root, {1, 2});
  layer(root, layer(root, x));
  other(root, x);
  ASSERT_TRUE(root.ok()) << root.status();
  const std::vector<Variable> variables = GlobalVariables(root);
  ASSERT_EQ(variables.size(), 2u);
  EXPECT_EQ(variables[0].name(), "layer/w");
  EXPECT_EQ(variables[1].name(), "layer_1/w");
  layer(root.VariableScope("elsewhere"), x);
  EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument) << root.status();
}

TEST(UpdatesTest, OfResourcesAreThoseOfReferences) {
  const Scope root = Scope::NewRoot();
  const Variable w(root.Named("w"), {1.0f, 2.0f, 3.0f}, VariableOptions().use_resource(true));
  ClientSession session(root);
  ASSERT_TRUE(session.Run({Fetch(w.initializer())}).ok());
  const auto value = [&](const Output& changed) {
    const auto got = session.Run({Fetch(changed)});
    EXPECT_TRUE(got.ok()) << got.status();
    if (!got.ok()) return std::vector<float>();
    const Tensor& tensor = (*got)[0];
    return std::vector<float>(tensor.data<float>(), tensor.data<float>() + tensor.num_elements());
  };
  EXPECT_EQ(value(AssignAdd(root, w, {1.0f, 1.0f, 1.0f})), (std::vector<float>{2, 3, 4}));
  EXPECT_EQ(value(ScatterUpdate(root, w, std::vector<int>{1}, std::vector<float>{9})),
            (std::vector<float>{2, 9, 4}));
  EXPECT_EQ(value(Assign(root, w, {5.0f, 6.0f, 7.0f})), (std::vector<float>{5, 6, 7}));
}

TEST(UpdatesTest, CountsUpToALimit) {
  const Scope root = Scope::NewRoot();
  const Variable n(root.Named("n"), 0, VariableOptions().dtype(DType::kInt64));
  const Output next = CountUpTo(root, n, 2);
  const Output ready = IsVariableInitialized(root, n);
  const Operation all = AssertVariablesInitialized(root);
  ClientSession session(root);
  EXPECT_FALSE((*session.Run({Fetch(ready)}))[0].scalar<bool>());
  EXPECT_FALSE(session.Run({Fetch(all)}).ok());
  ASSERT_TRUE(session.Run({Fetch(n.initializer())}).ok());
  EXPECT_TRUE((*session.Run({Fetch(ready)}))[0].scalar<bool>());
  EXPECT_TRUE(session.Run({Fetch(all)}).ok());
  EXPECT_EQ((*session.Run({Fetch(next)}))[0].scalar<int64_t>(), 0);
  EXPECT_EQ((*session.Run({Fetch(next)}))[0].scalar<int64_t>(), 1);
  EXPECT_EQ(session.Run({Fetch(next)}).status().code(), StatusCode::kOutOfRange);
}

TEST(AccumulatorTest, GivesTheMeanOfGradients) {
  const Scope root = Scope::NewRoot();
  const ConditionalAccumulator sums(root, DType::kFloat, {2});
  const Operation one = sums.ApplyGrad(root, {1.0f, 2.0f});
  const Operation two = sums.ApplyGrad(root, {3.0f, 6.0f});
  const Output count = sums.NumAccumulated(root), mean = sums.TakeGrad(root, 2);
  ClientSession session(root);
  ASSERT_TRUE(session.Run({Fetch(one)}).ok());
  ASSERT_TRUE(session.Run({Fetch(two)}).ok());
  EXPECT_EQ((*session.Run({Fetch(count)}))[0].scalar<int32_t>(), 2);
  const auto got = session.Run({Fetch(mean)});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ((*got)[0].data<float>()[0], 2);
  EXPECT_EQ((*got)[0].data<float>()[1], 4);
}

TEST(AccumulatorTest, OfRowsGivesThoseThatHadGradients) {
  const Scope root = Scope::NewRoot();
  const SparseConditionalAccumulator sums(root, DType::kFloat);
  const Output rows = Constant(root, {1.0f, 2.0f, 3.0f, 4.0f}, DType::kFloat, Shape({2, 2}));
  const IndexedSlices gradient = {rows, Constant(root, {0, 3}), Output()};
  const Operation put = sums.ApplyIndexedSlicesGrad(root, gradient);
  const IndexedSlices taken = sums.TakeIndexedSlicesGrad(root, 1);
  ClientSession session(root);
  ASSERT_TRUE(session.Run({Fetch(put)}).ok());
  const auto got = session.Run({taken.indices, taken.values});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ((*got)[0].data<int64_t>()[0], 0);
  EXPECT_EQ((*got)[1].data<float>()[2], 3);
}

TEST(PrintingTest, TensorsGoThroughAndChecksFindNaN) {
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root, DType::kFloat, PartialShape({1}));
  const Output shown = Print(root, x, {x}, PrintOptions().message("x = "));
  const Operation line = PrintV2(root, {"x {} is", x});
  const Operation checks = AddCheckNumericsOps(root);
  EXPECT_GT((*ClientSession(root).Run({Timestamp(root)}))[0].scalar<double>(), 1e9);
  ASSERT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  ::testing::internal::CaptureStderr();
  const Status status =
      session.Run({{x, Tensor::Vector<float>({1})}}, {shown, line, checks}).status();
  const std::string written = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(written, HasSubstr("x {} is [1]\n"));
  EXPECT_THAT(written, HasSubstr("x = [1]"));
  EXPECT_FALSE(session.Run({{x, Tensor::Vector<float>({NAN})}}, {Fetch(checks)}).ok());
  EXPECT_EQ(GetStaticValue(Constant(root, 7.0f))->scalar<float>(), 7);
  EXPECT_FALSE(GetStaticValue(x).has_value());
  EXPECT_FALSE(GetStaticValue(Output()).has_value());
}

TEST(PrintingTest, SessionsKeepTensorsBetweenSteps) {
  const Scope root = Scope::NewRoot();
  const Output handle = GetSessionHandle(root, Constant(root, 7.0f));
  ClientSession session(root);
  ASSERT_TRUE(session.Run({Fetch(handle)}).ok());
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
