// Graph: WHAT is computed. Nodes, edges and a function library as plain data.
//
// Nodes have dense ids in the order of their addition and never move or go away; node names are
// unique. A node's inputs are (node, output) pairs; control inputs are nodes. Loops close through
// `SetInput` on a Merge node. A Graph knows no device objects, no threads and no kernels; the
// device *requested* for a node is a string that placement reads.
//
// An overlay is a graph's private rewriting for one plan: it has the same ids and shares all nodes
// that it does not change, so that it costs a pointer per node. Nodes added to it follow them.
//
// Where nodes were placed, their sites stand beside them. They are the graph's and not the nodes',
// which sessions share: two sessions may place one graph differently, each on an overlay of its
// own. Overlays take over the sites of what they lie on, a replaced node keeps its site, and an
// added one gets that of its NodeSpec.
//
//   Graph g(OpRegistry::Global());
//   NodeSpec c;  c.name = "c";  c.op = "Const";  c.attrs.Set("value", Tensor::Scalar(1.0f));  …
//   WB_ASSIGN_OR_RETURN(Node* n, g.AddNode(std::move(c), {}, {}));
//
// Ownership: the graph owns its nodes; Node pointers stay valid as long as the graph. Thread
// safety: const access from many threads, changes from one while nobody reads. Errors:
// INVALID_ARGUMENT naming node, op and what does not fit; a failed AddNode leaves the graph as it
// was.
#ifndef WARPBEAM_GRAPH_GRAPH_H_
#define WARPBEAM_GRAPH_GRAPH_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graph/functions/function_library.h"
#include "graph/node_spec.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"

namespace warpbeam {

using NodeId = int32_t;
inline constexpr NodeId kNoNode = -1;

// One output of a node.
struct OutputRef {
  NodeId node = kNoNode;
  int32_t index = 0;
  friend bool operator==(OutputRef a, OutputRef b) {
    return a.node == b.node && a.index == b.index;
  }
  friend bool operator!=(OutputRef a, OutputRef b) { return !(a == b); }
  template <typename H>
  friend H AbslHashValue(H h, const OutputRef& r) {
    return H::combine(std::move(h), r.node, r.index);
  }
};

class Node {
 public:
  NodeId id() const { return id_; }
  const std::string& name() const { return name_; }
  const OpSchema& op() const { return *signature_->op; }
  const std::string& op_name() const { return op().name; }
  OpRole role() const { return op().role; }
  const AttrMap& attrs() const { return signature_->attrs; }
  // Never changes; a node that is changed gets another.
  const std::shared_ptr<const NodeSignature>& signature() const { return signature_; }
  // The device asked for, as written ("" for none); placement decides the assigned one.
  const std::string& device() const { return device_; }
  const SourceLocation& location() const { return location_; }

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(output_types().size()); }
  const std::vector<OutputRef>& inputs() const { return inputs_; }
  OutputRef input(int i) const { return inputs_[i]; }
  const std::vector<NodeId>& control_inputs() const { return control_inputs_; }
  const std::vector<DType>& input_types() const { return signature_->input_types; }
  const std::vector<DType>& output_types() const { return signature_->output_types; }
  DType input_type(int i) const { return input_types()[i]; }
  DType output_type(int i) const { return output_types()[i]; }
  // What shape inference knows; unknown where it was not run.
  const PartialShape& output_shape(int i) const { return output_shapes_[i]; }
  const HandleShapes& output_handle(int i) const;

  // Bytes of the wire form that this version does not know; kept so that export loses nothing.
  const std::string& unknown_fields() const { return unknown_fields_; }

 private:
  friend class Graph;
  NodeId id_ = kNoNode;
  std::string name_;
  std::shared_ptr<const NodeSignature> signature_;  // never null once the node stands in a graph
  std::string device_;
  SourceLocation location_;
  std::vector<OutputRef> inputs_;
  std::vector<NodeId> control_inputs_;
  std::vector<PartialShape> output_shapes_;
  std::vector<HandleShapes> output_handles_;  // empty when no output has any
  std::string unknown_fields_;
};

