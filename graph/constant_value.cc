// Graph::ConstantValue and ConstantValueAsShape: shape arithmetic, without kernels.
//
// Values are small integer tensors of which some elements may be unknown (the extents of a
// placeholder's shape). Rules work on those; a full Tensor comes out only when every element is
// known.
#include <algorithm>
#include <limits>

#include "graph/graph.h"

namespace warpbeam {
namespace {

// Bounds on the work for one question, whatever the graph looks like.
constexpr int kMaxDepth = 64;
constexpr int kMaxVisits = 512;
constexpr int64_t kMaxElements = 1024;

// An integer tensor; elements whose `known` is false have no meaning.
struct IntValue {
  DType dtype = DType::kInt32;
  Shape shape;
  std::vector<int64_t> values;
  std::vector<char> known;

  int64_t size() const { return static_cast<int64_t>(values.size()); }
  bool AllKnown() const { return std::find(known.begin(), known.end(), 0) == known.end(); }
  void Append(int64_t value, bool is_known) {
    values.push_back(value);
    known.push_back(is_known);
  }
  static IntValue Vector(DType dtype) {
    IntValue v;
    v.dtype = dtype;
    return v;
  }
  // Makes this a vector of what was appended.
  void FinishVector() { shape = Shape({size()}); }
};
using MaybeValue = std::optional<IntValue>;

template <typename T>
void ReadAs(const Tensor& t, IntValue* out) {
  for (T v : t.flat<T>()) out->Append(static_cast<int64_t>(v), true);
}

MaybeValue FromTensor(const Tensor& t) {
  if (t.num_elements() > kMaxElements || t.raw_data() == nullptr) return std::nullopt;
  IntValue out;
  out.dtype = t.dtype();
  out.shape = t.shape();
  switch (t.dtype()) {
    case DType::kInt32:
      ReadAs<int32_t>(t, &out);
      return out;
    case DType::kInt64:
      ReadAs<int64_t>(t, &out);
      return out;
    case DType::kInt16:
      ReadAs<int16_t>(t, &out);
      return out;
    case DType::kInt8:
      ReadAs<int8_t>(t, &out);
      return out;
    case DType::kUInt8:
      ReadAs<uint8_t>(t, &out);
      return out;
    default:
      return std::nullopt;
  }
}

template <typename T>
std::optional<Tensor> WriteAs(const IntValue& v) {
  StatusOr<Tensor> t = Tensor::Allocate(v.dtype, v.shape);
  if (!t.ok()) return std::nullopt;
  for (int64_t i = 0; i < v.size(); ++i) t->data<T>()[i] = static_cast<T>(v.values[i]);
  return *std::move(t);
}

std::optional<Tensor> ToTensor(const IntValue& v) {
  if (!v.AllKnown()) return std::nullopt;
  switch (v.dtype) {
    case DType::kInt32:
      return WriteAs<int32_t>(v);
    case DType::kInt64:
      return WriteAs<int64_t>(v);
    case DType::kInt16:
      return WriteAs<int16_t>(v);
    case DType::kInt8:
      return WriteAs<int8_t>(v);
    case DType::kUInt8:
      return WriteAs<uint8_t>(v);
    default:
      return std::nullopt;
  }
}

// `value` as the type stores it: arithmetic wraps around as the kernels' does.
int64_t Wrap(DType dtype, int64_t value) {
  switch (dtype) {
    case DType::kInt32:
      return static_cast<int32_t>(value);
    case DType::kInt16:
      return static_cast<int16_t>(value);
    case DType::kInt8:
      return static_cast<int8_t>(value);
    case DType::kUInt8:
      return static_cast<uint8_t>(value);
    default:
      return value;
  }
}

bool IsSmallInteger(DType t) {
  return t == DType::kInt32 || t == DType::kInt64 || t == DType::kInt16 || t == DType::kInt8 ||
         t == DType::kUInt8;
}

int64_t AddWrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t MultiplyWrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

class Evaluator {
 public:
  explicit Evaluator(const Graph& graph) : graph_(graph) {}

