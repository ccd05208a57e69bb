// Models that TensorFlow wrote (make_models.py says how) load and give what TensorFlow gives;
// models that are damaged say so.
#include "frontend/model/model.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "frontend/model/object_restore.h"
#include "frontend/model/unset_variables.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kTestdata[] = "frontend/model/testdata/";
using Strings = std::vector<std::string>;

std::string Path(const std::string& name) { return kTestdata + name; }

std::unique_ptr<Model> Load(const std::string& name, const Strings& tags = {"serve"}) {
  auto model = LoadSavedModel(SessionOptions(), Path(name), tags);
  EXPECT_TRUE(model.ok()) << model.status();
  return model.ok() ? *std::move(model) : nullptr;
}

Tensor Matrix(std::initializer_list<float> values) {
  return Tensor::FromValues<float>(Shape({static_cast<int64_t>(values.size()) / 2, 2}),
                                   Span<const float>(values.begin(), values.size()));
}

NamedTensors Outputs(Model& model, const std::string& signature, const NamedTensors& inputs) {
  NamedTensors outputs;
  const Status s = model.Run(signature, inputs, &outputs);
  EXPECT_TRUE(s.ok()) << s;
  return outputs;
}

template <class T>
std::vector<T> Values(const Tensor& tensor) {
  const auto values = tensor.flat<T>();
  return std::vector<T>(values.begin(), values.end());
}

Strings SignatureNames(const Model& model) {
  Strings names;
  for (const auto& entry : model.signatures()) names.push_back(entry.first);
  return names;
}

// A copy of a model that a test may damage.
class ModelCopy {
 public:
  explicit ModelCopy(const std::string& name) {
    const char* root = std::getenv("TEST_TMPDIR");
    path_ = fs::path(root == nullptr ? "." : root) /
            ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(path_);
    fs::create_directories(path_);
    fs::copy(Path(name), path_, fs::copy_options::recursive);
    // Checked out and sandboxed files may be read-only.
    for (const auto& entry : fs::recursive_directory_iterator(path_)) {
      fs::permissions(entry, fs::perms::owner_write, fs::perm_options::add);
    }
  }
  std::string path() const { return path_.string(); }
  void Remove(const std::string& file) { EXPECT_TRUE(fs::remove(path_ / file)) << file; }
  void Cut(const std::string& file, int64_t bytes) {
    fs::resize_file(path_ / file, fs::file_size(path_ / file) - static_cast<uintmax_t>(bytes));
  }
  Status Load() const { return LoadSavedModel(SessionOptions(), path()).status(); }

 private:
  fs::path path_;
};

TEST(LoadSavedModel, SaysWhichOpsTheModelUsesBeforeItIsImported) {
  Strings ops;
  MetaGraphOptions options;
  options.on_ops = [&](const Strings& used) { ops = used; };
  ASSERT_TRUE(LoadSavedModel(SessionOptions(), Path("tf1"), {"serve"}, options).ok());
  EXPECT_THAT(ops, testing::IsSupersetOf({"Placeholder", "RestoreV2"}));
}

TEST(LoadSavedModel, MayBeLeftWhileTheServedSignatureIsCompiled) {
  EXPECT_NE(Load("tf2"), nullptr);
  const auto closed = Load("tf2");
  ASSERT_NE(closed, nullptr);
  EXPECT_TRUE(closed->session().Close().ok());
}

TEST(SavedModelOfTensorFlow1, RunsEverySignature) {
  const auto model = Load("tf1");
  ASSERT_NE(model, nullptr);
  EXPECT_THAT(SignatureNames(*model), ElementsAre("lookup", "scaled", "serving_default", "sparse"));
  EXPECT_EQ(model->signatures().at("serving_default").method, "tensorflow/serving/predict");
  NamedTensors out = Outputs(*model, "serving_default", {{"x", Matrix({3, 4, 1, 1})}});
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].first, "y");
  EXPECT_EQ(out[0].second.shape(), Shape({2, 1}));
  EXPECT_THAT(Values<float>(out[0].second), ElementsAre(11.5, 3.5));
  out = Outputs(*model, "lookup", {{"words", Tensor::Vector<std::string>({"beam", "?", "warp"})}});
  EXPECT_THAT(Values<int64_t>(out[0].second), ElementsAre(2, -1, 0));
}

