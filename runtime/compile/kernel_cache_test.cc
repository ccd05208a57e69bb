#include "runtime/compile/kernel_cache.h"

#include "gtest/gtest.h"
#include "runtime/device/local/device_set.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {
namespace {

// A kernel that keeps an attribute, as kernels do.
class Numbered final : public Kernel {
 public:
  explicit Numbered(int64_t number) : number(number) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const int64_t number, init.attr<int64_t>("number"));
    return std::make_unique<Numbered>(number);
  }
  Status Compute(KernelContext&) override { return OkStatus(); }

  const int64_t number;
};
WB_OP("Numbered").Output("y: float").Attr("number: int").Attr("about: string = ''");
WB_KERNEL("Numbered", Numbered).Cpu();

class KernelCacheTest : public ::testing::Test {
 protected:
  static NodeSpec Spec(int64_t number) {
    NodeSpec spec;
    spec.name = "node";
    spec.op = "Numbered";
    spec.attrs.Set("number", number);
    return spec;
  }
  const Numbered* Get(const Graph& graph) {
    auto kernel = cache_.Get(graph.node(0), devices_->device(0), KernelServices());
    EXPECT_TRUE(kernel.ok()) << kernel.status();
    return kernel.ok() ? static_cast<const Numbered*>(*kernel) : nullptr;
  }

  std::unique_ptr<DeviceSet> devices_ = *DeviceSet::Create(DeviceSetOptions());
  KernelCache cache_;
};

TEST_F(KernelCacheTest, ANodeHasOneKernelUntilItIsAnother) {
  auto graph = std::make_shared<Graph>();
  ASSERT_TRUE(graph->AddNode(Spec(3), {}, {}).ok());
  const Numbered* const first = Get(*graph);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->number, 3);
  EXPECT_EQ(Get(*graph), first);

  // The same number of outputs and another attribute.
  const std::shared_ptr<Graph> changed = Graph::Overlay(graph);
  ASSERT_TRUE(changed->ReplaceNode(0, Spec(4), {}, {}, {PartialShape()}).ok());
  const Numbered* const second = Get(*changed);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->number, 4);
  EXPECT_EQ(first->number, 3);  // still there for plans that have it
}

}  // namespace
}  // namespace warpbeam
