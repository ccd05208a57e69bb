#include "graph/op/op_schema.h"

#include <thread>

#include "gmock/gmock.h"
#include "graph/op/node_types.h"
#include "graph/op/op_registry.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = AttrValue::Kind;

AttrSpec Parse(absl::string_view spec) {
  StatusOr<AttrSpec> attr = ParseAttrSpec(spec);
  EXPECT_TRUE(attr.ok()) << attr.status();
  return attr.ok() ? *attr : AttrSpec();
}

std::string ParseError(absl::string_view spec) {
  return std::string(ParseAttrSpec(spec).status().message());
}

TEST(ParseAttrSpecTest, PlainTypes) {
  for (const char* type : {"int", "float", "bool", "string", "type", "shape", "tensor", "func"}) {
    EXPECT_EQ(Parse(absl::StrCat("a: ", type)).type, type);
    EXPECT_EQ(Parse(absl::StrCat("a:list(", type, ")")).type, absl::StrCat("list(", type, ")"));
  }
  EXPECT_FALSE(Parse("a: int").default_value.has_value());
}

TEST(ParseAttrSpecTest, Defaults) {
  EXPECT_EQ(Parse("a: int = -3").default_value.i(), -3);
  EXPECT_EQ(Parse("a: float = 1e-4").default_value.f(), 1e-4f);
  EXPECT_EQ(Parse("a: bool = true").default_value.b(), true);
  EXPECT_EQ(Parse("a: bool=false").default_value.b(), false);
  EXPECT_EQ(Parse("a: string = 'it\\'s'").default_value.s(), "it's");
  EXPECT_EQ(Parse("a: string = \"\"").default_value.s(), "");
  EXPECT_EQ(Parse("a: type = DT_INT32").default_value.type(), DType::kInt32);
  EXPECT_EQ(Parse("a: func = {name: 'f'}").default_value.func().name, "f");
}

TEST(ParseAttrSpecTest, ListDefaults) {
  EXPECT_THAT(Parse("a: list(int) = [1, 1,2]").default_value.list<int64_t>(), ElementsAre(1, 1, 2));
  EXPECT_EQ(Parse("a: list(int) = []").default_value.kind(), Kind::kIntList);
  EXPECT_THAT(Parse("a: list(string) = ['x', \"y\"]").default_value.list<std::string>(),
              ElementsAre("x", "y"));
  EXPECT_THAT(Parse("a: list(type) = [DT_FLOAT, int64]").default_value.list<DType>(),
              ElementsAre(DType::kFloat, DType::kInt64));
  EXPECT_THAT(Parse("a: list(float) = [0.5]").default_value.list<float>(), ElementsAre(0.5f));
  EXPECT_THAT(Parse("a: list(bool) = [true, false]").default_value.list<bool>(),
              ElementsAre(true, false));
  EXPECT_THAT(
      Parse("a: list(shape) = [{}, { dim { size: 1 } }]").default_value.list<PartialShape>(),
      ElementsAre(PartialShape(Shape()), PartialShape({1})));
}

TEST(ParseAttrSpecTest, ShapeAndTensorDefaults) {
  EXPECT_EQ(Parse("a: shape = {}").default_value.shape(), PartialShape(Shape()));
  EXPECT_EQ(Parse("a: shape = { unknown_rank: true }").default_value.shape(),
            PartialShape::Unknown());
  EXPECT_EQ(Parse("a: shape = { dim { size: 2 } dim { size: -1 } }").default_value.shape(),
            PartialShape({2, -1}));
  const Tensor t = Parse(
                       "bad_color: tensor = { dtype: DT_UINT8 tensor_shape: { dim { size: 4 } } "
                       "int_val: 255 int_val: 0 int_val: 0 int_val: 255 }")
                       .default_value.tensor();
  EXPECT_EQ(t.dtype(), DType::kUInt8);
  EXPECT_THAT(t.flat<uint8_t>(), ElementsAre(255, 0, 0, 255));
}

TEST(ParseAttrSpecTest, AllowedSets) {
  const AttrSpec types = Parse("T: {half, float, DT_DOUBLE} = DT_FLOAT");
  EXPECT_EQ(types.type, "type");
  EXPECT_THAT(types.allowed_values.list<DType>(),
              ElementsAre(DType::kHalf, DType::kFloat, DType::kDouble));
  const AttrSpec words = Parse("padding: {'SAME', \"VALID\"} = 'SAME'");
  EXPECT_EQ(words.type, "string");
  EXPECT_THAT(words.allowed_values.list<std::string>(), ElementsAre("SAME", "VALID"));
  EXPECT_EQ(Parse("T: numbertype").allowed_values.list<DType>().size(), 19);
  EXPECT_EQ(Parse("T: {numbertype, variant}").allowed_values.list<DType>().size(), 20);
  EXPECT_EQ(Parse("T: realnumbertype").allowed_values.list<DType>().size(), 12);
  EXPECT_EQ(Parse("T: quantizedtype").allowed_values.list<DType>().size(), 5);
  EXPECT_EQ(Parse("T: list({int32, int64})").type, "list(type)");
}

