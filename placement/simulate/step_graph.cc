#include "placement/simulate/step_graph.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "graph/functions/callees.h"
#include "graph/node_roles.h"
#include "graph/passes/loop_frames.h"
#include "placement/kernel_support.h"

namespace warpbeam {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

bool IsSource(const Node& node) {
  return (node.role() == OpRole::kConstant || node.role() == OpRole::kVariable) &&
         node.num_inputs() == 0 && node.control_inputs().empty();
}

// Sorts (owner, entry) pairs into a flat array by owner; entries keep their order.
template <class T>
void Flatten(const std::vector<std::pair<int, T>>& pairs, int owners, std::vector<int>* begin,
             std::vector<T>* all) {
  begin->assign(owners + 1, 0);
  for (const auto& pair : pairs) ++(*begin)[pair.first + 1];
  for (int i = 0; i < owners; ++i) (*begin)[i + 1] += (*begin)[i];
  std::vector<int> at(begin->begin(), begin->end() - 1);
  all->resize(pairs.size());
  for (const auto& pair : pairs) (*all)[at[pair.first]++] = pair.second;
}

}  // namespace

class StepGraph::Maker {
 public:
  Maker(const Graph& graph, const PlanBounds& bounds, const KernelCatalog& catalog,
        const Machine& machine, const StepGraphOptions& options)
      : graph_(graph),
        bounds_(bounds),
        catalog_(catalog),
        support_(&catalog),
        machine_(machine),
        options_(options),
        unknown_extent_(options.unknown_extent),
        position_(graph.num_nodes(), -1),
        fetched_(bounds.fetches.begin(), bounds.fetches.end()) {}

  StatusOr<StepGraph> Run() {
    step_.unknown_extent_ = unknown_extent_;
    step_.host_block_ = options_.host_block;
    FindKinds();
    WB_RETURN_IF_ERROR(FindTurns());
    for (size_t k = 0; k < bounds_.kept.size(); ++k) {
      position_[bounds_.kept[k]] = static_cast<int>(k);
      AddNode(graph_.node(bounds_.kept[k]));
    }
    step_.output_begin_.push_back(step_.num_outputs());
    for (OutputRef feed : bounds_.feeds) AddFeed(feed);
    for (int k = 0; k < step_.num_nodes(); ++k) WB_RETURN_IF_ERROR(AddEdges(k));
    step_.input_begin_.push_back(static_cast<int>(step_.inputs_.size()));
    Flatten(uses_, step_.num_outputs(), &step_.use_begin_, &step_.uses_);
    Flatten(control_uses_, step_.num_nodes(), &step_.control_begin_, &step_.control_);
    WB_RETURN_IF_ERROR(Order());
    return std::move(step_);
  }

 private:
  // How often each frame's nodes run: parents stand before the loops in them.
  Status FindTurns() {
    if (!options_.turns || !HasLoops(graph_, bounds_.kept)) return OkStatus();
    WB_ASSIGN_OR_RETURN(loops_, FindLoopFrames(graph_, bounds_.kept, bounds_.feeds));
    for (const LoopFrames::Frame& frame : loops_.frames) {
      const bool is_loop = !turns_.empty();  // the first is the step itself
      turns_.push_back(
          is_loop ? turns_[static_cast<size_t>(frame.parent)] * options_.turns(frame.name) : 1);
      step_.most_turns_ = std::max(step_.most_turns_, turns_.back());
    }
    return OkStatus();
  }
  double TurnsOf(NodeId node) const {
    return turns_.empty() ? 1 : turns_[static_cast<size_t>(loops_.frame_of[node])];
  }

  // Devices of one type, one launch and the same rates.
  void FindKinds() {
    for (int d = 0; d < machine_.num_devices(); ++d) {
      size_t kind = 0;
      while (kind < examples_.size() && !SameKind(examples_[kind], d)) ++kind;
      if (kind == examples_.size()) {
        examples_.push_back(d);
        if (options_.costs != nullptr) measured_.emplace_back(*options_.costs, machine_, d);
      }
      step_.kind_of_.push_back(static_cast<int>(kind));
    }
    step_.seconds_.resize(examples_.size());
    step_.workspaces_.resize(examples_.size());
  }
  bool SameKind(int a, int b) const {
    const MachineDevice& x = machine_.device(a);
    const MachineDevice& y = machine_.device(b);
    if (machine_.type(a) != machine_.type(b) || x.launch_s != y.launch_s || x.model != y.model) {
      return false;
    }
    const auto same = [](const ComputeRate& p, const ComputeRate& q) {
      return p.flops_per_s == q.flops_per_s && p.bytes_per_s == q.bytes_per_s;
    };
    return std::equal(x.rates, x.rates + kNumCostClasses, y.rates, same) &&
           std::equal(x.op_rates.begin(), x.op_rates.end(), y.op_rates.begin(), y.op_rates.end(),
                      [&](const auto& p, const auto& q) {
                        return p.first == q.first && same(p.second, q.second) &&
                               p.second.setup_s == q.second.setup_s;
                      });
  }

