// Writes the models that tests/clients/models_test.py loads with TensorFlow, and runs one that it
// has written there.
//
//   models_main write FOLDER     FOLDER/saved (a SavedModel), train.meta, loops.meta, frozen.pb
//   models_main run FOLDER       loads the SavedModel FOLDER and prints "y" of x = [1, 2]
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "frontend/warpbeam.h"
#include "graph/types/errors.h"

namespace wb = warpbeam::frontend;

namespace {

using wb::Output;
using wb::Status;
using Outputs = std::vector<Output>;

// y = x w + b, with a variable of each kind, and the places of words in a vocabulary.
Status WriteSavedModel(const std::string& folder) {
  const wb::Scope root = wb::Scope::NewRoot();
  const Output x = wb::Placeholder(root.Named("x"), wb::DType::kFloat, {-1});
  const wb::Variable w(root.Named("w"), 3.0f);
  const wb::Variable b(root.Named("b"), 1.0f, wb::VariableOptions().use_resource(true));
  const Output y = wb::Add(root.Named("y"), x * w, b);
  const std::string vocabulary = folder + "/vocabulary.txt";
  std::ofstream(vocabulary) << "a\nb\n";
  const Output path = wb::Constant(root.Named("path"), vocabulary);
  const Output table = wb::BuildOutput(
      root.Named("table"), "HashTableV2", {},
      wb::OpAttrs().Set("key_dtype", wb::DType::kString).Set("value_dtype", wb::DType::kInt64));
  const wb::Operation fill =
      wb::BuildOp(root.Named("fill"), "InitializeTableFromTextFileV2", {table, path},
                  wb::OpAttrs().Set("key_index", -2).Set("value_index", -1));
  const Output words = wb::Placeholder(root.Named("words"), wb::DType::kString, {-1});
  const Output ids =
      wb::BuildOutput(root.Named("ids"), "LookupTableFindV2", {table, words, int64_t{-1}});
  const wb::Operation init = wb::GlobalVariablesInitializer(root);
  wb::ClientSession session(root);
  WB_RETURN_IF_ERROR(session.Run({init}).status());
  namespace saved_model = wb::saved_model;
  saved_model::SavedModelBuilder builder(folder + "/saved");
  WB_RETURN_IF_ERROR(builder.AddMetaGraphAndVariables(
      session, root, {saved_model::kServing},
      saved_model::SavedModelOptions()
          .signature(saved_model::kDefaultServingSignatureDefKey,
                     saved_model::PredictSignatureDef({{"x", x}}, {{"y", y}}))
          .signature("ids", saved_model::PredictSignatureDef({{"words", words}}, {{"ids", ids}}))
          .assets({path})
          .main_op(fill)));
  WB_RETURN_IF_ERROR(builder.Save().status());
  std::filesystem::remove(vocabulary);
  WB_ASSIGN_OR_RETURN(const std::string frozen,
                      saved_model::ConvertVariablesToConstants(session, root, {"y"}));
  std::ofstream(folder + "/frozen.pb", std::ios::binary) << frozen;
  return Status();
}

// Two layers whose variables are read by reference, and their training.
Status WriteTraining(const std::string& folder) {
  const wb::Scope root = wb::Scope::NewRoot();
  root.SetRandomSeed(7);
  const Output x = wb::Placeholder(root.Named("x"), wb::DType::kFloat, {16, 64});
  const wb::Variable w1 = wb::GetVariable(root, "w1", {64, 64});
  const wb::Variable w2 = wb::GetVariable(root, "w2", {64, 64});
  const Output y = wb::MatMul(root, wb::nn::Tanh(root, wb::MatMul(root, x, w1)), w2);
  const Output loss =
      wb::Multiply(root.Named("loss"), wb::ReduceMean(root, wb::Square(root, y)), 1);
  wb::train::GradientDescentOptimizer optimizer(0.5f);
  optimizer.Minimize(root.Named("train"), loss);
  const wb::Operation init = wb::GlobalVariablesInitializer(root);
  wb::train::Saver saver(root);
  wb::ClientSession session(root);
  WB_RETURN_IF_ERROR(session.Run({init}).status());
  return saver.Save(session, folder + "/train").status();
}

// A loop with a branch in it, and a branch on its own, for TensorFlow to differentiate.
Status WriteLoops(const std::string& folder) {
  const wb::Scope root = wb::Scope::NewRoot();
  const Output x = wb::Placeholder(root.Named("x"), wb::DType::kFloat, wb::Shape());
  const wb::Variable k(root.Named("k"), 3.0f);
  const Outputs looped = wb::WhileLoop(
      root.Named("loop"), [](const wb::Scope&, const Outputs& v) { return v[0] < 3; },
      [&](const wb::Scope& s, const Outputs& v) {
        const Output next = wb::Cond(
            s, v[1] > 4.0f, [&](const wb::Scope& t) { return Outputs{t(v[1]) * k}; },
            [&](const wb::Scope& t) { return Outputs{t(v[1]) * v[1] + k}; })[0];
        return Outputs{v[0] + 1, next * x};
      },
      {0, x});
  wb::Identity(root.Named("looped"), looped[1]);
  const Outputs chosen = wb::Cond(
      root, x > 0, [&](const wb::Scope& s) { return Outputs{s(x) * k}; },
      [&](const wb::Scope& s) { return Outputs{s(x) + 1}; });
  wb::Identity(root.Named("chosen"), chosen[0]);
  WB_RETURN_IF_ERROR(root.status());
  return wb::train::ExportMetaGraph(root, folder + "/loops.meta");
}

Status Run(const std::string& folder) {
  const wb::Scope root = wb::Scope::NewRoot();
  wb::ClientSession session(root);
  WB_ASSIGN_OR_RETURN(wb::saved_model::LoadedModel model,
                      wb::saved_model::Load(session, root, {"serve"}, folder, "theirs"));
  const auto& signature = model.signatures["serving_default"];
  const auto x = signature.inputs.find("x"), y = signature.outputs.find("y");
  if (x == signature.inputs.end() || y == signature.outputs.end()) {
    return warpbeam::NotFound("the signature has no x and y");
  }
  WB_ASSIGN_OR_RETURN(const wb::Tensor fed, wb::TensorOf<float>({1, 2}));
  WB_ASSIGN_OR_RETURN(const auto out,
                      session.Run({{root.GetTensor(x->second.tensor), fed}}, {y->second.tensor}));
  WB_ASSIGN_OR_RETURN(const auto values, wb::ValuesOf<float>(out[0]));
  for (const float value : values) std::printf("%g ", value);
  return Status();
}

Status Main(const std::string& command, const std::string& folder) {
  if (command == "run") return Run(folder);
  WB_RETURN_IF_ERROR(WriteSavedModel(folder));
  WB_RETURN_IF_ERROR(WriteTraining(folder));
  return WriteLoops(folder);
}

}  // namespace

int main(int argc, char** argv) {
  const Status status = argc == 3 ? Main(argv[1], argv[2])
                                  : warpbeam::InvalidArgument("models_main write|run FOLDER");
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
