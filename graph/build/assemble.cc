#include "graph/build/assemble.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "graph/build/problem_report.h"
#include "graph/build/warning.h"
#include "graph/op/node_types.h"

namespace warpbeam {
namespace {

int FunctionNesting(const AttrMap& attrs, int depth, int limit) {
  int deepest = depth;
  if (depth > limit) return depth;
  for (const AttrMap::Entry& entry : attrs) {
    if (entry.second.kind() == AttrValue::Kind::kFunction) {
      deepest = std::max(deepest, FunctionNesting(entry.second.func().attrs, depth + 1, limit));
    }
    for (const FunctionRef& f : entry.second.list<FunctionRef>()) {
      deepest = std::max(deepest, FunctionNesting(f.attrs, depth + 1, limit));
    }
  }
  return deepest;
}

// How many outputs the attributes ask for, besides those of the op itself.
int64_t NumOutputs(const OpSchema& op, const AttrMap& attrs) {
  constexpr int64_t kMostOutputs = int64_t{1} << 30;
  int64_t outputs = 0;
  for (const ArgSpec& arg : op.outputs) {
    const std::string& attr = arg.number_attr.empty() ? arg.type_list_attr : arg.number_attr;
    const AttrValue* value = attr.empty() ? nullptr : attrs.Find(attr);
    if (value == nullptr) continue;
    const bool counts = value->kind() == AttrValue::Kind::kInt && !arg.number_attr.empty();
    const int64_t number = counts ? value->i() : static_cast<int64_t>(value->list_size());
    // A number that no list can have is refused for that.
    if (number > kMostOutputs) return 0;
    outputs += number;
  }
  return outputs;
}

}  // namespace

// First nodes are added as they come. From the first one on that cannot be, because a producer has
// not come yet or something is wrong, all are kept, and looked at together in the end.
class GraphAssembler::Assembly {
 public:
  Assembly(const AssembleOptions& options, Graph* graph)
      : options_(options), graph_(*graph), first_id_(graph->num_nodes()) {}

  void Reserve(size_t more_nodes) { graph_.Reserve(more_nodes); }

  void Add(NodeSpec spec) {
    Count(spec);
    if (!specs_.empty() || !AddAtOnce(&spec)) specs_.push_back(std::move(spec));
  }

  Status Finish(std::vector<Status> problems) {
    WB_RETURN_IF_ERROR(CheckLimits());
    report_.emplace(std::move(problems), options_.limits.max_problems_shown);
    output_bytes_left_ = options_.limits.max_output_bytes;
    if (!specs_.empty()) AddRest();
    WarnOfShapes();
    return report_->ToStatus();
  }

 private:
  void AddRest() {
    nodes_.resize(specs_.size());
    graph_.Reserve(specs_.size());
    IndexNames();
    ResolveInputs();
    CountPending();
    AddAll();
    ReportCycle();
    CloseLoops();
  }

  // A producer is a node of the list (>= 0), a node that the graph had (kExisting - id), or
  // nothing.
  static constexpr int32_t kMissing = -1;
  static constexpr int32_t kExisting = -2;

  struct Edge {
    int32_t producer = kMissing;
    int32_t output = 0;  // -1: a control edge
  };
  struct State {
    uint32_t first_edge = 0;
    uint32_t num_edges = 0;
    int32_t pending = 0;  // edges from nodes of the list that are not added yet
    NodeId id = kNoNode;
    bool done = false;    // added or given up
    bool broken = false;  // cannot be added, for a reason that the report has
    bool loops = false;   // an edge closes a loop here
    OpRole role = OpRole::kCompute;
  };

  // Of more the graph's limit is looked at.
  static constexpr int64_t kUsualOutputs = 64;

