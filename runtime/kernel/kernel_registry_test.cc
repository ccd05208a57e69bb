#include "runtime/kernel/kernel_registry.h"

#include <thread>

#include "gmock/gmock.h"
#include "graph/op/op_registry.h"
#include "graph/op/op_schema.h"
#include "gtest/gtest.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/step_context.h"
#include "runtime/kernel/stoppable_loop.h"
#include "runtime/memory/pool_allocator.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Code = StatusCode;

class NamedKernel final : public Kernel {
 public:
  explicit NamedKernel(const char* name) : name_(name) {}
  Status Compute(KernelContext&) override { return Internal(name_); }

 private:
  const char* const name_;
};

KernelFactory MakesA() {
  return [](KernelInit&) -> StatusOr<std::unique_ptr<Kernel>> {
    return std::make_unique<NamedKernel>("a");
  };
}
KernelFactory MakesB() {
  return [](KernelInit&) -> StatusOr<std::unique_ptr<Kernel>> {
    return std::make_unique<NamedKernel>("b");
  };
}

AttrMap OfType(DType type) {
  AttrMap attrs;
  attrs.Set("T", type);
  return attrs;
}

class KernelRegistryTest : public ::testing::Test {
 protected:
  // Floating numbers on both kinds of devices, whole ones on CPUs by another kernel.
  KernelRegistryTest() {
    registry_.Register(KernelDeclBuilder("Op", MakesA())
                           .Cpu({{"T", kFloatingTypes}})
                           .Gpu({{"T", kFloatingTypes}})
                           .HostMemory({"shape"})
                           .decl());
    registry_.Register(
        KernelDeclBuilder("Op", MakesB()).Cpu({{"T", kIntegerTypes}}).Cheap().decl());
  }
  static OpSchema Schema() {
    return *OpSchemaBuilder("Op")
                .Input("x: N * T")
                .Input("shape: int32")
                .Output("y: T")
                .Attr("T: type")
                .Attr("N: int >= 0")
                .Build();
  }
  std::string Made(const AttrMap& attrs, DeviceType device) {
    const OpSchema schema = Schema();
    const std::string name = "node";
    const std::vector<DType> none;
    KernelInit init = {name, schema, attrs, none, none, device, nullptr, nullptr, nullptr};
    const auto kernel = registry_.Create(init);
    if (!kernel.ok()) return std::string(kernel.status().message());
    std::vector<Slot> slots;
    KernelContext ctx(slots.data(), {}, nullptr, nullptr);
    return std::string((*kernel)->Compute(ctx).message());
  }

  KernelRegistry registry_;
};

TEST_F(KernelRegistryTest, TheDeclarationOfTheTypesIsFound) {
  EXPECT_EQ(Made(OfType(DType::kDouble), DeviceType::kCpu), "a");
  EXPECT_EQ(Made(OfType(DType::kDouble), DeviceType::kGpu), "a");
  EXPECT_EQ(Made(OfType(DType::kInt32), DeviceType::kCpu), "b");
  const KernelDecl* const cheap = registry_.Find("Op", OfType(DType::kInt8), DeviceType::kCpu);
  ASSERT_NE(cheap, nullptr);
  EXPECT_TRUE(cheap->traits.cheap);
  EXPECT_TRUE(cheap->traits.bounded);
  EXPECT_FALSE(cheap->traits.async);
}

TEST_F(KernelRegistryTest, TellsWhatThereIs) {
  EXPECT_THAT(Made(OfType(DType::kInt32), DeviceType::kGpu),
              AllOf(HasSubstr("no kernel of the op 'Op' on GPU for T=int32"),
                    HasSubstr("there are: "), HasSubstr("CPU: T in {"), HasSubstr("GPU: T in {")));
  EXPECT_EQ(registry_.Get(Schema(), OfType(DType::kString), DeviceType::kCpu).status().code(),
            Code::kNotFound);
  const OpSchema other = *OpSchemaBuilder("Other").Build();
  const Status none = registry_.Get(other, {}, DeviceType::kCpu).status();
  EXPECT_THAT(std::string(none.message()),
              AllOf(HasSubstr("for its attributes"), HasSubstr("there is none at all")));
  EXPECT_TRUE(registry_.KnowsOp("Op"));
  EXPECT_FALSE(registry_.KnowsOp("Other"));
  EXPECT_EQ(registry_.Describe("Op").size(), 3u);
  EXPECT_THAT(registry_.Describe("Other"), IsEmpty());
  EXPECT_EQ(registry_.All().size(), 2u);
}

