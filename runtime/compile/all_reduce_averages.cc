#include "runtime/compile/all_reduce_averages.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "graph/passes/fed_outputs.h"

namespace warpbeam {
namespace {

constexpr char kTowerAverage[] = "_Average";
// As many as replicas have (frontend/training/replicate.h); a larger gradient is alone.
constexpr int64_t kBucketBytes = int64_t{4} << 20;

struct TowerAverage {
  NodeId node = kNoNode;
  std::vector<std::pair<Site, OutputRef>> gradients;  // by site
  int32_t ready = 0;                                  // when the last gradient is
};

// What the averages of a bucket have in common.
struct BucketKind {
  std::vector<Site> towers;
  Site site;  // of the averages
  DType dtype;
  float divisor, scale;

  auto AsTuple() const { return std::tie(towers, site, dtype, divisor, scale); }
  bool operator<(const BucketKind& other) const { return AsTuple() < other.AsTuple(); }
};

class AverageReducer {
 public:
  AverageReducer(ConnectsSites connects, GraphPart* part)
      : connects_(connects),
        part_(part),
        kept_graph_(part->graph),
        graph_(*kept_graph_),
        consumers_(part->consumers()),
        fed_(graph_, part->feeds) {}

  Status Run() {
    WB_RETURN_IF_ERROR(FindAverages());
    std::stable_sort(averages_.begin(), averages_.end(),
                     [](const auto& a, const auto& b) { return a.ready < b.ready; });
    struct Bucket {
      std::vector<TowerAverage> averages;
      int64_t bytes = 0;
    };
    std::map<BucketKind, Bucket> open;
    for (TowerAverage& average : averages_) {
      const BucketKind kind = KindOf(average);
      if (!AreConnected(kind)) continue;
      const int64_t bytes =
          ShapeOf(average).num_elements() * static_cast<int64_t>(DTypeSize(kind.dtype));
      Bucket& bucket = open[kind];
      if (!bucket.averages.empty() && bucket.bytes + bytes > kBucketBytes) {
        WB_RETURN_IF_ERROR(Reduce(kind, bucket.averages));
        bucket = Bucket();
      }
      bucket.averages.push_back(std::move(average));
      bucket.bytes += bytes;
    }
    for (const auto& [kind, bucket] : open) {
      if (!bucket.averages.empty()) WB_RETURN_IF_ERROR(Reduce(kind, bucket.averages));
    }
    return OkStatus();
  }

