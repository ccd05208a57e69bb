#include "graph/graph.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "graph/op/node_types.h"
#include "graph/types/shown_name.h"

namespace warpbeam {
namespace {

constexpr int64_t kMaxNodes = int64_t{1} << 30;

std::string Describe(absl::string_view name, absl::string_view op, const SourceLocation& where) {
  return absl::StrCat("node '", ShownName(name), "' (", ShownName(op),
                      where.known() ? absl::StrCat(", built at ", where.ToString()) : "", ")");
}

bool BeginsWith(const std::vector<DType>& types, const std::vector<DType>& first) {
  return first.size() <= types.size() && std::equal(first.begin(), first.end(), types.begin());
}

std::string InputPlace(const Graph& graph, OutputRef source, int index) {
  return absl::StrCat("input ", index, " ('", ShownName(graph.node(source.node).name()), ":",
                      source.index, "')");
}

}  // namespace

std::string DescribeNode(const Node& node) {
  return Describe(node.name(), node.op_name(), node.location());
}

std::string DescribeNode(const NodeSpec& spec) {
  return Describe(spec.name, spec.op, spec.location);
}

bool IsValidNodeName(absl::string_view name, bool allow_internal) {
  if (name.empty()) return false;
  const char first = name[0];
  if (!absl::ascii_isalnum(first) && first != '.' && !(allow_internal && first == '_')) {
    return false;
  }
  for (char c : name) {
    if (!absl::ascii_isalnum(c) && c != '_' && c != '.' && c != '/' && c != '-' && c != '>') {
      return false;
    }
  }
  return true;
}

const HandleShapes& Node::output_handle(int i) const {
  static const HandleShapes kNone;
  return output_handles_.empty() ? kNone : output_handles_[i];
}

Graph::Graph(const OpRegistry& ops) : ops_(ops) {}

std::unique_ptr<Graph> Graph::Clone() const {
  auto copy = std::make_unique<Graph>(ops_);
  copy->functions_ = functions_;
  copy->versions_ = versions_;
  copy->unknown_fields_ = unknown_fields_;
  copy->nodes_.reserve(nodes_.size());
  copy->by_name_.reserve(nodes_.size());
  for (const Node* node : nodes_) {
    copy->own_nodes_.push_back(*node);
    copy->nodes_.push_back(&copy->own_nodes_.back());
    copy->by_name_.emplace(copy->own_nodes_.back().name_, node->id_);
  }
  copy->sites_ = sites_;
  copy->last_suffix_ = last_suffix_;
  return copy;
}

std::shared_ptr<Graph> Graph::Overlay(std::shared_ptr<const Graph> base) {
  auto overlay = std::make_shared<Graph>(base->ops_);
  overlay->functions_ = base->functions_;
  overlay->versions_ = base->versions_;
  overlay->nodes_ = base->nodes_;
  overlay->sites_ = base->sites_;
  overlay->base_size_ = base->num_nodes();
  overlay->base_ = std::move(base);
  return overlay;
}

Node& Graph::Mutable(NodeId node) {
  // Without a base all nodes are the graph's own.
  if (base_ == nullptr) return const_cast<Node&>(*nodes_[node]);
  auto [it, added] = changed_.try_emplace(node, nullptr);
  if (added) {
    own_nodes_.push_back(*nodes_[node]);
    it->second = &own_nodes_.back();
    nodes_[node] = it->second;
  }
  return *it->second;
}

void Graph::Reserve(size_t more_nodes) {
  nodes_.reserve(nodes_.size() + more_nodes);
  by_name_.reserve(by_name_.size() + more_nodes);
}

const Node* Graph::Find(absl::string_view name) const {
  if (auto it = by_name_.find(name); it != by_name_.end()) return nodes_[it->second];
  const Node* node = base_ == nullptr ? nullptr : base_->Find(name);
  return node == nullptr || node->id_ >= base_size_ ? nullptr : nodes_[node->id_];
}

StatusOr<const OpSchema*> Graph::FindSchema(absl::string_view op) const {
  if (const OpSchema* schema = ops_.Find(op)) return schema;
  if (std::shared_ptr<const Function> function = functions_.Find(op)) return &function->signature;
  return ops_.Get(op);
}

Status Graph::CheckSpec(const NodeSpec& spec) const {
  if (finalized_) {
    return FailedPrecondition(DescribeNode(spec), ": the graph is finalized, nothing can be added");
  }
  if (!IsValidNodeName(spec.name, true)) {
    return InvalidArgument(DescribeNode(spec), ": '", spec.name,
                           "' is no node name: letters, digits and \"._/>-\" are, the first one a "
                           "letter, a digit or '.'");
  }
  if (const Node* other = Find(spec.name)) {
    return InvalidArgument(DescribeNode(spec), ": the name is taken by ", DescribeNode(*other));
  }
  if (num_nodes() >= kMaxNodes) return ResourceExhausted("a graph has at most 2^30 nodes");
  return OkStatus();
}

Status Graph::CheckInput(const Node& node, int index, OutputRef source) const {
  if (source.node < 0 || source.node >= num_nodes()) {
    return InvalidArgument("input ", index, " is no node of this graph (id ", source.node, ")");
  }
  const Node& from = *nodes_[source.node];
  if (source.index < 0 || source.index >= from.num_outputs()) {
    return InvalidArgument("input ", index, " is output ", source.index, " of ", DescribeNode(from),
                           ", which has ", from.num_outputs(), " outputs");
  }
  const DType want = node.input_types()[index];
  const DType got = from.output_types()[source.index];
  if (want == got || want == BaseType(got)) return OkStatus();
  if (IsRef(want) && !IsRef(got)) {
    return InvalidArgument(InputPlace(*this, source, index), " must be a reference (",
                           DTypeName(want), "), the output of a variable; it is ", DTypeName(got));
  }
  return InvalidArgument(InputPlace(*this, source, index), " is ", DTypeName(got), ", expected ",
                         DTypeName(want));
}

StatusOr<std::shared_ptr<const NodeSignature>> Graph::SignatureOf(NodeSpec* spec) {
  // Enough for all that the nodes of a real graph share; what each has for itself is not kept.
  constexpr size_t kMostKnown = 4096;
  const OpSchema* op = ops_.Find(spec->op);
  // Who calls a function may say more than its signature knows, such as options of the call.
  const bool is_function = op == nullptr;
  if (is_function) {
    WB_ASSIGN_OR_RETURN(op, FindSchema(spec->op));
  }
  const void* written = spec->attrs.shared_entries();
  const bool keep = written != nullptr && !is_function;
  if (keep) {
    const auto known = signatures_.find(WrittenAs(op, written));
    if (known != signatures_.end()) return known->second.signature;
  }
  AttrMap as_written;
  if (keep) as_written = spec->attrs;
  auto signature = std::make_shared<NodeSignature>();
  signature->op = op;
  WB_RETURN_IF_ERROR(CompleteAttrs(*op, &spec->attrs, /*ignore_unknown=*/is_function));
  signature->attrs = std::move(spec->attrs);
  WB_ASSIGN_OR_RETURN(signature->input_types, InputTypes(*op, signature->attrs));
  WB_ASSIGN_OR_RETURN(signature->output_types, OutputTypes(*op, signature->attrs));
  if (keep) {
    if (signatures_.size() >= kMostKnown) signatures_.clear();
    signatures_.emplace(WrittenAs(op, written), KnownSignature{std::move(as_written), signature});
  }
  return signature;
}

Status Graph::FillNode(NodeSpec* spec, std::vector<OutputRef> inputs,
                       std::vector<NodeId> control_inputs, Node* node) {
  WB_ASSIGN_OR_RETURN(node->signature_, SignatureOf(spec));
  if (inputs.size() != node->input_types().size()) {
    return InvalidArgument("takes ", node->input_types().size(), " inputs, got ", inputs.size());
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].node == kNoNode) continue;
    WB_RETURN_IF_ERROR(CheckInput(*node, static_cast<int>(i), inputs[i]));
  }
  for (NodeId control : control_inputs) {
    if (control < 0 || control >= num_nodes()) {
      return InvalidArgument("a control input is no node of this graph (id ", control, ")");
    }
  }
  if (control_inputs.size() > 1) {
    std::sort(control_inputs.begin(), control_inputs.end());
    control_inputs.erase(std::unique(control_inputs.begin(), control_inputs.end()),
                         control_inputs.end());
  }
  node->inputs_ = std::move(inputs);
  node->control_inputs_ = std::move(control_inputs);
  node->output_shapes_.resize(node->output_types().size());
  return OkStatus();
}