// Names of arguments stand for all tensors of a list; strings never lie on a GPU.
TEST_F(KernelRegistryTest, HostArgumentsAreThoseThatAreNamed) {
  AttrMap attrs = OfType(DType::kFloat);
  attrs.Set("N", int64_t{3});
  const MemoryPlaces gpu = registry_.Memory(Schema(), attrs, DeviceType::kGpu);
  EXPECT_THAT(gpu.input_on_host, ElementsAre(false, false, false, true));
  EXPECT_THAT(gpu.output_on_host, ElementsAre(false));
  const MemoryPlaces cpu = registry_.Memory(Schema(), attrs, DeviceType::kCpu);
  EXPECT_THAT(cpu.input_on_host, ElementsAre(true, true, true, true));
  EXPECT_THAT(cpu.output_on_host, ElementsAre(true));
  registry_.Register(KernelDeclBuilder("Text", MakesA()).Cpu().Gpu().decl());
  const OpSchema text = *OpSchemaBuilder("Text")
                             .Input("s: string")
                             .Input("x: float")
                             .Output("handle: resource")
                             .Output("v: variant")
                             .Output("y: float")
                             .Build();
  const MemoryPlaces places = registry_.Memory(text, {}, DeviceType::kGpu);
  EXPECT_THAT(places.input_on_host, ElementsAre(true, false));
  EXPECT_THAT(places.output_on_host, ElementsAre(true, true, false));
}

// What calls a function takes and gives host tensors, whatever the function does.
TEST_F(KernelRegistryTest, CallsTakeTheirArgumentsFromTheHost) {
  registry_.Register(KernelDeclBuilder("Call", MakesA()).Cpu().Gpu().decl());
  const OpSchema call =
      *OpSchemaBuilder("Call").Input("x: float").Output("y: float").Attr("f: func").Build();
  const MemoryPlaces places = registry_.Memory(call, {}, DeviceType::kGpu);
  EXPECT_THAT(places.input_on_host, ElementsAre(true));
  EXPECT_THAT(places.output_on_host, ElementsAre(true));
}

WB_OP("_StandsForFusedNodes").Input("x: float").Output("y: float");

// Neither a function that is a node's op nor what stands for fused nodes has a kernel.
TEST_F(KernelRegistryTest, WhatHasNoKernelIsAFunctionUnlessItIsAnOp) {
  const OpSchema* const op = OpRegistry::Global().Find("_StandsForFusedNodes");
  ASSERT_NE(op, nullptr);
  const MemoryPlaces of_op = registry_.Memory(*op, {}, DeviceType::kGpu);
  EXPECT_THAT(of_op.input_on_host, ElementsAre(false));
  EXPECT_THAT(of_op.output_on_host, ElementsAre(false));
  const OpSchema function =
      *OpSchemaBuilder("some_function").Input("x: float").Output("y: float").Build();
  const MemoryPlaces of_function = registry_.Memory(function, {}, DeviceType::kGpu);
  EXPECT_THAT(of_function.input_on_host, ElementsAre(true));
  EXPECT_THAT(of_function.output_on_host, ElementsAre(true));
}

// One node with three inputs and two outputs.
class KernelContextTest : public ::testing::Test {
 protected:
  KernelContextTest() {
    info_.input_slots = inputs_;
    info_.output_types = types_;
    info_.num_inputs = 3;
    info_.num_outputs = 2;
    info_.output_start = 3;
  }
  static Tensor Floats(int64_t size, float value) {
    auto made = Tensor::Allocate(DType::kFloat, Shape({size}), PoolAllocator::Process());
    EXPECT_TRUE(made.ok());
    for (float& x : made->flat<float>()) x = value;
    return *made;
  }
  KernelContext Context(StepContext* step = nullptr) { return {slots_, info_, nullptr, step}; }

  Slot slots_[5];
  int32_t inputs_[3] = {0, 1, 2};
  DType types_[2] = {DType::kFloat, DType::kInt32};
  KernelContext::NodeInfo info_ = {};
};

TEST_F(KernelContextTest, ABufferOfTheRightSizeThatNobodyReadsIsTaken) {
  slots_[0].value = Floats(3, 1);
  slots_[1].value = Floats(4, 2);
  slots_[2].value = Floats(4, 3);
  const Tensor shared = slots_[1].value;
  struct Case {
    const char* what;
    uint64_t forwardable;
    std::initializer_list<int> inputs;
    int output;
    int taken;  // -1: new memory
  };
  const Case cases[] = {
      {"none may be taken", 0, {0, 1, 2}, 0, -1},
      {"the first is of another size", 1, {0, 1, 2}, 0, -1},
      {"the second is shared", 2, {0, 1, 2}, 0, -1},
      {"the third fits", 7, {0, 1, 2}, 0, 2},
      {"the third is not asked for", 7, {0, 1}, 0, -1},
      {"of another type of the same size", 7, {2}, 1, 2},
  };
  for (const Case& c : cases) {
    info_.forwardable_inputs = c.forwardable;
    slots_[3] = slots_[4] = Slot();
    KernelContext ctx = Context();
    const auto out = ctx.ForwardOrAllocate(c.inputs, c.output, Shape({4}));
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)->dtype(), types_[c.output]) << c.what;
    int taken = -1;
    for (int i = 0; i < 3; ++i) {
      if ((*out)->raw_data() == slots_[i].value.raw_data()) taken = i;
    }
    EXPECT_EQ(taken, c.taken) << c.what;
  }
}

