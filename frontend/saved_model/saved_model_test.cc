#include <filesystem>
#include <fstream>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/graph_def/export_graph.h"
#include "frontend/graph_def/import_graph.h"
#include "frontend/host_tensor/host_tensor.h"
#include "frontend/math.h"
#include "frontend/model/model.h"
#include "frontend/operators.h"
#include "frontend/saved_model/freeze.h"
#include "frontend/saved_model/loader.h"
#include "frontend/saved_model/saved_model_builder.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace saved_model {
namespace {

bool Mentions(const Status& status, const std::string& text) {
  return status.message().find(text) != absl::string_view::npos;
}

std::string FreshFolder(const std::string& name) {
  const std::string path = ::testing::TempDir() + "/saved_model_test_" + name;
  std::filesystem::remove_all(path);
  return path;
}

// y = x * w + b, one variable of each kind, initialised to 3 and 1.
struct Linear {
  explicit Linear(const Scope& scope = Scope::NewRoot())
      : root(scope),
        x(Placeholder(root.Named("x"), DType::kFloat, PartialShape({-1}))),
        w(root.Named("w"), 3.0f),
        b(root.Named("b"), 1.0f, VariableOptions().use_resource(true)),
        y(Add(root.Named("y"), x * w, b)),
        init(GlobalVariablesInitializer(root)),
        session(root) {
    EXPECT_TRUE(session.Run({init}).ok()) << root.status();
  }