StatusOr<Node*> Graph::AddNode(NodeSpec spec, std::vector<OutputRef> inputs,
                               std::vector<NodeId> control_inputs, bool infer_shapes) {
  WB_RETURN_IF_ERROR(CheckSpec(spec));
  Node* const added = &own_nodes_.emplace_back();
  added->id_ = num_nodes();
  Status status = FillNode(&spec, std::move(inputs), std::move(control_inputs), added);
  if (status.ok() && infer_shapes) status = InferShapes(*added);
  if (!status.ok()) {
    own_nodes_.pop_back();
    return Annotate(status, DescribeNode(spec));
  }
  added->name_ = std::move(spec.name);
  added->device_ = std::move(spec.device);
  added->location_ = spec.location;
  added->unknown_fields_ = std::move(spec.unknown_fields);
  nodes_.push_back(added);
  by_name_.emplace(added->name_, added->id_);
  if (spec.site != kNoSite) {
    sites_.resize(nodes_.size(), kNoSite);
    sites_.back() = spec.site;
  }
  if (base_ != nullptr) {
    changed_.emplace(added->id_, added);
    replaced_.insert(added->id_);
  }
  return added;
}

void Graph::TakeBack(int num_nodes) {
  for (int id = this->num_nodes() - 1; id >= num_nodes; --id) {
    by_name_.erase(nodes_[id]->name_);
    changed_.erase(id);
    replaced_.erase(id);
    nodes_.pop_back();
    // An overlay's own nodes do not stand in the order of their ids; they go with it.
    if (base_ == nullptr) own_nodes_.pop_back();
  }
  if (sites_.size() > nodes_.size()) sites_.resize(nodes_.size());
}

