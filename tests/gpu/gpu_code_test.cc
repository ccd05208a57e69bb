// Which ops are declared for GPUs, compute there, and have no code for real ones in this build:
// those of without_code.txt with their types, and no others. Who writes code takes its types away.
// And whether simulated GPUs have the elementwise ops that real ones have.
#include <algorithm>
#include <cstdlib>
#include <fstream>
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

AttrMap AttrsOf(const OpSchema& schema, const KernelDecl& decl) {
  AttrMap attrs;
  for (const AttrSpec& spec : schema.attrs) {
    AttrValue value = spec.default_value;
    if (value == AttrValue()) value = LeastOf(spec);
    if (value != AttrValue()) attrs.Set(spec.name, value);
  }
  for (const auto& [attr, types] : *decl.gpu) {
    const AttrSpec* spec = schema.FindAttr(attr);
    if (spec != nullptr && spec->type == "type") attrs.Set(attr, UsualOf(types));
  }
  return attrs;
}

// Of one declaration the types of its first type attribute that have no code: their names, or one
// empty name where there is no such attribute.
std::vector<std::string> Missing(const OpSchema& schema, const KernelDecl& decl) {
  AttrMap attrs = AttrsOf(schema, decl);
  const auto is_missing = [&] {
    return !GpuCatalog::Global().Supports(schema, attrs, DeviceType::kGpu);
  };
  std::vector<std::string> missing;
  for (const auto& [attr, types] : *decl.gpu) {
    const AttrSpec* spec = schema.FindAttr(attr);
    if (spec == nullptr || spec->type != "type") continue;
    for (int t = 1; t < kNumDTypes; ++t) {
      const auto dtype = static_cast<DType>(t);
      if (!types.contains(dtype)) continue;
      attrs.Set(attr, dtype);
      if (is_missing()) missing.push_back(absl::StrCat(" ", DTypeName(dtype)));
    }
    return missing;
  }
  if (is_missing()) missing.push_back("");
  return missing;
}

std::string Listed() {
  std::map<std::string, std::string> lines;
  for (const KernelDecl* decl : KernelRegistry::Global().All()) {
    if (!decl->gpu.has_value()) continue;
    const OpSchema* schema = OpRegistry::Global().Find(decl->op);
    if (schema == nullptr) continue;
    const std::vector<std::string> missing = Missing(*schema, *decl);
    if (!missing.empty()) absl::StrAppend(&lines[decl->op], absl::StrJoin(missing, ""));
  }
  std::string text;
  for (const auto& [op, types] : lines) absl::StrAppend(&text, op, types, "\n");
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
  EXPECT_EQ(now, listed) << "the list as it is now is among the test's outputs";
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
  EXPECT_GT(ElementwiseOf(GpuSide::kReal).size(), 1000u);
  EXPECT_EQ(ElementwiseOf(GpuSide::kReal), ElementwiseOf(GpuSide::kSimulated));
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