  Scope root;
  Output x;
  Variable w, b;
  Output y;
  Operation init;
  ClientSession session;
};

const Tensor kTwo = Tensor::Vector<float>({2});

TEST(SavedModelTest, WhatWasWrittenIsServed) {
  Linear linear;
  const std::string folder = FreshFolder("served");
  const Status saved =
      SimpleSave(linear.session, linear.root, folder, {{"x", linear.x}}, {{"y", linear.y}});
  ASSERT_TRUE(saved.ok()) << saved;
  EXPECT_TRUE(ContainsSavedModel(folder));
  const auto model = LoadSavedModel(SessionOptions(), folder, {"serve"});
  ASSERT_TRUE(model.ok()) << model.status();
  NamedTensors outputs;
  const Status run = (*model)->Run("serving_default", {{"x", kTwo}}, &outputs);
  ASSERT_TRUE(run.ok()) << run;
  EXPECT_EQ(*ValueOf<float>(outputs[0].second), 7);
  EXPECT_EQ(SimpleSave(linear.session, linear.root, folder, {}, {}).code(),
            StatusCode::kAlreadyExists);
}

TEST(SavedModelTest, AModelIsLoadedIntoAGraph) {
  Linear linear;
  const std::string folder = FreshFolder("loaded");
  ASSERT_TRUE(linear.session.Run({BuildOutput(linear.root, "Assign", {linear.w, 5.0f})}).ok());
  ASSERT_TRUE(
      SimpleSave(linear.session, linear.root, folder, {{"x", linear.x}}, {{"y", linear.y}}).ok());
  const Scope root = Scope::NewRoot();
  ClientSession session(root);
  const auto model = Load(session, root, {kServing}, folder, "again");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->signatures.at("serving_default").outputs.at("y").tensor, "again/y:0");
  const auto out = session.Run({{root.GetTensor("again/x:0"), kTwo}}, {"again/y:0"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(*ValueOf<float>(out->at(0)), 11);
  EXPECT_EQ(TrainableVariables(root).size(), 2u);
  EXPECT_FALSE(Load(session, root, {"train"}, folder).ok());
}

TEST(SavedModelTest, AssetsAndTheMainOpComeAlong) {
  Linear linear;
  const std::string vocabulary = ::testing::TempDir() + "/vocabulary.txt";
  std::ofstream(vocabulary) << "a\nb\n";
  const Output path = Constant(linear.root.Named("path"), vocabulary);
  const Output table =
      BuildOutput(linear.root.Named("table"), "HashTableV2", {},
                  OpAttrs().Set("key_dtype", DType::kString).Set("value_dtype", DType::kInt64));
  const Operation init =
      BuildOp(linear.root.Named("fill"), "InitializeTableFromTextFileV2", {table, path},
              OpAttrs().Set("key_index", -2).Set("value_index", -1));
  const Output words = Placeholder(linear.root.Named("words"), DType::kString, PartialShape({-1}));
  const Output ids = BuildOutput(linear.root.Named("ids"), "LookupTableFindV2",
                                 {table, words, Constant(linear.root, int64_t{-1})});
  ASSERT_TRUE(linear.root.ok()) << linear.root.status();
  const std::string folder = FreshFolder("assets");
  SavedModelBuilder builder(folder);
  SavedModelOptions options;
  options.signature("ids", PredictSignatureDef({{"words", words}}, {{"ids", ids}}))
      .assets({path})
      .main_op(init)
      .strip_default_attrs(true);
  const Status added =
      builder.AddMetaGraphAndVariables(linear.session, linear.root, {kServing}, options);
  ASSERT_TRUE(added.ok()) << added;
  ASSERT_TRUE(builder.AddMetaGraph(linear.root, {kServing, kGpu}, options).ok());
  ASSERT_TRUE(builder.Save(/*as_text=*/true).ok());
  std::filesystem::remove(vocabulary);
  const auto model = LoadSavedModel(SessionOptions(), folder, {"serve"});
  ASSERT_TRUE(model.ok()) << model.status();
  NamedTensors outputs;
  ASSERT_TRUE((*model)->Run("ids", {{"words", *TensorOf<std::string>({"b", "c"})}}, &outputs).ok());
  EXPECT_EQ(*ValuesOf<int64_t>(outputs[0].second), (std::vector<int64_t>{1, -1}));
}

TEST(SavedModelTest, WhatIsWrongIsSaid) {
  Linear linear;
  SavedModelBuilder builder(FreshFolder("wrong"));
  EXPECT_EQ(builder.AddMetaGraph(linear.root, {kServing}).code(), StatusCode::kFailedPrecondition);
  EXPECT_FALSE(builder.Save().ok());
  SignatureDef other = PredictSignatureDef({{"x", linear.x}}, {});
  other.inputs["x"].tensor = "nothing:0";
  const Status unknown = builder.AddMetaGraphAndVariables(
      linear.session, linear.root, {kServing}, SavedModelOptions().signature("s", other));
  EXPECT_TRUE(Mentions(unknown, "'s'") && Mentions(unknown, "nothing")) << unknown;
  EXPECT_FALSE(ClassificationSignatureDef(linear.x, Output(), linear.y).ok());
  EXPECT_FALSE(RegressionSignatureDef(Output(), linear.y).ok());
  const Output examples = Placeholder(linear.root, DType::kString);
  EXPECT_TRUE(IsValidSignature(*ClassificationSignatureDef(examples, Output(), linear.y)));
  EXPECT_TRUE(IsValidSignature(*RegressionSignatureDef(examples, linear.y)));
  EXPECT_FALSE(IsValidSignature(other));
  EXPECT_TRUE(
      SameOutput(GetTensorFromTensorInfo(linear.root, BuildTensorInfo(linear.x)), linear.x));
  EXPECT_FALSE(ClassificationSignatureDef(examples, Output(), Output()).ok());
}

TEST(FreezeTest, VariablesBecomeConstants) {
  Linear linear;
  const auto frozen = ConvertVariablesToConstants(linear.session, linear.root, {"y"});
  ASSERT_TRUE(frozen.ok()) << frozen.status();
  const Scope root = Scope::NewRoot();
  ImportGraphOptions options;
  options.name = "";
  ASSERT_TRUE(ImportGraphDef(root, *frozen, options).ok());
  EXPECT_FALSE(root.HasOperation("init"));
  EXPECT_EQ(root.GetOperation("w").type(), "Const");
  ClientSession session(root);
  const auto out = session.Run({{root.GetTensor("x:0"), kTwo}}, {"y:0"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(*ValueOf<float>(out->at(0)), 7);
  EXPECT_TRUE(Mentions(ConvertVariablesToConstants(linear.session, linear.root, {"yy"}).status(),
                       "did you mean 'y'"));
  EXPECT_EQ(ConvertVariablesToConstants(linear.session, linear.root, {"init"}).status().code(),
            StatusCode::kUnimplemented);
  const auto part = ExtractSubGraph(linear.root, {"w/read"});
  ASSERT_TRUE(part.ok()) << part.status();
}

TEST(ExportGraphTest, GraphsAreBytesAndFiles) {
  Linear linear;
  const auto bytes = AsGraphDef(linear.root);
  ASSERT_TRUE(bytes.ok());
  const Scope root = Scope::NewRoot();
  ASSERT_TRUE(ImportGraphDef(root, *bytes).ok());
  EXPECT_TRUE(root.HasOperation("import/y"));
  const auto path = train::WriteGraph(linear.root, FreshFolder("graph"), "graph.pbtxt");
  ASSERT_TRUE(path.ok()) << path.status();
  std::ifstream file(*path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(text, *AsGraphText(linear.root));
}

}  // namespace
}  // namespace saved_model
}  // namespace frontend
}  // namespace warpbeam
