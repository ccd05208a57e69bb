#include "placement/placer.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "placement/testing/toy_graph.h"

namespace warpbeam {
namespace {

struct Options : PlacerOptions {
  static PlacerOptions Hard() {
    PlacerOptions o;
    o.allow_soft_placement = false;
    return o;
  }
  static PlacerOptions Soft() { return PlacerOptions(); }
  static PlacerOptions Strict() {
    PlacerOptions o;
    o.strict = true;
    return o;
  }
};

class PlacerTest : public ::testing::Test {
 protected:
  PlacerTest() { toy_.UsualOps(); }

  void Start(int cpus, int gpus, PlacerOptions options = Options::Soft()) {
    placer_ = std::make_unique<Placer>(&toy_.catalog, ToyDevices(cpus, gpus), options);
  }
  Status Place() { return placer_->Place(toy_.graph); }
  // "GPU:1".
  std::string At(const std::string& node) {
    const std::string device = placer_->devices()[placer_->sites()[toy_.Find(node)]].ToString();
    return device.substr(device.find("device:") + 7);
  }
  PlacementEntry Why(const std::string& node) {
    return placer_->Explain(toy_.graph, toy_.Find(node));
  }
  void ExpectRefused(std::initializer_list<const char*> parts) {
    const int before = placer_->num_placed();
    const Status status = Place();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
    for (const char* part : parts) {
      EXPECT_TRUE(absl::StrContains(status.message(), part)) << part << " is not in: " << status;
    }
    EXPECT_EQ(placer_->num_placed(), before);
  }

