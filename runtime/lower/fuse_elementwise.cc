#include "runtime/lower/fuse_elementwise.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "graph/op/op_registry.h"
#include "graph/passes/loop_frames.h"
#include "graph/passes/redirects.h"
#include "placement/liveness.h"
#include "runtime/kernel/fused_launcher.h"
#include "runtime/kernel/gpu_program.h"
#include "runtime/kernel/replayable.h"
#include "runtime/lower/fusion_groups.h"
#include "runtime/lower/repetition.h"

namespace warpbeam {
namespace {

WB_OP("_FusedElementwise")
    .Input("inputs: Tin")
    .Output("outputs: Tout")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Attr("members: list(string)")
    .Stateful()
    .Doc("Stands for a group of elementwise nodes only while a plan is compiled.");

// The nodes that could be members, with what the groups need to know of them.
class MemberFinder {
 public:
  MemberFinder(const GraphPart& part, const FusionRequest& request)
      : part_(part),
        graph_(*part.graph),
        request_(request),
        liveness_(graph_, part.nodes, part.feeds) {
    for (const OutputRef feed : part.feeds) fed_.insert(feed.node);
  }

  std::optional<FusionMember> Find(NodeId id) {
    const Node& node = graph_.node(id);
    if (!MayBeMember(node)) return std::nullopt;
    FusionMember member;
    member.node = id;
    if (!(request_.is_cpu(graph_.site(id)) ? FindBlock(&member) : FindGpuStep(&member))) {
      return std::nullopt;
    }
    if (!FindShape(node, member, &member.shape)) return std::nullopt;
    if (member.shape.num_elements() < LeastElements(id)) return std::nullopt;
    const std::vector<const Tensor*> none(node.num_inputs(), nullptr);
    if (!member.fusible->checks_inputs() && !member.fusible->AcceptsInputs(none)) {
      return std::nullopt;
    }
    if (!IsAlive(node)) return std::nullopt;
    return member;
  }

 private:
  int64_t LeastElements(NodeId id) const {
    return request_.is_cpu(graph_.site(id)) ? request_.least_elements : request_.least_gpu_elements;
  }

  bool MayBeMember(const Node& node) const {
    const Site site = graph_.site(node.id());
    const bool on_cpu = request_.is_cpu(site);
    if (node.num_inputs() == 0 || node.num_outputs() > 1 || fed_.contains(node.id()) ||
        !(on_cpu || (launcher_ != nullptr && request_.runs_gpu_steps(site)))) {
      return false;
    }
    if (node.num_inputs() >
        (on_cpu ? FusedProgram::kMostStepInputs : FusedProgram::kMostGpuStepInputs)) {
      return false;
    }
    // A quick look before a kernel is made for it.
    return node.num_outputs() == 0 ||
           node.output_shape(0).num_elements() >= LeastElements(node.id());
  }

  bool FindBlock(FusionMember* member) const {
    member->kernel = request_.kernel_of(member->node);
    member->block = dynamic_cast<const BlockKernel*>(member->kernel);
    member->fusible = member->block;
    return member->block != nullptr && !member->block->may_refuse();
  }

  // A GPU refuses no values. The members may have to run alone, which only those may that enqueue.
  bool FindGpuStep(FusionMember* member) const {
    const Node& node = graph_.node(member->node);
    member->gpu_function = launcher_->FunctionOf(node.op_name(), node.attrs(), node.input_types(),
                                                 node.output_types());
    if (member->gpu_function < 0) return false;
    member->kernel = request_.kernel_of(member->node);
    member->fusible = dynamic_cast<const GpuStepKernel*>(member->kernel);
    return member->fusible != nullptr && dynamic_cast<Replayable*>(member->kernel) != nullptr;
  }

  static bool Broadcasts(const FusionMember& member) {
    const auto* const step = dynamic_cast<const GpuStepKernel*>(member.kernel);
    return member.gpu_function >= 0 && step != nullptr && step->broadcasts();
  }

  // The shape of all tensors but scalars, and on a GPU of those that broadcast to it; false when
  // they differ or are not known.
  bool FindShape(const Node& node, const FusionMember& member, Shape* shape) const {
    const int variables = member.fusible->num_variables();
    const bool broadcasts = Broadcasts(member);
    bool found = false;
    if (broadcasts) {
      StatusOr<Shape> result = node.output_shape(0).AsShape();
      if (!result.ok()) return false;
      *shape = *std::move(result);
      found = true;
    }
    for (int i = variables; i < node.num_inputs(); ++i) {
      const OutputRef in = node.input(i);
      if (in.node == kNoNode) return false;
      const Node& producer = graph_.node(in.node);
      const PartialShape& known = producer.output_shape(in.index);
      if (!known.IsFullyDefined() || IsRef(producer.output_type(in.index)) ||
          !IsPlainData(producer.output_type(in.index))) {
        return false;
      }
      StatusOr<Shape> full = known.AsShape();
      if (!full.ok()) return false;
      if (full->num_elements() == 1) continue;
      if (broadcasts) {
        if (*full != *shape && !RepetitionOf(*full, *shape).has_value()) return false;
        continue;
      }
      if (found && *full != *shape) return false;
      *shape = *full;
      found = true;
    }
    if (!found) return false;
    if (node.num_outputs() == 0) return true;
    return IsRef(node.output_type(0))
               ? variables > 0
               : node.output_shape(0) == PartialShape(*shape) && IsPlainData(node.output_type(0));
  }