TEST(ParseAttrSpecTest, Minimum) {
  const AttrSpec spec = Parse("N: int >= 1 = 2");
  EXPECT_TRUE(spec.has_minimum);
  EXPECT_EQ(spec.minimum, 1);
  EXPECT_EQ(spec.default_value.i(), 2);
  EXPECT_EQ(Parse("a: int >= -1").minimum, -1);
  EXPECT_EQ(Parse("a: list(int) >= 4").minimum, 4);
  EXPECT_EQ(Parse("a: list(type) >= 0 = []").default_value.list_size(), 0);
}

TEST(ParseAttrSpecTest, Faults) {
  EXPECT_THAT(ParseError("a int"), HasSubstr("name: type"));
  EXPECT_THAT(ParseError("a: integer"), HasSubstr("'integer'"));
  EXPECT_THAT(ParseError("a: int = x"), HasSubstr("'x' is no integer"));
  EXPECT_THAT(ParseError("a: float >= 1"), HasSubstr("minimum"));
  EXPECT_THAT(ParseError("a: int >= 3 = 2"), HasSubstr("at least 3"));
  EXPECT_THAT(ParseError("T: {float, flaot}"), HasSubstr("'flaot'"));
  EXPECT_THAT(ParseError("T: {float} = DT_INT32"), HasSubstr("not among the values allowed"));
  EXPECT_THAT(ParseError("s: string = 'open"), HasSubstr("closing quote"));
  EXPECT_THAT(ParseError("a: int = 1 2"), HasSubstr("nothing may follow"));
  EXPECT_THAT(ParseError("a: shape = { dim { size: -3 } }"), HasSubstr("at least -1"));
  EXPECT_THAT(ParseError("a: shape = {"), HasSubstr("field name"));
}

TEST(OpSchemaBuilderTest, Arguments) {
  StatusOr<OpSchema> op = OpSchemaBuilder("Toy")
                              .Input("a: float")
                              .Input("b: T")
                              .Input("c: N * T")
                              .Input("d: Tlist")
                              .Input("e: Ref(T)")
                              .Input("f: Ref(M * string)")
                              .Output("y: N * int32")
                              .Attr("T: type")
                              .Attr("N: int")
                              .Attr("M: int >= 3")
                              .Attr("Tlist: list(type)")
                              .Stateful()
                              .Build();
  ASSERT_TRUE(op.ok()) << op.status();
  EXPECT_EQ(op->inputs[0].type, DType::kFloat);
  EXPECT_EQ(op->inputs[1].type_attr, "T");
  EXPECT_EQ(op->inputs[2].number_attr, "N");
  EXPECT_EQ(op->inputs[2].type_attr, "T");
  EXPECT_EQ(op->inputs[3].type_list_attr, "Tlist");
  EXPECT_TRUE(op->inputs[4].is_ref);
  EXPECT_TRUE(op->inputs[5].is_ref);
  EXPECT_EQ(op->inputs[5].type, DType::kString);
  EXPECT_TRUE(op->is_stateful);
  // Lists have at least one element unless the attribute says otherwise.
  EXPECT_EQ(op->FindAttr("N")->minimum, 1);
  EXPECT_EQ(op->FindAttr("M")->minimum, 3);
  EXPECT_EQ(op->FindAttr("Tlist")->minimum, 1);
  EXPECT_EQ(op->FindAttr("nope"), nullptr);
}

std::string BuildError(const OpSchemaBuilder& builder) {
  return std::string(builder.Build().status().message());
}

TEST(OpSchemaBuilderTest, FaultsNameOpAndSpec) {
  EXPECT_THAT(BuildError(OpSchemaBuilder("Toy").Input("x: T")),
              AllOf(HasSubstr("'Toy'"), HasSubstr("\"x: T\""), HasSubstr("'T'")));
  EXPECT_THAT(BuildError(OpSchemaBuilder("Toy").Input("x: N * float")), HasSubstr("'N'"));
  EXPECT_THAT(BuildError(OpSchemaBuilder("Toy").Input("x: T").Attr("T: int")),
              HasSubstr("is no type"));
  EXPECT_THAT(BuildError(OpSchemaBuilder("Toy").Input("x: Ref(float")), HasSubstr("')'"));
  EXPECT_THAT(BuildError(OpSchemaBuilder("Toy").Input("x: float").Input("x: int32")),
              HasSubstr("taken"));
  EXPECT_THAT(BuildError(OpSchemaBuilder("Toy").Attr("a: int").Attr("a: int")), HasSubstr("taken"));
}