  void AddNode(const Node& node) {
    std::string op = node.op_name();
    NodeCost cost = CostWithMembers(node, &op);
    const bool source = IsSource(node);
    double state = 0;
    if (node.role() == OpRole::kVariable && node.num_outputs() > 0 && !IsRef(node.output_type(0))) {
      state = StateBytes(node, 0, unknown_extent_, &cost.assumed);
    }
    const MemoryPlaces places = catalog_.Memory(node.op(), node.attrs(), DeviceType::kGpu);
    step_.output_begin_.push_back(step_.num_outputs());
    for (int o = 0; o < node.num_outputs(); ++o) {
      Output output;
      output.producer = step_.num_nodes();
      output.bytes = OutputBytes(node, o, unknown_extent_, &cost.assumed);
      output.on_host = OnHost(places.output_on_host, o, node.output_type(o));
      output.is_resident = source;
      output.is_free_to_copy = source && node.role() == OpRole::kConstant;
      output.is_fetched = fetched_.contains(OutputRef{node.id(), o});
      output.shared_input = SharedInput(graph_, node, o);
      output.is_gradient = absl::StrContains(node.name(), "gradients");
      output.turns = TurnsOf(node.id());
      step_.outputs_.push_back(output);
    }
    step_.num_assumed_ += cost.assumed ? 1 : 0;
    step_.num_calls_ += CallsFunction(node) ? 1 : 0;
    AddSeconds(node, source ? NodeCost() : cost, op);
    step_.ids_.push_back(node.id());
    step_.names_.push_back(node.name());
    step_.costs_.push_back(cost);
    step_.is_source_.push_back(source);
    step_.state_bytes_.push_back(state);
  }

  // A fused node computes what its members do and moves what it reads and writes itself. What comes
  // first of them counts as the op, as a product before its bias and activation.
  NodeCost CostWithMembers(const Node& node, std::string* op) const {
    NodeCost cost = CostOf(graph_, node, unknown_extent_);
    const auto members = node.attrs().Get<std::vector<std::string>>("members");
    if (options_.before_passes == nullptr || !members.ok() || members->empty()) return cost;
    double flops = 0;
    for (const std::string& name : *members) {
      const Node* member = options_.before_passes->Find(name);
      if (member == nullptr) return cost;
      flops += CostOf(*options_.before_passes, *member, unknown_extent_).flops;
      if (name == members->front() && cost.cost_class != CostClass::kElements) {
        *op = member->op_name();
      }
    }
    cost.flops = flops;
    return cost;
  }

  // What a pass has made has a kernel where it is, and nowhere else as far as anybody knows.
  DeviceTypes TypesOf(const Node& node) {
    const Site site = graph_.IsReplaced(node.id()) ? graph_.site(node.id()) : kNoSite;
    if (site >= 0 && site < machine_.num_devices()) return BitOf(machine_.type(site));
    return support_.Of(graph_, node);
  }

  void AddSeconds(const Node& node, const NodeCost& cost, const std::string& op) {
    const DeviceTypes types = TypesOf(node);
    std::string key;
    bool is_measured = false, is_scaled = false;
    for (size_t kind = 0; kind < examples_.size(); ++kind) {
      const int device = examples_[kind];
      double seconds = kNever, workspace = 0;
      if ((types & BitOf(machine_.type(device))) != 0) {
        if (kind < measured_.size() && measured_[kind].applies()) {
          if (key.empty()) {
            key = OpCostKey(graph_, node, unknown_extent_, options_.before_passes);
          }
          const OpCosts::Entry* measured = measured_[kind].Find(key);
          seconds = measured_[kind].Seconds(key, op, cost);
          (measured != nullptr ? is_measured : is_scaled) |= seconds > 0;
          if (measured != nullptr) {
            SetReuses(measured->reuses);
            workspace = measured->workspace_bytes;
          }
        } else {
          seconds = machine_.Seconds(cost, op, device);
        }
      }
      step_.seconds_[kind].push_back(seconds * TurnsOf(node.id()));
      step_.workspaces_[kind].push_back(workspace);
    }
    step_.num_measured_ += is_measured ? 1 : 0;
    step_.num_scaled_ += is_scaled ? 1 : 0;
  }