  bool IsAlive(const Node& node) {
    for (const OutputRef in : node.inputs()) {
      if (liveness_.MayBeDead(in)) return false;
    }
    for (const NodeId c : node.control_inputs()) {
      if (liveness_.MayBeDead(c)) return false;
    }
    return true;
  }

  const GraphPart& part_;
  const Graph& graph_;
  const FusionRequest& request_;
  const FusedLauncher* const launcher_ = RegisteredFusedLauncher();
  Liveness liveness_;
  absl::flat_hash_set<NodeId> fed_;
};

// Who sees what in the part before anything is fused; the same for all groups.
struct Surroundings {
  explicit Surroundings(const GraphPart& part)
      : consumers(part.consumers()),
        fetched(part.fetches.begin(), part.fetches.end()),
        kept(part.graph->num_nodes(), false) {
    for (const NodeId id : part.nodes) kept[id] = true;
  }
  const std::shared_ptr<const Consumers> consumers;
  const absl::flat_hash_set<OutputRef> fetched;
  std::vector<bool> kept;  // by node
};

// Turns one group into a program and its nodes into one.
class GroupWriter {
 public:
  // `graph` is that of the part before anything was fused.
  GroupWriter(const Graph& graph, GraphPart* part, const Surroundings& around,
              const std::vector<FusionMember>& group)
      : part_(part),
        graph_(graph),
        consumers_(*around.consumers),
        fetched_(around.fetched),
        kept_(around.kept),
        group_(group) {
    for (size_t s = 0; s < group.size(); ++s) step_of_[group[s].node] = static_cast<int>(s);
  }

  // False when the group needs more room than there is; nothing has changed then.
  StatusOr<bool> Write(Redirects* redirects, FusedProgram* program) {
    program->shape = group_[0].shape;
    FindUpdated();
    for (size_t s = 0; s < group_.size(); ++s) {
      if (!AddStep(static_cast<int>(s), program)) return false;
    }
    if (!AssignTemporaries(program)) return false;
    AddOutputs(program);
    WB_RETURN_IF_ERROR(Replace(*program, redirects));
    return true;
  }

 private:
  const Node& node(int s) const { return graph_.node(group_[s].node); }

  int InputOf(OutputRef r, DType type) {
    auto [it, added] = input_of_.try_emplace(r, static_cast<int>(sources_.size()));
    if (added) {
      sources_.push_back(r);
      source_types_.push_back(type);
    }
    return it->second;
  }

  bool AddStep(int s, FusedProgram* program) {
    const Node& n = node(s);
    FusedProgram::Step step;
    step.name = n.name();
    step.kernel = group_[s].kernel;
    step.member = group_[s].fusible;
    step.block = group_[s].block;
    step.gpu_function = group_[s].gpu_function;
    step.input_types = n.input_types();
    step.output_types = n.output_types();
    for (int i = 0; i < n.num_inputs(); ++i) {
      const OutputRef in = n.input(i);
      if (i < step.member->num_variables()) {
        step.inputs.push_back({Kind::kVariable, VariableOf(in, n, s, program)});
        continue;
      }
      const auto inside = step_of_.find(in.node);
      if (inside != step_of_.end()) {
        step.inputs.push_back({Kind::kResult, inside->second});
        continue;
      }
      if (const OutputRef variable = VariableBehind(in); variable.node != kNoNode) {
        const int v = VariableAt(variable, n, program);
        // An update further back would read what one before it has written.
        if (program->variables[v].first_write >= 0) return false;
        step.inputs.push_back({Kind::kReading, v});
        program->variables[v].is_read = true;
        readings_.insert(in);
        continue;
      }
      const int input = InputOf(in, BaseType(n.input_type(i)));
      program->inputs.resize(sources_.size());
      FusedProgram::Input& at = program->inputs[input];
      at.shape = *graph_.node(in.node).output_shape(in.index).AsShape();
      at.dtype = BaseType(n.input_type(i));
      at.last_read = s;
      const Kind kind = KindOf(at.shape, program->shape);
      if (kind == Kind::kRepeated) AddRepetition(*RepetitionOf(at.shape, program->shape));
      step.inputs.push_back({kind, input});
    }
    program->inputs.resize(sources_.size());
    program->steps.push_back(std::move(step));
    operands_ += n.num_inputs() + program->steps.back().member->num_variables();
    return program->inputs.size() <= FusedProgram::kMostInputs &&
           (group_[s].block != nullptr || operands_ <= GpuProgram::kMostOperands) &&
           repetitions_.size() <= GpuProgram::kMostRepetitions;
  }

