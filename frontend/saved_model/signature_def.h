// Signatures of models that are written (tf.saved_model.build_signature_def and the like): which
// tensors go in and come out of an entry point, by the names that callers know.
//
//   SignatureDef predict = PredictSignatureDef({{"images", x}}, {{"scores", y}});
//   WB_ASSIGN_OR_RETURN(SignatureDef classify, ClassificationSignatureDef(examples, {}, scores));
//   TensorInfo info = BuildTensorInfo(x);                       // "x:0", float, [-1,784]
//
// Ownership: values that name tensors. Thread safety: that of the Scope. Errors: INVALID_ARGUMENT
// for tensors that are not valid or have another type than the method needs.
#ifndef WARPBEAM_FRONTEND_SAVED_MODEL_SIGNATURE_DEF_H_
#define WARPBEAM_FRONTEND_SAVED_MODEL_SIGNATURE_DEF_H_

#include <map>
#include <string>

#include "frontend/output.h"
#include "frontend/scope.h"
#include "graph/io/meta_graph/signature.h"

namespace warpbeam {
namespace frontend {
namespace saved_model {

using SignatureDef = ::warpbeam::Signature;
using TensorInfo = ::warpbeam::TensorPort;
using NamedOutputs = std::map<std::string, Output>;

// Tags of MetaGraphs.
inline constexpr char kServing[] = "serve";
inline constexpr char kTraining[] = "train";
inline constexpr char kEval[] = "eval";
inline constexpr char kGpu[] = "gpu";
inline constexpr char kTpu[] = "tpu";

inline constexpr char kDefaultServingSignatureDefKey[] = "serving_default";
inline constexpr char kPredictMethodName[] = "tensorflow/serving/predict";
inline constexpr char kClassifyMethodName[] = "tensorflow/serving/classify";
inline constexpr char kRegressMethodName[] = "tensorflow/serving/regress";

inline constexpr char kPredictInputs[] = "inputs";
inline constexpr char kPredictOutputs[] = "outputs";
inline constexpr char kClassifyInputs[] = "inputs";
inline constexpr char kClassifyOutputClasses[] = "classes";
inline constexpr char kClassifyOutputScores[] = "scores";
inline constexpr char kRegressInputs[] = "inputs";
inline constexpr char kRegressOutputs[] = "outputs";

// What a model's folder holds, and collections of its graphs.
inline constexpr char kAssetsDirectory[] = "assets";
inline constexpr char kAssetsKey[] = "saved_model_assets";
inline constexpr char kLegacyInitOpKey[] = "legacy_init_op";
inline constexpr char kMainOpKey[] = "saved_model_main_op";
inline constexpr char kSavedModelFilenamePb[] = "saved_model.pb";
inline constexpr char kSavedModelFilenamePbtxt[] = "saved_model.pbtxt";
inline constexpr int kSavedModelSchemaVersion = 1;
inline constexpr char kVariablesDirectory[] = "variables";
inline constexpr char kVariablesFilename[] = "variables";

TensorInfo BuildTensorInfo(const Output& tensor);
SignatureDef BuildSignatureDef(std::map<std::string, TensorInfo> inputs,
                               std::map<std::string, TensorInfo> outputs,
                               const std::string& method_name);
SignatureDef PredictSignatureDef(const NamedOutputs& inputs, const NamedOutputs& outputs);
// `classes` (string) or `scores` (float) may be left out, but not both.
StatusOr<SignatureDef> ClassificationSignatureDef(const Output& examples, const Output& classes,
                                                  const Output& scores);
StatusOr<SignatureDef> RegressionSignatureDef(const Output& examples, const Output& predictions);

// Whether a signature of one of the three methods has the inputs and outputs that it needs.
bool IsValidSignature(const SignatureDef& signature);
// The tensor that `info` names, in the graph of `scope`, below a name scope of it.
Output GetTensorFromTensorInfo(ScopeRef scope, const TensorInfo& info,
                               const std::string& import_scope = "");

}  // namespace saved_model
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SAVED_MODEL_SIGNATURE_DEF_H_