  MaybeValue Value(OutputRef output) {
    if (output.node == kNoNode || depth_ >= kMaxDepth || ++visits_ > kMaxVisits) {
      return std::nullopt;
    }
    const Node& node = graph_.node(output.node);
    if (!IsSmallInteger(BaseType(node.output_type(output.index)))) return std::nullopt;
    ++depth_;
    MaybeValue value = Apply(node, output.index);
    --depth_;
    if (value && value->size() > kMaxElements) return std::nullopt;
    return value;
  }

 private:
  using Rule = MaybeValue (Evaluator::*)(const Node&, int);

  MaybeValue Apply(const Node& node, int output) {
    static const auto* const kRules = new absl::flat_hash_map<absl::string_view, Rule>{
        {"Const", &Evaluator::Const},
        {"Identity", &Evaluator::Same},
        {"IdentityN", &Evaluator::Same},
        {"StopGradient", &Evaluator::Same},
        {"PreventGradient", &Evaluator::Same},
        {"Shape", &Evaluator::ShapeOf},
        {"ShapeN", &Evaluator::ShapeOf},
        {"Size", &Evaluator::SizeOf},
        {"Rank", &Evaluator::RankOf},
        {"Cast", &Evaluator::Cast},
        {"Pack", &Evaluator::Pack},
        {"Unpack", &Evaluator::Unpack},
        {"Concat", &Evaluator::Concat},
        {"ConcatV2", &Evaluator::Concat},
        {"StridedSlice", &Evaluator::StridedSlice},
        {"Slice", &Evaluator::Slice},
        {"Gather", &Evaluator::Gather},
        {"GatherV2", &Evaluator::Gather},
        {"Reshape", &Evaluator::Reshaped},
        {"ExpandDims", &Evaluator::Reshaped},
        {"Squeeze", &Evaluator::Reshaped},
        {"Range", &Evaluator::Range},
        {"Fill", &Evaluator::Fill},
        {"ZerosLike", &Evaluator::ZerosLike},
        {"OnesLike", &Evaluator::ZerosLike},
        {"InvertPermutation", &Evaluator::InvertPermutation},
        {"BroadcastArgs", &Evaluator::BroadcastArgs},
        {"Add", &Evaluator::Binary},
        {"AddV2", &Evaluator::Binary},
        {"Sub", &Evaluator::Binary},
        {"Mul", &Evaluator::Binary},
        {"Div", &Evaluator::Binary},
        {"TruncateDiv", &Evaluator::Binary},
        {"FloorDiv", &Evaluator::Binary},
        {"FloorMod", &Evaluator::Binary},
        {"Maximum", &Evaluator::Binary},
        {"Minimum", &Evaluator::Binary},
        {"Neg", &Evaluator::Negate},
        {"Prod", &Evaluator::Reduce},
        {"Sum", &Evaluator::Reduce},
        {"Max", &Evaluator::Reduce},
        {"Min", &Evaluator::Reduce},
    };
    auto it = kRules->find(node.op_name());
    return it == kRules->end() ? std::nullopt : (this->*it->second)(node, output);
  }

  // A library function may bear the name of an op with a rule: it need not have its inputs.
  MaybeValue Input(const Node& node, int i) {
    return i < node.num_inputs() ? Value(node.input(i)) : std::nullopt;
  }
  // The value of input i when all of it is known.
  MaybeValue KnownInput(const Node& node, int i) {
    MaybeValue v = Input(node, i);
    if (v && !v->AllKnown()) return std::nullopt;
    return v;
  }
  std::optional<int64_t> ScalarInput(const Node& node, int i) {
    MaybeValue v = KnownInput(node, i);
    if (!v || v->size() != 1) return std::nullopt;
    return v->values[0];
  }
  const PartialShape* InputShape(const Node& node, int i) {
    const OutputRef in = i < node.num_inputs() ? node.input(i) : OutputRef();
    return in.node == kNoNode ? nullptr : &graph_.node(in.node).output_shape(in.index);
  }