  void Count(const NodeSpec& spec);
  Status CheckLimits() const;
  bool AddAtOnce(NodeSpec* spec);
  bool FindInputs(const NodeSpec& spec, std::vector<OutputRef>* inputs,
                  std::vector<NodeId>* controls) const;
  void IndexNames();
  void ResolveInputs();
  void ResolveInputsOf(size_t i);
  Edge Resolve(const InputName& name, size_t i);
  void CountPending();
  void AddAll();
  void Settle(size_t i);
  void AddOne(size_t i);
  bool PrepareSpec(size_t i, NodeSpec* spec);
  Status TakeOutputs(const NodeSpec& spec);
  void MergeWrittenShapes(const Node& node);
  void WarnOfShapes() const;
  void CheckAlone(const NodeSpec& spec);
  void ReportCycle();
  void CloseLoops();

  bool ClosesLoop(const Edge& e, size_t to) const {
    return e.producer >= 0 && e.output >= 0 && nodes_[to].role == OpRole::kMerge &&
           nodes_[e.producer].role == OpRole::kNextIteration;
  }
  const Edge* begin(size_t i) const { return edges_.data() + nodes_[i].first_edge; }
  const Edge* end(size_t i) const { return begin(i) + nodes_[i].num_edges; }
  NodeId IdOf(int32_t producer) const {
    return producer <= kExisting ? kExisting - producer : nodes_[producer].id;
  }
  // Graph::FindSchema without the message, which looks for the nearest of all names.
  const OpSchema* FindSchema(const std::string& op) const {
    if (const OpSchema* schema = graph_.ops().Find(op)) return schema;
    const std::shared_ptr<const Function> function = graph_.functions().Find(op);
    return function == nullptr ? nullptr : &function->signature;
  }
  void AddUnknownOp(const NodeSpec& spec) {
    report_->AddUnknownOp(spec, [&] { return graph_.FindSchema(spec.op).status(); });
  }
  void Problem(const NodeSpec& spec, const Status& status) {
    report_->Add(Annotate(status, DescribeNode(spec)));
  }

