// Elementwise nodes on a GPU run in one launch and leave the bits that the nodes leave alone.
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "ops/fused/fused_functions.h"
#include "runtime/kernel/block_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#include "tests/gpu/fused_fixture.h"

namespace warpbeam {
namespace {

using host_pass::FusedKind;
constexpr DType kTypes[] = {DType::kFloat, DType::kHalf, DType::kBFloat16};

struct Function {
  FusedKind kind;
  int inputs;
  const char* ops;
};
constexpr Function kFunctions[] = {
#define WB_ENTRY(kind, Fn, inputs, ops) {FusedKind::kind, inputs, ops},
    WB_FUSED_FUNCTIONS(WB_ENTRY)
#undef WB_ENTRY
};

bool HasGpuKernel(const std::string& op, DType dtype) {
  AttrMap attrs;
  attrs.Set("T", dtype);
  return KernelRegistry::Global().Find(op, attrs, DeviceType::kGpu) != nullptr;
}

// The function and, behind it, one that takes what it gives.
TEST_F(FusedTest, EveryFunctionHasTheBitsOfItsNode) {
  // SelectKernel finds rows itself: its launches are not enqueued by it on every device.
  const std::set<std::string> kept_alone = {"Select"};
  const Shape shape({5, 211}), row({211});
  int looked_at = 0;
  for (const Function& function : kFunctions) {
    for (const absl::string_view name : absl::StrSplit(function.ops, ' ')) {
      const std::string op(name);
      for (const DType dtype : kTypes) {
        if (function.kind == FusedKind::kConversion) continue;
        const bool logic = function.kind == FusedKind::kLogic;
        if (!logic && !HasGpuKernel(op, dtype)) continue;
        SCOPED_TRACE(op + " of " + std::string(DTypeName(dtype)));
        Clear();
        NamedTensors feeds;
        std::vector<OutputRef> inputs;
        for (int i = 0; i < function.inputs; ++i) {
          const bool choice = i == 0 && function.kind == FusedKind::kChoice;
          const DType type = logic || choice ? DType::kBool : dtype;
          const std::string name = "x" + std::to_string(i);
          const Shape& own = i == 1 && absl::StartsWith(op, "BiasAdd") ? row : shape;
          inputs.push_back(Fed(name, type, own));
          feeds.emplace_back(name, Numbers(own, type, i));
        }
        const bool gives_bool = logic || function.kind == FusedKind::kPredicate;
        NodeAttrs attrs;
        if (!logic) attrs.emplace_back("T", dtype);
        if (op == "AddN" || op == "AccumulateNV2") attrs.emplace_back("N", int64_t{2});
        if (op == "AccumulateNV2") attrs.emplace_back("shape", PartialShape(shape));
        const OutputRef result = Add(op, "result", inputs, attrs);
        gives_bool ? Add("LogicalNot", "last", {result}) : Typed("Neg", "last", {result}, dtype);
        EXPECT_EQ(Saved(feeds, {"last"}), kept_alone.count(op) > 0 ? 0 : 1);
        ++looked_at;
      }
    }
  }
  EXPECT_GT(looked_at, 200);
}

TEST_F(FusedTest, ConversionsBetweenAllThatIsStored) {
  const Shape shape({1031});
  for (const DType from : {DType::kFloat, DType::kHalf, DType::kBFloat16, DType::kBool}) {
    for (const DType to : {DType::kFloat, DType::kHalf, DType::kBFloat16, DType::kBool}) {
      if (from == to) continue;
      SCOPED_TRACE(testing::Message() << DTypeName(from) << " to " << DTypeName(to));
      Clear();
      const OutputRef cast =
          Add("Cast", "cast", {Fed("x", from, shape)}, {{"SrcT", from}, {"DstT", to}});
      to == DType::kBool ? Add("LogicalNot", "last", {cast}) : Typed("Exp", "last", {cast}, to);
      EXPECT_EQ(Saved({{"x", Numbers(shape, from, 1)}}, {"last"}), 1);
    }
  }
  // Bits that are cut off are not rounded.
  Clear();
  const OutputRef cast = Add("Cast", "cast", {Fed("x", DType::kFloat, shape)},
                             {{"SrcT", DType::kFloat}, {"DstT", DType::kHalf}, {"Truncate", true}});
  Typed("Exp", "last", {cast}, DType::kHalf);
  EXPECT_EQ(Saved({{"x", Numbers(shape, DType::kFloat, 1)}}, {"last"}), 0);
}

// Results that are read late, and by more than the next step; scalars; all sizes.
TEST_F(FusedTest, ChainsWithTemporaries) {
  for (const DType dtype : kTypes) {
    for (const int64_t size : {2, 3, 7, 8, 511, 1024, 1025, 4099, 70001}) {
      SCOPED_TRACE(testing::Message() << DTypeName(dtype) << ", " << size);
      Clear();
      const Shape shape({size});
      const OutputRef a = Fed("a", dtype, shape), b = Fed("b", dtype, shape);
      const OutputRef scale = Scalar("scale", dtype, 0.3f), fed = Fed("fed", dtype, Shape());
      const OutputRef sum = Typed("AddV2", "sum", {a, b}, dtype);
      const OutputRef scaled = Typed("Mul", "scaled", {scale, b}, dtype);
      const OutputRef less = Typed("Sub", "less", {a, fed}, dtype);
      const OutputRef inner = Typed("Tanh", "inner", {scaled}, dtype);
      const OutputRef product = Typed("Mul", "product", {sum, inner}, dtype);
      const OutputRef both = Typed("Maximum", "both", {less, product}, dtype);
      Typed("Sigmoid", "last", {both}, dtype);
      const NamedTensors feeds = {{"a", Numbers(shape, dtype, 1)},
                                  {"b", Numbers(shape, dtype, 2)},
                                  {"fed", Cast(Tensor::Scalar<float>(0.7f), dtype)}};
      EXPECT_EQ(Saved(feeds, {"last"}), 6);
      EXPECT_EQ(Saved(feeds, {"last", "product"}), 5);
    }
  }
}

// Rows, columns and channels in the middle, which broadcast; what several repeat alike.
TEST_F(FusedTest, OperandsThatBroadcast) {
  for (const DType dtype : kTypes) {
    SCOPED_TRACE(DTypeName(dtype));
    Clear();
    const Shape shape({3, 5, 7, 4});
    const OutputRef x = Fed("x", dtype, shape), row = Fed("row", dtype, Shape({4}));
    const OutputRef column = Fed("column", dtype, Shape({3, 5, 7, 1}));
    const OutputRef channel = Fed("channel", dtype, Shape({5, 1, 1}));
    const OutputRef other = Fed("other", dtype, Shape({1, 5, 1, 1}));
    const OutputRef less = Typed("Sub", "less", {x, column}, dtype);
    const OutputRef scaled = Typed("Mul", "scaled", {channel, less}, dtype);
    const OutputRef moved = Typed("AddV2", "moved", {scaled, other}, dtype);
    const OutputRef biased = Typed("BiasAdd", "biased", {moved, row}, dtype);
    const OutputRef both = Add("AddN", "both", {biased, x}, {{"T", dtype}, {"N", int64_t{2}}});
    Typed("Relu", "last", {both}, dtype);
    NamedTensors feeds = {{"x", Numbers(shape, dtype, 1)},
                          {"row", Numbers(Shape({4}), dtype, 2)},
                          {"column", Numbers(Shape({3, 5, 7, 1}), dtype, 3)},
                          {"channel", Numbers(Shape({5, 1, 1}), dtype, 4)},
                          {"other", Numbers(Shape({1, 5, 1, 1}), dtype, 5)}};
    EXPECT_EQ(Saved(feeds, {"last"}), 5);
  }
}

// A row and a column alone make a tensor; two dimensions with one between them that is repeated do
// not fit, nor do biases of channels that come second.
TEST_F(FusedTest, OperandsThatBroadcastOrDoNot) {
  const Shape shape({3, 4, 5});
  const OutputRef row = Fed("row", DType::kFloat, Shape({5}));
  const OutputRef column = Fed("column", DType::kFloat, Shape({3, 4, 1}));
  const OutputRef apart = Fed("apart", DType::kFloat, Shape({3, 1, 5}));
  const OutputRef channel = Fed("channel", DType::kFloat, Shape({4}));
  const OutputRef outer = Float("Mul", "outer", {row, column});
  const OutputRef bent = Float("Tanh", "bent", {outer});
  const OutputRef alone = Float("Sub", "alone", {bent, apart});
  const OutputRef biased = Add("BiasAdd", "biased", {alone, channel},
                               {{"T", DType::kFloat}, {"data_format", std::string("NCHW")}});
  Float("Exp", "last", {biased});
  const auto numbers = [](const Shape& s, int seed) { return Numbers(s, DType::kFloat, seed); };
  EXPECT_EQ(Saved({{"row", numbers(Shape({5}), 1)},
                   {"column", numbers(Shape({3, 4, 1}), 2)},
                   {"apart", numbers(Shape({3, 1, 5}), 3)},
                   {"channel", numbers(Shape({4}), 4)}},
                  {"last"}),
            1);
}

// More ways of repeating than a launch can be told.
TEST_F(FusedTest, ManyWaysOfRepeating) {
  const Shape shape({2, 2, 2, 2, 2, 2});
  OutputRef sum = Fed("x", DType::kFloat, shape);
  NamedTensors feeds = {{"x", Numbers(shape, DType::kFloat, 0)}};
  for (int first = 0; first < 6; ++first) {
    for (int last = first; last < 6 && feeds.size() < 12; ++last) {
      std::vector<int64_t> dims(6, 1);
      for (int d = first; d <= last; ++d) dims[static_cast<size_t>(d)] = 2;
      const Shape own = *Shape::Make(dims);
      if (own == shape) continue;
      const std::string name = "y" + std::to_string(feeds.size());
      sum = Float("Add", "sum" + name, {sum, Fed(name, DType::kFloat, own)});
      feeds.emplace_back(name, Numbers(own, DType::kFloat, first + last));
    }
  }
  EXPECT_EQ(Saved(feeds, {"sumy11"}), 0);
}

// What two nodes read is a way out of its group.
TEST_F(FusedTest, MixedPrecision) {
  const Shape shape({3, 401});
  const OutputRef x = Fed("x", DType::kHalf, shape), y = Fed("y", DType::kFloat, shape);
  const OutputRef wide =
      Add("Cast", "wide", {x}, {{"SrcT", DType::kHalf}, {"DstT", DType::kFloat}});
  const OutputRef scaled = Float("Mul", "scaled", {wide, Scalar("third", DType::kFloat, 1.0f / 3)});
  const OutputRef larger = Float("Greater", "larger", {scaled, y});
  const OutputRef chosen = Float("SelectV2", "chosen", {larger, scaled, y});
  const OutputRef narrow =
      Add("Cast", "narrow", {chosen}, {{"SrcT", DType::kFloat}, {"DstT", DType::kBFloat16}});
  Typed("Square", "last", {narrow}, DType::kBFloat16);
  EXPECT_EQ(Saved({{"x", Numbers(shape, DType::kHalf, 1)}, {"y", Numbers(shape, DType::kFloat, 2)}},
                  {"last"}),
            4);
}

// What the plan did not expect runs node by node, errors included.
TEST_F(FusedTest, FedTensorsOfOtherShapes) {
  const Shape shape({40});
  const OutputRef x = Float("Relu", "x", {Fed("before", DType::kFloat, shape)});
  const OutputRef y = Float("Relu", "y", {Fed("also", DType::kFloat, shape)});
  Float("Exp", "last", {Float("Add", "sum", {x, y})});
  const auto values = [](const Shape& s) { return Numbers(s, DType::kFloat, 1); };
  EXPECT_EQ(Saved({{"x", values(shape)}, {"y", values(shape)}}, {"last"}), 1);
  EXPECT_EQ(Saved({{"x", values(Shape({3, 5}))}, {"y", values(Shape({3, 5}))}}, {"last"}), 1);
  EXPECT_EQ(Saved({{"x", values(Shape({3, 5}))}, {"y", values(Shape({5}))}}, {"last"}), 1);
  const NamedTensors wrong = {{"x", values(Shape({3}))}, {"y", values(Shape({5}))}};
  const Status plain = Run(Options("none", true), wrong, {"last"}).status;
  const Status fused = Run(Options("fuse", true), wrong, {"last"}).status;
  EXPECT_EQ(plain.code(), StatusCode::kInvalidArgument) << plain;
  EXPECT_EQ(fused.code(), StatusCode::kInvalidArgument) << fused;
  EXPECT_TRUE(absl::StrContains(fused.message(), "node 'sum', fused")) << fused;
}

TEST_F(FusedTest, ALimitOfOneElementMayBeNoVector) {
  const OutputRef low = Fed("low", DType::kFloat, Shape({1}));
  const OutputRef x = Fed("x", DType::kFloat, Shape({9}));
  const OutputRef clipped =
      Float("ClipByValue", "clipped", {x, low, Scalar("high", DType::kFloat, 1)});
  Float("Exp", "last", {clipped});
  const NamedTensors feeds = {{"x", Numbers(Shape({9}), DType::kFloat, 1)},
                              {"low", Numbers(Shape({1}), DType::kFloat, 1)}};
  EXPECT_EQ(Run(Options("none", true), feeds, {"last"}).status.code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(Run(Options("fuse", true), feeds, {"last"}).status.code(),
            StatusCode::kInvalidArgument);
}

// Which ops on numbers could be functions and are not. The list may only get shorter.
TEST_F(FusedTest, OpsWithoutAFunction) {
  std::set<std::string> granted;
  for (const char* op :
       {"BesselI0",  "BesselI0e",       "BesselI1", "BesselI1e", "BesselJ0",   "BesselJ1",
        "BesselK0",  "BesselK0e",       "BesselK1", "BesselK1e", "BesselY0",   "BesselY1",
        "Dawsn",     "Digamma",         "Erfinv",   "Expint",    "FresnelCos", "FresnelSin",
        "Igamma",    "IgammaGradA",     "Igammac",  "Lgamma",    "Ndtri",      "NextAfter",
        "Polygamma", "RandomGammaGrad", "Spence",   "Zeta"}) {
    // Programs differ in the families that they link.
    if (OpRegistry::Global().Get(op).ok()) granted.insert(op);
  }
  std::set<std::string> without;
  for (const KernelDecl* decl : KernelRegistry::Global().All()) {
    AttrMap attrs;
    attrs.Set("T", DType::kFloat);
    const auto schema = OpRegistry::Global().Get(decl->op);
    if (!schema.ok() || KernelRegistry::Global().Find(decl->op, attrs, DeviceType::kGpu) != decl) {
      continue;
    }
    const size_t inputs = (*schema)->inputs.size(), outputs = (*schema)->outputs.size();
    const std::vector<DType> types(inputs, DType::kFloat), results(outputs, DType::kFloat);
    KernelInit init{"node",           **schema, attrs,   types,  results,
                    DeviceType::kGpu, nullptr,  nullptr, nullptr};
    for (const AttrSpec& attr : (*schema)->attrs) {
      if (attr.name != "T") attrs.Set(attr.name, attr.default_value);
    }
    auto kernel = KernelRegistry::Global().Create(init);
    if (!kernel.ok() || dynamic_cast<GpuStepKernel*>(kernel->get()) == nullptr) continue;
    bool found = false;
    for (const Function& function : kFunctions) {
      for (const absl::string_view op : absl::StrSplit(function.ops, ' ')) found |= op == decl->op;
    }
    const auto update = [&](const char* names) {
      found |= absl::EndsWith(decl->op, names) || absl::StrContains(decl->op, names);
    };
#define WB_ENTRY(Rule, ops) update(ops);
    WB_FUSED_UPDATES(WB_ENTRY)
#undef WB_ENTRY
    if (!found) without.insert(decl->op);
  }
  EXPECT_EQ(without, granted);
}

}  // namespace
}  // namespace warpbeam
