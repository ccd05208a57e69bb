#include "graph/passes/late_reads.h"

#include <algorithm>
#include <string>
#include <utility>

#include "graph/passes/fed_outputs.h"
#include "graph/passes/update_order.h"

namespace warpbeam {
namespace {

// A use of a view: input `input` of `reader`.
struct Use {
  NodeId reader;
  int32_t input;
};

// Whether anything in the part changes a variable, and anything reads one by a node of its own.
bool MayReadLate(const GraphPart& part) {
  const bool any = part.HasOp([](const OpSchema& op) {
    return std::any_of(op.inputs.begin(), op.inputs.end(),
                       [](const ArgSpec& arg) { return arg.is_ref; });
  });
  if (!any) return false;
  bool reads = false, updates = false;
  for (const NodeId id : part.nodes) {
    const Node& node = part.graph->node(id);
    for (int i = 0; i < node.num_inputs(); ++i) {
      const OutputRef in = node.input(i);
      if (in.node == kNoNode || !IsRef(part.graph->node(in.node).output_type(in.index))) continue;
      if (IsRef(node.input_type(i))) {
        updates = true;
      } else if (ViewKindOf(node) != ViewKind::kNone) {
        reads = true;
      }
    }
    if (reads && updates) return true;
  }
  return false;
}

class ReadRepeater {
 public:
  ReadRepeater(ReferenceViews::SharesMemory shares_memory, GraphPart* part)
      : part_(part),
        kept_graph_(part->graph),
        graph_(*kept_graph_),
        fed_(graph_, part->feeds),
        components_(graph_, part->nodes, fed_),
        views_(graph_, components_, fed_, std::move(shares_memory)) {}

  Status Run() {
    if (views_.updates().empty()) return OkStatus();
    FindLateUses();
    if (uses_.empty()) return OkStatus();
    // The references of a ring that is no loop would have no beginning.
    WB_RETURN_IF_ERROR(part_->Ordered().status());
    part_->Fork();
    WB_RETURN_IF_ERROR(AddReferences());
    for (const Use& use : uses_) WB_RETURN_IF_ERROR(Repeat(use));
    return OkStatus();
  }

 private:
  void FindLateUses() {
    std::vector<Use> all;
    UpdateOrder order(components_, views_.updates());
    for (const NodeId id : components_.order()) {
      const Node& node = graph_.node(id);
      // What begins an iteration is read before it or in the one before; who uses it reads anew.
      if (views_.IsLoopMerge(id)) continue;
      for (int i = 0; i < node.num_inputs(); ++i) {
        const OutputRef in = node.input(i);
        if (IsRef(node.input_type(i)) || !views_.IsView(in, id)) continue;
        all.push_back({id, i});
        order.Ask(id, in.node, views_.VariableOf(in.node), !views_.IsLoopMerge(in.node));
      }
    }
    const std::vector<bool> late = order.Answer();
    for (size_t i = 0; i < all.size(); ++i) {
      if (late[i]) uses_.push_back(all[i]);
    }
  }

  // What the node gets from `in` as a reference: of a view the one that was made beside it.
  OutputRef ReferenceTo(OutputRef in, NodeId reader) const {
    if (views_.IsReference(in)) return in;
    if (!views_.IsView(in, reader)) return OutputRef();
    const Node& view = graph_.node(in.node);
    switch (ViewKindOf(view)) {
      case ViewKind::kHandOn:
      case ViewKind::kShape:
        return reference_of_[in.node];
      default:
        return {reference_of_[in.node].node, in.index};
    }
  }

  // The views behind the late uses get references beside them, those before them first.
  Status AddReferences() {
    reference_of_.assign(graph_.num_nodes(), OutputRef());
    std::vector<bool> is_needed(graph_.num_nodes(), false);
    std::vector<NodeId> todo;
    const auto need = [&](OutputRef in, NodeId reader) {
      if (!views_.IsView(in, reader) || is_needed[in.node]) return;
      is_needed[in.node] = true;
      todo.push_back(in.node);
    };
    for (const Use& use : uses_) need(graph_.node(use.reader).input(use.input), use.reader);
    while (!todo.empty()) {
      const NodeId view = todo.back();
      todo.pop_back();
      for (const OutputRef in : graph_.node(view).inputs()) need(in, view);
    }
    std::vector<NodeId> merges;  // whose references have yet to get their inputs
    for (const NodeId id : components_.order()) {
      if (is_needed[id] && ViewKindOf(graph_.node(id)) == ViewKind::kMerge) {
        WB_RETURN_IF_ERROR(AddMerge(id));
        merges.push_back(id);
      }
    }
    WB_RETURN_IF_ERROR(AddInOrder(std::move(is_needed)));
    for (const NodeId id : merges) WB_RETURN_IF_ERROR(ConnectMerge(id));
    return OkStatus();
  }