// Producer and consumer versions of the wire format.
struct GraphVersions {
  int producer = 0;
  int min_consumer = 0;
  std::vector<int> bad_consumers;
};

// The nodes of a graph in the order of their ids, for range-based loops.
class NodeRange {
 public:
  class Iterator {
   public:
    explicit Iterator(const Node* const* at) : at_(at) {}
    const Node& operator*() const { return **at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const Node* const* at_;
  };
  explicit NodeRange(const std::vector<const Node*>& nodes) : nodes_(nodes) {}
  Iterator begin() const { return Iterator(nodes_.data()); }
  Iterator end() const { return Iterator(nodes_.data() + nodes_.size()); }

 private:
  const std::vector<const Node*>& nodes_;
};

class Graph {
 public:
  // `ops` must outlive the graph.
  explicit Graph(const OpRegistry& ops = OpRegistry::Global());
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  // A copy with the same ids; the functions themselves are shared.
  std::unique_ptr<Graph> Clone() const;
  // A rewriting of `base`, which may grow meanwhile but not change otherwise: the overlay never
  // sees what `base` has gained, and nodes added to the overlay are its own.
  static std::shared_ptr<Graph> Overlay(std::shared_ptr<const Graph> base);

  const OpRegistry& ops() const { return ops_; }
  FunctionLibrary& functions() { return functions_; }
  const FunctionLibrary& functions() const { return functions_; }
  GraphVersions& versions() { return versions_; }
  const GraphVersions& versions() const { return versions_; }
  // As Node::unknown_fields, for the graph as a whole.
  const std::string& unknown_fields() const { return unknown_fields_; }
  void set_unknown_fields(std::string bytes) { unknown_fields_ = std::move(bytes); }

  int num_nodes() const { return static_cast<int>(nodes_.size()); }
  // Makes room for this many further nodes, for whoever adds many.
  void Reserve(size_t more_nodes);
  const Node& node(NodeId id) const { return *nodes_[id]; }
  NodeRange nodes() const { return NodeRange(nodes_); }
  const Node* Find(absl::string_view name) const;

  // The schema of an op type: a registered op, or a function of the library called as an op.
  StatusOr<const OpSchema*> FindSchema(absl::string_view op) const;

  // Adds a node of `spec` (its input strings are ignored). Attributes are completed and checked,
  // types of inputs compared; an input may be kNoNode only where SetInput will fill it. With
  // `infer_shapes` the op's shape function runs and its error refuses the node.
  StatusOr<Node*> AddNode(NodeSpec spec, std::vector<OutputRef> inputs,
                          std::vector<NodeId> control_inputs, bool infer_shapes = true);

  // Takes the newest nodes out again, so that `num_nodes` are left. Nothing may refer to them: no
  // older node reads them, no overlay and no plan has been made since they came.
  void TakeBack(int num_nodes);

  Status SetInput(NodeId node, int index, OutputRef source);
  Status AddControlInput(NodeId node, NodeId source);
  void SetDevice(NodeId node, std::string device) { Mutable(node).device_ = std::move(device); }
  // All control inputs at once.
  Status SetControlInputs(NodeId node, std::vector<NodeId> sources);
  Status SetAttr(NodeId node, absl::string_view name, AttrValue value);
  // Narrows what is known of an output's shape (set_shape, "_output_shapes").
  Status MergeOutputShape(NodeId node, int output, const PartialShape& shape);

  // Where the node runs; kNoSite where nobody has placed it.
  Site site(NodeId node) const {
    return static_cast<size_t>(node) < sites_.size() ? sites_[node] : kNoSite;
  }
  // By node id; nodes beyond the end have none.
  const std::vector<Site>& sites() const { return sites_; }
  void SetSites(std::vector<Site> sites) { sites_ = std::move(sites); }

