#include "tools/op_table/op_table.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace {

using Facts = std::map<std::string, std::string>;

StatusOr<Facts> ParseFacts(const std::string& text, const char* file) {
  Facts facts;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    if (line[0] == '#') continue;
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(line, absl::MaxSplits('\t', 1));
    if (parts.second.empty()) {
      return InvalidArgument(file, ": the line '", line, "' is not an op, a tab and a text");
    }
    facts[parts.first] = parts.second;
  }
  return facts;
}

// Sets that have a name in the table, larger ones first.
struct NamedSet {
  const char* name;
  TypeSet types;
};
const std::vector<NamedSet>& NamedSets() {
  static const auto* const kSets = new std::vector<NamedSet>{
      {"numbers", kNumberTypes},  {"reals", kRealTypes},       {"ints", kIntegerTypes},
      {"floats", kFloatingTypes}, {"complex", kComplexTypes},  {"quantized", kQuantizedTypes},
      {"signed", kSignedTypes},   {"unsigned", kUnsignedTypes}};
  return *kSets;
}

// "floats, int32": named sets as far as they go, then single types.
std::string Words(TypeSet types) {
  std::vector<std::string> words;
  TypeSet said;
  for (const NamedSet& set : NamedSets()) {
    if ((set.types & types) == set.types && (set.types & said).empty()) {
      words.push_back(set.name);
      said = said | set.types;
    }
  }
  for (int i = 1; i < 64; ++i) {
    const DType type = static_cast<DType>(i);
    if (IsRef(type) || !types.contains(type) || said.contains(type)) continue;
    words.push_back(DTypeName(type));
  }
  return absl::StrJoin(words, ", ");
}

TypeSet AllowedBy(const OpSchema& schema, const std::string& attr) {
  TypeSet allowed;
  for (const AttrSpec& spec : schema.attrs) {
    if (spec.name != attr || !spec.allowed_values.has_value()) continue;
    for (DType type : spec.allowed_values.list<DType>()) allowed = allowed | TypeSet{type};
  }
  return allowed;  // empty: any
}

// Takes `b` into `a` where they differ in what they say of one attribute at most.
bool Merge(TypeConstraints* a, const TypeConstraints& b) {
  if (a->size() != b.size()) return false;
  int differing = -1;
  for (size_t i = 0; i < b.size(); ++i) {
    if ((*a)[i].first != b[i].first) return false;
    if ((*a)[i].second == b[i].second) continue;
    if (differing >= 0) return false;
    differing = static_cast<int>(i);
  }
  if (differing < 0) return true;
  TypeSet& types = (*a)[static_cast<size_t>(differing)].second;
  types = types | b[static_cast<size_t>(differing)].second;
  return true;
}

std::vector<TypeConstraints> Merged(std::vector<TypeConstraints> all) {
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < all.size() && !again; ++i) {
      for (size_t j = i + 1; j < all.size() && !again; ++j) {
        if (!Merge(&all[i], all[j])) continue;
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(j));
        again = true;
      }
    }
  }
  return all;
}

// What kernels of one device type take: "all", "T: floats; Tidx: int32", or "–" for none.
std::string DTypes(const OpSchema& schema, std::vector<TypeConstraints> declared) {
  if (declared.empty()) return "–";
  std::vector<std::string> kernels;
  for (const TypeConstraints& constraints : Merged(std::move(declared))) {
    std::vector<std::string> attrs;
    for (const auto& [attr, types] : constraints) {
      if (types == AllowedBy(schema, attr)) continue;
      attrs.push_back(absl::StrCat("`", attr, "`: ", Words(types)));
    }
    kernels.push_back(attrs.empty() ? "all" : absl::StrJoin(attrs, "; "));
  }
  std::sort(kernels.begin(), kernels.end());
  return absl::StrJoin(kernels, " <br> ");
}

std::string GradientOf(const std::string& op) {
  static const auto* const kCalls =
      new std::set<std::string>{"PartitionedCall", "StatefulPartitionedCall", "SymbolicGradient"};
  static const auto* const kControl =
      new std::set<std::string>{"Enter",    "Exit",    "Merge",    "NextIteration",    "Switch",
                                "RefEnter", "RefExit", "RefMerge", "RefNextIteration", "RefSwitch"};
  if (kCalls->count(op) != 0) return "the function's";
  if (kControl->count(op) != 0) return "the loop's or branch's";
  const GradientEntry* const entry = GradientRegistry::Global().Find(op);
  if (entry == nullptr) return "–";
  if (!entry->reason.empty()) return entry->reason;
  return entry->function == nullptr ? "none flows" : "yes";
}

class TableWriter {
 public:
  TableWriter(Facts families, Facts kernels, Facts gradients, Facts deviations)
      : families_(std::move(families)),
        kernels_(std::move(kernels)),
        gradients_(std::move(gradients)),
        deviations_(std::move(deviations)) {}

  std::string Write() {
    for (const KernelDecl* decl : KernelRegistry::Global().All()) {
      if (decl->cpu.has_value()) cpu_[decl->op].push_back(*decl->cpu);
      if (decl->gpu.has_value()) gpu_[decl->op].push_back(*decl->gpu);
    }
    std::map<std::string, std::string> rows;  // by family
    int count = 0;
    for (const OpSchema* schema : OpRegistry::Global().All()) {
      // Ops of the runtime itself never come from a graph.
      if (schema->name[0] == '_') continue;
      const auto family = families_.find(schema->name);
      absl::StrAppend(&rows[family == families_.end() ? "others" : family->second], Row(*schema));
      ++count;
    }
    std::string text = Opening(count);
    for (const auto& [family, table] : rows) {
      absl::StrAppend(&text, "\n## ", family,
                      "\n\n| op | CPU | GPU | gradient | differs from TensorFlow |\n",
                      "|---|---|---|---|---|\n", table);
    }
    return text;
  }