// One buffer cannot become two outputs.
TEST_F(KernelContextTest, ABufferIsTakenOnce) {
  slots_[0].value = slots_[1].value = Tensor();
  slots_[2].value = Floats(4, 3);
  info_.forwardable_inputs = 7;
  KernelContext ctx = Context();
  const auto first = ctx.ForwardOrAllocate({2}, 0, Shape({4}));
  const auto second = ctx.ForwardOrAllocate({2}, 1, Shape({4}));
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ((*first)->raw_data(), ctx.input(2).raw_data()) << "it can still be read";
  EXPECT_NE((*second)->raw_data(), (*first)->raw_data());
}

TEST_F(KernelContextTest, MakeWritableCopiesWhatOthersHold) {
  Tensor mine = Floats(4, 5);
  const void* const before = mine.raw_data();
  KernelContext ctx = Context();
  ASSERT_TRUE(ctx.MakeWritable(mine).ok());
  EXPECT_EQ(mine.raw_data(), before);
  const Tensor others = mine;
  ASSERT_TRUE(ctx.MakeWritable(mine).ok());
  EXPECT_NE(mine.raw_data(), others.raw_data());
  mine.data<float>()[0] = 6;
  EXPECT_EQ(others.data<float>()[0], 5);
  EXPECT_EQ(mine.data<float>()[3], 5);
}

TEST_F(KernelContextTest, TakeInputLeavesWhatOthersRead) {
  slots_[0].value = Floats(4, 1);
  slots_[1].value = Floats(4, 2);
  info_.forwardable_inputs = 1;
  KernelContext ctx = Context();
  EXPECT_TRUE(ctx.TakeInput(0).IsUnique());
  EXPECT_FALSE(ctx.TakeInput(1).IsUnique());
  EXPECT_TRUE(slots_[1].value.IsUnique());
}

TEST_F(KernelContextTest, MemoryThatIsNotThereIsAnError) {
  KernelContext ctx = Context();
  EXPECT_EQ(ctx.Allocate(0, Shape({int64_t{1} << 45})).status().code(), Code::kResourceExhausted);
}

TEST_F(KernelContextTest, ArgumentsBeyondTheLastBitAreAsIt) {
  const uint64_t last = uint64_t{1} << 63;
  EXPECT_TRUE(KernelContext::HasBit(last, 63));
  EXPECT_TRUE(KernelContext::HasBit(last, 500));
  EXPECT_FALSE(KernelContext::HasBit(last, 62));
}

// A cancelled step's loop leaves out what has not begun.
TEST_F(KernelContextTest, LoopsStopWithTheirStep) {
  StepContext step(1, nullptr, nullptr);
  KernelContext ctx = Context(&step);
  int64_t done = 0;
  EXPECT_TRUE(StoppableFor(ctx, 100, 1'000'000, [&](int64_t b, int64_t e) { done += e - b; }));
  EXPECT_EQ(done, 100);
  done = 0;
  EXPECT_FALSE(StoppableFor(ctx, 100, 1'000'000, [&](int64_t b, int64_t e) {
    done += e - b;
    if (done >= 20) step.Cancel(Cancelled("enough"));
  }));
  EXPECT_GE(done, 20);
  EXPECT_LT(done, 100);
  EXPECT_FALSE(StoppableFor(ctx, 100, 1, [&](int64_t, int64_t) { ADD_FAILURE(); }));
  EXPECT_EQ(StepIsOver().code(), Code::kCancelled);
}

// What runs an asynchronous kernel outside of the executor waits for it.
TEST_F(KernelContextTest, AnAsynchronousKernelCanBeWaitedFor) {
  class Later final : public AsyncKernel {
   public:
    void ComputeAsync(KernelContext&, Done done) override {
      std::thread([done] {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        done(DataLoss("late"));
      }).detach();
    }
  };
  Later kernel;
  KernelContext ctx = Context();
  EXPECT_EQ(kernel.Compute(ctx), DataLoss("late"));
  EXPECT_TRUE(kernel.is_async());
}

}  // namespace
}  // namespace warpbeam
