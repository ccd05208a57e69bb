// The frontend makes the graphs that TensorFlow's Python API makes: names, ops, devices, inputs and
// colocation groups. python_graphs.tsv is written by dump_python_graphs.py; each test here is one
// function there, line by line.
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "frontend/golden/same_graph.h"
#include "frontend/warpbeam.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

// Every node of the one graph is in the other and equal to it, but for those in `different`.
void ExpectSameGraph(const Scope& scope, const std::string& name,
                     const std::set<std::string>& different = {}) {
  EXPECT_EQ(DifferencesFromPython(
                scope, name, [&](const std::string& node) { return different.count(node) > 0; }),
            "");
}

TEST(PythonGraphsTest, Cards) {
  const Scope root = Scope::NewRoot();
  const Scope cpu = root.Device("/cpu:0");
  const Variable w = GetVariable(cpu, "w", {2, 2}, ConstantInitializer(2));
  const Variable b = GetVariable(cpu, "b", {2, 2}, ConstantInitializer(5));
  root.Device("/gpu:0")(w) + b;
  root.Device("/gpu:1")(w) * b;
  GlobalVariablesInitializer(root);
  ExpectSameGraph(root, "cards");
}

TEST(PythonGraphsTest, Scopes) {
  const Scope root = Scope::NewRoot();
  Scope a = root.NameScope("a");
  Constant(a.Named("c"), 1);
  Constant(a.Named("c"), 1);
  Constant(a.NameScope("a"), 1.0f);
  a = root.NameScope("a");
  Constant(a.Named("C"), 1);
  Constant(a.Named("c"), 1);
  Constant(root.NameScope(a.name_scope()).Named("x"), 2);
  Constant(root.Named("a"), 3);
  Constant(root.NameScope("a_1").Named("x"), 2);
  const Scope gpu = root.Device("/job:worker").Device("/gpu:1");
  Constant(gpu.Named("worker"), 4);
  Constant(gpu.NoDevice().Named("anywhere"), 4);
  ExpectSameGraph(root, "scopes");
}

TEST(PythonGraphsTest, VariableScopes) {
  const Scope root = Scope::NewRoot();
  Scope v = root.VariableScope("v");
  GetVariable(v, "x", {2});
  Constant(v.Named("k"), 1);
  Variable one(v, 1.0);
  Variable q(v.Named("q"), {1, 2});
  Variable three(v, 3);
  v = root.VariableScope("v", VariableScopeOptions().reuse(true));
  EXPECT_EQ(GetVariable(v, "x", {2}).name(), "v/x");
  Constant(v.Named("k"), 1);
  v = root.VariableScope("v", VariableScopeOptions().auto_reuse());
  GetVariable(v, "y", {2});
  GetVariable(v, "x", {2});
  const Scope in = v.VariableScope("in");
  GetVariable(in, "y", {2});
  Constant(in.Named("k"), 1);
  const Scope z = root.VariableScope("z", VariableScopeOptions().initializer(ZerosInitializer()));
  GetVariable(z, "x", {2, 3});
  GetVariable(z, "n", {2}, RandomNormalInitializer());
  GetVariable(z, "u", {2}, RandomUniformInitializer(-2, 2));
  GetVariable(z, "o", {2}, OnesInitializer());
  GetVariable(z, "g", {3, 3, 4, 8}, GlorotUniformInitializer(3));
  GetVariable(root.Device("/gpu:1"), "placed", {2, 3}, ConstantInitializer({1, 2, 3, 4, 5, 6}));
  ExpectSameGraph(root, "variable_scopes");
}