  static FusedProgram::Operand::Kind KindOf(const Shape& input, const Shape& program) {
    if (input.num_elements() == 1) return Kind::kScalar;
    return input == program ? Kind::kInput : Kind::kRepeated;
  }

  void AddRepetition(const GpuProgram::Repetition& repetition) {
    if (std::find(repetitions_.begin(), repetitions_.end(), repetition) == repetitions_.end()) {
      repetitions_.push_back(repetition);
    }
  }

  // The variables that this group alone updates, once: their readings need no tensor of their own,
  // which would keep the variable from being changed in place.
  void FindUpdated() {
    for (size_t s = 0; s < group_.size(); ++s) {
      for (int i = 0; i < group_[s].fusible->num_variables(); ++i) {
        const OutputRef variable = node(static_cast<int>(s)).input(i);
        const Node& maker = graph_.node(variable.node);
        const bool is_variable = maker.op_name() == "VariableV2" || maker.op_name() == "Variable";
        if (!is_variable || !maker.attrs().GetOr<std::string>("shared_name", "").empty()) continue;
        int updates = 0;
        for (const Consumers::Use& use : consumers_.of(variable.node)) {
          if (use.input < 0 || !kept_[use.node]) continue;
          updates += IsRef(graph_.node(use.node).input_type(use.input)) ? 1 : 0;
        }
        // The update hands the reference on.
        for (const Consumers::Use& use : consumers_.of(group_[s].node)) {
          if (use.input < 0 || !kept_[use.node]) continue;
          updates += IsRef(graph_.node(use.node).input_type(use.input)) ? 1 : 0;
        }
        if (updates == 1) updated_at_[variable] = static_cast<int>(s);
      }
    }
  }

  // The variable that `read` reads, if this group updates it.
  OutputRef VariableBehind(OutputRef read) const {
    const Node& reader = graph_.node(read.node);
    if (reader.op_name() != "Identity" || !reader.control_inputs().empty() ||
        !updated_at_.contains(reader.input(0))) {
      return {};
    }
    return reader.input(0);
  }

  int VariableOf(OutputRef source, const Node& n, int s, FusedProgram* program) {
    // References are handed on by updates: the variable is where they come from.
    for (auto it = step_of_.find(source.node); it != step_of_.end();
         it = step_of_.find(source.node)) {
      source = node(it->second).input(0);
    }
    const int v = VariableAt(source, n, program);
    int& first = program->variables[v].first_write;
    if (first < 0) first = s;
    return v;
  }

  int VariableAt(OutputRef source, const Node& n, FusedProgram* program) {
    const int input = InputOf(source, graph_.node(source.node).output_type(source.index));
    for (size_t v = 0; v < program->variables.size(); ++v) {
      if (program->variables[v].input == input) return static_cast<int>(v);
    }
    const DType dtype = BaseType(n.input_type(n.num_inputs() - 1));
    program->variables.push_back({input, dtype});
    return static_cast<int>(program->variables.size()) - 1;
  }

  // Whether somebody outside reads the step's result.
  bool IsWanted(int s) const { return IsSeenOutside(group_[s].node); }
  bool IsSeenOutside(NodeId id) const {
    if (fetched_.contains(OutputRef{id, 0})) return true;
    for (const Consumers::Use& use : consumers_.of(id)) {
      if (use.input >= 0 && kept_[use.node] && !step_of_.contains(use.node)) return true;
    }
    return false;
  }

  bool AssignTemporaries(FusedProgram* program) const {
    std::vector<int> last_use(program->steps.size(), -1);
    for (size_t s = 0; s < program->steps.size(); ++s) {
      for (const FusedProgram::Operand& in : program->steps[s].inputs) {
        if (in.kind == Kind::kResult) last_use[in.index] = static_cast<int>(s);
      }
    }
    std::vector<int> busy_until(FusedProgram::kMostTemporaries, -1);
    for (size_t s = 0; s < program->steps.size(); ++s) {
      FusedProgram::Step& step = program->steps[s];
      if (step.member->num_variables() > 0 || IsWanted(static_cast<int>(s))) continue;
      // A step does not write where it reads.
      const auto free = std::find_if(busy_until.begin(), busy_until.end(),
                                     [&](int until) { return until < static_cast<int>(s); });
      if (free == busy_until.end()) return false;
      *free = std::max(last_use[s], static_cast<int>(s));
      step.temporary = static_cast<int>(free - busy_until.begin());
    }
    return true;
  }

