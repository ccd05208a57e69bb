#include "graph/passes/merge_equal.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graph/passes/loop_frames.h"
#include "graph/passes/redirects.h"

namespace warpbeam {
namespace {

// Larger constants are not compared.
constexpr size_t kMostBytes = 4096;

class EqualFinder {
 public:
  explicit EqualFinder(const GraphPart& part)
      : part_(part), graph_(*part.graph), redirects_(graph_) {
    for (const OutputRef feed : part.feeds) fed_.insert(feed.node);
  }

  StatusOr<Redirects> Run() {
    WB_ASSIGN_OR_RETURN(const GraphPart::Order order, part_.Ordered());
    for (const NodeId id : *order) {
      const Node& node = graph_.node(id);
      if (!MayMerge(node)) continue;
      Key key = KeyOf(node);
      std::vector<NodeId>& same = known_[key.hash];
      const auto found = std::find_if(same.begin(), same.end(),
                                      [&](NodeId other) { return Equal(node, key, other); });
      if (found == same.end()) {
        same.push_back(id);
        continue;
      }
      for (int o = 0; o < node.num_outputs(); ++o) redirects_.Output({id, o}, {*found, o});
      redirects_.Control(id, {*found});
    }
    return std::move(redirects_);
  }

 private:
  struct Key {
    size_t hash = 0;
    std::vector<OutputRef> inputs;
  };

  bool MayMerge(const Node& node) const {
    if (node.op().is_stateful || node.num_outputs() == 0 || fed_.contains(node.id())) return false;
    for (const DType type : node.output_types()) {
      if (IsRef(type) || type == DType::kResource || type == DType::kVariant) return false;
    }
    for (const OutputRef in : node.inputs()) {
      // A reference is read when its reader runs.
      if (in.node == kNoNode || IsRef(graph_.node(in.node).output_type(in.index))) return false;
    }
    return !IsControlFlow(node) && !IsArgument(node);
  }

  Key KeyOf(const Node& node) const {
    Key key;
    for (const OutputRef in : node.inputs()) key.inputs.push_back(redirects_.Resolve(in));
    if (node.op().is_commutative) {
      std::sort(key.inputs.begin(), key.inputs.end(), [](OutputRef a, OutputRef b) {
        return std::make_pair(a.node, a.index) < std::make_pair(b.node, b.index);
      });
    }
    key.hash = absl::HashOf(&node.op(), key.inputs, node.control_inputs(), graph_.site(node.id()),
                            node.device());
    for (const AttrMap::Entry& attr : node.attrs()) {
      if (attr.first[0] != '_') key.hash = absl::HashOf(key.hash, HashOf(attr.second));
    }
    return key;
  }

  // Not all that makes two values differ goes in: nodes of one hash are compared one by one.
  static size_t HashOf(const AttrValue& value) {
    const auto kind = static_cast<int>(value.kind());
    switch (value.kind()) {
      case AttrValue::Kind::kType:
        return absl::HashOf(kind, static_cast<int>(value.type()));
      case AttrValue::Kind::kInt:
        return absl::HashOf(kind, value.i());
      case AttrValue::Kind::kBool:
        return absl::HashOf(kind, value.b());
      case AttrValue::Kind::kString:
        return absl::HashOf(kind, value.s());
      case AttrValue::Kind::kTensor:
        return HashOf(value.tensor());
      default:
        // An empty list has two kinds.
        return absl::HashOf(value.ToString());
    }
  }

  static size_t HashOf(const Tensor& t) {
    const size_t hash = absl::HashOf(static_cast<int>(t.dtype()), t.num_elements());
    if (!IsCompared(t)) return absl::HashOf(hash, t.raw_data());
    if (t.dtype() == DType::kString) return absl::HashOf(hash, t.flat<std::string>());
    return absl::HashOf(hash, absl::string_view(static_cast<const char*>(t.raw_data()), t.bytes()));
  }

  // Whether the values decide, and not only which buffer they lie in.
  static bool IsCompared(const Tensor& t) {
    if (t.dtype() != DType::kString) return IsPlainData(t.dtype()) && t.bytes() <= kMostBytes;
    size_t bytes = t.bytes();
    for (const std::string& s : t.flat<std::string>()) {
      bytes += s.size();
      if (bytes > kMostBytes) return false;
    }
    return true;
  }

  bool Equal(const Node& node, const Key& key, NodeId other_id) const {
    const Node& other = graph_.node(other_id);
    return &node.op() == &other.op() && node.device() == other.device() &&
           graph_.site(node.id()) == graph_.site(other_id) &&
           node.control_inputs() == other.control_inputs() && key.inputs == KeyOf(other).inputs &&
           node.output_types() == other.output_types() && EqualAttrs(node, other);
  }

  static bool EqualAttrs(const Node& a, const Node& b) {
    const auto skip = [](const AttrMap::Entry* at, const AttrMap::Entry* end) {
      while (at != end && at->first[0] == '_') ++at;
      return at;
    };
    const auto* x = skip(a.attrs().begin(), a.attrs().end());
    const auto* y = skip(b.attrs().begin(), b.attrs().end());
    while (x != a.attrs().end() && y != b.attrs().end()) {
      if (x->first != y->first || !EqualValues(x->second, y->second)) return false;
      x = skip(x + 1, a.attrs().end());
      y = skip(y + 1, b.attrs().end());
    }
    return x == a.attrs().end() && y == b.attrs().end();
  }

  // Tensors bit by bit: -0 and 0 are two constants, and a NaN is itself.
  static bool EqualValues(const AttrValue& a, const AttrValue& b) {
    if (a.kind() != AttrValue::Kind::kTensor || b.kind() != a.kind()) return a == b;
    const Tensor &x = a.tensor(), &y = b.tensor();
    if (x.dtype() != y.dtype() || x.shape() != y.shape()) return false;
    if (x.raw_data() == y.raw_data()) return true;
    if (!IsCompared(x) || !IsCompared(y)) return false;
    if (x.dtype() == DType::kString) return x.flat<std::string>() == y.flat<std::string>();
    return x.bytes() == 0 || memcmp(x.raw_data(), y.raw_data(), x.bytes()) == 0;
  }

  const GraphPart& part_;
  const Graph& graph_;
  Redirects redirects_;
  absl::flat_hash_set<NodeId> fed_;
  absl::flat_hash_map<size_t, std::vector<NodeId>> known_;
};

}  // namespace

Status MergeEqual(GraphPart* part) {
  WB_ASSIGN_OR_RETURN(const Redirects redirects, EqualFinder(*part).Run());
  return redirects.Apply(part);
}

}  // namespace warpbeam