  MaybeValue Const(const Node& node, int) {
    const AttrValue* value = node.attrs().Find("value");
    if (value == nullptr || value->kind() != AttrValue::Kind::kTensor) return std::nullopt;
    return FromTensor(value->tensor());
  }

  MaybeValue Same(const Node& node, int output) { return Input(node, output); }

  MaybeValue ShapeOf(const Node& node, int output) {
    const PartialShape* shape = InputShape(node, output);
    if (shape == nullptr || !shape->has_rank()) return std::nullopt;
    IntValue out = IntValue::Vector(node.output_type(output));
    for (int64_t d : shape->dims()) out.Append(d, d >= 0);
    out.FinishVector();
    return out;
  }

  MaybeValue SizeOf(const Node& node, int) {
    const PartialShape* shape = InputShape(node, 0);
    const int64_t size = shape == nullptr ? -1 : shape->num_elements();
    if (size < 0) return std::nullopt;
    return MakeScalar(node, size);
  }

  MaybeValue RankOf(const Node& node, int) {
    const PartialShape* shape = InputShape(node, 0);
    if (shape == nullptr || !shape->has_rank()) return std::nullopt;
    return MakeScalar(node, shape->rank());
  }

  static MaybeValue MakeScalar(const Node& node, int64_t value) {
    IntValue out = IntValue::Vector(BaseType(node.output_type(0)));
    out.Append(Wrap(out.dtype, value), true);
    return out;
  }

  MaybeValue Cast(const Node& node, int) {
    MaybeValue v = Input(node, 0);
    if (!v) return v;
    v->dtype = node.output_type(0);
    for (int64_t& x : v->values) x = Wrap(v->dtype, x);
    return v;
  }

  MaybeValue Pack(const Node& node, int) {
    IntValue out = IntValue::Vector(node.output_type(0));
    Shape element;
    for (int i = 0; i < node.num_inputs(); ++i) {
      MaybeValue v = Input(node, i);
      if (!v) {
        // One unknown scalar leaves the others known.
        const PartialShape* shape = InputShape(node, i);
        if (shape == nullptr || shape->rank() != 0 || element.rank() != 0) return std::nullopt;
        out.Append(0, false);
        continue;
      }
      if (i > 0 && v->shape != element) return std::nullopt;
      element = v->shape;
      for (int64_t k = 0; k < v->size(); ++k) out.Append(v->values[k], v->known[k]);
    }
    if (element.rank() > 0 && node.attrs().GetOr<int64_t>("axis", 0) != 0) return std::nullopt;
    StatusOr<Shape> shape = element.Insert(0, node.num_inputs());
    if (!shape.ok()) return std::nullopt;
    out.shape = *std::move(shape);
    return out;
  }

  MaybeValue Unpack(const Node& node, int output) {
    MaybeValue v = Input(node, 0);
    if (!v || v->shape.rank() != 1 || output >= v->size()) return std::nullopt;
    IntValue out = IntValue::Vector(v->dtype);
    out.Append(v->values[output], v->known[output]);
    return out;
  }

  MaybeValue Concat(const Node& node, int) {
    // Concat has its axis first, ConcatV2 last.
    const int first = node.op_name() == "Concat" ? 1 : 0;
    IntValue out = IntValue::Vector(node.output_type(0));
    for (int i = first; i < first + node.num_inputs() - 1; ++i) {
      MaybeValue v = Input(node, i);
      if (!v) {
        const PartialShape* shape = InputShape(node, i);
        if (shape == nullptr || shape->rank() != 1 || shape->dim(0) < 0 ||
            shape->dim(0) > kMaxElements) {
          return std::nullopt;
        }
        for (int64_t k = 0; k < shape->dim(0); ++k) out.Append(0, false);
        continue;
      }
      if (v->shape.rank() != 1) return std::nullopt;
      for (int64_t k = 0; k < v->size(); ++k) out.Append(v->values[k], v->known[k]);
    }
    out.FinishVector();
    return out;
  }