  // Gives a node of an overlay another op, with the outputs' shapes; name, device, site and
  // location stay. Its consumers must be redirected to outputs of the same types by the caller.
  Status ReplaceNode(NodeId node, NodeSpec spec, std::vector<OutputRef> inputs,
                     std::vector<NodeId> control_inputs, std::vector<PartialShape> shapes);
  // Whether the node is no node of the graph under all overlays: ReplaceNode gave it its op, or it
  // was added to an overlay.
  bool IsReplaced(NodeId node) const;

  // `name`, or `name_1`, `name_2`…, such that no node has it.
  std::string UniqueName(absl::string_view name);

  // The value of an output when shape arithmetic can tell it without running kernels; limited
  // depth.
  std::optional<Tensor> ConstantValue(OutputRef output) const;
  std::optional<PartialShape> ConstantValueAsShape(OutputRef output) const;

  // After finalizing, every change is refused with FAILED_PRECONDITION.
  void Finalize() { finalized_ = true; }
  bool finalized() const { return finalized_; }

 private:
  Status CheckSpec(const NodeSpec& spec) const;
  // Takes the attributes out of `spec`; the rest of it is left for error messages.
  Status FillNode(NodeSpec* spec, std::vector<OutputRef> inputs, std::vector<NodeId> control_inputs,
                  Node* node);
  StatusOr<std::shared_ptr<const NodeSignature>> SignatureOf(NodeSpec* spec);
  Status InferShapes(Node& node) const;
  Status CheckInput(const Node& node, int index, OutputRef source) const;
  // The node, for changing it: in an overlay a copy of its own.
  Node& Mutable(NodeId node);

  const OpRegistry& ops_;
  FunctionLibrary functions_;
  GraphVersions versions_;
  std::string unknown_fields_;
  std::deque<Node> own_nodes_;         // in an overlay those that were changed, else all by id
  std::vector<const Node*> nodes_;     // by id
  std::vector<Site> sites_;            // by id, as far as nodes were placed
  std::shared_ptr<const Graph> base_;  // of an overlay
  int base_size_ = 0;                  // how many of its nodes the overlay has
  absl::flat_hash_map<NodeId, Node*> changed_;  // of an overlay: its own nodes
  absl::flat_hash_set<NodeId> replaced_;
  // The keys lie in the nodes, which never move.
  absl::flat_hash_map<absl::string_view, NodeId> by_name_;
  // Signatures of registered ops, by op and by the attributes as they were written, of which a copy
  // is kept so that no others come to lie at their address.
  using WrittenAs = std::pair<const OpSchema*, const void*>;
  struct KnownSignature {
    AttrMap written;
    std::shared_ptr<const NodeSignature> signature;
  };
  absl::flat_hash_map<WrittenAs, KnownSignature> signatures_;
  // The last suffix that UniqueName gave a name.
  absl::flat_hash_map<std::string, int> last_suffix_;
  bool finalized_ = false;
};

// Who reads what: data and control consumers of every node, as flat arrays.
class Consumers {
 public:
  struct Use {
    NodeId node;
    int32_t input;   // -1: a control edge
    int32_t output;  // of the producer; -1: a control edge
  };
  explicit Consumers(const Graph& graph);
  Span<const Use> of(NodeId node) const {
    return MakeConstSpan(uses_).subspan(begin_[node], begin_[node + 1] - begin_[node]);
  }

 private:
  std::vector<int32_t> begin_;
  std::vector<Use> uses_;
};

// "node 'x' (MatMul, built at net.cc:12)": how errors name a node.
std::string DescribeNode(const Node& node);
std::string DescribeNode(const NodeSpec& spec);

// Whether a name may be a node's: letters, digits and "._/>-", the first one a letter, digit or
// '.'; names that begin with '_' are for the system's own nodes.
bool IsValidNodeName(absl::string_view name, bool allow_internal = false);

// Whether the edge closes a v1 loop: from a NextIteration to a Merge.
bool IsLoopBackEdge(const Node& from, const Node& to);

// Nodes such that producers precede consumers; the back edges of v1 loops (NextIteration to Merge)
// are left out. INVALID_ARGUMENT naming the nodes of a cycle that is no loop.
StatusOr<std::vector<NodeId>> TopologicalOrder(const Graph& graph);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_GRAPH_H_