  // The last member's result comes first: its node stands for all.
  void AddOutputs(FusedProgram* program) const {
    for (int s = static_cast<int>(group_.size()) - 1; s >= 0; --s) {
      const bool is_last = s + 1 == static_cast<int>(group_.size());
      if (node(s).num_outputs() == 0 || !(IsWanted(s) || is_last)) continue;
      program->steps[s].output = static_cast<int>(program->output_types.size());
      program->output_types.push_back(node(s).output_type(0));
    }
  }

  Status Replace(const FusedProgram& program, Redirects* redirects) const {
    const NodeId host = group_.back().node;
    std::vector<NodeId> controls;
    std::vector<std::string> members;
    std::vector<PartialShape> shapes(program.output_types.size());
    for (size_t s = 0; s < group_.size(); ++s) {
      const NodeId id = group_[s].node;
      members.push_back(node(static_cast<int>(s)).name());
      for (const NodeId c : graph_.node(id).control_inputs()) {
        if (!step_of_.contains(c)) controls.push_back(c);
      }
      const int output = program.steps[s].output;
      if (output >= 0) {
        shapes[output] = graph_.node(id).output_shape(0);
        if (id != host) redirects->Output({id, 0}, {host, output});
      }
      if (id != host) redirects->Control(id, {host});
    }
    // Whoever else takes a reading takes it before the update, as when the group depended on it.
    for (const OutputRef reading : readings_) {
      if (IsSeenOutside(reading.node)) controls.push_back(reading.node);
    }
    NodeSpec spec;
    spec.op = kFusedElementwise;
    spec.attrs.Set("Tin", source_types_);
    spec.attrs.Set("Tout", program.output_types);
    spec.attrs.Set("members", members);
    return part_->Edit().ReplaceNode(host, std::move(spec), sources_, std::move(controls),
                                     std::move(shapes));
  }

  using Kind = FusedProgram::Operand::Kind;

  GraphPart* const part_;
  const Graph& graph_;
  const Consumers& consumers_;
  const absl::flat_hash_set<OutputRef>& fetched_;
  const std::vector<bool>& kept_;
  const std::vector<FusionMember>& group_;
  absl::flat_hash_map<NodeId, int> step_of_;
  absl::flat_hash_set<OutputRef> readings_;
  absl::flat_hash_map<OutputRef, int> updated_at_;  // variables, by the step that updates them
  absl::flat_hash_map<OutputRef, int> input_of_;
  std::vector<OutputRef> sources_;
  std::vector<DType> source_types_;
  std::vector<GpuProgram::Repetition> repetitions_;
  int operands_ = 0;  // of all steps, places of new values among them
};

}  // namespace

Status FuseElementwise(GraphPart* part, const FusionRequest& request, FusedPrograms* programs) {
  if (HasLoops(*part)) return OkStatus();
  const GraphPart before = *part;
  part->Fork();
  WB_ASSIGN_OR_RETURN(const GraphPart::Order order, before.Ordered());
  MemberFinder finder(before, request);
  std::vector<FusionMember> members;
  for (const NodeId id : *order) {
    if (std::optional<FusionMember> member = finder.Find(id)) {
      members.push_back(*std::move(member));
    }
  }
  if (members.size() < 2) return OkStatus();
  const Surroundings around(before);
  Redirects redirects(*before.graph);
  FusedPrograms fused;
  std::vector<std::vector<FusionMember>> groups =
      FindFusionGroups(before, request, *around.consumers, members);
  for (std::vector<FusionMember>& group : groups) {
    // No member reads an update's result, so that updates come after all readings.
    std::stable_partition(group.begin(), group.end(), [](const FusionMember& member) {
      return member.fusible->num_variables() == 0;
    });
    FusedProgram program;
    WB_ASSIGN_OR_RETURN(
        const bool written,
        GroupWriter(*before.graph, part, around, group).Write(&redirects, &program));
    if (!written) continue;
    absl::StrAppend(&part->notes, "# ", before.graph->node(group.back().node).name(),
                    " stands for ", program.ToString(), "\n");
    fused.emplace(group.back().node, std::move(program));
  }
  WB_RETURN_IF_ERROR(redirects.Apply(part));
  part->Prune();
  if (!part->Ordered().ok()) {
    // A path through two groups made a ring of them: rare, and then nothing is fused.
    *part = before;
    return OkStatus();
  }
  programs->merge(fused);
  return OkStatus();
}

}  // namespace warpbeam
