#include "frontend/saved_model/signature_def.h"

#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace saved_model {
namespace {

Status CheckType(const char* what, const Output& tensor, DType dtype) {
  if (!tensor.valid())
    return InvalidArgument("the ", what, " are an Output that ", tensor.problem());
  if (tensor.dtype() == dtype) return OkStatus();
  return InvalidArgument("the ", what, ", '", tensor.name(), "', must be ", DTypeName(dtype),
                         ", they are ", DTypeName(tensor.dtype()));
}

std::map<std::string, TensorInfo> InfosOf(const NamedOutputs& tensors) {
  std::map<std::string, TensorInfo> infos;
  for (const auto& [name, tensor] : tensors) infos[name] = BuildTensorInfo(tensor);
  return infos;
}

}  // namespace

TensorInfo BuildTensorInfo(const Output& tensor) {
  TensorInfo info;
  info.tensor = tensor.name();
  info.dtype = tensor.dtype();
  info.shape = tensor.shape();
  return info;
}

SignatureDef BuildSignatureDef(std::map<std::string, TensorInfo> inputs,
                               std::map<std::string, TensorInfo> outputs,
                               const std::string& method_name) {
  return {method_name, std::move(inputs), std::move(outputs)};
}

SignatureDef PredictSignatureDef(const NamedOutputs& inputs, const NamedOutputs& outputs) {
  return BuildSignatureDef(InfosOf(inputs), InfosOf(outputs), kPredictMethodName);
}

StatusOr<SignatureDef> ClassificationSignatureDef(const Output& examples, const Output& classes,
                                                  const Output& scores) {
  WB_RETURN_IF_ERROR(CheckType("examples", examples, DType::kString));
  NamedOutputs outputs;
  if (classes.valid()) {
    WB_RETURN_IF_ERROR(CheckType("classes", classes, DType::kString));
    outputs[kClassifyOutputClasses] = classes;
  }
  if (scores.valid()) {
    WB_RETURN_IF_ERROR(CheckType("scores", scores, DType::kFloat));
    outputs[kClassifyOutputScores] = scores;
  }
  if (outputs.empty()) return InvalidArgument("a classification has classes or scores, or both");
  return BuildSignatureDef(InfosOf({{kClassifyInputs, examples}}), InfosOf(outputs),
                           kClassifyMethodName);
}

StatusOr<SignatureDef> RegressionSignatureDef(const Output& examples, const Output& predictions) {
  WB_RETURN_IF_ERROR(CheckType("examples", examples, DType::kString));
  WB_RETURN_IF_ERROR(CheckType("predictions", predictions, DType::kFloat));
  return BuildSignatureDef(InfosOf({{kRegressInputs, examples}}),
                           InfosOf({{kRegressOutputs, predictions}}), kRegressMethodName);
}

bool IsValidSignature(const SignatureDef& signature) {
  const auto& inputs = signature.inputs;
  const auto& outputs = signature.outputs;
  if (inputs.empty() || outputs.empty()) return false;
  if (signature.method == kPredictMethodName) return true;
  const auto is = [](const std::map<std::string, TensorInfo>& ports, const char* name,
                     DType dtype) {
    const auto found = ports.find(name);
    return found != ports.end() && found->second.dtype == dtype;
  };
  if (inputs.size() != 1 || !is(inputs, kClassifyInputs, DType::kString)) return false;
  if (signature.method == kRegressMethodName) {
    return outputs.size() == 1 && is(outputs, kRegressOutputs, DType::kFloat);
  }
  if (signature.method != kClassifyMethodName) return false;
  for (const auto& [name, port] : outputs) {
    const bool classes = name == kClassifyOutputClasses && port.dtype == DType::kString;
    const bool scores = name == kClassifyOutputScores && port.dtype == DType::kFloat;
    if (!classes && !scores) return false;
  }
  return true;
}

Output GetTensorFromTensorInfo(ScopeRef scope, const TensorInfo& info,
                               const std::string& import_scope) {
  return scope.scope().GetTensor(import_scope.empty() ? info.tensor
                                                      : import_scope + "/" + info.tensor);
}

}  // namespace saved_model
}  // namespace frontend
}  // namespace warpbeam
