#include "placement/kernel_support.h"

#include <gtest/gtest.h>

#include "placement/testing/toy_graph.h"

namespace warpbeam {
namespace {

constexpr DeviceTypes kCpu = BitOf(DeviceType::kCpu);

TEST(Satisfies, ComparesTypeAttributes) {
  AttrMap attrs;
  attrs.Set("T", DType::kFloat);
  attrs.Set("L", std::vector<DType>{DType::kFloat, DType::kInt32});
  attrs.Set("none", AttrValue::EmptyList());
  EXPECT_TRUE(Satisfies({}, attrs));
  EXPECT_TRUE(Satisfies({{"T", kFloatingTypes}}, attrs));
  EXPECT_FALSE(Satisfies({{"T", kIntegerTypes}}, attrs));
  EXPECT_TRUE(Satisfies({{"L", kRealTypes}}, attrs));
  EXPECT_FALSE(Satisfies({{"L", kFloatingTypes}}, attrs)) << "one element does not fit";
  EXPECT_TRUE(Satisfies({{"none", kFloatingTypes}}, attrs));
  EXPECT_FALSE(Satisfies({{"missing", kFloatingTypes}}, attrs));
}

TEST(KernelSupport, AsksOncePerTypes) {
  ToyGraph toy;
  toy.Op("Typed", "", "y: T", "", {}, "T: type");
  toy.catalog.Add("Typed", "cpu");
  toy.catalog.Add("Typed", "gpu", {}, {{"T", kFloatingTypes}});
  KernelSupport support(&toy.catalog);
  auto with = [](DType type) {
    AttrMap attrs;
    attrs.Set("T", type);
    return attrs;
  };
  for (int i = 0; i < 100; ++i) {
    const DType type = i % 2 == 0 ? DType::kFloat : DType::kInt32;
    const NodeId id = toy.Node(absl::StrCat("n", i), "Typed", {}, "", {}, with(type));
    EXPECT_EQ(support.Of(toy.graph, toy.graph.node(id)),
              type == DType::kFloat ? kEveryDeviceType : kCpu);
  }
  EXPECT_EQ(toy.catalog.num_questions(), 4);  // two types, two device types
  EXPECT_EQ(TypeAttributes(toy.graph.node(0).op(), toy.graph.node(0).attrs()), "T=float");
}

// A function runs where all of its body does, whatever type it is called with.
TEST(KernelSupport, LooksIntoFunctions) {
  ToyGraph toy;
  toy.Op("Typed", "x: T", "y: T", "", {}, "T: type");
  toy.catalog.Add("Typed", "cpu");
  toy.catalog.Add("Typed", "gpu", {}, {{"T", kFloatingTypes}});
  auto function = std::make_shared<Function>();
  auto signature = OpSchemaBuilder("fn").Input("a: T").Output("b: T").Attr("T: type").Build();
  ASSERT_TRUE(signature.ok());
  function->signature = *signature;
  NodeSpec body;
  body.name = "n";
  body.op = "Typed";
  body.inputs = {"a"};
  body.attrs.Set("T", AttrValue::Placeholder("T"));
  function->nodes = {body};
  // Calls itself as well: that must come to an end.
  body.name = "again";
  body.op = "fn";
  function->nodes.push_back(body);
  ASSERT_TRUE(toy.graph.functions().Add(function).ok());
  KernelSupport support(&toy.catalog);
  for (DType type : {DType::kFloat, DType::kInt32}) {
    AttrMap attrs;
    attrs.Set("T", type);
    const std::string name = DTypeName(type);
    toy.Op("Give" + name, "", "y: " + name, "cpu gpu");
    toy.Node("x" + name, "Give" + name);
    const NodeId call = toy.Node("call" + name, "fn", {"x" + name}, "", {}, attrs);
    EXPECT_EQ(support.Of(toy.graph, toy.graph.node(call)),
              type == DType::kFloat ? kEveryDeviceType : kCpu);
  }
}

}  // namespace
}  // namespace warpbeam
