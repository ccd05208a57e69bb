#include "runtime/session/kernel_warm_up.h"

#include <atomic>
#include <utility>

#include "gtest/gtest.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

std::atomic<int> warmed{0}, warmed_inside{0};

class NothingKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<NothingKernel>();
  }
  Status Compute(KernelContext&) override { return OkStatus(); }
};

WB_OP("WarmsUp");
WB_OP("WarmsUpInside");
WB_KERNEL("WarmsUp", NothingKernel).Cpu().Gpu().WarmUp([] { ++warmed; });
WB_KERNEL("WarmsUpInside", NothingKernel).Cpu().WarmUp([] { ++warmed_inside; });

NodeSpec NodeOf(const std::string& op, const std::string& name) {
  NodeSpec spec;
  spec.op = op;
  spec.name = name;
  return spec;
}

Status AddNode(Graph* graph, const std::string& op, const std::string& name) {
  return graph->AddNode(NodeOf(op, name), {}, {}).status();
}

TEST(KernelWarmUpTest, OnceInAProcessWhenASessionHasTheOp) {
  auto empty = std::make_shared<Graph>();
  ASSERT_TRUE(AddNode(empty.get(), "NoOp", "nothing").ok());
  {
    auto session = Session::Create(SessionOptions(), empty);
    ASSERT_TRUE(session.ok()) << session.status();
  }
  EXPECT_EQ(warmed, 0);

  auto graph = std::make_shared<Graph>();
  ASSERT_TRUE(AddNode(graph.get(), "WarmsUp", "a").ok());
  ASSERT_TRUE(AddNode(graph.get(), "WarmsUp", "b").ok());
  for (int i = 0; i < 3; ++i) {
    auto session = Session::Create(SessionOptions(), graph);
    ASSERT_TRUE(session.ok()) << session.status();
  }
  EXPECT_EQ(warmed, 1);
  EXPECT_EQ(warmed_inside, 0);
}

TEST(KernelWarmUpTest, FunctionsCountAndWhatComesLater) {
  auto graph = std::make_shared<Graph>();
  ASSERT_TRUE(AddNode(graph.get(), "NoOp", "nothing").ok());
  {
    auto session = Session::Create(SessionOptions(), graph);
    ASSERT_TRUE(session.ok()) << session.status();
    ASSERT_TRUE((*session)
                    ->Extend([](Graph& g) {
                      auto function = std::make_shared<Function>();
                      function->signature.name = "f";
                      function->nodes.push_back(NodeOf("WarmsUpInside", "inside"));
                      return g.functions().Add(std::move(function));
                    })
                    .ok());
  }
  EXPECT_EQ(warmed_inside, 1);
}

}  // namespace
}  // namespace warpbeam