TEST(PythonGraphsTest, Functions) {
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root, DType::kFloat, {-1, 10});
  const Output z = Placeholder(root, DType::kFloat);
  ReduceMean(root, x);
  ReduceMean(root, x, 1);
  ReduceSum(root, x, {0, 1}, /*keep_dims=*/true);
  ReduceMean(root, z);
  ReduceMax(root, x, -1);
  ExpandDims(root, x, 0);
  Concat(root, {x, x}, 0);
  Concat(root, {x}, 1);
  Cast(root, x, DType::kInt32);
  Reshape(root, x, {-1});
  x + 1.0f;
  1.0f - x;
  x * 2.0f;
  x / 3.0f;
  -x;
  Cast(root, x, DType::kInt32) / 2;
  Equal(root, x, x);
  AddN(root, {x});
  AddN(root, {x, x});
  ArgMax(root, x, 1);
  MatMul(root, x, x, false, true);
  Zeros(root, {2, 3});
  Ones(root, {2});
  Zeros(root, {3000});
  ZerosLike(root, x);
  ShapeOf(root, x);
  ShapeOf(root, Zeros(root, {2}));
  Stack(root, {x, x});
  Split(root, x, 2, 1);
  Transpose(root, x);
  Transpose(root, x, {1, 0});
  OneHot(root, Constant(root, {1, 2}), 10);
  RandomUniform(root, {2});
  RandomUniform(root, {2}, 0, 10, DType::kInt32);
  RandomNormal(root, {2});
  TruncatedNormal(root, {2}, 0, 0.1);
  Group(root, {x.op(), z.op()});
  const Output q = Constant(root.Device("/gpu:0"), 1.0f);
  Group(root.Named("both"), {x.op(), q.op()});
  NoOp(root);
  ExpectSameGraph(root, "functions");
}

TEST(PythonGraphsTest, Networks) {
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root, DType::kFloat, {-1, 10});
  const Output y = Placeholder(root, DType::kInt32, {-1});
  nn::SparseSoftmaxCrossEntropyWithLogits(root, y, x);
  nn::Softmax(root, x);
  nn::Relu(root, x);
  nn::L2Loss(root, x);
  const Output weights = Zeros(root, {10, 3});
  nn::XwPlusB(root, x, weights, Zeros(root, {3}));
  nn::BiasAdd(root, x, Zeros(root, {10}));
  ExpectSameGraph(root, "networks");
}

TEST(PythonGraphsTest, Training) {
  const Scope root = Scope::NewRoot();
  const Variable step = train::GetOrCreateGlobalStep(root);
  const Output rate = train::ExponentialDecay(root, 0.1, step, 100.0, 0.96, /*staircase=*/true);
  const Variable w = GetVariable(root, "w", {3});
  const Variable b(root.Named("b"), Zeros(root, {3}));
  train::ExponentialMovingAverage ema(0.9, step);
  const Operation average = ema.Apply(root, {w, b});
  NoOp(root.ControlDependencies({average}).Named("train"));
  Constant(root.Named("last"), 1.0f) * rate;
  GlobalVariablesInitializer(root);
  // The arithmetic of an average stands beside the variable here, so that no copy of it travels.
  std::set<std::string> beside;
  for (const std::string scope : {"AssignMovingAvg", "AssignMovingAvg_1"}) {
    for (const std::string name : {"sub/x", "sub", "sub_1", "mul"}) {
      beside.insert("ExponentialMovingAverage/" + scope + "/" + name);
    }
  }
  ExpectSameGraph(root, "training", beside);
}

// A sparse and a dense gradient, for an optimizer that is made when the step is there.
template <typename Make>
void ExpectSameOptimizerOf(const Make& make, const std::string& name,
                           const std::set<std::string>& different = {}) {
  const Scope root = Scope::NewRoot();
  const Variable w = GetVariable(root, "w", {3, 2});
  const Variable b(root.Named("b"), Zeros(root, {2}));
  const std::vector<float> values = {0, 1, 2, 3, 4, 5, 6, 7};
  const Output rows = Constant(root.Named("rows"), values, DType::kFloat, {4, 2});
  const Output ids = Constant(root.Named("ids"), {0, 2, 0, 1});
  const Variable step = train::GetOrCreateGlobalStep(root);
  const Output g = Constant(root.Named("g"), {1.0f, 2.0f});
  auto&& optimizer = make(step);
  optimizer.ApplyGradients(root, {{Gradient(IndexedSlices{rows, ids, Output()}), w}, {g, b}}, step);
  ExpectSameGraph(root, name, different);
}