Status Graph::InferShapes(Node& node) const {
  if (!node.op().shape_fn) return OkStatus();
  std::vector<PartialShape> shapes(node.inputs_.size());
  std::vector<HandleShapes> handles;
  for (size_t i = 0; i < node.inputs_.size(); ++i) {
    const OutputRef from = node.inputs_[i];
    if (from.node == kNoNode) continue;
    const Node& source = *nodes_[from.node];
    shapes[i] = source.output_shapes_[from.index];
    if (source.output_handles_.empty() || source.output_handles_[from.index].empty()) continue;
    handles.resize(node.inputs_.size());
    handles[i] = source.output_handles_[from.index];
  }
  ShapeContext::Source source;
  source.constant = [this, &node](int i) { return ConstantValue(node.inputs_[i]); };
  source.constant_as_shape = [this, &node](int i) { return ConstantValueAsShape(node.inputs_[i]); };
  ShapeContext context(node.op(), node.attrs(), std::move(shapes), std::move(handles),
                       node.num_outputs(), std::move(source));
  WB_RETURN_IF_ERROR(node.op().shape_fn(context));
  for (int i = 0; i < node.num_outputs(); ++i) {
    node.output_shapes_[i] = context.output(i);
    if (context.output_handle(i).empty()) continue;
    node.output_handles_.resize(node.output_types().size());
    node.output_handles_[i] = context.output_handle(i);
  }
  return OkStatus();
}

Status Graph::SetInput(NodeId node, int index, OutputRef source) {
  if (finalized_) return FailedPrecondition("the graph is finalized, no input can be changed");
  if (node < 0 || node >= num_nodes()) return InvalidArgument("no node has the id ", node);
  const Node& to = *nodes_[node];
  if (index < 0 || index >= to.num_inputs()) {
    return InvalidArgument(DescribeNode(to), " has no input ", index);
  }
  Status fits = CheckInput(to, index, source);
  if (!fits.ok()) return Annotate(fits, DescribeNode(to));
  Mutable(node).inputs_[index] = source;
  return OkStatus();
}

Status Graph::SetControlInputs(NodeId node, std::vector<NodeId> sources) {
  if (finalized_) return FailedPrecondition("the graph is finalized, no edge can be changed");
  if (node < 0 || node >= num_nodes()) return InvalidArgument("no node has the id ", node);
  for (NodeId source : sources) {
    if (source >= 0 && source < num_nodes() && source != node) continue;
    return InvalidArgument(DescribeNode(*nodes_[node]), ": its control input has the id ", source,
                           ", which is no other node of this graph");
  }
  std::sort(sources.begin(), sources.end());
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  Mutable(node).control_inputs_ = std::move(sources);
  return OkStatus();
}

bool Graph::IsReplaced(NodeId node) const {
  return base_ != nullptr && (replaced_.contains(node) || base_->IsReplaced(node));
}

Status Graph::ReplaceNode(NodeId node, NodeSpec spec, std::vector<OutputRef> inputs,
                          std::vector<NodeId> control_inputs, std::vector<PartialShape> shapes) {
  if (base_ == nullptr) return FailedPrecondition("only an overlay's nodes can be replaced");
  if (node < 0 || node >= num_nodes()) return InvalidArgument("no node has the id ", node);
  Node& old = Mutable(node);
  Node made;
  made.id_ = node;
  Status status = FillNode(&spec, std::move(inputs), std::move(control_inputs), &made);
  if (!status.ok()) {
    return Annotate(status, absl::StrCat(DescribeNode(old), " replaced by ", spec.op));
  }
  if (shapes.size() == made.output_shapes_.size()) made.output_shapes_ = std::move(shapes);
  made.name_ = std::move(old.name_);
  made.device_ = std::move(old.device_);
  made.location_ = old.location_;
  old = std::move(made);
  replaced_.insert(node);
  return OkStatus();
}

