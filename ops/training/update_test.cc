#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "graph/types/testing/tensor_compare.h"
#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

TEST(ApplyGradientDescent, UpdatesInPlaceAndKeepsWhatWasRead) {
  RefVariable v("v", DType::kFloat);
  std::vector<float> ramp(9001);
  std::iota(ramp.begin(), ramp.end(), 0.0f);
  v.Assign(Tensor::Vector<float>(ramp));
  const void* address = v.Read().raw_data();
  const auto descend = [&] {
    return OpRunner("ApplyGradientDescent")
        .RefInput(&v)
        .Input(Tensor::Scalar<float>(0.5f))
        .Input(Tensor::Vector<float>(ramp))
        .RunOne();
  };
  auto out = descend();
  ASSERT_TRUE(out.ok()) << out.status();
  for (size_t i = 0; i < ramp.size(); ++i) ASSERT_EQ(out->data<float>()[i], ramp[i] / 2);
  EXPECT_EQ(out->raw_data(), address);
  // `out` holds the value now: it must stay what it is.
  const Tensor before = *out;
  out = descend();
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_NE(out->raw_data(), before.raw_data());
  for (size_t i = 0; i < ramp.size(); ++i) {
    ASSERT_EQ(before.data<float>()[i], ramp[i] / 2);
    ASSERT_EQ(out->data<float>()[i], 0);
  }
}

