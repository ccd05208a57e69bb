// Library functions as plans: which calls share one, what is refused, and how calls are part of
// their caller's step.
#include "runtime/function/function_plans.h"

#include <atomic>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "graph/op/op_registry.h"
#include "tests/step/scripted_steps.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Code = StatusCode;

class FunctionPlansTest : public StepTest {
 protected:
  NodeSpec Spec(const std::string& name, const std::string& op, std::vector<std::string> inputs,
                std::vector<std::pair<std::string, AttrValue>> attrs = {}) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    spec.inputs = std::move(inputs);
    for (const auto& [key, value] : attrs) spec.attrs.Set(key, value);
    return spec;
  }
  // float → float, by one node named as the function that runs the script.
  std::shared_ptr<Function> ScriptedFunction(const std::string& name, Script script) {
    Scripted(name, {}, std::move(script));  // for its script; the node itself is not used
    auto f = std::make_shared<Function>();
    f->signature = *OpSchemaBuilder(name)
                        .Input("x: float")
                        .Output("y: float")
                        .Attr("unused: float = 0")
                        .Build();
    f->nodes = {Spec(name, "TestScripted", {"x"}, {{"N", int64_t{1}}})};
    f->returns = {{"y", name + ":y:0"}};
    return f;
  }
  void Define(std::shared_ptr<Function> f) {
    const Status s = library_.Add(std::move(f));
    ASSERT_TRUE(s.ok()) << s;
  }
  std::shared_ptr<FunctionPlans> Plans(bool one_thread = false) {
    FunctionPlans::Setup setup;
    setup.ops = &OpRegistry::Global();
    auto devices = CreateDevices(options_);
    EXPECT_TRUE(devices.ok()) << devices.status();
    setup.devices = *devices;
    setup.resources = resources_;
    setup.passes = "none";
    setup.one_thread = one_thread;
    return std::make_shared<FunctionPlans>(library_, setup);
  }
  static FunctionRef Ref(const std::string& name,
                         std::vector<std::pair<std::string, AttrValue>> attrs = {}) {
    FunctionRef ref;
    ref.name = name;
    for (const auto& [key, value] : attrs) ref.attrs.Set(key, value);
    return ref;
  }
  StatusOr<float> Call(FunctionRunner& plans, const FunctionRef& ref, float x,
                       StepContext* step = nullptr) {
    WB_ASSIGN_OR_RETURN(const FunctionRunner::Handle f, plans.Instantiate(ref, ""));
    WB_ASSIGN_OR_RETURN(std::vector<Tensor> results, plans.RunSync(f, step, {Tensor::Scalar(x)}));
    return results[0].scalar<float>();
  }

  FunctionLibrary library_;
  std::shared_ptr<ResourceStore> resources_ = std::make_shared<ResourceStore>();
};

TEST_F(FunctionPlansTest, EqualCallsShareAPlan) {
  Define(ScriptedFunction("f", CountUp));
  const auto plans = Plans();
  const auto handle = [&](const FunctionRef& ref, const std::string& device) {
    const auto made = plans->Instantiate(ref, device);
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : -1;
  };
  const auto first = handle(Ref("f"), "");
  EXPECT_EQ(handle(Ref("f"), ""), first);
  EXPECT_NE(handle(Ref("f"), "/cpu:0"), first);
  // What a text of the call does not show.
  const auto a = handle(Ref("f", {{"unused", 1.0000001f}}), "");
  EXPECT_NE(a, first);
  EXPECT_NE(handle(Ref("f", {{"unused", 1.0000002f}}), ""), a);
  EXPECT_EQ(handle(Ref("f", {{"unused", 1.0000001f}}), ""), a);
}

TEST_F(FunctionPlansTest, WhatDoesNotFitIsRefused) {
  std::atomic<int> ran{0};
  Define(ScriptedFunction("f", [&](KernelContext& ctx) {
    ++ran;
    return CountUp(ctx);
  }));
  const auto plans = Plans();
  EXPECT_THAT(std::string(plans->Instantiate(Ref("missing"), "").status().message()),
              HasSubstr("missing"));
  EXPECT_FALSE(plans->Instantiate(Ref("f"), "/no:device:name").ok());
  const auto f = plans->Instantiate(Ref("f"), "");
  ASSERT_TRUE(f.ok()) << f.status();
  struct Case {
    FunctionRunner::Handle handle;
    std::vector<Tensor> args;
    const char* message;
  };
  const Case cases[] = {
      {*f, {}, "expected 1 feeds, got 0"},
      {*f, {Tensor::Scalar<int32_t>(1)}, "must be float, not int32"},
      {*f, {Tensor()}, "has no value"},
      {-1, {Tensor::Scalar(1.0f)}, "no function with the handle -1"},
      {1000, {Tensor::Scalar(1.0f)}, "no function with the handle 1000"},
  };
  for (const Case& c : cases) {
    const Status s = plans->RunSync(c.handle, nullptr, c.args).status();
    EXPECT_EQ(s.code(), Code::kInvalidArgument);
    EXPECT_THAT(std::string(s.message()), HasSubstr(c.message));
  }
  EXPECT_EQ(ran, 0);
}