TEST(SavedModelOfTensorFlow1, OutputsStandInTheOrderOfTheirNames) {
  const auto model = Load("tf1");
  ASSERT_NE(model, nullptr);
  const NamedTensors out =
      Outputs(*model, "scaled", {{"scale", Tensor::Scalar(3.0f)}, {"x", Matrix({1, 1})}});
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].first, "scaled");
  EXPECT_THAT(Values<float>(out[0].second), ElementsAre(10.5));
  EXPECT_THAT(Values<float>(out[1].second), ElementsAre(3.5));
}

TEST(SavedModelOfTensorFlow1, SparseInputsAreThreePorts) {
  const auto model = Load("tf1");
  ASSERT_NE(model, nullptr);
  const NamedTensors out =
      Outputs(*model, "sparse",
              {{"sparse/indices",
                Tensor::FromValues<int64_t>(Shape({2, 2}), std::vector<int64_t>{0, 1, 2, 3})},
               {"sparse/values", Tensor::Vector<float>({1.5, 2})},
               {"sparse/dense_shape", Tensor::Vector<int64_t>({4, 4})}});
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].second.scalar<float>(), 3.5f);
}

TEST(SavedModelOfTensorFlow1, TagsChooseAGraph) {
  const auto small = Load("tf1", {"small", "serve"});
  ASSERT_NE(small, nullptr);
  EXPECT_THAT(SignatureNames(*small), ElementsAre("serving_default"));
  for (const Strings& tags : {Strings{"serve", "tpu"}, Strings{}}) {
    const Status s = LoadSavedModel(SessionOptions(), Path("tf1"), tags).status();
    EXPECT_EQ(s.code(), StatusCode::kNotFound);
    EXPECT_THAT(std::string(s.message()), HasSubstr("{serve}, {serve, small}"));
  }
}

TEST(SavedModelOfTensorFlow1, GpusAreSimulatedOrReplaced) {
  SessionOptions options;
  options.simulated_gpus = 2;
  auto model = LoadSavedModel(options, Path("tf1"), {"serve"});
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(Values<float>(Outputs(**model, "serving_default", {{"x", Matrix({3, 4})}})[0].second),
              ElementsAre(11.5));
  options.simulated_gpus = 0;
  options.allow_soft_placement = false;
  EXPECT_FALSE(LoadSavedModel(options, Path("tf1"), {"serve"}).ok());
  MetaGraphOptions anywhere;
  anywhere.graph.clear_devices = true;
  model = LoadSavedModel(options, Path("tf1"), {"serve"}, anywhere);
  EXPECT_TRUE(model.ok()) << model.status();
}

TEST(SavedModelOfTensorFlow2, RunsEverySignature) {
  const auto model = Load("tf2");
  ASSERT_NE(model, nullptr);
  EXPECT_THAT(SignatureNames(*model), ElementsAre("factorial", "lookup", "serving_default"));
  NamedTensors out = Outputs(*model, "serving_default", {{"x", Matrix({3, 4, 1, 1})}});
  ASSERT_EQ(out.size(), 1u);
  EXPECT_THAT(Values<float>(out[0].second), ElementsAre(11.5, 3.5));
  out = Outputs(*model, "lookup", {{"words", Tensor::Vector<std::string>({"weft", "woof"})}});
  EXPECT_THAT(Values<int64_t>(out[0].second), ElementsAre(1, -1));
  out = Outputs(*model, "factorial", {{"n", Tensor::Scalar<int32_t>(5)}});
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].second.scalar<std::string>(), "even");
  EXPECT_EQ(out[1].second.scalar<int32_t>(), 120);
}

