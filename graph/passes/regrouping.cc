#include "graph/passes/regrouping.h"

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_set.h"

namespace warpbeam {
namespace {

// What keeps the elements of its first input in their order where it keeps their number.
bool IsRegrouping(const std::string& op) {
  static const auto* const ops = new absl::flat_hash_set<std::string>{
      "Reshape", "ExpandDims", "Squeeze", "EnsureShape", "Tile", "BroadcastTo",
      "Slice",   "Pad",        "PadV2",   "MirrorPad",   "Sum",  "Mean",
      "Max",     "Min",        "Prod",    "All",         "Any"};
  return ops->contains(op);
}

// Dimensions of 1 may go anywhere.
bool KeepsOrder(const std::vector<int64_t>& permutation, const PartialShape& shape) {
  if (!shape.IsFullyDefined() || shape.rank() != static_cast<int>(permutation.size())) return false;
  int64_t last = -1;
  for (const int64_t d : permutation) {
    if (shape.dim(static_cast<int>(d)) == 1) continue;
    if (d < last) return false;
    last = d;
  }
  return true;
}

}  // namespace

bool IsPermutation(const std::vector<int64_t>& permutation) {
  std::vector<bool> seen(permutation.size(), false);
  for (const int64_t d : permutation) {
    if (d < 0 || d >= static_cast<int64_t>(seen.size()) || seen[d]) return false;
    seen[d] = true;
  }
  return true;
}

int RegroupedInput(const Graph& graph, const Node& node, IntsOf ints_of) {
  const std::string& op = node.op_name();
  if (node.num_outputs() != 1 || node.num_inputs() == 0) return -1;
  if (IsRegrouping(op)) return 0;
  if (op == "Pack" || op == "AddN") return node.num_inputs() == 1 ? 0 : -1;
  // With one output, all of the input.
  if (op == "Unpack" || op == "SplitV") return 0;
  if (op == "Split") return 1;
  if (op == "StridedSlice") {
    const auto strides = ints_of(node.input(3));
    const bool forward = strides.has_value() && std::all_of(strides->begin(), strides->end(),
                                                            [](int64_t s) { return s > 0; });
    return forward ? 0 : -1;
  }
  if (op == "Transpose") {
    const auto permutation = ints_of(node.input(1));
    const OutputRef x = node.input(0);
    const bool keeps = permutation.has_value() && IsPermutation(*permutation) &&
                       KeepsOrder(*permutation, graph.node(x.node).output_shape(x.index));
    return keeps ? 0 : -1;
  }
  return -1;
}

}  // namespace warpbeam
