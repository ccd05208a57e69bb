// Which ops are declared for GPUs, compute there, and have no code for real ones in this build:
// those of without_code.txt with their types, and no others. Who writes code takes its types away.
// Every attribute of types is looked at, each with the others as they usually are. And whether
// simulated GPUs have the elementwise ops that real ones have.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/op/op_registry.h"
#include "gtest/gtest.h"
#include "ops/launch/gpu_launch.h"
#include "runtime/kernel/gpu_catalog.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

constexpr char kList[] = "tests/gpu/without_code.txt";

// The type of a set that a node is likely to have.
DType UsualOf(const TypeSet& types) {
  for (const DType dtype : {DType::kFloat, DType::kInt32, DType::kInt64, DType::kBool}) {
    if (types.contains(dtype)) return dtype;
  }
  for (int t = 1; t < kNumDTypes; ++t) {
    if (types.contains(static_cast<DType>(t))) return static_cast<DType>(t);
  }
  return DType::kInvalid;
}

// An attribute that the op has no default for: lists and numbers as small as they may be.
AttrValue LeastOf(const AttrSpec& spec) {
  if (spec.type == "type") return DType::kFloat;
  if (spec.type == "list(type)") {
    return std::vector<DType>(std::max<int64_t>(1, spec.minimum), DType::kFloat);
  }
  if (spec.type == "int") return std::max<int64_t>(1, spec.has_minimum ? spec.minimum : 1);
  if (spec.type == "bool") return false;
  if (spec.type == "float") return 1.0f;
  return AttrValue();
}

// An attribute of types, or of a list of them, and those that a declaration for GPUs is for.
struct TypeAttr {
  const AttrSpec* spec;
  TypeSet types;

  AttrValue ValueOf(DType dtype) const {
    if (spec->type == "type") return dtype;
    return std::vector<DType>(std::max<int64_t>(1, spec->minimum), dtype);
  }
};

// Where the declaration does not name an attribute, it is for all types that the op allows; where
// the op allows any, it is for what has no code of its own, and one type says as much as all.
std::vector<TypeAttr> TypeAttrsOf(const OpSchema& schema, const KernelDecl& decl) {
  std::vector<TypeAttr> attrs;
  for (const AttrSpec& spec : schema.attrs) {
    if (spec.type != "type" && spec.type != "list(type)") continue;
    TypeSet types;
    for (const DType dtype : spec.allowed_values.list<DType>()) types = types | TypeSet{dtype};
    for (const auto& [attr, declared] : *decl.gpu) {
      if (attr == spec.name) types = declared;
    }
    if (!types.empty()) attrs.push_back({&spec, types});
  }
  return attrs;
}

// Of one declaration the types that have no code, as " attribute=type" with all other attributes as
// they usually are; one empty text where no attribute is of types and there is no code.
std::set<std::string> Missing(const OpSchema& schema, const KernelDecl& decl) {
  const auto is_missing = [&](const AttrMap& attrs) {
    return !GpuCatalog::Global().Supports(schema, attrs, DeviceType::kGpu);
  };
  const std::vector<TypeAttr> type_attrs = TypeAttrsOf(schema, decl);
  AttrMap usual;
  for (const AttrSpec& spec : schema.attrs) {
    AttrValue value = spec.default_value;
    if (value == AttrValue()) value = LeastOf(spec);
    if (value != AttrValue()) usual.Set(spec.name, value);
  }
  for (const TypeAttr& attr : type_attrs) {
    usual.Set(attr.spec->name, attr.ValueOf(UsualOf(attr.types)));
  }
  std::set<std::string> missing;
  for (const TypeAttr& attr : type_attrs) {
    for (int t = 1; t < kNumDTypes; ++t) {
      const auto dtype = static_cast<DType>(t);
      if (!attr.types.contains(dtype)) continue;
      AttrMap attrs = usual;
      attrs.Set(attr.spec->name, attr.ValueOf(dtype));
      if (!is_missing(attrs)) continue;
      missing.insert(absl::StrCat(" ", attr.spec->name, "=", DTypeName(dtype)));
    }
  }
  if (type_attrs.empty() && is_missing(usual)) missing.insert("");
  return missing;
}