// f calls itself, and g by way of h; what can be compiled is compiled all the same.
TEST_F(FunctionPlansTest, EndlessCallsAreRefusedAndOthersGoOn) {
  const auto calls = [&](const std::string& name, const std::string& callee) {
    auto f = std::make_shared<Function>();
    f->signature = *OpSchemaBuilder(name).Input("x: float").Output("y: float").Build();
    const std::vector<DType> floats = {DType::kFloat};
    f->nodes = {Spec("call", "PartitionedCall", {"x"},
                     {{"Tin", floats}, {"Tout", floats}, {"f", Ref(callee)}})};
    f->returns = {{"y", "call:output:0"}};
    return f;
  };
  Define(calls("f", "f"));
  Define(calls("g", "h"));
  Define(calls("h", "g"));
  Define(ScriptedFunction("end", CountUp));
  Define(calls("caller", "end"));
  const auto plans = Plans();
  for (const char* name : {"f", "g", "f"}) {
    const auto value = Call(*plans, Ref(name), 1);
    EXPECT_EQ(value.status().code(), Code::kResourceExhausted) << value.status();
    EXPECT_THAT(std::string(value.status().message()), HasSubstr("deep"));
    EXPECT_LT(value.status().message().size(), 10'000u);
    const auto other = Call(*plans, Ref("caller"), 1);
    ASSERT_TRUE(other.ok()) << other.status();
    EXPECT_EQ(*other, 2);
  }
}

TEST_F(FunctionPlansTest, AnErrorIsTheCallersStepsToo) {
  Define(ScriptedFunction("fails", [](KernelContext&) { return DataLoss("inside"); }));
  const auto plans = Plans();
  StepContext step(5, resources_.get(), plans.get());
  bool told = false;
  step.OnCancel([&] { told = true; });
  const Status s = Call(*plans, Ref("fails"), 1, &step).status();
  EXPECT_EQ(s.code(), Code::kDataLoss);
  EXPECT_THAT(std::string(s.message()), AllOf(HasSubstr("node 'fails'"), HasSubstr("inside")));
  EXPECT_TRUE(told);
  // A call outside of any step cancels nobody.
  EXPECT_EQ(Call(*plans, Ref("fails"), 1).status().code(), Code::kDataLoss);
}

TEST_F(FunctionPlansTest, ACallOfACancelledStepDoesNotBegin) {
  std::atomic<int> ran{0};
  Define(ScriptedFunction("f", [&](KernelContext& ctx) {
    ++ran;
    return CountUp(ctx);
  }));
  const auto plans = Plans();
  StepContext step(5, resources_.get(), plans.get());
  step.Cancel(Aborted("over"));
  EXPECT_EQ(Call(*plans, Ref("f"), 1, &step).status(), Aborted("over"));
  EXPECT_EQ(ran, 0);
}

// The plans of a copy run in the thread that calls them.
TEST_F(FunctionPlansTest, ACopyRunsInItsCaller) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  auto f = ScriptedFunction("f", [&](KernelContext& ctx) {
    std::lock_guard<std::mutex> lock(mutex);
    threads.insert(std::this_thread::get_id());
    return CountUp(ctx);
  });
  auto wide = std::make_shared<Function>(*f);
  wide->nodes.clear();
  wide->returns = {{"y", "sum:sum:0"}};
  std::vector<std::string> parts;
  for (int i = 0; i < 8; ++i) {
    const std::string name = absl::StrCat("part", i);
    Scripted(name, {}, [&](KernelContext& ctx) {
      std::lock_guard<std::mutex> lock(mutex);
      threads.insert(std::this_thread::get_id());
      return CountUp(ctx);
    });
    wide->nodes.push_back(
        Spec(name, "TestScripted", {"x"}, {{"N", int64_t{1}}, {"elements", int64_t{kUnsaid}}}));
    parts.push_back(name + ":y:0");
  }
  wide->nodes.push_back(Spec("sum", "AddN", parts, {{"N", int64_t{8}}, {"T", DType::kFloat}}));
  Define(wide);
  const auto copy = Plans()->Clone();
  for (int i = 0; i < 5; ++i) {
    const auto value = Call(*copy, Ref("f"), 1);
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(*value, 16);
  }
  EXPECT_THAT(threads, ::testing::ElementsAre(std::this_thread::get_id()));
}