// Two variables are called "w", and no node of the graph restores them.
TEST(SavedModelOfTensorFlow2, IsRestoredByItsTreeOfObjects) {
  const auto model = Load("objects");
  ASSERT_NE(model, nullptr);
  const NamedTensors out = Outputs(*model, "serving_default", {{"x", Matrix({3, 4, 1, 1})}});
  ASSERT_EQ(out.size(), 1u);
  EXPECT_THAT(Values<float>(out[0].second), ElementsAre(21, 13));
}

TEST(SavedModelOfTensorFlow1, InitialisesTablesAndLocalVariablesWithoutAnInitOp) {
  const auto model = Load("tables");
  ASSERT_NE(model, nullptr);
  const Tensor words = Tensor::Vector<std::string>({"weft", "wool"});
  const NamedTensors out = Outputs(*model, "serving_default", {{"words", words}});
  ASSERT_EQ(out.size(), 1u);
  EXPECT_THAT(Values<int64_t>(out[0].second), ElementsAre(1101, 1099));
}

TEST(UnsetVariablesTest, NamesWhatASignatureReads) {
  const auto unset = [](const std::string& name, const Strings& tags) {
    auto meta = ImportSavedModel(Path(name), tags);
    EXPECT_TRUE(meta.ok()) << meta.status();
    const Status added = AddObjectRestore(Path(name) + "/variables/variables", &*meta);
    EXPECT_TRUE(added.ok()) << added;
    return UnsetVariables(*meta);
  };
  EXPECT_THAT(unset("tables", {}),
              ElementsAre(AllOf(HasSubstr("'broken'"), HasSubstr("'forgotten'"))));
  EXPECT_THAT(unset("objects", {}), ElementsAre());
  EXPECT_THAT(unset("tf2", {}), ElementsAre());
  EXPECT_THAT(unset("tf1", {"serve"}), ElementsAre());
  // Without their checkpoint the objects are not set.
  auto meta = ImportSavedModel(Path("objects"), {});
  ASSERT_TRUE(meta.ok()) << meta.status();
  EXPECT_EQ(UnsetVariables(*meta).size(), 2u);
}

// What the meta graph's model gives for (1, 2) with the variables of a checkpoint.
void ExpectRestored(const std::string& checkpoint, float y, std::unique_ptr<Model>* restored) {
  auto model = LoadMetaGraph(SessionOptions(), Path("saver/model.ckpt-3.meta"), Path(checkpoint));
  ASSERT_TRUE(model.ok()) << model.status();
  std::vector<Tensor> out;
  const Status s = (*model)->session().Run({}, {{"x", Matrix({1, 2})}}, {"y"}, {}, &out, nullptr);
  ASSERT_TRUE(s.ok()) << s;
  EXPECT_THAT(Values<float>(out[0]), ElementsAre(y));
  *restored = *std::move(model);
}

TEST(MetaGraph, RestoresACheckpointByObjects) {
  std::unique_ptr<Model> model;
  ExpectRestored("saver/object-1", 17, &model);
}

TEST(MetaGraph, RestoresItsCheckpoint) {
  std::unique_ptr<Model> model;
  ASSERT_NO_FATAL_FAILURE(ExpectRestored("saver/model.ckpt-3", 11, &model));
  NamedTensors outputs;
  EXPECT_THAT(std::string(model->Run("serving_default", {}, &outputs).message()),
              HasSubstr("nor any other"));
}

TEST(MetaGraph, WithoutItsCheckpoint) {
  const std::string meta = Path("saver/model.ckpt-3.meta");
  auto fresh = LoadMetaGraph(SessionOptions(), meta, "");
  ASSERT_TRUE(fresh.ok()) << fresh.status();
  std::vector<Tensor> out;
  EXPECT_EQ((*fresh)->session().Run({}, {}, {"w"}, {}, &out, nullptr).code(),
            StatusCode::kFailedPrecondition);
  const Status s = LoadMetaGraph(SessionOptions(), meta, Path("saver/other")).status();
  EXPECT_EQ(s.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(s.message()), HasSubstr("saver/other.index is missing"));
}

