#include "placement/cost/node_cost.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "graph/node_roles.h"

namespace warpbeam {
namespace {

// What is known of a shape, with the unknown in it filled in.
class Extents {
 public:
  Extents(const PartialShape& shape, int64_t unknown_extent) {
    if (!shape.has_rank()) {
      dims_.push_back(static_cast<double>(unknown_extent));
      assumed_ = true;
      return;
    }
    for (int64_t dim : shape.dims()) {
      assumed_ |= dim < 0;
      dims_.push_back(static_cast<double>(dim < 0 ? unknown_extent : dim));
    }
  }

  int rank() const { return static_cast<int>(dims_.size()); }
  bool assumed() const { return assumed_; }
  double elements() const { return Product(0, rank()); }
  double Product(int begin, int end) const {
    double product = 1;
    for (int i = begin; i < end; ++i) product *= dims_[i];
    return product;
  }
  double dim(int i) const { return dims_[i]; }

 private:
  std::vector<double> dims_;
  bool assumed_ = false;
};

double BytesOf(const PartialShape& shape, DType type, int64_t unknown_extent, bool* assumed) {
  const Extents extents(shape, unknown_extent);
  if (assumed != nullptr) *assumed |= extents.assumed();
  return extents.elements() * static_cast<double>(DTypeSize(BaseType(type)));
}

bool IsHandle(DType type) {
  const DType base = BaseType(type);
  return base == DType::kResource || base == DType::kVariant;
}

class Coster {
 public:
  Coster(const Graph& graph, const Node& node, int64_t unknown_extent)
      : graph_(graph), node_(node), unknown_extent_(unknown_extent) {}

  NodeCost Run() {
    cost_.cost_class = node_.op().cost_class;
    if (IsFree()) return cost_;
    CountBytes();
    switch (node_.op().cost_class) {
      case CostClass::kElements:
        cost_.flops = LargestOperand();
        break;
      case CostClass::kProduct:
        cost_.flops = OfProduct();
        break;
      case CostClass::kConvolution:
        cost_.flops = OfConvolution();
        break;
    }
    return cost_;
  }

 private:
  // What is there before a step begins, decides what runs, or hands on.
  bool IsFree() const {
    switch (node_.role()) {
      case OpRole::kCompute:
      case OpRole::kCall:
      case OpRole::kDataset:
      case OpRole::kQueue:
      case OpRole::kGradientArray:
      case OpRole::kCollective:
        break;
      default:
        return true;
    }
    if (node_.op().passes_on == PassOn::kChecked) return false;
    return node_.op().passes_on != PassOn::kNothing ||
           (node_.op().effect == StateEffect::kRead && SharedInput(graph_, node_, 0) >= 0);
  }

  bool has_input(int i) const { return i < node_.num_inputs() && node_.input(i).node != kNoNode; }
  Extents input(int i) {
    const OutputRef from = node_.input(i);
    return Seen(graph_.node(from.node).output_shape(from.index));
  }
  Extents output(int i) { return Seen(node_.output_shape(i)); }
  Extents Seen(const PartialShape& shape) {
    Extents extents(shape, unknown_extent_);
    cost_.assumed |= extents.assumed();
    return extents;
  }

  // The number of the tensor that is argument `name`, where no list of tensors stands before it.
  int FindInput(absl::string_view name) const {
    const std::vector<ArgSpec>& args = node_.op().inputs;
    for (size_t i = 0; i < args.size(); ++i) {
      if (args[i].name == name && has_input(static_cast<int>(i))) return static_cast<int>(i);
      if (!args[i].number_attr.empty() || !args[i].type_list_attr.empty()) break;
    }
    return -1;
  }

  double InputBytes(int i) {
    const OutputRef from = node_.input(i);
    const Node& producer = graph_.node(from.node);
    return IsHandle(producer.output_type(from.index))
               ? StateBytes(producer, from.index, unknown_extent_, &cost_.assumed)
               : OutputBytes(producer, from.index, unknown_extent_, &cost_.assumed);
  }

  void CountBytes() {
    double written = 0;
    for (int o = 0; o < node_.num_outputs(); ++o) {
      if (SharedInput(graph_, node_, o) < 0) {
        written += OutputBytes(node_, o, unknown_extent_, &cost_.assumed);
      }
    }
    if (node_.op().reads_shapes_only) {
      cost_.bytes = written;
      return;
    }
    // An op that is given indices touches the rows of its first input that they name, not all.
    const bool by_indices = FindInput("indices") > 0;
    double first = 0;
    double rest = 0;
    for (int i = 0; i < node_.num_inputs(); ++i) {
      if (!has_input(i)) continue;
      double bytes = InputBytes(i);
      const bool is_state = IsRef(node_.input_type(i)) || IsHandle(node_.input_type(i));
      if (is_state && node_.op().effect == StateEffect::kWrite) bytes *= 2;
      (i == 0 ? first : rest) += bytes;
    }
    if (by_indices) first = std::min(first, rest + written);
    cost_.bytes = first + rest + written;
  }