  const AssembleOptions& options_;
  Graph& graph_;
  const NodeId first_id_;  // of those that were added here
  int64_t num_specs_ = 0, num_edges_ = 0, text_bytes_ = 0;
  std::vector<NodeSpec> specs_;  // those that were not added as they came
  Status refused_;               // why the first of them could not be
  std::optional<ProblemReport> report_;
  int64_t output_bytes_left_ = 0;
  std::vector<State> nodes_;
  std::vector<Edge> edges_;
  absl::flat_hash_map<absl::string_view, int32_t> index_;
  std::vector<uint32_t> consumer_begin_;
  std::vector<int32_t> consumers_;
  std::vector<std::pair<int32_t, int32_t>> back_edges_;  // node, input
  int shapes_left_out_ = 0;                              // nodes whose "_output_shapes" do not fit
  std::string first_left_out_;
};

void GraphAssembler::Assembly::Count(const NodeSpec& spec) {
  ++num_specs_;
  num_edges_ += static_cast<int64_t>(spec.inputs.size());
  text_bytes_ += static_cast<int64_t>(spec.name.size() + spec.op.size() + spec.device.size());
  for (const std::string& input : spec.inputs) text_bytes_ += static_cast<int64_t>(input.size());
}

Status GraphAssembler::Assembly::CheckLimits() const {
  const AssembleLimits& limits = options_.limits;
  if (num_specs_ > limits.max_nodes) {
    return ResourceExhausted("the graph has ", num_specs_, " nodes, ", limits.max_nodes,
                             " are allowed");
  }
  if (num_edges_ > limits.max_edges) {
    return ResourceExhausted("the graph has ", num_edges_, " edges, ", limits.max_edges,
                             " are allowed");
  }
  if (text_bytes_ > limits.max_text_bytes) {
    return ResourceExhausted("the names in the graph take ", text_bytes_, " bytes, ",
                             limits.max_text_bytes, " are allowed");
  }
  return OkStatus();
}

// Whether the node stands in the graph now; where it does not, Finish finds out why.
bool GraphAssembler::Assembly::AddAtOnce(NodeSpec* spec) {
  if (spec->op.empty() || !CheckLimits().ok()) return false;
  const OpSchema* schema = FindSchema(spec->op);
  if (schema == nullptr || NumOutputs(*schema, spec->attrs) > kUsualOutputs) return false;
  const int nesting = options_.limits.max_function_nesting;
  if (FunctionNesting(spec->attrs, 0, nesting) > nesting) return false;
  if (!IsValidNodeName(spec->name, options_.allow_internal_names)) return false;
  if (graph_.Find(spec->name) != nullptr) return false;
  std::vector<OutputRef> inputs;
  std::vector<NodeId> controls;
  if (!FindInputs(*spec, &inputs, &controls)) return false;
  NodeSpec stand_in;
  stand_in.op = spec->op;
  stand_in.name = spec->name;
  StatusOr<Node*> node = graph_.AddNode(std::move(*spec), std::move(inputs), std::move(controls),
                                        options_.infer_shapes);
  if (!node.ok()) {
    refused_ = node.status();
    *spec = std::move(stand_in);
    return false;
  }
  MergeWrittenShapes(**node);
  return true;
}

// False where one is not there, or is written wrongly.
bool GraphAssembler::Assembly::FindInputs(const NodeSpec& spec, std::vector<OutputRef>* inputs,
                                          std::vector<NodeId>* controls) const {
  inputs->reserve(spec.inputs.size());
  for (const std::string& input : spec.inputs) {
    const StatusOr<InputName> name = ParseInputName(input);
    const Node* from = name.ok() ? graph_.Find(name->node) : nullptr;
    if (from == nullptr) return false;
    if (name->index < 0) {
      controls->push_back(from->id());
      continue;
    }
    if (!controls->empty() || name->index >= from->num_outputs()) return false;
    inputs->push_back({from->id(), name->index});
  }
  return true;
}

void GraphAssembler::Assembly::IndexNames() {
  const bool had_nodes = graph_.num_nodes() > 0;
  index_.reserve(specs_.size());
  for (size_t i = 0; i < specs_.size(); ++i) {
    const NodeSpec& spec = specs_[i];
    nodes_[i].broken = spec.op.empty() || (i == 0 && !refused_.ok());
    const OpSchema* const schema = graph_.ops().Find(spec.op);
    nodes_[i].role = schema == nullptr ? OpRole::kCompute : schema->role;
    if (!IsValidNodeName(spec.name, options_.allow_internal_names)) {
      nodes_[i].broken = true;
      if (spec.op.empty()) continue;
      Problem(spec, InvalidArgument("'", spec.name,
                                    "' is no node name: letters, digits and "
                                    "\"._/>-\" are, the first one a letter, a digit or '.'"));
      continue;
    }
    const auto [it, added] = index_.try_emplace(spec.name, static_cast<int32_t>(i));
    if (!added) {
      nodes_[i].broken = true;
      Problem(spec, InvalidArgument("another node of the graph has this name: ",
                                    DescribeNode(specs_[it->second])));
    } else if (const Node* other = had_nodes ? graph_.Find(spec.name) : nullptr) {
      nodes_[i].broken = true;
      const bool was_there = other->id() < first_id_;
      Problem(spec, InvalidArgument(was_there ? "the name is taken by "
                                              : "another node of the graph has this name: ",
                                    DescribeNode(*other)));
    }
  }
}

GraphAssembler::Assembly::Edge GraphAssembler::Assembly::Resolve(const InputName& name, size_t i) {
  Edge edge;
  edge.output = name.index;
  if (auto it = index_.find(name.node); it != index_.end()) {
    edge.producer = it->second;
  } else if (const Node* node = graph_.Find(name.node)) {
    edge.producer = kExisting - node->id();
  } else {
    nodes_[i].broken = true;
    Problem(specs_[i], InvalidArgument(name.index < 0 ? "its control input '" : "its input '",
                                       name.node, "' is no node of the graph"));
  }
  return edge;
}

void GraphAssembler::Assembly::ResolveInputsOf(size_t i) {
  bool controls = false;
  for (const std::string& input : specs_[i].inputs) {
    StatusOr<InputName> name = ParseInputName(input);
    if (name.ok() && controls && name->index >= 0) {
      name = InvalidArgument("the input '", input,
                             "' stands after a control input; control "
                             "inputs come last");
    }
    if (!name.ok()) {
      nodes_[i].broken = true;
      Problem(specs_[i], name.status());
      continue;
    }
    controls = name->index < 0;
    edges_.push_back(Resolve(*name, i));
  }
}

void GraphAssembler::Assembly::ResolveInputs() {
  size_t total = 0;
  for (const NodeSpec& spec : specs_) total += spec.inputs.size();
  edges_.reserve(total);
  for (size_t i = 0; i < specs_.size(); ++i) {
    nodes_[i].first_edge = static_cast<uint32_t>(edges_.size());
    if (!specs_[i].op.empty()) ResolveInputsOf(i);
    nodes_[i].num_edges = static_cast<uint32_t>(edges_.size()) - nodes_[i].first_edge;
  }
}

void GraphAssembler::Assembly::CountPending() {
  consumer_begin_.assign(specs_.size() + 1, 0);
  const auto for_each_wait = [&](auto f) {
    for (size_t i = 0; i < specs_.size(); ++i) {
      for (const Edge* e = begin(i); e != end(i); ++e) {
        if (e->producer < 0) continue;
        if (ClosesLoop(*e, i)) {
          nodes_[i].loops = true;
        } else {
          f(i, *e);
        }
      }
    }
  };
  for_each_wait([&](size_t i, const Edge& e) {
    ++nodes_[i].pending;
    ++consumer_begin_[e.producer + 1];
  });
  for (size_t i = 0; i < specs_.size(); ++i) consumer_begin_[i + 1] += consumer_begin_[i];
  consumers_.resize(consumer_begin_.back());
  std::vector<uint32_t> next(consumer_begin_.begin(), consumer_begin_.end() - 1);
  for_each_wait(
      [&](size_t i, const Edge& e) { consumers_[next[e.producer]++] = static_cast<int32_t>(i); });
}

// In the order of the list; a node that stands before a producer follows as soon as it can.
void GraphAssembler::Assembly::AddAll() {
  std::vector<int32_t> late;
  for (size_t scan = 0; scan < specs_.size(); ++scan) {
    if (nodes_[scan].done || nodes_[scan].pending > 0) continue;
    late.push_back(static_cast<int32_t>(scan));
    while (!late.empty()) {
      const int32_t i = late.back();
      late.pop_back();
      Settle(i);
      for (uint32_t k = consumer_begin_[i]; k < consumer_begin_[i + 1]; ++k) {
        const int32_t consumer = consumers_[k];
        const bool ready = --nodes_[consumer].pending == 0;
        if (ready && consumer <= static_cast<int32_t>(scan)) late.push_back(consumer);
      }
    }
  }
}

// Adds a node whose producers are settled, or finds that it cannot be.
void GraphAssembler::Assembly::Settle(size_t i) {
  State& state = nodes_[i];
  state.done = true;
  const auto is_broken = [&](const Edge& e) {
    return e.producer >= 0 && nodes_[e.producer].broken;
  };
  if (state.broken || std::any_of(begin(i), end(i), is_broken)) {
    state.broken = true;
    if (i == 0 && !refused_.ok()) {
      report_->Add(refused_);
    } else if (!specs_[i].op.empty()) {
      CheckAlone(specs_[i]);
    }
    return;
  }
  AddOne(i);
}

// What can be said of a node without its inputs: so that one report has all unknown ops.
void GraphAssembler::Assembly::CheckAlone(const NodeSpec& spec) {
  const OpSchema* schema = FindSchema(spec.op);
  if (schema == nullptr) return AddUnknownOp(spec);
  NodeSpec copy = spec;
  Status attrs = CompleteAttrs(*schema, &copy.attrs);
  if (!attrs.ok()) Problem(spec, attrs);
}

// Before they are made, of what the limit leaves.
Status GraphAssembler::Assembly::TakeOutputs(const NodeSpec& spec) {
  constexpr auto kBytes = static_cast<int64_t>(sizeof(DType) + sizeof(PartialShape));
  const int64_t outputs = NumOutputs(*FindSchema(spec.op), spec.attrs);
  if (outputs <= kUsualOutputs) return OkStatus();
  if (outputs * kBytes > output_bytes_left_) {
    return ResourceExhausted(
        "its ", outputs, " outputs take ", outputs * kBytes, " bytes, where ", output_bytes_left_,
        " are left for the graph's; raise the import limit "
        "(ImportLimits::max_expansion, --max_expansion) if it is to be trusted");
  }
  output_bytes_left_ -= outputs * kBytes;
  return OkStatus();
}

bool GraphAssembler::Assembly::PrepareSpec(size_t i, NodeSpec* spec) {
  if (FindSchema(spec->op) == nullptr) {
    AddUnknownOp(*spec);
    return false;
  }
  const int limit = options_.limits.max_function_nesting;
  if (FunctionNesting(spec->attrs, 0, limit) > limit) {
    Problem(*spec, InvalidArgument("function attributes are nested deeper than ", limit));
    return false;
  }
  if (Status fits = TakeOutputs(*spec); !fits.ok()) {
    Problem(*spec, fits);
    return false;
  }
  for (const Edge* e = begin(i); e != end(i); ++e) {
    if (e->output < 0) continue;
    const NodeId id = IdOf(e->producer);
    if (id == kNoNode) continue;  // closes a loop
    const Node& from = graph_.node(id);
    if (e->output < from.num_outputs()) continue;
    Problem(*spec, InvalidArgument("its input '", from.name(), ":", e->output, "' is not there: ",
                                   DescribeNode(from), " has ", from.num_outputs(), " outputs"));
    return false;
  }
  return true;
}

void GraphAssembler::Assembly::AddOne(size_t i) {
  NodeSpec& spec = specs_[i];
  State& state = nodes_[i];
  if (!PrepareSpec(i, &spec)) {
    state.broken = true;
    return;
  }
  std::vector<OutputRef> inputs;
  std::vector<NodeId> controls;
  inputs.reserve(state.num_edges);
  for (const Edge* e = begin(i); e != end(i); ++e) {
    if (e->output < 0) {
      controls.push_back(IdOf(e->producer));
    } else if (state.loops && ClosesLoop(*e, i)) {
      back_edges_.emplace_back(static_cast<int32_t>(i), static_cast<int32_t>(inputs.size()));
      inputs.push_back({kNoNode, e->output});
    } else {
      inputs.push_back({IdOf(e->producer), e->output});
    }
  }
  StatusOr<Node*> node = graph_.AddNode(std::move(spec), std::move(inputs), std::move(controls),
                                        options_.infer_shapes);
  if (!node.ok()) {
    state.broken = true;
    report_->Add(node.status());
    return;
  }
  state.id = (*node)->id();
  MergeWrittenShapes(**node);
}

void GraphAssembler::Assembly::MergeWrittenShapes(const Node& node) {
  const AttrValue* written = node.attrs().Find("_output_shapes");
  if (written == nullptr || written->kind() != AttrValue::Kind::kShapeList) return;
  const std::vector<PartialShape>& shapes = written->list<PartialShape>();
  // Writers of other versions may know more or fewer outputs.
  const int both = std::min(static_cast<int>(shapes.size()), node.num_outputs());
  Status fits = OkStatus();
  for (int k = 0; k < both; ++k) {
    fits.Update(graph_.MergeOutputShape(node.id(), k, shapes[k]));
  }
  if (fits.ok()) return;
  if (shapes_left_out_++ == 0) first_left_out_ = std::string(fits.message());
}

void GraphAssembler::Assembly::WarnOfShapes() const {
  if (!options_.warn || shapes_left_out_ == 0) return;
  Warn(absl::StrCat("the shapes that ", shapes_left_out_,
                    shapes_left_out_ == 1 ? " node" : " nodes",
                    " were written with ('_output_shapes') differ from what the ops give, which is "
                    "used; the first: ",
                    first_left_out_));
}

void GraphAssembler::Assembly::ReportCycle() {
  // Whatever is left waits for a cycle. Broken nodes count as settled, so this is one.
  const auto left =
      std::find_if(nodes_.begin(), nodes_.end(), [](const State& s) { return !s.done; });
  if (left == nodes_.end()) return;
  std::vector<int32_t> seen_at(specs_.size(), -1);
  std::vector<int32_t> path;
  int32_t at = static_cast<int32_t>(left - nodes_.begin());
  while (seen_at[at] < 0) {
    seen_at[at] = static_cast<int32_t>(path.size());
    path.push_back(at);
    const Edge* e = std::find_if(begin(at), end(at), [&](const Edge& edge) {
      return edge.producer >= 0 && !nodes_[edge.producer].done && !ClosesLoop(edge, at);
    });
    at = e->producer;
  }
  std::vector<int32_t> cycle(path.begin() + seen_at[at], path.end());
  std::reverse(cycle.begin(), cycle.end());
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  std::string names;
  for (size_t k = 0; k < std::min<size_t>(cycle.size(), 8); ++k) {
    absl::StrAppend(&names, "'", specs_[cycle[k]].name, "' → ");
  }
  if (cycle.size() > 8) absl::StrAppend(&names, "… (", cycle.size(), " nodes) → ");
  report_->Add(InvalidArgument(
      "the graph has a cycle that is no loop (from NextIteration to Merge): ", names, "'",
      specs_[cycle[0]].name, "'"));
  for (size_t i = 0; i < specs_.size(); ++i) {
    if (nodes_[i].done) continue;
    nodes_[i].broken = true;
    CheckAlone(specs_[i]);
  }
}

void GraphAssembler::Assembly::CloseLoops() {
  for (const auto& [i, input] : back_edges_) {
    const Edge* e = begin(i);
    for (int data = 0;; ++e) {
      if (e->output >= 0 && data++ == input) break;
    }
    if (nodes_[i].broken || nodes_[e->producer].broken) continue;
    Status set = graph_.SetInput(nodes_[i].id, input, {nodes_[e->producer].id, e->output});
    if (!set.ok()) report_->Add(set);
  }
}

GraphAssembler::GraphAssembler(const AssembleOptions& options, Graph* graph)
    : assembly_(std::make_unique<Assembly>(options, graph)) {}

GraphAssembler::~GraphAssembler() = default;

void GraphAssembler::Reserve(size_t more_nodes) { assembly_->Reserve(more_nodes); }

void GraphAssembler::Add(NodeSpec spec) { assembly_->Add(std::move(spec)); }

Status GraphAssembler::Finish(std::vector<Status> problems) {
  return assembly_->Finish(std::move(problems));
}

StatusOr<InputName> ParseInputName(absl::string_view input) {
  InputName name;
  name.node = input;
  if (absl::ConsumePrefix(&name.node, "^")) {
    name.index = -1;
  } else if (const size_t colon = name.node.rfind(':'); colon != absl::string_view::npos) {
    const absl::string_view digits = name.node.substr(colon + 1);
    name.node = name.node.substr(0, colon);
    const bool all_digits =
        !digits.empty() && std::all_of(digits.begin(), digits.end(), absl::ascii_isdigit);
    if (!all_digits || !absl::SimpleAtoi(digits, &name.index)) name.node = "";
  }
  if (!IsValidNodeName(name.node, true)) {
    return InvalidArgument("'", input,
                           "' is no input: those are \"node\", \"node:1\" and \"^node\"");
  }
  return name;
}

Status AssembleGraph(std::vector<NodeSpec> specs, const AssembleOptions& options, Graph* graph,
                     std::vector<Status> problems) {
  GraphAssembler assembler(options, graph);
  assembler.Reserve(specs.size());
  for (NodeSpec& spec : specs) assembler.Add(std::move(spec));
  return assembler.Finish(std::move(problems));
}

}  // namespace warpbeam