  // One element of a mask attribute, for the first dimension.
  static bool MaskBit(const Node& node, const char* mask) {
    return (node.attrs().GetOr<int64_t>(mask, 0) & 1) != 0;
  }

  MaybeValue StridedSlice(const Node& node, int) {
    MaybeValue v = Input(node, 0);
    if (!v || v->shape.rank() != 1) return std::nullopt;
    if (MaskBit(node, "ellipsis_mask") || MaskBit(node, "new_axis_mask")) return std::nullopt;
    MaybeValue begins = KnownInput(node, 1);
    MaybeValue ends = KnownInput(node, 2);
    std::optional<int64_t> stride = ScalarInput(node, 3);
    const bool no_begin = MaskBit(node, "begin_mask");
    const bool no_end = MaskBit(node, "end_mask");
    const bool shrink = MaskBit(node, "shrink_axis_mask");
    if (!stride || *stride == 0 || (!begins && (!no_begin || shrink)) ||
        (!ends && !no_end && !shrink)) {
      return std::nullopt;
    }
    const int64_t n = v->size();
    int64_t begin = begins && begins->size() == 1 ? begins->values[0] : 0;
    if (begin < 0) begin += n;
    IntValue out = IntValue::Vector(v->dtype);
    if (shrink) {
      if (begin < 0 || begin >= n) return std::nullopt;
      out.Append(v->values[begin], v->known[begin]);
      return out;
    }
    int64_t end = ends && ends->size() == 1 ? ends->values[0] : 0;
    if (end < 0) end += n;
    const bool forward = *stride > 0;
    begin = no_begin ? (forward ? 0 : n - 1) : Clamp(begin, n, forward);
    end = no_end ? (forward ? n : -1) : Clamp(end, n, forward);
    // A stride beyond the vector takes one element: no overflow.
    const int64_t step = std::max<int64_t>(-n - 1, std::min<int64_t>(n + 1, *stride));
    for (int64_t i = begin; forward ? i < end : i > end; i += step) {
      out.Append(v->values[i], v->known[i]);
    }
    out.FinishVector();
    return out;
  }
  static int64_t Clamp(int64_t i, int64_t n, bool forward) {
    return std::max<int64_t>(forward ? 0 : -1, std::min<int64_t>(i, forward ? n : n - 1));
  }

  MaybeValue Slice(const Node& node, int) {
    MaybeValue v = Input(node, 0);
    std::optional<int64_t> begin = ScalarInput(node, 1);
    std::optional<int64_t> size = ScalarInput(node, 2);
    if (!v || v->shape.rank() != 1 || !begin || !size) return std::nullopt;
    if (*begin < 0 || *begin > v->size()) return std::nullopt;
    const int64_t count = *size == -1 ? v->size() - *begin : *size;
    if (count < 0 || count > v->size() - *begin) return std::nullopt;
    IntValue out = IntValue::Vector(v->dtype);
    for (int64_t i = *begin; i < *begin + count; ++i) out.Append(v->values[i], v->known[i]);
    out.FinishVector();
    return out;
  }

  MaybeValue Gather(const Node& node, int) {
    MaybeValue v = Input(node, 0);
    MaybeValue indices = KnownInput(node, 1);
    if (!v || v->shape.rank() != 1 || !indices) return std::nullopt;
    if (node.attrs().GetOr<int64_t>("batch_dims", 0) != 0) return std::nullopt;
    IntValue out = IntValue::Vector(v->dtype);
    for (int64_t i : indices->values) {
      if (i < 0 || i >= v->size()) return std::nullopt;
      out.Append(v->values[i], v->known[i]);
    }
    out.shape = indices->shape;
    return out;
  }

  // The same elements under the shape that shape inference found.
  MaybeValue Reshaped(const Node& node, int) {
    MaybeValue v = Input(node, 0);
    if (!v || node.output_shape(0).num_elements() != v->size()) return std::nullopt;
    StatusOr<Shape> shape = node.output_shape(0).AsShape();
    if (!shape.ok()) return std::nullopt;
    v->shape = *std::move(shape);
    return v;
  }