WB_OP("OpSchemaTestOnlyName");
WB_OP("OpSchemaTestOp").Input("x: T").Output("y: T").Attr("T: type");

TEST(OpRegistryTest, GlobalHasLinkedInOps) {
  EXPECT_TRUE(OpRegistry::CheckGlobal().ok()) << OpRegistry::GlobalStatus();
  ASSERT_NE(OpRegistry::Global().Find("OpSchemaTestOp"), nullptr);
  ASSERT_NE(OpRegistry::Global().Find("OpSchemaTestOnlyName"), nullptr);
  EXPECT_EQ(OpRegistry::Global().Find("OpSchemaTestOp")->inputs.size(), 1);
}

TEST(OpRegistryTest, FaultsOfWhatIsParsedLaterAreReported) {
  OpRegistry ops;
  ASSERT_TRUE(ops.RegisterUnparsed(OpSchemaBuilder("Sound").Input("x: float")).ok());
  EXPECT_TRUE(ops.ParseStatus().ok());
  ASSERT_TRUE(ops.RegisterUnparsed(OpSchemaBuilder("Faulty").Input("x of float")).ok());
  EXPECT_EQ(ops.RegisterUnparsed(OpSchemaBuilder("Sound")).code(), StatusCode::kAlreadyExists);
  ASSERT_NE(ops.Find("Sound"), nullptr);
  EXPECT_EQ(ops.Find("Sound"), ops.Find("Sound"));
  EXPECT_EQ(ops.Find("Faulty"), nullptr);
  EXPECT_EQ(ops.All().size(), 1u);
  EXPECT_THAT(ops.ParseStatus().message(), HasSubstr("Faulty"));
}

TEST(OpRegistryTest, ThreadsFindTheSameSchema) {
  OpRegistry ops;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(ops.RegisterUnparsed(OpSchemaBuilder(absl::StrCat("Op", i))).ok());
  }
  std::vector<std::vector<const OpSchema*>> found(4);
  std::vector<std::thread> threads;
  for (auto& mine : found) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) mine.push_back(ops.Find(absl::StrCat("Op", i)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : found) {
    EXPECT_EQ(mine, found[0]);
    EXPECT_THAT(mine, testing::Each(testing::NotNull()));
  }
}

TEST(OpRegistryTest, GetSaysWhatIsNear) {
  OpRegistry ops;
  ASSERT_TRUE(ops.Register(OpSchemaBuilder("MatMul")).ok());
  ASSERT_TRUE(ops.Register(OpSchemaBuilder("Add")).ok());
  EXPECT_TRUE(IsAlreadyExists(ops.Register(OpSchemaBuilder("Add"))));
  EXPECT_TRUE(ops.Get("MatMul").ok());
  const Status missing = ops.Get("MatMull").status();
  EXPECT_TRUE(IsNotFound(missing));
  EXPECT_THAT(std::string(missing.message()), HasSubstr("did you mean 'MatMul'"));
  EXPECT_EQ(ops.Nearest("Convolution"), "");
  EXPECT_EQ(ops.All()[0]->name, "Add");
}

class NodeTypesTest : public ::testing::Test {
 protected:
  NodeTypesTest() {
    op_ = *OpSchemaBuilder("Toy")
               .Input("a: T")
               .Input("b: N * T")
               .Input("c: Tlist")
               .Input("r: Ref(T)")
               .Output("y: T")
               .Output("z: Ref(float)")
               .Attr("T: {float, int32}")
               .Attr("N: int")
               .Attr("Tlist: list(type) >= 0")
               .Attr("mode: {'x', 'y'} = 'x'")
               .Attr("k: int >= 2")
               .Build();
  }
  AttrMap Good() {
    AttrMap attrs;
    attrs.Set("T", DType::kFloat);
    attrs.Set("N", 2);
    attrs.Set("Tlist", std::vector<DType>{DType::kString});
    attrs.Set("k", 2);
    return attrs;
  }
  Status Complete(AttrMap attrs) { return CompleteAttrs(op_, &attrs); }
  OpSchema op_;
};

