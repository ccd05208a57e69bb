// What examples in the headers of graph/ use without declaring it (header_examples.py).
#include "graph/graph.h"

#include "absl/container/flat_hash_map.h"
#include "graph/types/errors.h"
#include "graph/types/tensor.h"
#include "proto/graph.pb.h"
#include "proto/meta_graph.pb.h"

extern Graph& graph;
extern const Graph& outer;
extern const FunctionLibrary& library;
extern const Node& node;
extern const NodeSpec& spec;
extern const AttrMap& attrs;
extern const AttrMap& values;
extern const std::string& name;
extern const std::string& bytes;
extern NodeId id;
extern OutputRef a, b, c, x, y, w, in, loss;
extern std::vector<OutputRef> xs, ys, feeds, fetches;
extern std::vector<NodeId> nodes, kept, order, targets;

//== graph/abandonment.h
extern std::atomic<bool> abandoned;

//== graph/build/assemble.h
extern AssembleOptions options;

//== graph/functions/callees.h
bool IsStateful(const NodeSpec&);
extern bool found;

//== graph/functions/function_library.h
extern FunctionLibrary& library;
extern std::shared_ptr<const Function> function;

//== graph/gradients/aggregate.h
extern std::vector<GradientValue> parts;

//== graph/gradients/backward_loop.h
extern WalkState walk;
extern ForwardLoop forward;
extern BackwardLoop* parent;

//== graph/gradients/backward_walk.h
extern WalkState walk;
extern BackwardLoop backward_loop;
extern GradientValue gradient;

//== graph/gradients/body_writer.h
extern Graph& outer;

//== graph/gradients/differentiated_body.h
extern BodyGradientOptions options;
extern Graph forward, backward;
extern std::vector<OutputRef> values, dys;

//== graph/gradients/function_gradient.h
extern GradContext& c;

//== graph/gradients/loop_gradient.h
extern WalkState walk;
extern ForwardLoop loop;
extern BackwardLoop* parent;

//== graph/gradients/loop_structure.h
extern NodeId node;
extern int32_t frame;

//== graph/gradients/repeated_effects.h
extern const InstantiatedFunction& body;

//== graph/gradients/symbolic_gradient.h
extern const OpRegistry& ops;

//== graph/gradients/while_gradient.h
warpbeam::Status WhileGradient(GradContext& c);

//== graph/gradients/widen_node.h
extern std::vector<DType> types;
extern NodeId call;

//== graph/io/attr_io.h
extern tensorflow::NodeDef node;

//== graph/io/dtype_io.h
extern const tensorflow::TensorProto& proto;

//== graph/io/function_io.h
extern tensorflow::FunctionDef proto;
extern ValueBudget budget;
extern IgnoredAttrs ignored;

//== graph/io/ignored_attrs.h
extern const tensorflow::NodeDef& node;

//== graph/io/meta_graph/object_graph.h
extern const tensorflow::MetaGraphDef& meta_graph_def;

//== graph/io/node_io.h
extern tensorflow::NodeDef proto;
extern ValueBudget budget;
extern IgnoredAttrs ignored;

//== graph/io/op_schema_io.h
extern const tensorflow::FunctionDef& function;
extern const OpRegistry& registry;
extern tensorflow::OpDef op_def;

//== graph/io/plain_node.h
extern const std::string& message;
extern NodeSpec spec;

//== graph/io/tensor_io.h
extern const tensorflow::NodeDef& node;
extern tensorflow::TensorProto proto;

//== graph/io/variant_codec.h
struct TensorMap {};

//== graph/op/node_types.h
extern const OpSchema& schema;

//== graph/op/op_schema.h
warpbeam::Status MatMulShape(ShapeContext&);

//== graph/passes/components.h
extern FedOutputs fed;

//== graph/passes/dead_branches.h
extern PassPipeline pipeline;

//== graph/passes/fed_outputs.h
extern GraphPart* part;
extern OutputRef input;

//== graph/passes/fold_batch_norm.h
extern PassPipeline pipeline;

//== graph/passes/fold_constants.h
extern PassPipeline pipeline;
extern Evaluator evaluate;

//== graph/passes/late_reads.h
extern PassPipeline pipeline;
extern ReferenceViews::SharesMemory shares_memory;
extern std::vector<NodeId> stands_beside;

//== graph/passes/loop_frames.h
extern NodeId node;

//== graph/passes/mask_first.h
extern PassPipeline pipeline;
int device_of(NodeId);

//== graph/passes/merge_equal.h
extern PassPipeline pipeline;
int device_of(NodeId);

//== graph/passes/narrow_nodes.h
extern GraphPart part;

//== graph/passes/part_bounds.h
extern GraphPart* part;

//== graph/passes/pass_pipeline.h
extern GraphPart part;
extern PassPipeline::Dump dump;
warpbeam::Status FoldPass(GraphPart*);

//== graph/passes/redirects.h
extern GraphPart* part;
extern NodeId identity;

//== graph/passes/reference_views.h
extern Components components;
extern FedOutputs fed;
extern ReferenceViews::SharesMemory shares_memory;
extern NodeId reader;

//== graph/passes/regrouping.h
std::optional<std::vector<int64_t>> ints_of(OutputRef);
int64_t Elements(OutputRef);

//== graph/passes/simplify.h
extern PassPipeline pipeline;

//== graph/passes/slice_first.h
extern PassPipeline pipeline;
int device_of(NodeId);

//== graph/passes/unread_gradients.h
extern PassPipeline pipeline;

//== graph/passes/update_order.h
extern Components components;
extern std::vector<ReferenceViews::Update> updates;
extern NodeId reader, in, other;
extern int32_t variable;

//== graph/types/block_sizes.h
extern size_t bytes;

//== graph/types/buffer.h
extern size_t bytes;

//== graph/types/object_memory.h
extern Tensor names;
extern int64_t limit;

//== graph/types/errors.h
warpbeam::StatusOr<int> Parse(absl::string_view text);
warpbeam::Status Check(int);

//== graph/types/span.h
extern const int64_t* pointer;

//== graph/types/status.h
struct SavedSession {
} session;
struct Saver {
  warpbeam::Status Save(SavedSession& session, const char* path);
} saver;

//== graph/types/status_or.h
struct RunSession {
  warpbeam::StatusOr<std::vector<warpbeam::Tensor>> Run(std::initializer_list<int> fetches);
} session;
extern int loss;
void use(const warpbeam::Tensor& value);
warpbeam::Status Check(const warpbeam::Tensor& value);

//== graph/types/testing/tensor_compare.h
extern Tensor got, want;

//== rewrite_rule.h
extern GraphPart* part;