void ExpectSameOptimizer(train::Optimizer& optimizer, const std::string& name,
                         const std::set<std::string>& different = {}) {
  const auto given = [&](const Variable&) -> train::Optimizer& { return optimizer; };
  ExpectSameOptimizerOf(given, name, different);
}

TEST(PythonGraphsTest, Optimizers) {
  train::GradientDescentOptimizer gradient_descent(0.1);
  ExpectSameOptimizer(gradient_descent, "gradient_descent");
  train::AdamOptimizer adam;
  ExpectSameOptimizer(adam, "adam");
  train::MomentumOptimizer momentum(0.1, 0.9);
  ExpectSameOptimizer(momentum, "momentum");
  train::RMSPropOptimizer rms_prop(0.1);
  ExpectSameOptimizer(rms_prop, "rms_prop");
  train::RMSPropOptimizer centered(0.1, train::RMSPropOptions().centered(true));
  ExpectSameOptimizer(centered, "centered_rms_prop");
  train::AdagradOptimizer adagrad(0.1);
  ExpectSameOptimizer(adagrad, "adagrad");
}

TEST(PythonGraphsTest, AdaptiveOptimizers) {
  ExpectSameOptimizerOf(
      [](const Variable& step) {
        return train::AdagradDAOptimizer(0.1, step, train::AdagradDAOptions().l1(0.01));
      },
      "adagrad_da");
  train::AdadeltaOptimizer adadelta(0.1);
  ExpectSameOptimizer(adadelta, "adadelta");
  train::FtrlOptimizer ftrl(0.1);
  ExpectSameOptimizer(ftrl, "ftrl");
  const auto options = train::FtrlOptions().l2_shrinkage(0.2).accum_name("n").linear_name("z");
  train::FtrlOptimizer shrinking(0.1, options);
  ExpectSameOptimizer(shrinking, "ftrl_shrinkage");
  train::ProximalGradientDescentOptimizer descent(0.1, 0.01);
  ExpectSameOptimizer(descent, "proximal_gradient_descent");
  train::ProximalAdagradOptimizer proximal(0.1, 0.1, 0, 0.01);
  ExpectSameOptimizer(proximal, "proximal_adagrad");
  // The decay waits for the gradient here, which is otherwise that of some other value.
  train::AdamWOptimizer adam_w(0.01);
  ExpectSameOptimizer(adam_w, "adam_w", {"AdamW/update_w/ScatterAdd", "AdamW/update_b/AssignSub"});
}

TEST(PythonGraphsTest, Clipping) {
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root.Named("x"), DType::kFloat, {-1, 3});
  const Output y = Constant(root.Named("y"), {3.0f, 4.0f});
  const Output values = Ones(root.Named("rows"), {2, 3});
  const Gradient rows(IndexedSlices{values, Constant(root.Named("ids"), {0, 2}), Output()});
  ClipByValue(root, x, -1.0, 1.0);
  ClipByValue(root.Named("values"), rows, -1.0, 1.0);
  ClipByNorm(root, x, 2.0);
  ClipByNorm(root, x, 2.0, {1});
  ClipByNorm(root.Named("rows_norm"), rows, 2.0);
  ClipByAverageNorm(root, x, 2.0);
  GlobalNorm(root, {x, Gradient(), y, rows});
  GlobalNorm(root, {y});
  ClipByGlobalNorm(root, {x, Gradient(), y, rows}, 5.0);
  const Output norm = Constant(root.Named("norm"), 7.0f);
  ClipByGlobalNorm(root.Named("known"), {y, x}, 5.0, norm);
  ExpectSameGraph(root, "clipping");
}