  // All but the merges, each after those that it takes its reference from. In a loop the order of
  // the components does not tell; every ring has a Merge, though.
  Status AddInOrder(std::vector<bool> is_needed) {
    std::vector<NodeId> path;
    for (const NodeId root : components_.order()) {
      if (!is_needed[root]) continue;
      path.push_back(root);
      while (!path.empty()) {
        const NodeId id = path.back();
        const OutputRef in = graph_.node(id).input(0);
        const bool waits = ViewKindOf(graph_.node(id)) != ViewKind::kMerge && is_needed[id] &&
                           views_.IsView(in, id) && is_needed[in.node] &&
                           ViewKindOf(graph_.node(in.node)) != ViewKind::kMerge;
        if (waits) {
          path.push_back(in.node);
          continue;
        }
        path.pop_back();
        if (!is_needed[id]) continue;
        is_needed[id] = false;
        WB_RETURN_IF_ERROR(AddReference(graph_.node(id)));
      }
    }
    return OkStatus();
  }

  Status AddReference(const Node& view) {
    const ViewKind kind = ViewKindOf(view);
    if (kind == ViewKind::kMerge) return OkStatus();
    const OutputRef in = ReferenceTo(view.input(0), view.id());
    if (kind == ViewKind::kHandOn || kind == ViewKind::kShape) {
      reference_of_[view.id()] = in;
      return OkStatus();
    }
    std::vector<OutputRef> inputs = {in};
    if (kind == ViewKind::kSwitch) inputs.push_back(view.input(1));
    WB_ASSIGN_OR_RETURN(reference_of_[view.id()], AddTwin(view, std::move(inputs), view.id()));
    return OkStatus();
  }

  // The same node for references: RefEnter beside an Enter, or where its reader is.
  StatusOr<OutputRef> AddTwin(const Node& view, std::vector<OutputRef> inputs, NodeId beside) {
    NodeSpec spec;
    spec.op = absl::StrCat("Ref", view.op_name());
    for (const char* attr : {"T", "frame_name", "is_constant", "parallel_iterations"}) {
      if (const AttrValue* value = view.attrs().Find(attr)) spec.attrs.Set(attr, *value);
    }
    return Add(std::move(spec), "reference", std::move(inputs), {}, beside, &view);
  }

  Status AddMerge(NodeId id) {
    const Node& merge = graph_.node(id);
    NodeSpec spec;
    spec.op = "RefMerge";
    spec.attrs.Set("T", merge.output_type(0));
    spec.attrs.Set("N", static_cast<int64_t>(merge.num_inputs()));
    std::vector<OutputRef> inputs(merge.num_inputs());
    WB_ASSIGN_OR_RETURN(reference_of_[id],
                        Add(std::move(spec), "reference", std::move(inputs), {}, id));
    return OkStatus();
  }

  Status ConnectMerge(NodeId id) {
    const Node& merge = graph_.node(id);
    for (int i = 0; i < merge.num_inputs(); ++i) {
      const OutputRef in = merge.input(i);
      if (in.node == kNoNode) continue;
      OutputRef reference = ReferenceTo(in, id);
      if (reference.node == kNoNode) {
        WB_ASSIGN_OR_RETURN(reference, AddValue(in, id));
      }
      WB_RETURN_IF_ERROR(part_->Edit().SetInput(reference_of_[id].node, i, reference));
    }
    return OkStatus();
  }