  // Of the node whose outputs were added last.
  void SetReuses(const std::vector<int>& reuses) {
    const int first = step_.output_begin_.back();
    for (int o = first; o < step_.num_outputs(); ++o) {
      if (o - first < static_cast<int>(reuses.size())) {
        step_.outputs_[o].reused_input = reuses[o - first];
      }
    }
  }

  static bool OnHost(const std::vector<bool>& declared, int i, DType type) {
    return (i < static_cast<int>(declared.size()) && declared[i]) || IsHostOnly(BaseType(type));
  }

  bool CallsFunction(const Node& node) const {
    return !CalledFunctions(graph_.functions(), node.op_name(), node.attrs()).empty();
  }

  void AddFeed(OutputRef feed) {
    if (!feed_output_.try_emplace(feed, step_.num_outputs()).second) return;
    Output output;
    output.bytes = OutputBytes(graph_.node(feed.node), feed.index, unknown_extent_, nullptr);
    output.on_host = true;
    output.is_fetched = fetched_.contains(feed);
    step_.outputs_.push_back(output);
  }

  Status AddEdges(int k) {
    const Node& node = graph_.node(bounds_.kept[k]);
    const MemoryPlaces places = catalog_.Memory(node.op(), node.attrs(), DeviceType::kGpu);
    step_.input_begin_.push_back(static_cast<int>(step_.inputs_.size()));
    step_.waits_.push_back(0);
    for (int i = 0; i < node.num_inputs(); ++i) {
      const OutputRef from = node.input(i);
      Input input;
      input.on_host = OnHost(places.input_on_host, i, node.input_type(i));
      if (from.node != kNoNode && IsLoopBackEdge(graph_.node(from.node), node)) {
        ++step_.num_loop_edges_;
      } else {
        WB_ASSIGN_OR_RETURN(input.output, OutputNumber(from, node));
        uses_.push_back({input.output, {k, static_cast<int>(step_.inputs_.size())}});
        ++step_.waits_[k];
      }
      step_.inputs_.push_back(input);
    }
    for (NodeId from : node.control_inputs()) {
      const int before = position_[from];
      if (before < 0) return Unkept(node, from);
      control_uses_.push_back({before, k});
      ++step_.waits_[k];
    }
    return OkStatus();
  }

  StatusOr<int> OutputNumber(OutputRef from, const Node& reader) const {
    const auto feed = feed_output_.find(from);
    if (feed != feed_output_.end()) return feed->second;
    const int producer = from.node == kNoNode ? -1 : position_[from.node];
    if (producer < 0) return Unkept(reader, from.node);
    return step_.output_begin_[producer] + from.index;
  }
  Status Unkept(const Node& node, NodeId from) const {
    return Internal("simulation: '", node.name(), "' waits for ",
                    from == kNoNode ? "nothing" : graph_.node(from).name(), ", which is not kept");
  }

  Status Order() {
    std::vector<int> waits = step_.waits_;
    for (int o = step_.output_begin_.back(); o < step_.num_outputs(); ++o) {
      for (const Use& use : step_.uses(o)) --waits[use.node];
    }
    for (int k = 0; k < step_.num_nodes(); ++k) {
      if (waits[k] == 0) step_.order_.push_back(k);
    }
    for (size_t at = 0; at < step_.order_.size(); ++at) {
      const int k = step_.order_[at];
      const auto done = [&](int reader) {
        if (--waits[reader] == 0) step_.order_.push_back(reader);
      };
      for (int o = step_.first_output(k); o < step_.end_output(k); ++o) {
        for (const Use& use : step_.uses(o)) done(use.node);
      }
      for (int reader : step_.control_uses(k)) done(reader);
    }
    if (static_cast<int>(step_.order_.size()) == step_.num_nodes()) {
      SetSerialOrder();
      return OkStatus();
    }
    const auto stuck = std::find_if(waits.begin(), waits.end(), [](int n) { return n > 0; });
    return InvalidArgument("the graph has a cycle that is no loop, at or behind '",
                           step_.names_[stuck - waits.begin()], "'");
  }

  void SetSerialOrder() {
    step_.serial_order_ = step_.order_;
    for (int k = 0; k < step_.num_nodes(); ++k) {
      const auto is_after = [k](int reader) { return reader > k; };
      for (int o = step_.first_output(k); o < step_.end_output(k); ++o) {
        for (const Use& use : step_.uses(o)) {
          if (!is_after(use.node)) return;
        }
      }
      for (int reader : step_.control_uses(k)) {
        if (!is_after(reader)) return;
      }
    }
    std::sort(step_.serial_order_.begin(), step_.serial_order_.end());
  }