TEST(PythonGraphsTest, Regularizers) {
  const Scope root = Scope::NewRoot();
  const Variable w = GetVariable(root, "w", {3, 2});
  const Variable b = GetVariable(root, "b", {2});
  L1Regularizer(0.1)(root, w);
  L1L2Regularizer(0.1, 0.2)(root, b);
  ApplyRegularization(root, L2Regularizer(0.5), {w, b});
  ApplyRegularization(root, L2Regularizer(0), {w});
  ExpectSameGraph(root, "regularizers");
}

TEST(PythonGraphsTest, Initializers) {
  const Scope root = Scope::NewRoot();
  const std::pair<const char*, FanMode> modes[] = {
      {"fan_in", FanMode::kIn}, {"fan_out", FanMode::kOut}, {"fan_avg", FanMode::kAverage}};
  const std::pair<const char*, Spread> spreads[] = {
      {"truncated_normal", Spread::kTruncatedNormal},
      {"untruncated_normal", Spread::kUntruncatedNormal},
      {"uniform", Spread::kUniform}};
  for (const auto& [mode_name, mode] : modes) {
    for (const auto& [spread_name, spread] : spreads) {
      GetVariable(root, absl::StrCat(mode_name, "_", spread_name), {3, 3, 4, 8},
                  VarianceScalingInitializer(2, mode, spread));
    }
  }
  GetVariable(root, "glorot_normal", {3, 4}, GlorotNormalInitializer());
  GetVariable(root, "he_normal", {3, 4}, HeNormalInitializer());
  GetVariable(root, "he_uniform", {3, 4}, HeUniformInitializer());
  GetVariable(root, "lecun_normal", {3, 4}, LecunNormalInitializer());
  GetVariable(root, "lecun_uniform", {3, 4}, LecunUniformInitializer());
  GetVariable(root, "identity", {3, 3}, IdentityInitializer());
  GetVariable(root, "twice", {2, 4}, IdentityInitializer(2));
  GetVariable(root, "tall", {2, 3, 4}, OrthogonalInitializer(2, 3));
  GetVariable(root, "wide", {2, 8}, OrthogonalInitializer());
  GetVariable(root, "unit", {3, 4, 5}, UniformUnitScalingInitializer(1.5));
  const Tensor array = *Tensor::Vector<float>({1, 2, 3, 4}).Reshaped({2, 2});
  GetVariable(root, "array", {2, 2}, ConstantInitializer(array, /*verify_shape=*/true));
  ExpectSameGraph(root, "initializers");
}

TEST(PythonGraphsTest, Pipelines) {
  const Scope root = Scope::NewRoot();
  const Scope cpu = root.Device("/cpu:0");
  const Output k = Constant(cpu.Named("k"), 3.0f);
  const Tensor rows = *Tensor::Vector<float>({1, 2, 3, 4}).Reshaped({2, 2});
  data::Dataset dataset = data::FromTensorSlices(cpu, {rows, Tensor::Vector<int32_t>({0, 1})});
  dataset = dataset.Map(
      [&](const Scope&, const data::Element& element) -> data::Element {
        return {element[0] * k, element[1]};
      },
      /*num_parallel_calls=*/4);
  dataset = dataset.Prefetch(1).Take(10).Skip(2).Repeat();
  const data::Iterator iterator = dataset.MakeInitializableIterator();
  iterator.GetNext();
  iterator.GetNext();
  const auto decode = [](const Scope& scope, const data::Element& record) -> data::Element {
    return {DecodeRaw(scope, record[0], DType::kUInt8)};
  };
  dataset = data::TFRecordDataset(cpu, {"a", "b"}).Map(decode).Shuffle(100).Repeat(3).Batch(2);
  dataset.MakeOneShotIterator().GetNext();
  dataset = data::Range(cpu, 0, 10).Filter([](const Scope& scope, const data::Element& x) {
    return Equal(scope, x[0], 2);
  });
  dataset = dataset.Batch(2, /*drop_remainder=*/true);
  dataset.MakeOneShotIterator().GetNext();
  ExpectSameGraph(root, "pipelines");
}

