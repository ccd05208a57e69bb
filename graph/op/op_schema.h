// OpSchema: what is true of an op wherever it runs: arguments, attributes, shape function, traits.
//
// Schemas are written in TensorFlow's specification grammar and equal its OpDefs:
//
//   WB_OP("MatMul").Input("a: T").Input("b: T").Output("product: T")
//       .Attr("transpose_a: bool = false").Attr("transpose_b: bool = false")
//       .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
//       .Shape(MatMulShape);
//
// Argument specs: "name: TYPE", "name: ATTR" (a type attribute), "name: N * T" (a list of N),
// "name: LISTATTR" (a list(type) attribute), each possibly inside "Ref(…)". Attribute specs:
// "name: TYPE [>= MIN] [= DEFAULT]" where TYPE is int, float, bool, string, type, shape, tensor,
// func, list(…), a set "{half, float}" of types, a set "{'SAME', 'VALID'}" of strings, or one of
// numbertype, realnumbertype, quantizedtype.
//
// Ownership: registries own schemas; pointers to them stay valid for ever. Thread safety: immutable
// once registered. Errors: a spec that does not parse makes Build fail with INVALID_ARGUMENT.
#ifndef WARPBEAM_GRAPH_OP_OP_SCHEMA_H_
#define WARPBEAM_GRAPH_OP_OP_SCHEMA_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/types/attr_value.h"
#include "graph/types/dtype.h"
#include "graph/types/errors.h"

namespace warpbeam {

class ShapeContext;
using ShapeFn = std::function<Status(ShapeContext&)>;

// What an op may do to the outside; graphs from strangers are admitted by these.
enum class Capability : uint8_t { kNone, kReadFile, kWriteFile, kNetwork };

// The part that an op has in a graph. Passes, placement and the executor go by it and not by names,
// so that an op and its twin for references are one thing to them.
enum class OpRole : uint8_t {
  kCompute,  // none of what follows
  kConstant,
  kVariable,       // the same reference or handle in every step
  kPlaceholder,    // has a value where it is fed only
  kArgument,       // of a function
  kResult,         // of a function
  kCall,           // of a function, all of whose inputs it hands on
  kHandOn,         // output 0 is input 0
  kDataset,        // makes a dataset, or an iterator of one: its functions run when it is asked
  kQueue,          // whose rows one op adds and another takes
  kGradientArray,  // output 0 is the array that sums gradients of the array that is input 0
  kCollective,     // waits for the others of its group
  kNothing,        // waits, and is waited for
  kTrigger,        // the same, and runs even if what it waited for is dead
  kSwitch,         // input 1 says which of its two outputs is alive
  kSwitchN,        // the same for more outputs
  kMerge,          // output 0 is the first input that is alive
  kEnter,          // into a loop
  kExit,           // out of one
  kNextIteration,  // from one iteration into the next
  kLoopCond,       // whether there is a next one
};
// What an output is without any computing.
enum class PassOn : uint8_t {
  kNothing,
  kValue,     // output 0 is input 0
  kChecked,   // the same, with an error or a message where it is not as it should be
  kDefault,   // output 0 is input 0 unless it is fed
  kReshaped,  // output 0 has the elements of input 0 in another shape
  kEach,      // output i is input i
  kOneOf,     // output 0 is one of the inputs, a step says which
  kHandle,    // output 0 stands for the resource of input 0: a handle, a reference, or its name
};

// What an op does to the state behind a handle or a reference that it takes or makes.
enum class StateEffect : uint8_t {
  kNone,    // nothing whose order shows in a result
  kRead,    // in any order with other reads
  kLookUp,  // reads what was written once, before anything else: tables
  kWrite,   // everything else
  kFill,    // adds to what kDrain takes from, each in its own order: queues, accumulators
  kDrain,
  kEnd,  // closes what is filled
  kSum,  // adds to what is there in an array that sums gradients (OpRole), else kNone
};

// What else than its inputs and the order of the graph a result depends on.
enum class Chance : uint8_t {
  kNone,
  kFullness,    // how full a buffer is when it is asked
  kOtherSteps,  // how far other steps have come: what a stage holds
  kProgress,    // the same, and that is what it tells
};

// What the work is in proportion to.
enum class CostClass : uint8_t {
  kElements,  // those of inputs and outputs
  kProduct,   // rows times columns times what is summed over
  kConvolution,
};

// Whether values behind it may be dead, or of an iteration.
inline bool IsControlFlow(OpRole role) { return role >= OpRole::kSwitch; }

// One input or output argument, which may stand for a list of tensors.
struct ArgSpec {
  std::string name;
  DType type = DType::kInvalid;  // a fixed type, else one of the attributes below is set
  std::string type_attr;
  std::string number_attr;     // "N" of "N * T"
  std::string type_list_attr;  // a list(type) attribute gives number and types
  bool is_ref = false;
  std::optional<StateEffect> effect;  // where it differs from the op's; a string may name a state
};

struct AttrSpec {
  std::string name;
  std::string type;         // "int", "list(type)", "func"…
  AttrValue default_value;  // kNone when the attribute must be given
  bool has_minimum = false;
  int64_t minimum = 0;       // of an int, or of a list's length
  AttrValue allowed_values;  // kNone, or a list of types or of strings
};

struct OpSchema {
  std::string name;
  std::string library;  // "//ops/nn/conv", the target that has it; "" where nobody says
  OpRole role = OpRole::kCompute;
  PassOn passes_on = PassOn::kNothing;
  StateEffect effect = StateEffect::kWrite;
  Chance chance = Chance::kNone;
  CostClass cost_class = CostClass::kElements;
  std::vector<ArgSpec> inputs;
  std::vector<ArgSpec> outputs;
  std::vector<AttrSpec> attrs;
  std::vector<std::string> control_outputs;
  bool is_stateful = false;
  bool is_commutative = false;
  bool is_aggregate = false;
  bool allows_uninitialized_input = false;
  bool is_distributed_communication = false;
  bool reads_shapes_only = false;  // of its inputs, whose values do not matter
  Capability capability = Capability::kNone;
  std::string deprecation;  // why, for a deprecated op
  int deprecated_since = 0;
  std::string doc;
  ShapeFn shape_fn;  // null: outputs of unknown shape