Status Graph::AddControlInput(NodeId node, NodeId source) {
  if (finalized_) return FailedPrecondition("the graph is finalized, no edge can be added");
  if (node < 0 || node >= num_nodes()) return InvalidArgument("no node has the id ", node);
  if (source < 0 || source >= num_nodes() || source == node) {
    return InvalidArgument(DescribeNode(*nodes_[node]), ": its control input has the id ", source,
                           ", which is no other node of this graph");
  }
  std::vector<NodeId>& controls = Mutable(node).control_inputs_;
  auto it = std::lower_bound(controls.begin(), controls.end(), source);
  if (it == controls.end() || *it != source) controls.insert(it, source);
  return OkStatus();
}

Status Graph::SetAttr(NodeId node, absl::string_view name, AttrValue value) {
  if (finalized_) return FailedPrecondition("the graph is finalized, no attribute can be set");
  if (node < 0 || node >= num_nodes()) return InvalidArgument("no node has the id ", node);
  Node* n = &Mutable(node);
  auto changed = std::make_shared<NodeSignature>(*n->signature_);
  changed->attrs.Set(StdView(name), value);
  if (const AttrSpec* spec = n->op().FindAttr(name)) {
    Status fits = CheckAttr(*spec, value);
    if (!fits.ok()) return Annotate(fits, DescribeNode(*n));
    WB_ASSIGN_OR_RETURN(changed->input_types, InputTypes(n->op(), changed->attrs));
    WB_ASSIGN_OR_RETURN(changed->output_types, OutputTypes(n->op(), changed->attrs));
    if (!BeginsWith(changed->input_types, n->input_types()) ||
        !BeginsWith(changed->output_types, n->output_types())) {
      return InvalidArgument(DescribeNode(*n), ": setting the attribute '", name, "' to ",
                             value.ToString(), " would change the types of its arguments");
    }
    const bool grows = changed->input_types.size() > n->input_types().size() ||
                       changed->output_types.size() > n->output_types().size();
    if (grows) {
      // A node that becomes wider is a new one in the place of the old one, which overlays go on
      // to share. SetInput connects the new inputs.
      own_nodes_.push_back(*n);
      n = &own_nodes_.back();
      nodes_[node] = n;
      if (base_ != nullptr) changed_[node] = n;
      n->inputs_.resize(changed->input_types.size());
      n->output_shapes_.resize(changed->output_types.size());
      if (!n->output_handles_.empty()) n->output_handles_.resize(changed->output_types.size());
    }
  } else if (name.empty() || name[0] != '_') {
    return InvalidArgument(DescribeNode(*n), ": the op has no attribute '", name, "'");
  }
  n->signature_ = std::move(changed);
  // What the op makes of another function: shapes that were known are still right.
  if (value.kind() != AttrValue::Kind::kFunction || name[0] == '_') return OkStatus();
  std::vector<PartialShape> known = n->output_shapes_;
  WB_RETURN_IF_ERROR(InferShapes(*n));
  for (size_t i = 0; i < known.size(); ++i) {
    StatusOr<PartialShape> both = PartialShape::Merge(known[i], n->output_shapes_[i]);
    n->output_shapes_[i] = both.ok() ? *std::move(both) : std::move(known[i]);
  }
  return OkStatus();
}

Status Graph::MergeOutputShape(NodeId node, int output, const PartialShape& shape) {
  if (node < 0 || node >= num_nodes()) return InvalidArgument("no node has the id ", node);
  Node& n = Mutable(node);
  if (output < 0 || output >= n.num_outputs()) {
    return InvalidArgument(DescribeNode(n), " has no output ", output);
  }
  StatusOr<PartialShape> merged = PartialShape::Merge(n.output_shapes_[output], shape);
  if (!merged.ok()) {
    return Annotate(merged.status(), absl::StrCat(DescribeNode(n), ", output ", output));
  }
  n.output_shapes_[output] = *std::move(merged);
  return OkStatus();
}

std::string Graph::UniqueName(absl::string_view name) {
  std::string candidate(name);
  if (Find(candidate) == nullptr) return candidate;
  int& suffix = last_suffix_[name];
  do {
    candidate = absl::StrCat(name, "_", ++suffix);
  } while (Find(candidate) != nullptr);
  return candidate;
}

}  // namespace warpbeam
