#include "frontend/monitored/nan_tensor_hook.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "absl/strings/str_join.h"
#include "frontend/monitored/global_step_reader.h"
#include "frontend/training/global_step.h"
#include "graph/graph.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

struct Special {
  bool has_nan = false;
  bool has_infinity = false;
};

template <typename T>
Special LookAt(const Tensor& tensor) {
  Special found;
  for (const T value : tensor.flat<T>()) {
    found.has_nan = found.has_nan || std::isnan(value);
    found.has_infinity = found.has_infinity || std::isinf(value);
  }
  return found;
}

// Numbers of 16 bits with the exponent under `exponent`, the fraction below it.
Special LookAtHalves(const Tensor& tensor, uint16_t exponent) {
  const uint16_t fraction = static_cast<uint16_t>((exponent & -exponent) - 1);
  Special found;
  const uint16_t* const bits = tensor.data<uint16_t>();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    if ((bits[i] & exponent) != exponent) continue;
    ((bits[i] & fraction) != 0 ? found.has_nan : found.has_infinity) = true;
  }
  return found;
}

Special LookAtTensor(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kFloat:
      return LookAt<float>(tensor);
    case DType::kDouble:
      return LookAt<double>(tensor);
    case DType::kHalf:
      return LookAtHalves(tensor, 0x7c00);
    case DType::kBFloat16:
      return LookAtHalves(tensor, 0x7f80);
    default:
      return Special();
  }
}

bool IsOfFractions(DType dtype) {
  return dtype == DType::kFloat || dtype == DType::kDouble || dtype == DType::kHalf ||
         dtype == DType::kBFloat16;
}

bool IsVariableOp(const std::string& op) {
  return op == "VariableV2" || op == "Variable" || op == "ReadVariableOp";
}

// Walks back from a tensor; nodes come out behind their inputs.
class Ancestors {
 public:
  explicit Ancestors(const Graph& graph) : graph_(graph) {}

  std::vector<OutputRef> Of(OutputRef target) {
    struct Frame {
      OutputRef output;
      int next_input = 0;
    };
    std::vector<Frame> stack = {{target}};
    while (!stack.empty()) {
      Frame& top = stack.back();
      const Node& node = graph_.node(top.output.node);
      const bool is_leaf = node.op_name() == "Exit" || node.op_name() == "Merge";
      const auto& inputs = node.inputs();
      if (!is_leaf && top.next_input < static_cast<int>(inputs.size())) {
        const OutputRef input = inputs[top.next_input++];
        if (seen_.insert({input.node, input.index}).second) stack.push_back({input});
        continue;
      }
      order_.push_back(top.output);
      stack.pop_back();
    }
    return std::move(order_);
  }

 private:
  const Graph& graph_;
  std::set<std::pair<int, int>> seen_;
  std::vector<OutputRef> order_;
};

}  // namespace

OutputList FloatAncestors(const Scope& scope, const Output& target) {
  std::vector<Output> found;
  for (const OutputRef ref : Ancestors(*scope.graph()).Of({target.node(), target.index()})) {
    const Output output(target.graph(), ref.node, ref.index);
    if (IsOfFractions(output.dtype())) found.push_back(output);
  }
  return found;
}

std::string FirstNan(const Scope& scope, ClientSession& session, const Output& target,
                     const ClientSession::Feeds& feeds) {
  const std::vector<Output> candidates = FloatAncestors(scope, target);
  const auto values = session.Run(feeds, {candidates.begin(), candidates.end()});
  if (!values.ok()) return absl::StrCat("the node was not found: ", values.status().message());
  std::string infinity;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Special special = LookAtTensor((*values)[i]);
    const Output& at = candidates[i];
    const auto in = [&] { return absl::StrCat(" in '", at.name(), "' (", at.op().type(), ")"); };
    if (special.has_nan) {
      return absl::StrCat("NaN first appeared", in(), infinity.empty() ? "" : ", infinity",
                          infinity);
    }
    if (special.has_infinity && infinity.empty()) infinity = in();
  }
  return infinity.empty() ? "" : absl::StrCat("infinity first appeared", infinity);
}