  ToyGraph toy_;
  std::unique_ptr<Placer> placer_;
};

TEST_F(PlacerTest, PrefersTheFirstGpuThatHasAKernel) {
  toy_.Node("x", "Unary", {"?"});
  toy_.Node("c", "CpuUnary", {"x"});
  Start(2, 2);
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(At("x"), "GPU:0");
  EXPECT_EQ(At("c"), "CPU:0");
  EXPECT_EQ(Why("x").rule, PlacementRule::kDefault);
  EXPECT_EQ(Why("c").kernels, std::vector<std::string>{"CPU"});
}

TEST_F(PlacerTest, PutsWhatAsksForNothingOnTheDefaultDevice) {
  toy_.Node("x", "Unary", {"?"});
  toy_.Node("g", "GpuUnary", {"x"});
  toy_.Node("partial", "Unary", {"x"}, "/job:localhost");
  PlacerOptions options;
  options.default_device = 1;  // CPU:1
  Start(2, 1, options);
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(At("x"), "CPU:1");
  EXPECT_EQ(At("partial"), "CPU:1");
  EXPECT_EQ(At("g"), "GPU:0") << "it has no kernel on the default device";
  options.default_device = 3;
  Start(2, 1, options);
  ExpectRefused({"default device", "number 3 of 3"});
}

TEST_F(PlacerTest, FollowsRequestsWholeAndInPart) {
  toy_.Node("a", "Unary", {"?"}, "/gpu:1");
  toy_.Node("b", "Unary", {"?"}, "/device:CPU:*");
  toy_.Node("c", "Unary", {"?"}, "/job:localhost/replica:0/task:0/device:CPU:1");
  toy_.Node("d", "Unary", {"?"}, "/task:0");
  toy_.Node("e", "Unary", {"?"}, "/device:*:1");
  Start(2, 2, Options::Hard());
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(At("a"), "GPU:1");
  EXPECT_EQ(At("b"), "CPU:0");
  EXPECT_EQ(At("c"), "CPU:1");
  EXPECT_EQ(At("d"), "GPU:0");
  EXPECT_EQ(At("e"), "GPU:1");
  EXPECT_EQ(Why("a").rule, PlacementRule::kRequested);
  EXPECT_EQ(Why("a").reason, "asked for '/gpu:1'");
}

TEST_F(PlacerTest, ReadersGoToTheirVariable) {
  toy_.Node("v", "Handle", {}, "/gpu:1");
  toy_.Node("x", "Source", {}, "/cpu:0");
  toy_.Node("u", "Update", {"v", "x"}, "/gpu:0");
  toy_.Node("r", "Read", {"v"});
  Start(1, 2, Options::Hard());
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(At("u"), "GPU:1");
  EXPECT_EQ(At("r"), "GPU:1");
  const PlacementEntry u = Why("u");
  EXPECT_EQ(u.rule, PlacementRule::kColocation);
  EXPECT_EQ(u.forced_by, "v");
  EXPECT_EQ(u.reason, "asked for '/gpu:0', but must share the device of 'v' (Handle)");
  EXPECT_EQ(Why("r").reason, "must share the device of 'v' (Handle), which asked for '/gpu:1'");
}

TEST_F(PlacerTest, AReaderDecidesWhereItsVariableDoesNot) {
  toy_.Node("v", "Handle");
  toy_.Node("r", "Read", {"v"}, "/gpu:1");
  toy_.Node("s", "Read", {"v"}, "/gpu:0");
  Start(1, 2, Options::Hard());
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(At("v"), "GPU:1");
  EXPECT_EQ(At("s"), "GPU:1");
  EXPECT_EQ(Why("v").forced_by, "r");
}

// The case that TensorFlow's users met most: a variable whose update has no GPU kernel.
TEST_F(PlacerTest, TheWholeGroupDecidesFutureConsumersIncluded) {
  toy_.Node("v", "Var");
  toy_.Node("x", "Source");
  toy_.Node("a", "Assign", {"v", "x"});
  toy_.Node("b", "CpuAssign", {"a", "x"});
  Start(1, 1);
  ASSERT_TRUE(Place().ok());
  for (const char* node : {"v", "a", "b"}) EXPECT_EQ(At(node), "CPU:0") << node;
  EXPECT_EQ(Why("v").rule, PlacementRule::kColocation);
  EXPECT_EQ(Why("v").forced_by, "b");
  EXPECT_EQ(Why("v").reason,
            "must share the device of 'b' (CpuAssign), which has no kernel for other device types");
}

TEST_F(PlacerTest, SoftPlacementMovesTheWholeGroup) {
  toy_.Node("v", "Var", {}, "/gpu:0");
  toy_.Node("x", "Source");
  toy_.Node("b", "CpuAssign", {"v", "x"}, "/gpu:0");
  toy_.Node("c", "Assign", {"v", "x"}, "/gpu:0");
  Start(1, 1);
  ASSERT_TRUE(Place().ok());
  for (const char* node : {"v", "b", "c"}) {
    EXPECT_EQ(At(node), "CPU:0") << node;
    EXPECT_EQ(Why(node).rule, PlacementRule::kSoftFallback) << node;
  }
  EXPECT_EQ(Why("v").forced_by, "b");
  EXPECT_EQ(Why("b").forced_by, "");
  EXPECT_EQ(Why("b").reason, "asked for '/gpu:0', but CpuAssign has kernels only for CPU");

  Start(1, 1, Options::Hard());
  ExpectRefused({"'v' (Var) asks for '/gpu:0'", "'b' (CpuAssign)", "kernels of CpuAssign: CPU",
                 "its group: 'v', 'b', 'c'", "allow soft placement"});
  Start(1, 1, Options::Strict());
  ExpectRefused({"strict placement allows no fallback", "3 problems", "'b'", "CPU:0"});
}

// A catalog of what this build has compiled has less than is declared.
TEST_F(PlacerTest, TellsMissingCodeFromMissingKernels) {
  toy_.Op("Typed", "x: T", "y: T", "", {}, "T: type");
  const TypeConstraints floats = {{"T", TypeSet({DType::kFloat})}};
  const TypeConstraints any = {{"T", TypeSet({DType::kFloat, DType::kInt32, DType::kDouble})}};
  ToyCatalog declared;
  for (ToyCatalog* catalog : {&declared, &toy_.catalog}) {
    catalog->Add("Typed", "cpu", {}, any);
    catalog->Add("Typed", "gpu", {}, floats);
  }
  declared.Add("Typed", "gpu", {}, {{"T", TypeSet({DType::kDouble})}});
  declared.Add("CpuAssign", "gpu");
  const auto typed = [this](const char* name, DType dtype, const char* device) {
    AttrMap attrs;
    attrs.Set("T", dtype);
    toy_.Node(name, "Typed", {"?"}, device, {}, std::move(attrs));
  };
  typed("float", DType::kFloat, "/gpu:0");
  typed("double", DType::kDouble, "/gpu:0");
  typed("int", DType::kInt32, "/gpu:0");
  typed("free", DType::kDouble, "");
  toy_.Node("only_cpu", "CpuUnary", {"?"}, "/gpu:0");
  toy_.Node("v", "Var", {}, "/gpu:0");
  toy_.Node("free_v", "Var");
  toy_.Node("x", "Source");
  toy_.Node("a", "CpuAssign", {"v", "x"});
  toy_.Node("b", "CpuAssign", {"free_v", "x"});
  PlacerOptions options;
  options.declared = &declared;
  Start(1, 1, options);
  const Status placed = Place();
  ASSERT_TRUE(placed.ok()) << placed;
  EXPECT_EQ(At("float"), "GPU:0");
  EXPECT_EQ(Why("double").reason, "asked for '/gpu:0', but no GPU code for Typed (T=double)");
  EXPECT_EQ(Why("int").reason, "asked for '/gpu:0', but Typed has no kernel there for T=int32");
  EXPECT_EQ(Why("only_cpu").reason, "asked for '/gpu:0', but CpuUnary has kernels only for CPU");
  EXPECT_EQ(Why("free").reason, "no request, and no GPU code for Typed (T=double)");
  EXPECT_EQ(Why("v").reason,
            "asked for '/gpu:0', but must share the device of 'a' (CpuAssign): no GPU code for "
            "CpuAssign");
  EXPECT_EQ(Why("free_v").reason,
            "must share the device of 'b' (CpuAssign): no GPU code for CpuAssign");
}

TEST_F(PlacerTest, StrictPlacementTakesWhatFits) {
  toy_.Node("a", "Unary", {"?"}, "/gpu:0");
  toy_.Node("b", "CpuUnary", {"a"});
  Start(1, 1, Options::Strict());
  EXPECT_TRUE(Place().ok());
}

TEST_F(PlacerTest, SoftPlacementGivesUpTheNumberBeforeTheType) {
  toy_.Node("a", "Unary", {"?"}, "/gpu:7");
  toy_.Node("b", "Unary", {"?"}, "/cpu:7");
  toy_.Node("c", "CpuUnary", {"?"}, "/gpu:0");
  toy_.Node("d", "Unary", {"?"}, "/device:TPU:0");
  Start(2, 2);
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(At("a"), "GPU:0");
  EXPECT_EQ(At("b"), "CPU:0");
  EXPECT_EQ(At("c"), "CPU:0");
  EXPECT_EQ(At("d"), "GPU:0");
  EXPECT_EQ(Why("a").reason, "asked for '/gpu:7', but there is no such device");
}

TEST_F(PlacerTest, SoftPlacementKeepsJobAndTask) {
  toy_.Node("a", "Unary", {"?"}, "/job:worker/gpu:0");
  Start(1, 1);
  ExpectRefused({"'a' (Unary)", "'/job:worker/gpu:0'", "no device of this session",
                 "/job:localhost/replica:0/task:0/device:GPU:0", "job and task"});
}

TEST_F(PlacerTest, PlacesOverSeveralTasks) {
  std::vector<DeviceName> devices;
  for (const char* name :
       {"/job:ps/replica:0/task:0/device:CPU:0", "/job:worker/replica:0/task:0/device:CPU:0",
        "/job:worker/replica:0/task:1/device:CPU:0"}) {
    devices.push_back(*DeviceName::Parse(name));
  }
  toy_.Node("v", "Var", {}, "/job:ps");
  toy_.Node("x", "Source", {}, "/job:worker/task:1");
  toy_.Node("a", "Assign", {"v", "x"}, "/job:worker/task:1");
  placer_ = std::make_unique<Placer>(&toy_.catalog, devices, Options::Hard());
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(placer_->sites()[toy_.Find("v")], 0);
  EXPECT_EQ(placer_->sites()[toy_.Find("x")], 2);
  EXPECT_EQ(placer_->sites()[toy_.Find("a")], 0);
}

TEST_F(PlacerTest, NamedColocation) {
  toy_.Node("a", "Unary", {"?"}, "/gpu:1");
  toy_.Node("b", "Unary", {"?"}, "", {"a"});
  toy_.Node("c", "Unary", {"?"}, "/gpu:1", {"b"});
  toy_.Node("d", "Unary", {"?"}, "", {"later"});
  toy_.Node("later", "Unary", {"?"}, "/cpu:0");
  Start(1, 2, Options::Hard());
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(At("b"), "GPU:1");
  EXPECT_EQ(At("c"), "GPU:1");
  EXPECT_EQ(At("d"), "CPU:0");
  EXPECT_EQ(Why("b").forced_by, "a");
}

TEST_F(PlacerTest, ANameThatNoNodeHasStillColocates) {
  toy_.Node("a", "Unary", {"?"}, "", {"ghost"});
  toy_.Node("b", "Unary", {"?"}, "/gpu:1", {"ghost"});
  toy_.Node("c", "Unary", {"?"}, "/gpu:0", {"other_ghost"});
  Start(1, 2, Options::Hard());
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(At("a"), "GPU:1");
  EXPECT_EQ(At("c"), "GPU:0");
  // The name may turn up later, and others may give it.
  toy_.Node("ghost", "Unary", {"?"});
  toy_.Node("d", "Unary", {"?"}, "", {"other_ghost"});
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(At("ghost"), "GPU:1");
  EXPECT_EQ(At("d"), "GPU:0");
}

TEST_F(PlacerTest, ContradictingRequestsOfAGroup) {
  toy_.Node("a", "Unary", {"?"}, "/gpu:0");
  toy_.Node("b", "Unary", {"?"}, "/gpu:1", {"a"});
  Start(1, 2, Options::Hard());
  ExpectRefused({"'a' (Unary)", "'b' (Unary)", "must share a device", "'/gpu:0'", "'/gpu:1'"});
  Start(1, 2);
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(At("b"), "GPU:0");
  EXPECT_EQ(Why("b").rule, PlacementRule::kSoftFallback);
  EXPECT_EQ(Why("b").forced_by, "a");
}

TEST_F(PlacerTest, ContradictingVariables) {
  toy_.Op("Both", "a: Ref(float), b: Ref(float)", "", "cpu gpu");
  toy_.Node("v", "Var", {}, "/gpu:0");
  toy_.Node("w", "Var", {}, "/gpu:1");
  toy_.Node("both", "Both", {"v", "w"});
  Start(1, 2);
  ExpectRefused({"'v' (Var)", "'w' (Var)", "'/gpu:0'", "'/gpu:1'", "'both'"});
}

TEST_F(PlacerTest, NoDeviceTypeForAll) {
  toy_.Op("GpuAssign", "ref: Ref(float), value: float", "out: Ref(float)", "gpu");
  toy_.Node("v", "Var");
  toy_.Node("x", "Source");
  toy_.Node("c", "CpuAssign", {"v", "x"});
  toy_.Node("g", "GpuAssign", {"v", "x"});
  Start(1, 1);
  ExpectRefused({"no device type has kernels for all", "'c' (CpuAssign) has kernels only for CPU",
                 "'g' (GpuAssign) has kernels only for GPU", "'v'"});
}

TEST_F(PlacerTest, SoftPlacementDropsAColocationThatCannotBe) {
  toy_.Node("c", "CpuUnary", {"?"});
  toy_.Node("g", "GpuUnary", {"?"}, "", {"c"});
  Start(1, 1);
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(At("c"), "CPU:0");
  EXPECT_EQ(At("g"), "GPU:0");
  EXPECT_EQ(Why("g").rule, PlacementRule::kSoftFallback);
  EXPECT_EQ(Why("g").forced_by, "c");
  EXPECT_TRUE(absl::StrContains(Why("g").reason, "no device suits both"));
  Start(1, 1, Options::Hard());
  ExpectRefused({"no device type has kernels for all"});
  Start(1, 1, Options::Strict());
  ExpectRefused({"strict", "'g'", "'c'"});
}

TEST_F(PlacerTest, SourcesGoBesideTheirOnlyReaders) {
  toy_.Node("s", "Source");
  toy_.Node("t", "Source");
  toy_.Node("fixed", "Source", {}, "/gpu:0");
  toy_.Node("unread", "Source");
  toy_.Node("a", "Binary", {"s", "fixed"}, "/cpu:1");
  toy_.Node("b", "Binary", {"s", "t"}, "/cpu:1");
  toy_.Node("c", "Unary", {"t"}, "/gpu:0");
  toy_.Node("control", "Source");
  toy_.Node("n", "NoOp", {"^control"}, "/cpu:1");
  Start(2, 1);
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(At("s"), "CPU:1");
  EXPECT_EQ(At("t"), "GPU:0") << "two readers on different devices: the default";
  EXPECT_EQ(At("fixed"), "GPU:0");
  EXPECT_EQ(At("unread"), "GPU:0");
  EXPECT_EQ(At("control"), "CPU:1");
  EXPECT_EQ(Why("s").rule, PlacementRule::kGenerator);
  EXPECT_EQ(Why("s").forced_by, "a");
}

TEST_F(PlacerTest, AColocatedSourceStaysWithItsGroup) {
  toy_.Node("a", "Unary", {"?"});
  toy_.Node("s", "Source", {}, "", {"a"});
  toy_.Node("b", "Unary", {"s"}, "/cpu:1");
  Start(2, 1);
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(At("s"), "GPU:0");
}

TEST_F(PlacerTest, MetadataGoesBesideItsProducer) {
  toy_.Node("x", "Unary", {"?"}, "/cpu:1");
  toy_.Node("shape", "Shape", {"x"});
  toy_.Node("asked", "Shape", {"x"}, "/gpu:0");
  toy_.Op("CpuShapeReader", "x: int32", "", "cpu");
  toy_.Node("r", "CpuShapeReader", {"shape"}, "/cpu:0");
  Start(2, 1);
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(At("shape"), "CPU:1");
  EXPECT_EQ(At("asked"), "GPU:0");
  EXPECT_EQ(Why("shape").rule, PlacementRule::kMetadata);
  EXPECT_EQ(Why("shape").forced_by, "x");
}

TEST_F(PlacerTest, DatasetsStayTogether) {
  toy_.Op("RangeDataset", "", "handle: variant", "cpu gpu");
  toy_.Op("BatchDatasetV2", "input: variant", "handle: variant", "cpu");
  toy_.Op("TensorListLike", "input: variant", "handle: variant", "cpu gpu");
  toy_.Node("range", "RangeDataset");
  toy_.Node("batch", "BatchDatasetV2", {"range"}, "/cpu:1");
  toy_.Node("list", "TensorListLike", {"batch"}, "/gpu:0");
  Start(2, 1, Options::Hard());
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(At("range"), "CPU:1");
  EXPECT_EQ(At("list"), "GPU:0") << "only datasets stay together";
}

TEST_F(PlacerTest, TellsAllOpsWithoutKernelsAtOnce) {
  toy_.Op("Nowhere", "", "y: float", "");
  toy_.Op("Typed", "", "y: T", "", {}, "T: type");
  toy_.catalog.Add("Typed", "cpu", {}, {{"T", kFloatingTypes}});
  toy_.Node("n1", "Nowhere");
  toy_.Node("n2", "Nowhere");
  AttrMap attrs;
  attrs.Set("T", DType::kString);
  toy_.Node("t", "Typed", {}, "", {}, attrs);
  toy_.Node("bad", "Source", {}, "/nonsense");
  Start(1, 0);
  ExpectRefused({"2 problems", "'bad' (Source)", "'/nonsense'", "Nowhere (2 nodes, first 'n1'",
                 "kernels of Nowhere: none", "Typed with T=string (1 node, 't'",
                 "kernels of Typed: CPU: T in {"});
}

TEST_F(PlacerTest, NamesWhereANodeWasBuilt) {
  NodeSpec spec;
  spec.name = "here";
  spec.op = "Source";
  spec.device = "/gpu:9";
  spec.location = {"model.cc", 12};
  ASSERT_TRUE(toy_.graph.AddNode(spec, {}, {}, false).ok());
  Start(1, 0, Options::Hard());
  ExpectRefused({"'here' (Source, built at model.cc:12)"});
  Start(1, 0);
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(Why("here").location, "model.cc:12");
}

TEST_F(PlacerTest, NeedsADevice) {
  toy_.Node("x", "Source");
  Start(0, 0);
  ExpectRefused({"no device"});
  toy_.Op("GpuSource", "", "y: float", "gpu");
  toy_.Node("g", "GpuSource");
  Start(1, 0);
  ExpectRefused(
      {"'g' (GpuSource)", "can run on no device of this session", "kernels of GpuSource"});
}

// Extending a session.

TEST_F(PlacerTest, APlacedNodeNeverMoves) {
  toy_.Node("v", "Var");
  toy_.Node("s", "Source");
  Start(1, 1);
  ASSERT_TRUE(Place().ok());
  ASSERT_EQ(At("v"), "GPU:0");
  EXPECT_EQ(placer_->num_placed(), 2);
  toy_.Node("reader", "Unary", {"s"}, "/cpu:0");
  toy_.Node("a", "Assign", {"v", "s"}, "/cpu:0");
  toy_.Node("beside", "Unary", {"?"}, "", {"v"});
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(At("s"), "GPU:0") << "its only reader came too late";
  EXPECT_EQ(At("a"), "GPU:0");
  EXPECT_EQ(At("beside"), "GPU:0");
  EXPECT_EQ(Why("beside").forced_by, "v");
  EXPECT_EQ(Why("beside").reason, "must share the device of 'v' (Var), which was placed before");
}

TEST_F(PlacerTest, ALaterContradictionNamesBoth) {
  toy_.Node("v", "Var");
  toy_.Node("s", "Source");
  Start(1, 1);
  ASSERT_TRUE(Place().ok());
  toy_.Node("late", "CpuAssign", {"v", "s"});
  ExpectRefused({"'late' (CpuAssign)", "'v' (Var)", "GPU:0 before and does not move",
                 "kernels of CpuAssign: CPU", "Ask for another device for 'v'"});
  EXPECT_EQ(placer_->num_placed(), 2);
}

TEST_F(PlacerTest, ALaterNodeBetweenTwoPlacedOnes) {
  toy_.Op("Both", "a: Ref(float), b: Ref(float)", "", "cpu gpu");
  toy_.Node("v", "Var", {}, "/gpu:0");
  toy_.Node("w", "Var", {}, "/gpu:1");
  Start(1, 2);
  ASSERT_TRUE(Place().ok());
  toy_.Node("both", "Both", {"v", "w"});
  ExpectRefused({"'both'", "'v' (Var)", "'w' (Var)", "GPU:0", "GPU:1", "do not move"});
}

TEST_F(PlacerTest, ALaterRequestAgainstAPlacedNode) {
  toy_.Node("a", "Unary", {"?"}, "/gpu:0");
  Start(1, 1, Options::Hard());
  ASSERT_TRUE(Place().ok());
  toy_.Node("b", "Unary", {"?"}, "/cpu:0", {"a"});
  ExpectRefused({"'b' (Unary)", "'a' (Unary)", "asks for '/cpu:0'", "does not move"});
}

TEST_F(PlacerTest, NothingNewIsNoError) {
  Start(1, 0);
  EXPECT_TRUE(Place().ok());
  toy_.Node("s", "Source");
  EXPECT_TRUE(Place().ok());
  EXPECT_TRUE(Place().ok());
  EXPECT_EQ(placer_->num_placed(), 1);
}

TEST_F(PlacerTest, PlacesLoops) {
  toy_.Op("Merge", "inputs: N * T", "output: T, index: int32", "cpu gpu", {}, "T: type, N: int");
  toy_.Op("NextIteration", "data: T", "output: T", "cpu gpu", {}, "T: type");
  AttrMap attrs;
  attrs.Set("T", DType::kFloat);
  AttrMap merge = attrs;
  merge.Set("N", 2);
  toy_.Node("s", "Source");
  toy_.Node("m", "Merge", {"s", "?"}, "/cpu:0", {}, merge);
  toy_.Node("n", "NextIteration", {"m"}, "", {}, attrs);
  ASSERT_TRUE(toy_.SetInput("m", 1, "n").ok());
  Start(1, 1);
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(At("m"), "CPU:0");
  EXPECT_EQ(At("s"), "CPU:0");
  EXPECT_EQ(At("n"), "GPU:0");
}

// Puts all nodes from `first` on GPU:1.
ReconsideredSites AllOnTheSecondGpu(Span<const Site> sites, NodeId first) {
  ReconsideredSites found;
  found.sites.assign(sites.begin(), sites.end());
  found.reason_of.assign(sites.size(), -1);
  found.reasons = {"because of the test"};
  for (size_t id = first; id < sites.size(); ++id) {
    found.sites[id] = 2;
    found.reason_of[id] = 0;
  }
  return found;
}

TEST_F(PlacerTest, SomebodyElseMayReconsider) {
  toy_.Node("x", "Unary", {"?"});
  toy_.Node("far", "Unary", {"x"}, "/gpu:5");
  Start(1, 2);
  const Reconsider reconsider = [](const Graph&, Span<const Site> sites, NodeId first) {
    return StatusOr<ReconsideredSites>(AllOnTheSecondGpu(sites, first));
  };
  ASSERT_TRUE(placer_->Place(toy_.graph, reconsider).ok());
  EXPECT_EQ(At("x"), "GPU:1");
  EXPECT_EQ(Why("x").rule, PlacementRule::kSearched);
  EXPECT_EQ(Why("x").reason, "because of the test");
  EXPECT_EQ(At("far"), "GPU:1");
  EXPECT_EQ(Why("far").rule, PlacementRule::kSoftFallback) << "the more important thing to tell";
  // Later nodes do not move earlier ones, and have reasons of their own.
  toy_.Node("y", "Unary", {"x"});
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(At("y"), "GPU:0");
  EXPECT_EQ(Why("x").reason, "because of the test");
}

TEST_F(PlacerTest, WhatIsReconsideredInVainIsNotPlaced) {
  toy_.Node("x", "Unary", {"?"});
  Start(1, 2);
  Status status = placer_->Place(toy_.graph, [](const Graph&, Span<const Site>, NodeId) {
    return StatusOr<ReconsideredSites>(ResourceExhausted("no room"));
  });
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(placer_->num_placed(), 0);
  status = placer_->Place(toy_.graph, [](const Graph&, Span<const Site>, NodeId) {
    return StatusOr<ReconsideredSites>(ReconsideredSites());
  });
  EXPECT_EQ(status.code(), StatusCode::kInternal) << status;
  EXPECT_EQ(placer_->num_placed(), 0);
}

}  // namespace
}  // namespace warpbeam