std::string Listed() {
  std::map<std::string, std::set<std::string>> lines;
  for (const KernelDecl* decl : KernelRegistry::Global().All()) {
    if (!decl->gpu.has_value()) continue;
    const OpSchema* schema = OpRegistry::Global().Find(decl->op);
    if (schema != nullptr) lines[decl->op].merge(Missing(*schema, *decl));
  }
  std::string text;
  for (const auto& [op, types] : lines) {
    if (!types.empty()) absl::StrAppend(&text, op, absl::StrJoin(types, ""), "\n");
  }
  return text;
}

TEST(GpuCode, IsMissingForTheOpsOfTheListAlone) {
  std::ifstream file(kList);
  ASSERT_TRUE(file.good());
  const std::string listed((std::istreambuf_iterator<char>(file)), {});
  const std::string now = Listed();
  if (const char* folder = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR"); folder != nullptr) {
    std::ofstream(absl::StrCat(folder, "/without_code.txt")) << now;
  }
  EXPECT_EQ(now, listed)
      << "the list only gets shorter: take out of " << kList
      << " what has code now, and write code "
      << "for what is missing and not there. A line is added only with a declaration for GPUs that "
      << "a review wants without code. The list as it is now is among the test's outputs";
}

// Declarations for what no GPU has show that no attribute is left out, nor a list of types.
TEST(GpuCode, IsAskedForByEveryAttributeOfTypes) {
  const auto missing = [](const char* op, TypeConstraints types) {
    const OpSchema* schema = OpRegistry::Global().Find(op);
    return absl::StrJoin(Missing(*schema, KernelDeclBuilder(op, nullptr).Gpu(types).decl()), ",");
  };
  const TypeSet floats = {DType::kFloat, DType::kHalf};
  EXPECT_EQ(missing("Cast", {{"SrcT", floats}, {"DstT", floats}}), "");
  EXPECT_EQ(missing("Cast", {{"SrcT", floats}, {"DstT", floats | TypeSet{DType::kString}}}),
            " DstT=string");
  // What a declaration does not name may be all that the op allows.
  EXPECT_EQ(missing("GatherV2", {{"Tparams", floats}, {"Tindices", kIndexTypes}}), "");
  EXPECT_EQ(missing("GatherV2", {{"Tparams", floats}}), " Tindices=int16");
  EXPECT_EQ(missing("QueueDequeueV2", {{"component_types", {DType::kFloat}}}),
            " component_types=float");
}

std::set<std::string> ElementwiseOf(GpuSide side) {
  std::set<std::string> all;
  for (const auto* e = GpuElementwiseEntries(side); e != nullptr; e = e->next) {
    all.insert(absl::StrCat(e->op, " ", DTypeName(e->dtype), " ", DTypeName(e->variant)));
  }
  return all;
}

// Their blocks are what tests/gpu/elementwise_test.cc runs.
TEST(GpuCode, OfElementwiseOpsIsThatOfSimulatedGpus) {
  const std::set<std::string> real = ElementwiseOf(GpuSide::kReal);
  const std::set<std::string> simulated = ElementwiseOf(GpuSide::kSimulated);
  EXPECT_GT(real.size(), 850u);
  std::vector<std::string> of_one_alone;
  std::set_symmetric_difference(real.begin(), real.end(), simulated.begin(), simulated.end(),
                                std::back_inserter(of_one_alone));
  EXPECT_EQ(absl::StrJoin(of_one_alone, ", "), "");
}

// Which have the name of no op.
TEST(GpuCode, IsThereForCastsThatCutOff) {
  for (const DType from : {DType::kFloat, DType::kDouble}) {
    for (const DType to : {DType::kHalf, DType::kBFloat16}) {
      EXPECT_NE(FindGpuElementwise(GpuSide::kReal, "Cast, truncating", from, to), nullptr);
    }
  }
  EXPECT_NE(FindGpuElementwise(GpuSide::kReal, "Cast, truncating", DType::kDouble, DType::kFloat),
            nullptr);
}

}  // namespace
}  // namespace warpbeam