  const Graph& graph_;
  const PlanBounds& bounds_;
  const KernelCatalog& catalog_;
  KernelSupport support_;
  const Machine& machine_;
  const StepGraphOptions& options_;
  LoopFrames loops_;
  std::vector<double> turns_;  // by frame; empty: all once
  const int64_t unknown_extent_;
  std::vector<int> position_;  // of a node among the kept ones
  const absl::flat_hash_set<OutputRef> fetched_;
  absl::flat_hash_map<OutputRef, int> feed_output_;
  std::vector<int> examples_;                // a device of each kind
  std::vector<OpCosts::OnDevice> measured_;  // by kind, if there are any costs
  std::vector<std::pair<int, Use>> uses_;
  std::vector<std::pair<int, int>> control_uses_;
  StepGraph step_;
};

StatusOr<StepGraph> StepGraph::Make(const Graph& graph, const PlanBounds& bounds,
                                    const KernelCatalog& catalog, const Machine& machine,
                                    const StepGraphOptions& options) {
  return Maker(graph, bounds, catalog, machine, options).Run();
}

double StepGraph::HeldBytes(double bytes, bool on_host) const {
  constexpr double kCounted = 1e15;  // what is larger is no size of anything
  if (!on_host || host_block_ == nullptr || !(bytes < kCounted)) return bytes;
  return static_cast<double>(host_block_(static_cast<size_t>(bytes)));
}

std::vector<int> StepGraph::Devices(Span<const Site> sites) const {
  std::vector<int> devices;
  devices.reserve(ids_.size());
  for (NodeId id : ids_) devices.push_back(sites[id]);
  return devices;
}

Status StepGraph::CheckKernels(const Machine& machine, Span<const int> devices) const {
  for (int k = 0; k < num_nodes(); ++k) {
    if (Seconds(k, devices[k]) != kNever) continue;
    return InvalidArgument("'", names_[k], "' has no kernel on '",
                           machine.device(devices[k]).name.ToString(), "'");
  }
  return OkStatus();
}

double StepGraph::LowerBoundSeconds(const Machine& machine) const {
  double longest = 0;
  std::vector<double> start(num_nodes(), 0);
  for (int k : order_) {
    double fastest = kNever;
    for (const std::vector<double>& seconds : seconds_) fastest = std::min(fastest, seconds[k]);
    if (fastest == kNever || is_source(k)) fastest = 0;
    const double end = start[k] + fastest;
    longest = std::max(longest, end);
    for (int o = first_output(k); o < end_output(k); ++o) {
      for (const Use& use : uses(o)) start[use.node] = std::max(start[use.node], end);
    }
    for (int reader : control_uses(k)) start[reader] = std::max(start[reader], end);
  }
  return std::max(longest, SharedWorkSeconds(machine));
}

// All lanes together have T seconds each: whatever prices a second has on each kind of lane, as
// long as a second of all lanes costs 1, no step is shorter than what its nodes cost where each is
// cheapest (the dual of sharing nodes out in fractions, which is the best of these bounds). A
// kind's price is its share of that 1, divided by its lanes.
double StepGraph::SharedWorkSeconds(const Machine& machine) const {
  constexpr int kRounds = 3, kHalvings = 24;
  std::vector<double> lanes(seconds_.size(), 0);
  for (int d = 0; d < machine.num_devices(); ++d) lanes[kind_of_[d]] += machine.device(d).lanes;
  double all = 0;
  for (const double count : lanes) all += count;
  std::vector<double> share;
  for (const double count : lanes) share.push_back(count / all);
  const auto bound = [&] {
    double cost = 0;
    for (int k = 0; k < num_nodes(); ++k) {
      if (is_source(k)) continue;
      double least = kNever;
      for (size_t kind = 0; kind < seconds_.size(); ++kind) {
        if (seconds_[kind][k] == kNever) continue;
        least = std::min(least, seconds_[kind][k] * share[kind] / lanes[kind]);
      }
      if (least != kNever) cost += least;
    }
    return cost;
  };
  const double even = bound();
  double best = even;
  for (int round = 0; round < kRounds && share.size() > 1; ++round) {
    // Between two kinds the bound rises to its greatest and falls again.
    for (size_t kind = 1; kind < share.size(); ++kind) {
      const double both = share[0] + share[kind];
      const auto at = [&](double first) {
        share[0] = both * first;
        share[kind] = both - share[0];
        return bound();
      };
      double low = 0, high = 1;
      for (int i = 0; i < kHalvings; ++i) {
        const double third = (high - low) / 3;
        if (at(low + third) < at(high - third)) {
          low += third;
        } else {
          high -= third;
        }
      }
      best = std::max(best, at((low + high) / 2));
    }
  }
  return std::max(even, best * (1 - 1e-12));  // less what rounding may have added
}

}  // namespace warpbeam