  MaybeValue Range(const Node& node, int) {
    std::optional<int64_t> start = ScalarInput(node, 0);
    std::optional<int64_t> limit = ScalarInput(node, 1);
    std::optional<int64_t> delta = ScalarInput(node, 2);
    if (!start || !limit || !delta || *delta == 0) return std::nullopt;
    IntValue out = IntValue::Vector(node.output_type(0));
    for (int64_t i = *start; *delta > 0 ? i < *limit : i > *limit;) {
      if (out.size() >= kMaxElements) return std::nullopt;
      out.Append(i, true);
      if (__builtin_add_overflow(i, *delta, &i)) break;
    }
    out.FinishVector();
    return out;
  }

  MaybeValue Fill(const Node& node, int) {
    MaybeValue dims = KnownInput(node, 0);
    std::optional<int64_t> value = ScalarInput(node, 1);
    if (!dims || !value) return std::nullopt;
    StatusOr<Shape> shape = Shape::Make(dims->values);
    if (!shape.ok()) return std::nullopt;
    return Splat(node, *shape, *value);
  }

  MaybeValue ZerosLike(const Node& node, int) {
    const PartialShape* partial = InputShape(node, 0);
    if (partial == nullptr) return std::nullopt;
    StatusOr<Shape> shape = partial->AsShape();
    if (!shape.ok()) return std::nullopt;
    return Splat(node, *shape, node.op_name() == "OnesLike" ? 1 : 0);
  }

  static MaybeValue Splat(const Node& node, const Shape& shape, int64_t value) {
    if (shape.num_elements() > kMaxElements) return std::nullopt;
    IntValue out = IntValue::Vector(node.output_type(0));
    out.shape = shape;
    out.values.assign(shape.num_elements(), value);
    out.known.assign(shape.num_elements(), 1);
    return out;
  }

  MaybeValue InvertPermutation(const Node& node, int) {
    MaybeValue v = KnownInput(node, 0);
    if (!v || v->shape.rank() != 1) return std::nullopt;
    IntValue out = *v;
    std::fill(out.values.begin(), out.values.end(), -1);
    for (int64_t i = 0; i < v->size(); ++i) {
      const int64_t to = v->values[i];
      if (to < 0 || to >= v->size() || out.values[to] >= 0) return std::nullopt;
      out.values[to] = i;
    }
    return out;
  }

  MaybeValue BroadcastArgs(const Node& node, int) {
    MaybeValue a = KnownInput(node, 0);
    MaybeValue b = KnownInput(node, 1);
    if (!a || !b) return std::nullopt;
    StatusOr<PartialShape> both =
        ShapeContext::Broadcast(PartialShape(a->values), PartialShape(b->values));
    if (!both.ok()) return std::nullopt;
    IntValue out = IntValue::Vector(a->dtype);
    for (int64_t d : both->dims()) out.Append(d, true);
    out.FinishVector();
    return out;
  }

  // nullopt where the kernel would fail (division by zero) or trap.
  static std::optional<int64_t> Compute(const std::string& op, int64_t a, int64_t b) {
    if (op == "Add" || op == "AddV2" || op == "Sum") return AddWrapping(a, b);
    if (op == "Sub") return AddWrapping(a, MultiplyWrapping(b, -1));
    if (op == "Mul" || op == "Prod") return MultiplyWrapping(a, b);
    if (op == "Maximum" || op == "Max") return std::max(a, b);
    if (op == "Minimum" || op == "Min") return std::min(a, b);
    if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min())) return std::nullopt;
    const bool inexact_negative = a % b != 0 && (a < 0) != (b < 0);
    if (op == "FloorDiv") return a / b - (inexact_negative ? 1 : 0);
    if (op == "FloorMod") return a % b + (inexact_negative ? b : 0);
    return a / b;  // Div, TruncateDiv
  }