TEST(PythonGraphsTest, Parsing) {
  const Scope root = Scope::NewRoot();
  const Output one = Placeholder(root, DType::kString, Shape());
  ParseSingleExample(root, one,
                     {{"a", FixedLenFeature({2}, DType::kFloat, Tensor::Vector<float>({1, 2}))},
                      {"b", FixedLenFeature({}, DType::kInt64)}});
  const Output many = Placeholder(root, DType::kString, {-1});
  ParseExample(root, many, {{"b", FixedLenFeature({}, DType::kString)}});
  DecodeRaw(root, one, DType::kUInt8);
  ExpectSameGraph(root, "parsing");
}

TEST(PythonGraphsTest, Saving) {
  const Scope root = Scope::NewRoot();
  const Variable w = GetVariable(root, "w", {3, 2});
  const Variable b(root.Named("b"), Zeros(root, {2}));
  train::Saver all(root);
  train::Saver named(root, std::map<std::string, Variable>{{"x/w", w}, {"a", b}},
                     train::SaverOptions().name("again"));
  ExpectSameGraph(root, "saving");
}

TEST(PythonGraphsTest, ShardedSaving) {
  const Scope root = Scope::NewRoot();
  GetVariable(root.Device("/cpu:0"), "w", {3, 2});
  GetVariable(root.Device("/gpu:0"), "b", {2});
  train::Saver all(root, train::SaverOptions().sharded(true));
  ExpectSameGraph(root, "sharded_saving");
}

TEST(PythonGraphsTest, PartitionedVariables) {
  const Scope root = Scope::NewRoot();
  const Scope v =
      root.VariableScope("v", VariableScopeOptions().partitioner(FixedSizePartitioner(2)));
  const Variable w = GetVariable(v, "w", {3, 2});
  const Output loss = ReduceSum(v, w);
  GetVariable(v, "b", {});
  GetVariable(v, "columns", {2, 4},
              GetVariableOptions()
                  .initializer(RandomNormalInitializer())
                  .partitioner(FixedSizePartitioner(4, 1))
                  .regularizer(L2Regularizer(0.5)));
  const Output values = Constant(root, {{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}});
  GetVariableFrom(root, "rows", values, GetVariableOptions().partitioner(FixedSizePartitioner(3)));
  GetVariable(root, "one", {5}, GetVariableOptions().partitioner(FixedSizePartitioner(1)));
  CreatePartitionedVariables(root.Named("made"), {4, 2}, {2, 1}, ZerosInitializer());
  train::MomentumOptimizer(0.1, 0.9).Minimize(root, loss);
  train::ExponentialMovingAverage(0.9).Apply(root, w.parts());
  train::Saver saver(root);
  // Nobody reads what "made" is joined to in Python, which asks a penalty twice; how gradients and
  // averages are computed is told elsewhere.
  const auto left_out = [](const std::string& name) {
    for (const char* prefix : {"made/ConcatPartitions/", "l2_regularizer", "gradients/",
                               "Momentum/update", "ExponentialMovingAverage/"}) {
      if (name.rfind(prefix, 0) == 0) return true;
    }
    return name == "made_1";
  };
  EXPECT_EQ(DifferencesFromPython(root, "partitioned_variables", left_out), "");
}

TEST(PythonGraphsTest, Summaries) {
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root.Named("x"), DType::kFloat, Shape());
  summary::Scalar(root, "loss", x);
  summary::Scalar(root, "loss", x);
  const Scope t = root.NameScope("t");
  summary::Scalar(t, "a b", x);
  summary::Histogram(t, "h", Zeros(t, {2}));
  summary::Image(t, "i", Zeros(t, {1, 2, 2, 3}), summary::SummaryOptions().max_outputs(2));
  summary::Audio(t, "s", Zeros(t, {1, 5}), 44100.0f);
  summary::Text(t, "w", Constant(t, "hi"));
  summary::Scalar(root, "f", x, summary::SummaryOptions().family("fam"));
  summary::MergeAll(root);
  summary::Merge(root, {summary::Scalar(root, "q", x)});
  ExpectSameGraph(root, "summaries");
}