 private:
  Status FindAverages() {
    WB_ASSIGN_OR_RETURN(const GraphPart::Order order, part_->Ordered());
    std::vector<int32_t> place(graph_.num_nodes(), 0);
    for (size_t k = 0; k < order->size(); ++k) place[(*order)[k]] = static_cast<int32_t>(k);
    for (const NodeId id : *order) {
      if (graph_.node(id).op_name() != kTowerAverage || !HasTowers(graph_.node(id))) continue;
      TowerAverage average;
      average.node = id;
      for (const OutputRef in : graph_.node(id).inputs()) {
        average.gradients.emplace_back(graph_.site(in.node), in);
        average.ready = std::max(average.ready, place[in.node]);
      }
      std::sort(average.gradients.begin(), average.gradients.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
      averages_.push_back(std::move(average));
    }
    return OkStatus();
  }

  // Whether each of several gradients of known shape has a site of its own.
  bool HasTowers(const Node& node) const {
    const DType dtype = node.output_type(0);
    if (dtype != DType::kFloat && dtype != DType::kDouble) return false;
    const PartialShape& shape = node.output_shape(0);
    if (node.num_inputs() < 2 || !shape.IsFullyDefined()) return false;
    std::vector<Site> sites;
    for (const OutputRef in : node.inputs()) {
      const Site site = graph_.site(in.node);
      if (fed_.contains(in) || site == kNoSite) return false;
      if (std::find(sites.begin(), sites.end(), site) != sites.end()) return false;
      sites.push_back(site);
    }
    return true;
  }

  BucketKind KindOf(const TowerAverage& average) const {
    const Node& node = graph_.node(average.node);
    BucketKind kind;
    for (const auto& gradient : average.gradients) kind.towers.push_back(gradient.first);
    kind.site = graph_.site(average.node);
    kind.dtype = node.output_type(0);
    kind.divisor = node.attrs().GetOr<float>("divisor", 1);
    kind.scale = node.attrs().GetOr<float>("scale", 1);
    return kind;
  }
  bool AreConnected(const BucketKind& kind) {
    const auto [known, is_new] = connected_.try_emplace({kind.towers, kind.dtype}, false);
    if (is_new) known->second = connects_(kind.towers, kind.dtype);
    return known->second;
  }
  const PartialShape& ShapeOf(const TowerAverage& average) const {
    return graph_.node(average.node).output_shape(0);
  }

  Status Reduce(const BucketKind& kind, const std::vector<TowerAverage>& bucket) {
    const Node& first = graph_.node(bucket[0].node);
    const std::string name = part_->Edit().UniqueName(absl::StrCat(first.name(), "/all_reduce"));
    std::vector<OutputRef> sums;
    for (size_t t = 0; t < kind.towers.size(); ++t) {
      WB_ASSIGN_OR_RETURN(const OutputRef flat, Flatten(name, bucket, t));
      NodeSpec spec;
      spec.op = "NcclAllReduce";
      spec.attrs.Set("reduction", std::string("sum"));
      spec.attrs.Set("T", kind.dtype);
      spec.attrs.Set("num_devices", static_cast<int64_t>(kind.towers.size()));
      spec.attrs.Set("shared_name", name);
      WB_ASSIGN_OR_RETURN(const OutputRef sum, Add(std::move(spec), name, {flat}, {}, flat.node));
      sums.push_back(sum);
    }
    NoteBucket(bucket, kind.towers.size());
    const auto own = std::find(kind.towers.begin(), kind.towers.end(), kind.site);
    const size_t read = own == kind.towers.end() ? 0 : own - kind.towers.begin();
    // All members have to run, whosever sum is read.
    std::vector<NodeId> others;
    for (size_t t = 0; t < sums.size(); ++t) {
      if (t != read) others.push_back(sums[t].node);
    }
    for (size_t t = 0; t < sums.size(); ++t) {
      if (t != read) WB_RETURN_IF_ERROR(ReadThere(kind, bucket, sums[t], kind.towers[t], name));
    }
    if (bucket.size() == 1) {
      return Replace(bucket[0], Scaling(kind), {sums[read]}, std::move(others));
    }
    WB_ASSIGN_OR_RETURN(const OutputRef scaled,
                        Add(Scaling(kind), name, {sums[read]}, std::move(others), sums[read].node));
    WB_ASSIGN_OR_RETURN(const std::vector<OutputRef> parts,
                        CutUp(kind, bucket, scaled, bucket[0].node, name));
    for (size_t i = 0; i < bucket.size(); ++i) {
      WB_ASSIGN_OR_RETURN(const OutputRef shape, AddShape(bucket[i], bucket[i].node, name));
      WB_RETURN_IF_ERROR(
          Replace(bucket[i], ReshapeSpec(graph_.node(bucket[i].node)), {parts[i], shape}, {}));
    }
    return OkStatus();
  }

  // Who reads averages on another tower's GPU reads the sum that is there.
  Status ReadThere(const BucketKind& kind, const std::vector<TowerAverage>& bucket, OutputRef sum,
                   Site site, const std::string& name) {
    std::vector<std::vector<Consumers::Use>> uses;
    bool is_read = false;
    for (const TowerAverage& average : bucket) {
      uses.push_back(UsesAt(average.node, site));
      is_read |= !uses.back().empty();
    }
    if (!is_read) return OkStatus();
    WB_ASSIGN_OR_RETURN(const OutputRef scaled, Add(Scaling(kind), name, {sum}, {}, sum.node));
    std::vector<OutputRef> parts = {scaled};
    if (bucket.size() > 1) {
      WB_ASSIGN_OR_RETURN(parts, CutUp(kind, bucket, scaled, sum.node, name));
    }
    for (size_t i = 0; i < bucket.size(); ++i) {
      if (uses[i].empty()) continue;
      OutputRef part = parts[i];
      if (bucket.size() > 1) {
        WB_ASSIGN_OR_RETURN(const OutputRef shape, AddShape(bucket[i], sum.node, name));
        WB_ASSIGN_OR_RETURN(
            part, Add(ReshapeSpec(graph_.node(bucket[i].node)), name, {part, shape}, {}, sum.node));
      }
      for (const Consumers::Use& use : uses[i]) {
        WB_RETURN_IF_ERROR(part_->Edit().SetInput(use.node, use.input, part));
      }
    }
    return OkStatus();
  }
  std::vector<Consumers::Use> UsesAt(NodeId average, Site site) const {
    std::vector<Consumers::Use> uses;
    for (const Consumers::Use& use : consumers_->of(average)) {
      if (use.input >= 0 && graph_.site(use.node) == site) uses.push_back(use);
    }
    return uses;
  }

  // The gradients that tower `t` has of the bucket, as one tensor.
  StatusOr<OutputRef> Flatten(const std::string& name, const std::vector<TowerAverage>& bucket,
                              size_t t) {
    const OutputRef first = bucket[0].gradients[t].second;
    if (bucket.size() == 1) return first;
    WB_ASSIGN_OR_RETURN(const OutputRef flat_shape,
                        AddConstant(name, std::vector<int32_t>{-1}, first.node));
    std::vector<OutputRef> parts;
    for (const TowerAverage& average : bucket) {
      const OutputRef gradient = average.gradients[t].second;
      WB_ASSIGN_OR_RETURN(const OutputRef part, Add(ReshapeSpec(graph_.node(average.node)), name,
                                                    {gradient, flat_shape}, {}, gradient.node));
      parts.push_back(part);
    }
    WB_ASSIGN_OR_RETURN(const OutputRef axis, AddConstant(name, 0, first.node));
    NodeSpec spec;
    spec.op = "ConcatV2";
    spec.attrs.Set("N", static_cast<int64_t>(parts.size()));
    spec.attrs.Set("T", graph_.node(bucket[0].node).output_type(0));
    spec.attrs.Set("Tidx", DType::kInt32);
    parts.push_back(axis);
    return Add(std::move(spec), name, std::move(parts), {}, first.node);
  }

  // The averages of a bucket as flat tensors, beside a node.
  StatusOr<std::vector<OutputRef>> CutUp(const BucketKind& kind,
                                         const std::vector<TowerAverage>& bucket, OutputRef scaled,
                                         NodeId beside, const std::string& name) {
    std::vector<int32_t> sizes;
    for (const TowerAverage& average : bucket) {
      sizes.push_back(static_cast<int32_t>(ShapeOf(average).num_elements()));
    }
    WB_ASSIGN_OR_RETURN(const OutputRef cuts, AddConstant(name, sizes, beside));
    WB_ASSIGN_OR_RETURN(const OutputRef axis, AddConstant(name, 0, beside));
    NodeSpec spec;
    spec.op = "SplitV";
    spec.attrs.Set("num_split", static_cast<int64_t>(bucket.size()));
    spec.attrs.Set("T", kind.dtype);
    spec.attrs.Set("Tlen", DType::kInt32);
    WB_ASSIGN_OR_RETURN(const OutputRef cut,
                        Add(std::move(spec), name, {scaled, cuts, axis}, {}, beside));
    std::vector<OutputRef> parts;
    for (size_t i = 0; i < bucket.size(); ++i) {
      parts.push_back({cut.node, static_cast<int32_t>(i)});
    }
    return parts;
  }
  StatusOr<OutputRef> AddShape(const TowerAverage& average, NodeId beside,
                               const std::string& name) {
    const std::vector<int64_t>& dims = ShapeOf(average).dims();
    return AddConstant(name, std::vector<int32_t>(dims.begin(), dims.end()), beside);
  }

  NodeSpec Scaling(const BucketKind& kind) const {
    NodeSpec spec;
    spec.op = kTowerAverage;
    spec.attrs.Set("N", int64_t{1});
    spec.attrs.Set("T", kind.dtype);
    spec.attrs.Set("divisor", kind.divisor);
    spec.attrs.Set("scale", kind.scale);
    return spec;
  }
  static NodeSpec ReshapeSpec(const Node& like) {
    NodeSpec spec;
    spec.op = "Reshape";
    spec.attrs.Set("T", like.output_type(0));
    spec.attrs.Set("Tshape", DType::kInt32);
    return spec;
  }

  // The average's node, which keeps name, place and consumers.
  Status Replace(const TowerAverage& average, NodeSpec spec, std::vector<OutputRef> inputs,
                 std::vector<NodeId> more_controls) {
    const Node& node = graph_.node(average.node);
    std::vector<NodeId> controls = node.control_inputs();
    controls.insert(controls.end(), more_controls.begin(), more_controls.end());
    const PartialShape shape = node.output_shape(0);
    return part_->Edit().ReplaceNode(average.node, std::move(spec), std::move(inputs),
                                     std::move(controls), {shape});
  }

  // A tensor of int32: of `value`, a number or a list.
  template <typename T>
  StatusOr<OutputRef> AddConstant(const std::string& name, const T& value, NodeId beside) {
    NodeSpec spec;
    spec.op = "Const";
    spec.attrs.Set("dtype", DType::kInt32);
    spec.attrs.Set("value", Int32s(value));
    return Add(std::move(spec), name, {}, {}, beside);
  }
  static Tensor Int32s(int32_t value) { return Tensor::Scalar<int32_t>(value); }
  static Tensor Int32s(const std::vector<int32_t>& values) {
    return Tensor::Vector<int32_t>(values);
  }

  // Where `beside` is.
  StatusOr<OutputRef> Add(NodeSpec spec, const std::string& name, std::vector<OutputRef> inputs,
                          std::vector<NodeId> controls, NodeId beside) {
    Graph& graph = part_->Edit();
    const Node& like = graph.node(beside);
    spec.name = graph.UniqueName(absl::StrCat(name, "/", spec.op[0] == '_' ? "scaled" : spec.op));
    spec.device = like.device();
    spec.location = like.location();
    spec.site = graph.site(beside);
    WB_ASSIGN_OR_RETURN(const Node* node,
                        graph.AddNode(std::move(spec), std::move(inputs), std::move(controls)));
    part_->nodes.push_back(node->id());
    return OutputRef{node->id(), 0};
  }

  void NoteBucket(const std::vector<TowerAverage>& bucket, size_t towers) {
    absl::StrAppend(&part_->notes, "# all-reduced between ", towers, " GPUs, together:");
    for (const TowerAverage& average : bucket) {
      absl::StrAppend(&part_->notes, " ", graph_.node(average.node).name());
    }
    absl::StrAppend(&part_->notes, "\n");
  }

  const ConnectsSites connects_;
  GraphPart* const part_;
  const std::shared_ptr<const Graph> kept_graph_;
  const Graph& graph_;
  const std::shared_ptr<const Consumers> consumers_;
  const FedOutputs fed_;
  std::vector<TowerAverage> averages_;
  std::map<std::pair<std::vector<Site>, DType>, bool> connected_;
};

// Whether it is the body of a function, which a step may run several times.
bool IsBody(const GraphPart& part) {
  return part.HasOp([](const OpSchema& op) { return op.role == OpRole::kArgument; });
}

}  // namespace

Status AllReduceAverages(ConnectsSites connects, GraphPart* part) {
  if (part->graph->ops().Find("NcclAllReduce") == nullptr) return OkStatus();
  if (!part->HasOp(kTowerAverage) || IsBody(*part)) return OkStatus();
  return AverageReducer(connects, part).Run();
}

}  // namespace warpbeam