  const AttrSpec* FindAttr(absl::string_view attr) const;
};

// Builds a schema from specs. Errors are kept and come out of Build.
class OpSchemaBuilder {
 public:
  explicit OpSchemaBuilder(absl::string_view name, absl::string_view library = "");
  OpSchemaBuilder& Input(absl::string_view spec);
  OpSchemaBuilder& Output(absl::string_view spec);
  OpSchemaBuilder& Attr(absl::string_view spec);
  OpSchemaBuilder& ControlOutput(absl::string_view name);
  OpSchemaBuilder& Role(OpRole role);
  OpSchemaBuilder& PassesOn(PassOn what);
  OpSchemaBuilder& Effect(StateEffect effect);
  // On what one input stands for.
  OpSchemaBuilder& Effect(absl::string_view input, StateEffect effect);
  OpSchemaBuilder& DependsOn(Chance chance);
  OpSchemaBuilder& Costs(CostClass cost_class);
  OpSchemaBuilder& ReadsShapesOnly();
  OpSchemaBuilder& Stateful();
  OpSchemaBuilder& Commutative();
  OpSchemaBuilder& Aggregate();
  OpSchemaBuilder& AllowsUninitializedInput();
  OpSchemaBuilder& DistributedCommunication();
  OpSchemaBuilder& Needs(Capability capability);
  OpSchemaBuilder& Deprecated(int since, absl::string_view why);
  OpSchemaBuilder& Doc(absl::string_view text);
  OpSchemaBuilder& Shape(ShapeFn fn);
  StatusOr<OpSchema> Build() const;

  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::vector<std::string> inputs_, outputs_, attrs_;
  std::vector<std::pair<std::string, StateEffect>> input_effects_;
  OpSchema schema_;
};

// Parses one attribute spec; exposed for function signatures and tests.
StatusOr<AttrSpec> ParseAttrSpec(absl::string_view spec);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_OP_OP_SCHEMA_H_