  // What is no view of a variable comes to a Merge as a value in a reference's place. What enters a
  // loop, or goes to its next iteration, must still do so right before the Merge, and where that
  // is: a reference cannot be copied, a value can.
  StatusOr<OutputRef> AddValue(OutputRef in, NodeId merge) {
    const Node& producer = graph_.node(in.node);
    const ViewKind kind = ViewKindOf(producer);
    const bool is_border = kind == ViewKind::kEnter || kind == ViewKind::kNextIteration;
    NodeSpec spec;
    spec.op = "_ValueAsReference";
    spec.attrs.Set("T", graph_.node(merge).output_type(0));
    const Node& named = graph_.node(is_border ? in.node : merge);
    WB_ASSIGN_OR_RETURN(
        const OutputRef value,
        Add(std::move(spec), "value", {is_border ? producer.input(0) : in}, {}, merge, &named));
    return is_border ? AddTwin(producer, {value}, merge) : value;
  }

  // The use's own read. It waits for what the reader waits for; a Merge waits for one input only.
  Status Repeat(const Use& use) {
    const Node& reader = graph_.node(use.reader);
    const OutputRef in = reader.input(use.input);
    std::vector<NodeId> controls = reader.control_inputs();
    controls.push_back(in.node);
    for (const OutputRef other : reader.inputs()) {
      if (ViewKindOf(reader) == ViewKind::kMerge || other.node == kNoNode) continue;
      if (!fed_.contains(other)) controls.push_back(other.node);
    }
    NodeSpec spec;
    spec.op = "Identity";
    spec.attrs.Set("T", reader.input_type(use.input));
    const std::string name = absl::StrCat("late_", use.input);
    WB_ASSIGN_OR_RETURN(OutputRef value, Add(std::move(spec), name, {ReferenceTo(in, use.reader)},
                                             std::move(controls), in.node, &reader));
    if (views_.IsReshaped(in.node)) WB_RETURN_IF_ERROR(ShapeLike(reader, in, &value));
    absl::StrAppend(&part_->notes, "# ", reader.name(), " reads ", graph_.node(in.node).name(),
                    " anew: it comes after an update\n");
    return part_->Edit().SetInput(use.reader, use.input, value);
  }

  Status ShapeLike(const Node& reader, OutputRef in, OutputRef* value) {
    const DType type = graph_.node(in.node).output_type(in.index);
    NodeSpec size;
    size.op = "Shape";
    size.attrs.Set("T", type);
    size.attrs.Set("out_type", DType::kInt64);
    WB_ASSIGN_OR_RETURN(const OutputRef shape,
                        Add(std::move(size), "shape", {in}, {}, in.node, &reader));
    NodeSpec spec;
    spec.op = "Reshape";
    spec.attrs.Set("T", type);
    spec.attrs.Set("Tshape", DType::kInt64);
    WB_ASSIGN_OR_RETURN(*value,
                        Add(std::move(spec), "shaped", {*value, shape}, {}, in.node, &reader));
    return OkStatus();
  }

  // A node beside `beside`, named for it or for `named`.
  StatusOr<OutputRef> Add(NodeSpec spec, absl::string_view name, std::vector<OutputRef> inputs,
                          std::vector<NodeId> controls, NodeId beside,
                          const Node* named = nullptr) {
    const Node& like = graph_.node(beside);
    Graph& graph = part_->Edit();
    spec.name =
        graph.UniqueName(absl::StrCat((named == nullptr ? like : *named).name(), "/", name));
    spec.device = like.device();
    spec.location = like.location();
    spec.site = graph_.site(beside);
    // Shapes follow from what stands there already; a Merge without inputs has none to infer.
    const bool infer =
        std::none_of(inputs.begin(), inputs.end(), [](OutputRef in) { return in.node == kNoNode; });
    WB_ASSIGN_OR_RETURN(const Node* node, graph.AddNode(std::move(spec), std::move(inputs),
                                                        std::move(controls), infer));
    part_->nodes.push_back(node->id());
    return OutputRef{node->id(), 0};
  }

  GraphPart* const part_;
  const std::shared_ptr<const Graph> kept_graph_;
  const Graph& graph_;
  const FedOutputs fed_;
  const Components components_;
  const ReferenceViews views_;
  std::vector<Use> uses_;
  std::vector<OutputRef> reference_of_;  // by view
};

}  // namespace

Status RepeatLateReads(ReferenceViews::SharesMemory shares_memory, GraphPart* part) {
  if (!MayReadLate(*part)) return OkStatus();
  return ReadRepeater(std::move(shares_memory), part).Run();
}

}  // namespace warpbeam
