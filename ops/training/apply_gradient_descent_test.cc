#include <numeric>
#include <vector>

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
  EXPECT_EQ(run(one, vector).status().code(), absl::StatusCode::kFailedPrecondition);
  v.Assign(Tensor::Vector<float>({1, 2}));
  EXPECT_EQ(run(vector, vector).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(run(one, one).status().code(), absl::StatusCode::kInvalidArgument);
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
  EXPECT_EQ(outputs.status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace warpbeam