TEST(PythonGraphsTest, NetworkFunctions) {
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root.Named("x"), DType::kFloat, {-1, 8, 8, 3});
  const Output y = Placeholder(root.Named("y"), DType::kFloat, {2, 3});
  const Output z = Placeholder(root.Named("z"), DType::kFloat, {-1, 3});
  const Output p = Placeholder(root.Named("p"), DType::kFloat, Shape());
  const Output b = Zeros(root, {3});
  const Output k = Zeros(root, {3, 3, 3, 4});
  nn::Conv2D(root, x, k, {1, 1, 1, 1}, "SAME");
  nn::Conv2D(root.Named("conv"), x, k, {2}, "VALID");
  nn::MaxPool(root.Named("pool1"), x, {1, 3, 3, 1}, {1, 2, 2, 1}, "SAME");
  nn::AvgPool(root, x, {2}, {2}, "VALID");
  nn::LocalResponseNormalization(root.Named("norm1"), x, 4, 1.0, 0.001 / 9.0, 0.75);
  nn::Relu6(root, y);
  nn::LeakyRelu(root, y);
  nn::Elu(root, y);
  nn::Selu(root, y);
  nn::Sigmoid(root, y);
  nn::Tanh(root, y);
  nn::Softplus(root, y);
  nn::Softsign(root, y);
  nn::LogSoftmax(root, y);
  nn::Crelu(root, y);
  nn::L2Normalize(root, y, 1);
  nn::ZeroFraction(root, y);
  nn::ZeroFraction(root, z);
  nn::Dropout(root, z, 0.5);
  nn::DropoutByRate(root, y, 0.25, nn::DropoutOptions().noise_shape({2, 1}).seed(3));
  nn::Dropout(root.Named("drop"), y, p);
  EXPECT_TRUE(SameOutput(nn::Dropout(root, y, 1.0), y));
  nn::InTopK(root, z, Constant(root, {1, 2}), 2);
  nn::Moments(root, z, {0});
  nn::Moments(root, y, {0, 1}, /*keep_dims=*/true);
  nn::BatchNormalization(root, y, b, b, b, b, 1e-3);
  nn::BatchNormalization(root, y, b, b, Output(), Output(), 1e-3);
  nn::SoftmaxCrossEntropyWithLogits(root, y, y);
  EXPECT_EQ(nn::SoftmaxCrossEntropyWithLogitsV2(root, z, z).shape().rank(), 1);
  nn::SigmoidCrossEntropyWithLogits(root, y, y);
  nn::SigmoidCrossEntropyWithLogits(root, z, z);
  nn::WeightedCrossEntropyWithLogits(root, y, y, 2.0);
  nn::WeightedCrossEntropyWithLogits(root, y, y, p);
  ExpectSameGraph(root, "network_functions");
}