TEST(ApplyGradientDescent, RefusesWhatDoesNotFit) {
  RefVariable v("v", DType::kFloat);
  const auto run = [&](Tensor alpha, Tensor delta) {
    return OpRunner("ApplyGradientDescent").RefInput(&v).Input(alpha).Input(delta).RunOne();
  };
  const Tensor one = Tensor::Scalar<float>(1), vector = Tensor::Vector<float>({1, 2});
  EXPECT_EQ(run(one, vector).status().code(), StatusCode::kFailedPrecondition);
  v.Assign(Tensor::Vector<float>({1, 2}));
  EXPECT_EQ(run(vector, vector).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(run(one, one).status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(run(one, vector).ok());
}

TEST(ResourceApplyGradientDescent, UpdatesEveryType) {
  ResourceStore store;
  const auto check = [&](auto alpha, auto before, auto delta, auto after) {
    using T = decltype(alpha);
    auto v = std::make_shared<Variable>("v", DTypeOf<T>::value);
    v->Assign(Tensor::Vector<T>({before}));
    store.Clear();
    ASSERT_TRUE(store.Create<Variable>("", "v", v).ok());
    ResourceHandle handle;
    handle.name = "v";
    const auto outputs = OpRunner("ResourceApplyGradientDescent")
                             .Resources(&store)
                             .Input(Tensor::Scalar<ResourceHandle>(handle))
                             .Input(Tensor::Scalar<T>(alpha))
                             .Input(Tensor::Vector<T>({delta}))
                             .Run();
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    EXPECT_EQ(v->Read().template data<T>()[0], after);
  };
  check(0.5f, 3.0f, 2.0f, 2.0f);
  check(0.5, 3.0, 2.0, 2.0);
  check(Half(0.5f), Half(3.0f), Half(2.0f), Half(2.0f));
  check(BFloat16(0.5f), BFloat16(3.0f), BFloat16(2.0f), BFloat16(2.0f));
  using C = std::complex<float>;
  check(C(0, 1), C(3, 0), C(2, 0), C(3, -2));
}

TEST(ResourceApplyGradientDescent, NeedsAVariable) {
  ResourceStore store;
  ResourceHandle handle;
  handle.name = "nowhere";
  const auto outputs = OpRunner("ResourceApplyGradientDescent")
                           .Resources(&store)
                           .Input(Tensor::Scalar<ResourceHandle>(handle))
                           .Input(Tensor::Scalar<float>(1))
                           .Input(Tensor::Scalar<float>(1))
                           .Run();
  EXPECT_EQ(outputs.status().code(), StatusCode::kNotFound);
}

// What a reference op with slots leaves in its variables.
struct Slots {
  explicit Slots(std::vector<Tensor> values) {
    for (Tensor& value : values) {
      variables.push_back(std::make_unique<RefVariable>("v", value.dtype()));
      variables.back()->Assign(std::move(value));
    }
  }
  StatusOr<Tensor> Run(OpRunner runner, const std::vector<Tensor>& arguments) {
    for (auto& variable : variables) runner.RefInput(variable.get());
    for (const Tensor& argument : arguments) runner.Input(argument);
    return runner.RunOne();
  }
  std::vector<std::unique_ptr<RefVariable>> variables;
};
std::vector<Tensor> Floats(std::initializer_list<float> scalars, Tensor last) {
  std::vector<Tensor> result;
  for (const float scalar : scalars) result.push_back(Tensor::Scalar<float>(scalar));
  result.push_back(std::move(last));
  return result;
}

TEST(ApplyAdam, MovesByTheCorrectedMoments) {
  // More elements than a vector has, and a tail.
  const std::vector<float> ones(19, 1), zeros(19, 0), half(19, 0.5f);
  for (const bool nesterov : {false, true}) {
    Slots slots(
        {Tensor::Vector<float>(ones), Tensor::Vector<float>(zeros), Tensor::Vector<float>(zeros)});
    const auto out =
        slots.Run(OpRunner("ApplyAdam").Attr("use_nesterov", nesterov),
                  Floats({0.9f, 0.999f, 0.1f, 0.9f, 0.999f, 1e-8f}, Tensor::Vector<float>(half)));
    ASSERT_TRUE(out.ok()) << out.status();
    for (size_t i = 0; i < ones.size(); ++i) {
      // The first step has the learning rate's length; Nesterov's looks ahead by 0.9 of it.
      EXPECT_NEAR(out->data<float>()[i], nesterov ? 1 - 0.19f : 1 - 0.1f, 1e-5f);
      EXPECT_NEAR(slots.variables[1]->Read().data<float>()[i], 0.05f, 1e-7f);
      EXPECT_NEAR(slots.variables[2]->Read().data<float>()[i], 0.00025f, 1e-8f);
    }
  }
}

TEST(ApplyMomentum, KeepsWhatWasReadOfEverySlot) {
  Slots slots({Tensor::Vector<float>({1, 2}), Tensor::Vector<float>({3, 4})});
  const Tensor held = slots.variables[1]->Read();
  const void* in_place = slots.variables[0]->Read().raw_data();
  const auto out = slots.Run(
      OpRunner("ApplyMomentum"),
      {Tensor::Scalar<float>(0.5f), Tensor::Vector<float>({1, 1}), Tensor::Scalar<float>(0.5f)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->raw_data(), in_place);
  EXPECT_EQ(out->data<float>()[0], 1 - 0.5f * 2.5f);
  EXPECT_EQ(held.data<float>()[0], 3);
  EXPECT_EQ(slots.variables[1]->Read().data<float>()[0], 2.5f);
}

TEST(ApplyMomentum, OneVariableInTwoPlacesIsLockedOnce) {
  RefVariable v("v", DType::kFloat);
  v.Assign(Tensor::Vector<float>({4}));
  const auto out = OpRunner("ApplyMomentum")
                       .RefInput(&v)
                       .RefInput(&v)
                       .Input(Tensor::Scalar<float>(1))
                       .Input(Tensor::Vector<float>({1}))
                       .Input(Tensor::Scalar<float>(1))
                       .RunOne();
  EXPECT_TRUE(out.ok()) << out.status();
}

TEST(SparseApplyMomentum, UpdatesRowsInOrderAndLeavesTheOthers) {
  const auto rows = [](std::initializer_list<float> values) {
    return OpTest::Make<float>({3, 2}, values);
  };
  Slots slots({rows({1, 1, 2, 2, 3, 3}), rows({0, 0, 0, 0, 0, 0})});
  const Tensor held = slots.variables[0]->Read();
  const auto out = slots.Run(OpRunner("SparseApplyMomentum"),
                             {Tensor::Scalar<float>(1), OpTest::Make<float>({2, 2}, {1, 2, 1, 2}),
                              Tensor::Vector<int32_t>({2, 2}), Tensor::Scalar<float>(0.5f)});
  ASSERT_TRUE(out.ok()) << out.status();
  // accum: 1, then 0.5 + 1; var: 3 - 1 - 1.5.
  EXPECT_TRUE(CompareTensors(*out, rows({1, 1, 2, 2, 0.5f, -2}), {}).ok());
  EXPECT_TRUE(CompareTensors(slots.variables[1]->Read(), rows({0, 0, 0, 0, 1.5f, 3}), {}).ok());
  EXPECT_EQ(held.data<float>()[4], 3);
}

TEST(SparseApplyAdagrad, WritesNothingWhenAnIndexIsWrong) {
  Slots slots({Tensor::Vector<float>({1, 2}), Tensor::Vector<float>({1, 1})});
  const auto run = [&](std::vector<int64_t> indices, Tensor gradient) {
    return slots
        .Run(OpRunner("SparseApplyAdagrad"),
             {Tensor::Scalar<float>(1), std::move(gradient), Tensor::Vector<int64_t>(indices)})
        .status();
  };
  const Tensor two = Tensor::Vector<float>({1, 1});
  EXPECT_EQ(run({0, 2}, two).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(run({0, -1}, two).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(run({0}, two).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(slots.variables[0]->Read().data<float>()[0], 1);
  EXPECT_EQ(slots.variables[1]->Read().data<float>()[0], 1);
  EXPECT_TRUE(run({}, Tensor::Vector<float>(std::vector<float>())).ok());
  EXPECT_TRUE(run({0, 1}, two).ok());
}

TEST(SparseApplyFtrl, RefusesRatesThatCannotBe) {
  const auto run = [](float lr, float l1, float power, bool multiply) {
    Slots slots(
        {Tensor::Vector<float>({1}), Tensor::Vector<float>({1}), Tensor::Vector<float>({0})});
    return slots
        .Run(OpRunner("SparseApplyFtrl").Attr("multiply_linear_by_lr", multiply),
             {Tensor::Vector<float>({1}), Tensor::Vector<int32_t>({0}), Tensor::Scalar<float>(lr),
              Tensor::Scalar<float>(l1), Tensor::Scalar<float>(0), Tensor::Scalar<float>(power)})
        .status()
        .code();
  };
  EXPECT_EQ(run(0.5f, 0.1f, -0.5f, false), StatusCode::kOk);
  EXPECT_EQ(run(0, 0.1f, -0.5f, true), StatusCode::kOk);
  EXPECT_EQ(run(0, 0.1f, -0.5f, false), StatusCode::kInvalidArgument);
  EXPECT_EQ(run(0.5f, -0.1f, -0.5f, false), StatusCode::kInvalidArgument);
  EXPECT_EQ(run(0.5f, 0.1f, 0.5f, false), StatusCode::kInvalidArgument);
}

TEST(ApplyFtrl, GivesTensorFlowsNumbers) {
  Slots slots({Tensor::Vector<float>({1, 2}), Tensor::Vector<float>({1, 2}),
               Tensor::Vector<float>({1, 2})});
  const Tensor gradient = Tensor::Vector<float>({0.5f, 0.25f});
  std::vector<Tensor> arguments = Floats({0.5f, 0.1f, 0.1f, 0.1f}, Tensor::Scalar<float>(-0.5f));
  arguments.insert(arguments.begin(), gradient);
  const auto out = slots.Run(OpRunner("ApplyFtrlV2"), arguments);
  ASSERT_TRUE(out.ok()) << out.status();
  const auto near = [](const Tensor& got, float a, float b) {
    return CompareTensors(got, Tensor::Vector<float>({a, b}), {1e-6, 0});
  };
  EXPECT_TRUE(near(*out, -0.5598907f, -0.8014538f).ok()) << out->data<float>()[0];
  EXPECT_TRUE(near(slots.variables[1]->Read(), 1.25f, 2.0625f).ok());
  EXPECT_TRUE(near(slots.variables[2]->Read(), 1.463932f, 2.5622916f).ok());
}

TEST(ApplyAdagradDA, CountsStepsInInt64) {
  Slots slots({Tensor::Vector<float>({1, 2}), Tensor::Vector<float>({1, 2}),
               Tensor::Vector<float>({1, 2})});
  const auto out = slots.Run(
      OpRunner("ApplyAdagradDA"),
      {Tensor::Vector<float>({0.5f, 0.25f}), Tensor::Scalar<float>(0.5f),
       Tensor::Scalar<float>(0.1f), Tensor::Scalar<float>(0.1f), Tensor::Scalar<int64_t>(3)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_NEAR(out->data<float>()[0], -0.47317347f, 1e-6);
  EXPECT_NEAR(out->data<float>()[1], -0.6146996f, 1e-6);
}

TEST(ApplyAdam, RefusesSlotsThatDoNotFit) {
  const auto run = [](Tensor m) {
    Slots slots({Tensor::Vector<float>({1, 2}), Tensor::Vector<float>({0, 0}),
                 Tensor::Vector<float>({0, 0})});
    slots.variables[1]->Assign(std::move(m));
    const Tensor before = slots.variables[0]->Read();
    const Status status =
        slots
            .Run(OpRunner("ApplyAdam"),
                 Floats({0.9f, 0.999f, 0.1f, 0.9f, 0.999f, 1e-8f}, Tensor::Vector<float>({1, 1})))
            .status();
    EXPECT_EQ(slots.variables[0]->Read().raw_data(), before.raw_data());
    return status.code();
  };
  EXPECT_EQ(run(Tensor()), StatusCode::kFailedPrecondition);
  EXPECT_EQ(run(Tensor::Vector<float>({0})), StatusCode::kInvalidArgument);
  EXPECT_EQ(run(Tensor::Vector<double>({0, 0})), StatusCode::kInvalidArgument);
}

TEST(ApplyAdam, TwoOpsThatShareVariablesInOtherOrdersDoNotDeadlock) {
  RefVariable a("a", DType::kFloat), b("b", DType::kFloat);
  a.Assign(Tensor::Vector<float>({1}));
  b.Assign(Tensor::Vector<float>({1}));
  const auto many = [](RefVariable* first, RefVariable* second) {
    for (int i = 0; i < 2000; ++i) {
      const auto out = OpRunner("ApplyMomentum")
                           .RefInput(first)
                           .RefInput(second)
                           .Input(Tensor::Scalar<float>(0))
                           .Input(Tensor::Vector<float>({0}))
                           .Input(Tensor::Scalar<float>(1))
                           .RunOne();
      ASSERT_TRUE(out.ok()) << out.status();
    }
  };
  std::thread other([&] { many(&b, &a); });
  many(&a, &b);
  other.join();
}

}  // namespace
}  // namespace warpbeam
