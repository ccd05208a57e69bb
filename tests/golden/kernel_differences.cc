#include "tests/golden/kernel_differences.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "graph/op/op_registry.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

constexpr char kGoldenKernelsFile[] = "tests/golden/tf_kernels.tsv";
// Types that exist but that no op here computes with.
constexpr TypeSet kCompared = {
    DType::kFloat,  DType::kDouble,   DType::kHalf,   DType::kBFloat16,  DType::kInt8,
    DType::kInt16,  DType::kInt32,    DType::kInt64,  DType::kUInt8,     DType::kUInt16,
    DType::kUInt32, DType::kUInt64,   DType::kBool,   DType::kComplex64, DType::kComplex128,
    DType::kString, DType::kResource, DType::kVariant};

// A line of tf_kernels.tsv.
struct Row {
  DeviceType device;
  std::map<std::string, std::set<DType>> types;  // by attribute; not named: any
  std::set<std::string> host_memory;
  bool is_default;
  bool has_other_constraints;  // on strings: left out of the comparison

  bool Matches(const std::map<std::string, DType>& attrs) const {
    for (const auto& [attr, allowed] : types) {
      auto found = attrs.find(attr);
      if (found != attrs.end() && allowed.count(found->second) == 0) return false;
    }
    return true;
  }
};

StatusOr<std::map<std::string, std::vector<Row>>> GoldenKernels() {
  std::map<std::string, std::vector<Row>> rows;
  std::ifstream file(kGoldenKernelsFile);
  if (!file) return NotFound("cannot open ", kGoldenKernelsFile);
  std::string line;
  while (std::getline(file, line)) {
    const std::vector<std::string> columns = absl::StrSplit(line, '\t');
    if (line.empty() || line[0] == '#' || columns.size() != 6 || columns[1] == "none" ||
        columns[0] == "op") {
      continue;
    }
    Row row;
    row.device = columns[1] == "GPU" ? DeviceType::kGpu : DeviceType::kCpu;
    row.is_default = columns[5] == "DEFAULT";
    row.has_other_constraints = columns[2].find('\'') != std::string::npos;
    for (const auto& constraint : absl::StrSplit(columns[2], ' ')) {
      const std::pair<std::string, std::string> parts = absl::StrSplit(constraint, '=');
      if (parts.second.empty() || parts.second[0] == '\'') continue;
      for (const auto& type : absl::StrSplit(parts.second, ',')) {
        row.types[parts.first].insert(ParseDType(std::string(type)));
      }
    }
    if (columns[3] != "-") row.host_memory = absl::StrSplit(columns[3], ',');
    rows[columns[0]].push_back(std::move(row));
  }
  return rows;
}

// The row that TensorFlow would take; null when it has no kernel.
const Row* Choose(const std::vector<Row>& rows, DeviceType device,
                  const std::map<std::string, DType>& attrs) {
  const Row* fallback = nullptr;
  for (const Row& row : rows) {
    if (row.device != device || !row.Matches(attrs)) continue;
    if (!row.is_default) return &row;
    fallback = &row;
  }
  return fallback;
}

bool IsAlwaysOnHost(DType t) { return t == DType::kString || t == DType::kResource; }

DType TypeOf(const ArgSpec& arg, const std::map<std::string, DType>& attrs) {
  auto found = attrs.find(arg.type_attr);
  return found == attrs.end() ? arg.type : found->second;
}

class Comparison {
 public:
  Comparison(const OpSchema& schema, const std::vector<Row>& rows) : schema_(schema), rows_(rows) {}

  // What differs, in a line; empty when nothing does.
  std::string Run() {
    for (const AttrSpec& attr : schema_.attrs) {
      if (attr.type == "type") type_attrs_.push_back(&attr);
    }
    std::map<std::string, DType> chosen;
    Vary(0, &chosen);
    std::vector<std::string> parts;
    for (const auto& [what, values] : differences_) {
      parts.push_back(absl::StrCat(what, " ", absl::StrJoin(values, ",")));
    }
    return absl::StrJoin(parts, "; ");
  }