TEST(PythonGraphsTest, Images) {
  const Scope root = Scope::NewRoot();
  const Output a = Placeholder(root.Named("a"), DType::kFloat, {32, 32, 3});
  const Output u = Placeholder(root.Named("u"), DType::kUInt8, {-1, -1, 3});
  const Output n = Placeholder(root.Named("n"), DType::kFloat, {-1, 16, 16, 3});
  const Output i = Placeholder(root.Named("i"), DType::kInt16, {16, 16, 3});
  RandomCrop(root, a, {24, 24, 3});
  RandomCrop(root, u, {24, 24, 3}, /*seed=*/4);
  image::FlipLeftRight(root, a);
  image::FlipUpDown(root, n);
  image::FlipUpDown(root, u);
  image::TransposeImage(root, a);
  image::RandomFlipLeftRight(root, a);
  image::RandomFlipUpDown(root, n, /*seed=*/3);
  image::RandomFlipLeftRight(root, u);
  image::RandomBrightness(root, a, 63);
  image::RandomContrast(root, u, 0.2, 1.8);
  image::RandomHue(root, u, 0.2);
  image::RandomSaturation(root, a, 0.5, 1.5);
  image::AdjustBrightness(root, u, 0.1);
  image::PerImageStandardization(root, a);
  image::PerImageStandardization(root, u);
  image::PerImageStandardization(root, n);
  image::ResizeImages(root, a, 24, 24);
  image::ResizeImages(root, n, 8, 8, image::ResizeMethod::kNearestNeighbor);
  image::ResizeImages(root, n, 8, 8, image::ResizeMethod::kBicubic, /*align_corners=*/true);
  image::ResizeImages(root, n, 8, 8, image::ResizeMethod::kArea);
  image::ResizeImages(root, a, 32, 32);
  image::CropToBoundingBox(root, a, 1, 2, 3, 4);
  image::PadToBoundingBox(root, a, 1, 2, 40, 41);
  image::ResizeImageWithCropOrPad(root, a, 24, 40);
  image::ResizeImageWithCropOrPad(root, n, 21, 9);
  image::ConvertImageDtype(root, u, DType::kFloat);
  image::ConvertImageDtype(root, a, DType::kUInt8);
  image::ConvertImageDtype(root, a, DType::kUInt8, /*saturate=*/true);
  image::ConvertImageDtype(root, u, DType::kInt16);
  image::ConvertImageDtype(root, i, DType::kUInt8, /*saturate=*/true);
  image::DecodeImage(root, Placeholder(root.Named("file"), DType::kString, Shape()));
  ExpectSameGraph(root, "images");
}

TEST(PythonGraphsTest, Queues) {
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root.Named("x"), DType::kFloat, {5, 3});
  const Output y = Placeholder(root.Named("y"), DType::kFloat, {5});
  const Output r = Placeholder(root.Named("r"), DType::kFloat, {-1, 3});
  using train::BatchOptions;
  using train::InputProducerOptions;
  train::StringInputProducer(root, {"a", "b"});
  train::RangeInputProducer(root, 10, InputProducerOptions().shuffle(false));
  train::SliceInputProducer(root, {x, y}, InputProducerOptions().num_epochs(2).capacity(16));
  train::Batch(root, {x, y}, 2);
  train::Batch(root, {r}, 2, BatchOptions().dynamic_pad(true).allow_smaller_final_batch(true));
  const BatchOptions ten = BatchOptions().capacity(10).min_after_dequeue(5);
  train::ShuffleBatch(root, {x, y}, 2, BatchOptions(ten).num_threads(4).enqueue_many(true));
  train::BatchJoin(root, {{x, y}, {x, y}}, 2);
  train::ShuffleBatchJoin(root, {{x, y}, {x, y}}, 2, ten);
  const train::PrefetchQueue queue(root, {x, y}, train::PrefetchQueueOptions().capacity(4));
  queue.Dequeue(root.Device("/gpu:1").NameScope("tower_1"));
  ExpectSameGraph(root, "queues");
}

TEST(PythonGraphsTest, Scaffold) {
  const Scope root = Scope::NewRoot();
  GetVariable(root, "w", {2}, ZerosInitializer());
  const Variable step = train::GetOrCreateGlobalStep(root);
  GetVariable(root, "n", {},
              GetVariableOptions()
                  .initializer(ZerosInitializer())
                  .collections({GraphKeys::kLocalVariables}));
  summary::Scalar(root, "step", step);
  train::Scaffold scaffold(root);
  const Status s = scaffold.Finalize();
  ASSERT_TRUE(s.ok()) << s;
  ExpectSameGraph(root, "scaffold");
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
