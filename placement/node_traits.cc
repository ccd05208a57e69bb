#include "placement/node_traits.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace warpbeam {
namespace {

bool IsState(DType type) { return IsRef(type) || type == DType::kResource; }

}  // namespace

bool IsDataset(const OpSchema& schema) {
  if (schema.outputs.size() != 1 || schema.outputs[0].type != DType::kVariant) return false;
  absl::string_view name = schema.name;
  if (name == "DatasetFromGraph") return true;
  const absl::string_view whole = name;
  while (!name.empty() && absl::ascii_isdigit(static_cast<unsigned char>(name.back()))) {
    name.remove_suffix(1);
  }
  if (name.size() < whole.size() && !absl::ConsumeSuffix(&name, "V")) return false;
  return absl::EndsWith(name, "Dataset");
}

NodeTraits TraitsOf(const Node& node) {
  const std::vector<DType>& in = node.input_types();
  const std::vector<DType>& out = node.output_types();
  NodeTraits traits = 0;
  if (in.empty() && out.size() == 1) {
    if (IsState(out[0])) traits |= kOwnsState;
    if (!IsRef(out[0])) traits |= kGenerates;
  }
  const bool is_dataset = IsDataset(node.op());
  if (std::any_of(in.begin(), in.end(), [is_dataset](DType type) {
        return IsState(type) || (type == DType::kVariant && is_dataset);
      })) {
    traits |= kTakesState;
  }
  if (in.size() == 1 && node.op().reads_shapes_only) traits |= kReadsShapes;
  if (node.attrs().Find("_class") != nullptr) traits |= kNamesGroup;
  return traits;
}

}  // namespace warpbeam