TEST_F(FunctionPlansTest, CopiesOfCopiesComeToAnEnd) {
  Define(ScriptedFunction("f", CountUp));
  std::shared_ptr<FunctionRunner> plans = Plans();
  int copies = 0;
  while (copies <= 2 * FunctionPlans::kMaxCopies && Call(*plans, Ref("f"), 1).ok()) {
    plans = plans->Clone();
    ++copies;
  }
  EXPECT_EQ(copies, FunctionPlans::kMaxCopies + 1);
  EXPECT_EQ(Call(*plans, Ref("f"), 1).status().code(), Code::kResourceExhausted);
}

TEST_F(FunctionPlansTest, WhatTheGraphGainsCanBeCalled) {
  Define(ScriptedFunction("f", CountUp));
  const auto plans = Plans();
  EXPECT_FALSE(Call(*plans, Ref("g"), 1).ok());
  Define(ScriptedFunction("g", [](KernelContext& ctx) { return Give(ctx, 5); }));
  EXPECT_FALSE(Call(*plans, Ref("g"), 1).ok());
  plans->UpdateLibrary(library_);
  EXPECT_EQ(Call(*plans, Ref("g"), 1).value_or(0), 5);
  EXPECT_EQ(Call(*plans, Ref("f"), 1).value_or(0), 2);
  // Those who have a copy of the library keep what they have.
  EXPECT_NE(plans->library().Find("g"), nullptr);
}

// A gradient for a function that was there before is gained, too.
TEST_F(FunctionPlansTest, AGradientThatTheGraphGainsIsUsed) {
  Define(ScriptedFunction("f", CountUp));
  auto gradient = std::make_shared<Function>();
  gradient->signature =
      *OpSchemaBuilder("df").Input("x: float").Input("dy: float").Output("dx: float").Build();
  gradient->nodes = {Spec("scaled", "Mul", {"x", "dy"}, {{"T", DType::kFloat}})};
  gradient->returns = {{"dx", "scaled:z:0"}};
  Define(gradient);
  const auto plans = Plans();
  ASSERT_TRUE(library_.AddGradient("f", "df").ok());
  plans->UpdateLibrary(library_);
  const std::vector<DType> two = {DType::kFloat, DType::kFloat}, one = {DType::kFloat};
  const auto f = plans->Instantiate(
      Ref("SymbolicGradient", {{"f", Ref("f")}, {"Tin", two}, {"Tout", one}}), "");
  ASSERT_TRUE(f.ok()) << f.status();
  const auto dx = plans->RunSync(*f, nullptr, {Tensor::Scalar(3.0f), Tensor::Scalar(5.0f)});
  ASSERT_TRUE(dx.ok()) << dx.status();
  EXPECT_EQ((*dx)[0].scalar<float>(), 15);
}

TEST_F(FunctionPlansTest, ManyThreadsCallAndCompile) {
  for (int i = 0; i < 6; ++i) {
    Define(ScriptedFunction(absl::StrCat("f", i), [i](KernelContext& ctx) {
      return Give(ctx, SumOfInputs(ctx) + static_cast<float>(i));
    }));
  }
  const auto plans = Plans();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 60; ++i) {
        const int f = (i + t) % 6;
        const auto x = static_cast<float>(100 * t + i);
        const auto value = Call(*plans, Ref(absl::StrCat("f", f)), x);
        if (!value.ok() || *value != x + static_cast<float>(f)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(FunctionPlansTest, OnlyWhatIsAllowedMayBeDone) {
  const auto plans = Plans();
  EXPECT_TRUE(plans->CheckAllowed(Capability::kReadFile).ok());
  FunctionPlans::Setup setup;
  setup.ops = &OpRegistry::Global();
  setup.allow = CapabilitySet();
  const FunctionPlans strict(library_, setup);
  EXPECT_EQ(strict.CheckAllowed(Capability::kReadFile).code(), Code::kPermissionDenied);
}

}  // namespace
}  // namespace warpbeam