Status NanTensorHook::Begin(const Scope& scope) {
  WB_RETURN_IF_ERROR(scope.status());
  if (!loss_.valid() || !IsOfFractions(loss_.dtype()) || !loss_.shape().IsCompatibleWith(Shape())) {
    return InvalidArgument("NanTensorHook needs a loss that is a scalar of fractions; '",
                           loss_.name(), "' is ", DTypeName(loss_.dtype()),
                           loss_.shape().ToString());
  }
  scope_ = scope;
  step_ = GetGlobalStep(scope);
  if (options_.search != NanTensorOptions::Search::kNone) {
    candidates_ = FloatAncestors(scope, loss_);
  }
  return OkStatus();
}

StatusOr<RunArgs> NanTensorHook::BeforeRun(RunContext&) {
  RunArgs args{{loss_}, {}, false};
  if (options_.search == NanTensorOptions::Search::kEveryStep) {
    args.fetches.insert(args.fetches.end(), candidates_.begin(), candidates_.end());
  }
  return args;
}

std::string NanTensorHook::Describe(const std::vector<Tensor>& values) const {
  std::vector<std::string> infinite, variables;
  for (size_t i = 0; i < candidates_.size(); ++i) {
    const Output& at = candidates_[i];
    const Special special = LookAtTensor(values[i]);
    const Node& node = scope_->graph()->node(at.node());
    const bool is_variable = IsVariableOp(at.op().type()) ||
                             (at.op().type() == "Identity" &&
                              IsVariableOp(scope_->graph()->node(node.inputs()[0].node).op_name()));
    if (special.has_infinity && infinite.size() < 3) {
      infinite.push_back(absl::StrCat("'", at.name(), "'"));
    }
    if (!special.has_nan) continue;
    // A variable may have become NaN by the step's own update: its readers tell more.
    if (is_variable) {
      variables.push_back(absl::StrCat("'", at.op().name(), "'"));
      if (options_.search == NanTensorOptions::Search::kEveryStep) continue;
    }
    const bool by_update = is_variable || !variables.empty();
    std::string text =
        absl::StrCat("; NaN first appeared in '", at.name(), "' (", at.op().type(), ")");
    if (is_variable) {
      absl::StrAppend(&text,
                      ": an update has made the variable NaN, this step's or an earlier "
                      "one's; Search::kEveryStep names the node within a step");
    } else if (by_update) {
      absl::StrAppend(&text, "; NaN now also in ", absl::StrJoin(variables, ", "));
    }
    if (!infinite.empty()) {
      absl::StrAppend(&text, "; infinite before it: ", absl::StrJoin(infinite, ", "));
    }
    return text;
  }
  return "";
}

std::string NanTensorHook::Find(RunContext& context, const RunValues& values) {
  if (candidates_.empty()) return "";
  if (options_.search == NanTensorOptions::Search::kEveryStep) {
    return Describe({values.results.begin() + 1, values.results.end()});
  }
  const std::vector<Fetch> fetches(candidates_.begin(), candidates_.end());
  const auto again = context.session().Run(*values.feeds, fetches);
  if (!again.ok()) {
    return absl::StrCat("; the node was not found: ", again.status().message());
  }
  const std::string found = Describe(*again);
  return found.empty() ? "; a further run with the same feeds gave numbers" : found;
}

Status NanTensorHook::AfterRun(RunContext& context, const RunValues& values) {
  if (!LookAtTensor(values.results[0]).has_nan) return OkStatus();
  std::string text = absl::StrCat("the loss '", loss_.name(), "' is NaN");
  if (step_.valid()) {
    const auto step = ReadStep(context.session(), step_);
    if (step.ok()) absl::StrAppend(&text, " at step ", *step);
  }
  absl::StrAppend(&text, Find(context, values));
  if (options_.fail_on_nan_loss) return Internal(text);
  options_.lines(absl::StrCat("warning: ", text, "; training stops"));
  context.RequestStop();
  return OkStatus();
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