TEST(ModelErrors, InputsAreAllNamedAtOnce) {
  const auto model = Load("tf1");
  ASSERT_NE(model, nullptr);
  NamedTensors outputs;
  Status s = model->Run("predict", {}, &outputs);
  EXPECT_EQ(s.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(s.message()), HasSubstr("lookup, scaled, serving_default, sparse"));
  s = model->Run("scaled", {{"z", Tensor::Scalar(1.0f)}, {"scale", Tensor::Scalar<int32_t>(1)}},
                 &outputs);
  EXPECT_EQ(s.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(s.message()),
      AllOf(HasSubstr("there is no input 'z'"), HasSubstr("input 'scale' (float []) got int32 []"),
            HasSubstr("input 'x' (float [?,2]) is missing"), HasSubstr("scale, x")));
  s = model->Run("serving_default", {{"x", Tensor::Vector<float>({1, 2})}}, &outputs);
  EXPECT_THAT(std::string(s.message()), HasSubstr("'x' (float [?,2]) got float [2]"));
  s = model->Run("serving_default", {{"x", Matrix({1, 2})}, {"x", Matrix({1, 2})}}, &outputs);
  EXPECT_THAT(std::string(s.message()), HasSubstr("'x' is given twice"));
}

TEST(ModelErrors, FoldersThatAreNoModels) {
  Status s = LoadSavedModel(SessionOptions(), Path("nowhere")).status();
  EXPECT_EQ(s.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(s.message()), HasSubstr("there is no folder"));
  s = LoadSavedModel(SessionOptions(), Path("saver")).status();
  EXPECT_EQ(s.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(s.message()), HasSubstr("neither saved_model.pb nor"));
}

TEST(ModelErrors, CutOffModel) {
  ModelCopy copy("tf2");
  copy.Cut("saved_model.pb", 100);
  const Status s = copy.Load();
  EXPECT_EQ(s.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(s.message()), AllOf(HasSubstr("saved_model.pb"), HasSubstr("cut off")));
}

TEST(ModelErrors, MissingIndex) {
  ModelCopy copy("tf2");
  copy.Remove("variables/variables.index");
  const Status s = copy.Load();
  EXPECT_EQ(s.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(s.message()), HasSubstr("variables.index is missing"));
}

TEST(ModelErrors, MissingShard) {
  ModelCopy copy("tf2");
  copy.Remove("variables/variables.data-00000-of-00001");
  const Status s = copy.Load();
  EXPECT_EQ(s.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(s.message()), HasSubstr("missing: "));
  EXPECT_THAT(std::string(s.message()), HasSubstr("variables.data-00000-of-00001"));
}

TEST(ModelErrors, CutOffShard) {
  ModelCopy copy("tf2");
  copy.Cut(
      "variables/variables.data-00000-of-00001",
      static_cast<int64_t>(fs::file_size(Path("tf2/variables/variables.data-00000-of-00001"))));
  const Status s = copy.Load();
  EXPECT_FALSE(s.ok());
  EXPECT_THAT(std::string(s.message()), HasSubstr("restoring variables from"));
}

TEST(ModelErrors, MissingAssetThatLoadingReads) {
  ModelCopy copy("tf2");
  copy.Remove("assets/vocab.txt");
  const Status s = copy.Load();
  EXPECT_EQ(s.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(s.message()),
              AllOf(HasSubstr("initialising the model"), HasSubstr("assets/vocab.txt")));
}

TEST(ModelErrors, MissingAssetThatNobodyReads) {
  ModelCopy copy("tables");
  copy.Remove("assets/unread.txt");
  const Status s = copy.Load();
  EXPECT_TRUE(s.ok()) << s;
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