  double LargestOperand() {
    double most = 0;
    for (int o = 0; o < node_.num_outputs(); ++o) most = std::max(most, output(o).elements());
    if (node_.op().reads_shapes_only || FindInput("indices") > 0) return most;
    for (int i = 0; i < node_.num_inputs(); ++i) {
      if (has_input(i)) most = std::max(most, input(i).elements());
    }
    return most;
  }

  // Of [m, k] · [k, n] = [m, n], whichever are transposed, the three sizes multiply to (m·k·n)².
  // What stands before the matrices is as often as the result has it.
  double OfProduct() {
    if (!has_input(0) || !has_input(1) || node_.num_outputs() == 0) return LargestOperand();
    const Extents c = output(0);
    double square = 1;
    for (const Extents& matrix : {input(0), input(1), c}) {
      if (matrix.rank() < 2) return LargestOperand();
      square *= matrix.Product(matrix.rank() - 2, matrix.rank());
    }
    return 2 * std::sqrt(square) * c.Product(0, c.rank() - 2);
  }

  // Each element of the result is a sum over the window and, of a grouped or depthwise one, over
  // the channels of its group: as many terms as the filter has for one channel of the result. The
  // gradients have as many products, of the same shapes.
  double OfConvolution() {
    const int gradient = FindInput("out_backprop");
    if (gradient < 0 && node_.num_outputs() == 0) return LargestOperand();
    const Extents result = gradient >= 0 ? input(gradient) : output(0);
    const int given = FindInput("filter");
    if (given < 0 && gradient < 0) return LargestOperand();
    const Extents filter = given >= 0 ? input(given) : output(0);
    const std::string format = node_.attrs().GetOr<std::string>("data_format", "NHWC");
    const bool channels_first = format.size() > 1 && format[1] == 'C';
    const int axis = channels_first ? 1 : result.rank() - 1;
    if (axis < 0 || axis >= result.rank() || result.dim(axis) == 0) return LargestOperand();
    return 2 * result.elements() * filter.elements() / result.dim(axis);
  }

  const Graph& graph_;
  const Node& node_;
  const int64_t unknown_extent_;
  NodeCost cost_;
};

}  // namespace

double OutputBytes(const Node& node, int output, int64_t unknown_extent, bool* assumed) {
  if (IsHandle(node.output_type(output))) return 0;
  return BytesOf(node.output_shape(output), node.output_type(output), unknown_extent, assumed);
}

double StateBytes(const Node& node, int output, int64_t unknown_extent, bool* assumed) {
  if (!IsHandle(node.output_type(output))) {
    return OutputBytes(node, output, unknown_extent, assumed);
  }
  double bytes = 0;
  for (const HandleShape& state : node.output_handle(output)) {
    bytes += BytesOf(state.shape, state.dtype, unknown_extent, assumed);
  }
  return bytes;
}

int SharedInput(const Graph& graph, const Node& node, int output) {
  if (node.num_inputs() == 0 || node.input(0).node == kNoNode) return -1;
  switch (node.op().passes_on) {
    case PassOn::kValue:
    case PassOn::kChecked:
    case PassOn::kDefault:
    case PassOn::kReshaped:
    case PassOn::kHandle:
      return output == 0 ? 0 : -1;
    case PassOn::kEach:
      return output < node.num_inputs() && node.input(output).node != kNoNode ? output : -1;
    case PassOn::kOneOf:
    case PassOn::kNothing:
      break;
  }
  if (IsSwitch(node) || node.role() == OpRole::kSwitchN || IsLoopBorder(node)) return 0;
  if (IsRef(node.output_type(output)) && IsRef(node.input_type(0))) return 0;
  // A read of all that a handle stands for is its buffer, as an update swaps it for another.
  const OutputRef from = node.input(0);
  if (node.op().effect == StateEffect::kRead && node.num_inputs() == 1 &&
      node.input_type(0) == DType::kResource) {
    const HandleShapes& state = graph.node(from.node).output_handle(from.index);
    if (state.size() == 1 && state[0].dtype == node.output_type(output) &&
        state[0].shape == node.output_shape(output)) {
      return 0;
    }
  }
  return -1;
}

NodeCost CostOf(const Graph& graph, const Node& node, int64_t unknown_extent) {
  return Coster(graph, node, unknown_extent).Run();
}

}  // namespace warpbeam