 private:
  std::vector<DType> Values(const AttrSpec& attr) const {
    std::vector<DType> values;
    const bool any = !attr.allowed_values.has_value();
    const Span<const DType> allowed = any ? Span<const DType>() : attr.allowed_values.list<DType>();
    for (int i = 0; i < 64; ++i) {
      const DType t = static_cast<DType>(i);
      const bool is_allowed = any || std::find(allowed.begin(), allowed.end(), t) != allowed.end();
      if (is_allowed && kCompared.contains(t)) values.push_back(t);
    }
    return values;
  }

  void Vary(size_t index, std::map<std::string, DType>* chosen) {
    if (index == type_attrs_.size()) return Compare(*chosen);
    for (DType t : Values(*type_attrs_[index])) {
      (*chosen)[type_attrs_[index]->name] = t;
      Vary(index + 1, chosen);
    }
  }

  void Compare(const std::map<std::string, DType>& chosen) {
    AttrMap attrs;
    std::vector<std::string> names;
    for (const auto& [attr, type] : chosen) {
      attrs.Set(attr, type);
      names.push_back(DTypeName(type));
    }
    const std::string types = names.empty() ? "all" : absl::StrJoin(names, "/");
    const KernelRegistry& registry = KernelRegistry::Global();
    for (DeviceType device : {DeviceType::kCpu, DeviceType::kGpu}) {
      const std::string on = device == DeviceType::kCpu ? "CPU" : "GPU";
      const Row* wanted = Choose(rows_, device, chosen);
      const KernelDecl* declared = registry.Find(schema_.name, attrs, device);
      const bool has = declared != nullptr;
      if (has != (wanted != nullptr)) {
        differences_[on + (has ? " has also" : " lacks")].insert(types);
      } else if (has && device == DeviceType::kGpu) {
        CompareMemory(*wanted, *declared, chosen, types);
      }
    }
  }

  void CompareMemory(const Row& wanted, const KernelDecl& declared,
                     const std::map<std::string, DType>& chosen, const std::string& types) {
    const std::set<std::string> ours(declared.gpu_host_memory.begin(),
                                     declared.gpu_host_memory.end());
    for (const auto* args : {&schema_.inputs, &schema_.outputs}) {
      for (const ArgSpec& arg : *args) {
        if (!arg.type_list_attr.empty() || IsAlwaysOnHost(TypeOf(arg, chosen))) continue;
        const bool want = wanted.host_memory.count(arg.name) > 0;
        const bool have = ours.count(arg.name) > 0;
        if (want == have) continue;
        differences_[absl::StrCat(arg.name, want ? " not on the host for" : " on the host for")]
            .insert(types);
      }
    }
  }

  const OpSchema& schema_;
  const std::vector<Row>& rows_;
  std::vector<const AttrSpec*> type_attrs_;
  std::map<std::string, std::set<std::string>> differences_;
};

// The borders of functions: declared by the executor, and there only in programs that link it.
bool IsBorder(const std::string& op) { return op == "_Arg" || op == "_Retval"; }

}  // namespace

StatusOr<DifferenceMap> KernelDifferences() {
  WB_ASSIGN_OR_RETURN(const auto golden, GoldenKernels());
  const KernelRegistry& registry = KernelRegistry::Global();
  DifferenceMap differences;
  for (const auto& [op, rows] : golden) {
    const auto schema = OpRegistry::Global().Get(op);
    if (!schema.ok() || !registry.KnowsOp(op) || IsBorder(op)) continue;
    bool comparable = true;
    for (const Row& row : rows) comparable &= !row.has_other_constraints;
    for (const AttrSpec& attr : (*schema)->attrs) {
      for (const Row& row : rows) {
        comparable &= attr.type != "list(type)" || row.types.count(attr.name) == 0;
      }
    }
    if (!comparable) continue;
    const std::string difference = Comparison(**schema, rows).Run();
    if (!difference.empty()) differences[op] = difference;
  }
  return differences;
}

}  // namespace warpbeam