TEST_F(NodeTypesTest, CompletesAndUnrolls) {
  AttrMap attrs = Good();
  ASSERT_TRUE(CompleteAttrs(op_, &attrs).ok());
  EXPECT_EQ(attrs.Find("mode")->s(), "x");
  EXPECT_THAT(*InputTypes(op_, attrs), ElementsAre(DType::kFloat, DType::kFloat, DType::kFloat,
                                                   DType::kString, RefType(DType::kFloat)));
  EXPECT_THAT(*OutputTypes(op_, attrs), ElementsAre(DType::kFloat, RefType(DType::kFloat)));
  EXPECT_THAT(*ArgSizes(op_.inputs, attrs), ElementsAre(1, 2, 1, 1));
}

TEST_F(NodeTypesTest, RefusesWhatDoesNotFit) {
  AttrMap attrs = Good();
  attrs.Erase("T");
  EXPECT_TRUE(IsNotFound(Complete(attrs)));
  attrs = Good();
  attrs.Erase("k");
  EXPECT_TRUE(IsInvalidArgument(Complete(attrs)));
  attrs = Good();
  attrs.Set("T", DType::kBool);
  EXPECT_THAT(std::string(Complete(attrs).message()), HasSubstr("float, int32"));
  attrs.Set("T", "float");
  EXPECT_THAT(std::string(Complete(attrs).message()), HasSubstr("must be type, got string"));
  attrs = Good();
  attrs.Set("k", 1);
  EXPECT_THAT(std::string(Complete(attrs).message()), HasSubstr("at least 2"));
  attrs = Good();
  attrs.Set("mode", "w");
  EXPECT_THAT(std::string(Complete(attrs).message()), HasSubstr("'x', 'y'"));
  attrs = Good();
  attrs.Set("extra", 1);
  EXPECT_THAT(std::string(Complete(attrs).message()), HasSubstr("no attribute 'extra'"));
  EXPECT_TRUE(CompleteAttrs(op_, &attrs, true).ok());
  attrs = Good();
  attrs.Set("_anything", 1);
  EXPECT_TRUE(Complete(attrs).ok());
  attrs.Set("N", int64_t{1} << 40);
  EXPECT_FALSE(InputTypes(op_, attrs).ok());
}

TEST(OpSchemaBuilderTest, AnEffectBelongsToAnInput) {
  const auto make = [](const char* input) {
    return OpSchemaBuilder("Read")
        .Input("reader: resource")
        .Input("queue: resource")
        .Effect(StateEffect::kWrite)
        .Effect(input, StateEffect::kDrain)
        .Build();
  };
  const auto op = make("queue");
  ASSERT_TRUE(op.ok()) << op.status();
  EXPECT_EQ(op->effect, StateEffect::kWrite);
  EXPECT_FALSE(op->inputs[0].effect.has_value());
  EXPECT_EQ(op->inputs[1].effect, StateEffect::kDrain);
  EXPECT_THAT(std::string(make("line").status().message()),
              AllOf(HasSubstr("Read"), HasSubstr("line"), HasSubstr("no such input")));
}

TEST_F(NodeTypesTest, AnEmptyListIsAListOfAnyKind) {
  AttrMap attrs = Good();
  attrs.Set("Tlist", AttrValue::EmptyList());
  EXPECT_TRUE(Complete(attrs).ok());
  EXPECT_EQ(InputTypes(op_, attrs)->size(), 4);
}

TEST_F(NodeTypesTest, InfersFromInputs) {
  AttrMap attrs;
  const DType f = DType::kFloat;
  ASSERT_TRUE(InferAttrs(op_, {{f}, {f, f, f}, {DType::kInt32, f}, {RefType(f)}}, &attrs).ok());
  EXPECT_EQ(attrs.Find("T")->type(), f);
  EXPECT_EQ(attrs.Find("N")->i(), 3);
  EXPECT_THAT(attrs.Find("Tlist")->list<DType>(), ElementsAre(DType::kInt32, f));
  const Status mixed = InferAttrs(op_, {{f}, {DType::kInt32}, {}, {f}}, &attrs);
  EXPECT_TRUE(mixed.ok()) << "given attributes are not inferred again";
  AttrMap fresh;
  EXPECT_THAT(std::string(InferAttrs(op_, {{f}, {DType::kInt32}, {}, {f}}, &fresh).message()),
              AllOf(HasSubstr("'b'"), HasSubstr("int32"), HasSubstr("float")));
  EXPECT_TRUE(fresh.empty());
  EXPECT_FALSE(InferAttrs(op_, {{f}}, &fresh).ok());
}

}  // namespace
}  // namespace warpbeam