 private:
  static std::string Opening(int count) {
    std::string text = absl::StrCat(
        "# Ops\n\nThe ", count,
        " ops that Warpbeam has, by the Python module that wraps them. Written by\n"
        "`bazel run //tools/op_lists` from the registries of the program; a test keeps it "
        "so.\n\n"
        "- **CPU**, **GPU**: the dtypes that kernels take, by type attribute. `all`: whatever the "
        "op's definition\n  allows; –: no kernel. A node without a kernel on the device asked for "
        "goes to the CPU where soft\n  placement is on.\n"
        "- **channels first** (`NCHW`, `NCDHW`): on the CPU, convolutions, MaxPool, AvgPool and "
        "their "
        "gradients, of images and\n  volumes, take them of float, half and bfloat16, as TensorFlow "
        "does with oneDNN: gradients of convolutions and pooling\n  without explicit paddings, "
        "pooling over no channels. Batch normalisation and BiasAdd take them of all their types, "
        "but "
        "for\n  the gradient of volumes with given moments. DepthToSpace, SpaceToDepth, MaxPoolV2, "
        "its "
        "gradient and the gradients of pooling's\n  gradients take channels last only. What is "
        "refused, is so with TensorFlow's codes.\n"
        "- **gradient**: `yes`; `none flows`: gradients end there, in silence, as in TensorFlow; "
        "–: none is defined, and\n  asking for one is an error.\n"
        "- **differs from TensorFlow**: what a program might notice. Kernels are compared with "
        "those of TensorFlow's CUDA\n  build.\n\n"
        "Names of sets of dtypes:\n\n");
    for (const NamedSet& set : NamedSets()) {
      std::vector<std::string> names;
      for (int i = 1; i < 64; ++i) {
        const DType type = static_cast<DType>(i);
        if (!IsRef(type) && set.types.contains(type)) names.push_back(DTypeName(type));
      }
      absl::StrAppend(&text, "- ", set.name, ": ", absl::StrJoin(names, ", "), "\n");
    }
    return text;
  }

  std::string Row(const OpSchema& schema) {
    const std::string& op = schema.name;
    return absl::StrCat("| ", op, " | ", DTypes(schema, cpu_[op]), " | ", DTypes(schema, gpu_[op]),
                        " | ", GradientOf(op), " | ", Difference(op), " |\n");
  }

  std::string Difference(const std::string& op) const {
    std::vector<std::string> parts;
    if (auto found = kernels_.find(op); found != kernels_.end()) {
      parts.push_back(absl::StrReplaceAll(
          found->second, {{"GPU lacks all", "no GPU kernel"}, {",", ", "}, {"lacks", "without"}}));
    }
    if (auto found = gradients_.find(op);
        found != gradients_.end() && GradientOf(op).rfind("the ", 0) != 0) {
      parts.push_back(absl::StrCat("gradient: ", found->second));
    }
    if (auto found = deviations_.find(op); found != deviations_.end()) {
      parts.push_back(found->second);
    }
    return absl::StrJoin(parts, "; ");
  }

  const Facts families_, kernels_, gradients_, deviations_;
  std::map<std::string, std::vector<TypeConstraints>> cpu_, gpu_;
};

}  // namespace

StatusOr<OpFacts> ReadOpFacts() {
  OpFacts facts;
  WB_ASSIGN_OR_RETURN(facts.families, ReadFileToString("frontend/gen/families.tsv"));
  WB_ASSIGN_OR_RETURN(facts.kernel_differences,
                      ReadFileToString("tests/golden/kernel_differences.tsv"));
  WB_ASSIGN_OR_RETURN(facts.gradient_differences,
                      ReadFileToString("tests/golden/gradient_differences.tsv"));
  WB_ASSIGN_OR_RETURN(facts.deviations, ReadFileToString("docs/op_deviations.tsv"));
  return facts;
}

StatusOr<std::string> OpTable(const OpFacts& facts) {
  WB_RETURN_IF_ERROR(OpRegistry::CheckGlobal());
  WB_ASSIGN_OR_RETURN(Facts families, ParseFacts(facts.families, "families.tsv"));
  WB_ASSIGN_OR_RETURN(Facts kernels,
                      ParseFacts(facts.kernel_differences, "kernel_differences.tsv"));
  WB_ASSIGN_OR_RETURN(Facts gradients,
                      ParseFacts(facts.gradient_differences, "gradient_differences.tsv"));
  WB_ASSIGN_OR_RETURN(Facts deviations, ParseFacts(facts.deviations, "op_deviations.tsv"));
  for (const auto& [op, text] : deviations) {
    if (OpRegistry::Global().Find(op) == nullptr) {
      return InvalidArgument("op_deviations.tsv: there is no op '", op, "'");
    }
  }
  return TableWriter(std::move(families), std::move(kernels), std::move(gradients),
                     std::move(deviations))
      .Write();
}

}  // namespace warpbeam