  MaybeValue Binary(const Node& node, int) {
    MaybeValue a = Input(node, 0);
    MaybeValue b = a ? Input(node, 1) : std::nullopt;
    if (!a || !b) return std::nullopt;
    const bool a_one = a->size() == 1 && a->shape.rank() <= b->shape.rank();
    const bool b_one = b->size() == 1 && b->shape.rank() <= a->shape.rank();
    if (a->shape != b->shape && !a_one && !b_one) return std::nullopt;
    const bool spread_a = a->shape != b->shape && a_one;
    const bool spread_b = a->shape != b->shape && !a_one;
    IntValue out = IntValue::Vector(node.output_type(0));
    out.shape = spread_a ? b->shape : a->shape;
    for (int64_t i = 0; i < out.shape.num_elements(); ++i) {
      const int64_t x = spread_a ? 0 : i;
      const int64_t y = spread_b ? 0 : i;
      const bool known = a->known[x] && b->known[y];
      std::optional<int64_t> value;
      if (known) value = Compute(node.op_name(), a->values[x], b->values[y]);
      if (known && !value) return std::nullopt;
      out.Append(known ? Wrap(out.dtype, *value) : 0, known);
    }
    return out;
  }

  MaybeValue Negate(const Node& node, int) {
    MaybeValue v = Input(node, 0);
    if (!v) return v;
    for (int64_t& x : v->values) x = Wrap(v->dtype, MultiplyWrapping(x, -1));
    return v;
  }

  // Reduces a vector over its only axis.
  MaybeValue Reduce(const Node& node, int) {
    MaybeValue v = KnownInput(node, 0);
    std::optional<int64_t> axis = ScalarInput(node, 1);
    if (!v || v->shape.rank() != 1 || !axis || (*axis != 0 && *axis != -1)) return std::nullopt;
    if (node.attrs().GetOr<bool>("keep_dims", false)) return std::nullopt;
    const std::string& op = node.op_name();
    if (v->size() == 0 && (op == "Max" || op == "Min")) return std::nullopt;
    int64_t total = op == "Prod" ? 1 : op == "Sum" ? 0 : v->values[0];
    for (int64_t x : v->values) total = *Compute(op, total, x);
    return MakeScalar(node, total);
  }

  const Graph& graph_;
  int depth_ = 0;
  int visits_ = 0;
};

// A Const behind Identity nodes, of any type: no element is looked at.
const Tensor* ConstTensor(const Graph& graph, OutputRef output) {
  for (int depth = 0; depth < kMaxDepth && output.node != kNoNode; ++depth) {
    const Node& node = graph.node(output.node);
    if (node.op_name() == "Const") {
      const AttrValue* value = node.attrs().Find("value");
      const bool is_tensor = value != nullptr && value->kind() == AttrValue::Kind::kTensor;
      return is_tensor ? &value->tensor() : nullptr;
    }
    if (node.op_name() != "Identity" || node.num_inputs() == 0) return nullptr;
    output = node.input(0);
  }
  return nullptr;
}

}  // namespace

std::optional<Tensor> Graph::ConstantValue(OutputRef output) const {
  if (output.node == kNoNode) return std::nullopt;
  if (const Tensor* tensor = ConstTensor(*this, output)) return *tensor;
  Evaluator evaluator(*this);
  MaybeValue value = evaluator.Value(output);
  return value ? ToTensor(*value) : std::nullopt;
}

std::optional<PartialShape> Graph::ConstantValueAsShape(OutputRef output) const {
  Evaluator evaluator(*this);
  MaybeValue value = evaluator.Value(output);
  if (!value || value->shape.rank() != 1 || value->size() > kMaxRank) return std::nullopt;
  std::vector<int64_t> dims;
  for (int64_t i = 0; i < value->size(); ++i) {
    const int64_t d = value->known[i] ? value->values[i] : -1;
    if (d < -1) return std::nullopt;
    dims.push_back(d);
  }
  StatusOr<PartialShape> shape = PartialShape::Make(dims);
  if (!shape.ok()) return std::nullopt;
  return *std::move(shape);
}

}  // namespace warpbeam
