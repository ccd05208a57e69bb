// Candidates and expected counts against those that TensorFlow 2.21 gives for the same seeds, over
// several steps of a session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "graph/build/node_builder.h"
#include "ops/launch/op_record.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAreArray;

struct Step {
  std::vector<int64_t> sampled;
  std::vector<float> true_count, sampled_count;
};

class Sampler {
 public:
  Sampler(std::string op, std::vector<int64_t> true_classes, int64_t num_true, int64_t num_sampled,
          bool unique, int64_t seed, int64_t seed2)
      : builder_(graph_.get(), std::move(op)) {
    const int64_t rows = static_cast<int64_t>(true_classes.size()) / num_true;
    Tensor classes = Tensor::FromValues<int64_t>(Shape({rows, num_true}), true_classes);
    const OutputRef input = {(*AddConstant(graph_.get(), "classes", std::move(classes)))->id(), 0};
    builder_.Name("sampler")
        .Input(input)
        .Attr("num_true", num_true)
        .Attr("num_sampled", num_sampled)
        .Attr("unique", unique)
        .Attr("seed", seed)
        .Attr("seed2", seed2);
  }
  Sampler& Attr(absl::string_view name, AttrValue value) {
    builder_.Attr(name, std::move(value));
    return *this;
  }
  void Gives(const std::vector<Step>& steps) {
    const auto built = builder_.BuildOutput();
    ASSERT_TRUE(built.ok()) << built.status();
    auto session = Session::Create({}, graph_);
    ASSERT_TRUE(session.ok()) << session.status();
    for (const Step& step : steps) {
      std::vector<Tensor> out;
      const Status s =
          (*session)->Run({}, {}, {"sampler", "sampler:1", "sampler:2"}, {}, &out, nullptr);
      ASSERT_TRUE(s.ok()) << s;
      EXPECT_THAT(Values<int64_t>(out[0]), ElementsAreArray(step.sampled));
      EXPECT_THAT(Values<float>(out[1]), ElementsAreArray(step.true_count));
      EXPECT_THAT(Values<float>(out[2]), ElementsAreArray(step.sampled_count));
    }
  }

 private:
  template <typename T>
  static std::vector<T> Values(const Tensor& t) {
    return std::vector<T>(t.data<T>(), t.data<T>() + t.num_elements());
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  NodeBuilder builder_;
};

TEST(CandidateSamplerTest, Uniform) {
  Sampler("UniformCandidateSampler", {1, 7, 4, 3}, 2, 6, true, 87654321, 5)
      .Attr("range_max", int64_t{10})
      .Gives(
          {{{5, 8, 6, 1, 0, 4},
            {0.521703124f, 0.521703124f, 0.521703124f, 0.521703124f},
            {0.521703124f, 0.521703124f, 0.521703124f, 0.521703124f, 0.521703124f, 0.521703124f}},
           {{1, 0, 7, 4, 5, 3},
            {0.612579525f, 0.612579525f, 0.612579525f, 0.612579525f},
            {0.612579525f, 0.612579525f, 0.612579525f, 0.612579525f, 0.612579525f, 0.612579525f}}});
  Sampler("UniformCandidateSampler", {1, 7, 4, 3}, 2, 6, false, 87654321, 5)
      .Attr("range_max", int64_t{10})
      .Gives(
          {{{5, 8, 6, 1, 0, 5},
            {0.600000024f, 0.600000024f, 0.600000024f, 0.600000024f},
            {0.600000024f, 0.600000024f, 0.600000024f, 0.600000024f, 0.600000024f, 0.600000024f}},
           {{1, 0, 7, 0, 1, 0},
            {0.600000024f, 0.600000024f, 0.600000024f, 0.600000024f},
            {0.600000024f, 0.600000024f, 0.600000024f, 0.600000024f, 0.600000024f, 0.600000024f}}});
  Sampler("UniformCandidateSampler", {1, 7, 4, 3}, 2, 5, true, 9, 0)
      .Attr("range_max", int64_t{300})
      .Gives({{{252, 286, 46, 143, 175},
               {0.0166666675f, 0.0166666675f, 0.0166666675f, 0.0166666675f},
               {0.0166666675f, 0.0166666675f, 0.0166666675f, 0.0166666675f, 0.0166666675f}},
              {{160, 165, 59, 297, 218},
               {0.0166666675f, 0.0166666675f, 0.0166666675f, 0.0166666675f},
               {0.0166666675f, 0.0166666675f, 0.0166666675f, 0.0166666675f, 0.0166666675f}}});
  Sampler("UniformCandidateSampler", {1}, 1, 3, false, 1, 0)
      .Attr("range_max", int64_t{6917529027641081856})
      .Gives({{{2668961933610714736, 6203051148768846528, 2289461104889828379},
               {4.33680869e-19f},
               {4.33680869e-19f, 4.33680869e-19f, 4.33680869e-19f}},
              {{2143891656408151384, 5540121651122998395, 2506629495821710952},
               {4.33680869e-19f},
               {4.33680869e-19f, 4.33680869e-19f, 4.33680869e-19f}}});
}

TEST(CandidateSamplerTest, LogUniform) {
  Sampler("LogUniformCandidateSampler", {1, 7, 40, 3}, 2, 6, true, 87654321, 5)
      .Attr("range_max", int64_t{50})
      .Gives(
          {{{0, 7, 15, 13, 8, 2},
            {0.5332039f, 0.191762447f, 0.0421211049f, 0.33567977f},
            {0.742714643f, 0.191762447f, 0.103066362f, 0.116550773f, 0.173154131f, 0.41249904f}},
           {{13, 2, 7, 1, 34, 0},
            {0.5332039f, 0.191762447f, 0.0421211049f, 0.33567977f},
            {0.116550773f, 0.41249904f, 0.191762447f, 0.5332039f, 0.0490885861f, 0.742714643f}}});
  Sampler("LogUniformCandidateSampler", {1, 7, 40, 3}, 2, 6, false, 87654321, 5)
      .Attr("range_max", int64_t{50})
      .Gives(
          {{{0, 7, 15, 13, 0, 8},
            {0.6187433f, 0.179737926f, 0.0367730707f, 0.340519011f},
            {1.05774856f, 0.179737926f, 0.0925136954f, 0.105283722f, 1.05774856f, 0.160781056f}},
           {{13, 2, 7, 1, 34, 2},
            {0.6187433f, 0.179737926f, 0.0367730707f, 0.340519011f},
            {0.105283722f, 0.439005315f, 0.179737926f, 0.6187433f, 0.0429890007f, 0.439005315f}}});
}

TEST(CandidateSamplerTest, UnigramsAreLearned) {
  Sampler("LearnedUnigramCandidateSampler", {1, 7, 7, 3}, 2, 6, true, 87654321, 5)
      .Attr("range_max", int64_t{10})
      .Gives(
          {{{1, 9, 4, 2, 7, 6},
            {0.612579525f, 0.612579525f, 0.612579525f, 0.612579525f},
            {0.612579525f, 0.612579525f, 0.612579525f, 0.612579525f, 0.612579525f, 0.612579525f}},
           {{1, 6, 5, 9, 8, 0},
            {0.70864284f, 0.85474968f, 0.85474968f, 0.70864284f},
            {0.70864284f, 0.447257936f, 0.447257936f, 0.447257936f, 0.447257936f, 0.447257936f}},
           {{0, 8, 7, 3, 9, 4},
            {0.954926729f, 0.996042669f, 0.996042669f, 0.954926729f},
            {0.621558189f, 0.621558189f, 0.996042669f, 0.954926729f, 0.621558189f, 0.621558189f}}});
  Sampler("LearnedUnigramCandidateSampler", {1, 7, 7, 3}, 2, 6, false, 87654321, 5)
      .Attr("range_max", int64_t{10})
      .Gives(
          {{{1, 9, 4, 9, 2, 4},
            {0.600000024f, 0.600000024f, 0.600000024f, 0.600000024f},
            {0.600000024f, 0.600000024f, 0.600000024f, 0.600000024f, 0.600000024f, 0.600000024f}},
           {{1, 6, 6, 5, 5, 9},
            {0.857142925f, 1.28571427f, 1.28571427f, 0.857142925f},
            {0.857142925f, 0.428571463f, 0.428571463f, 0.428571463f, 0.428571463f, 0.428571463f}},
           {{0, 8, 7, 3, 3, 3},
            {1.0f, 1.66666675f, 1.66666675f, 1.0f},
            {0.333333343f, 0.333333343f, 1.66666675f, 1.0f, 1.0f, 1.0f}}});
  Sampler("ThreadUnsafeUnigramCandidateSampler", {1, 7, 7, 3}, 2, 6, true, 87654321, 5)
      .Attr("range_max", int64_t{10})
      .Gives(
          {{{1, 9, 4, 2, 7, 6},
            {0.612579525f, 0.612579525f, 0.612579525f, 0.612579525f},
            {0.612579525f, 0.612579525f, 0.612579525f, 0.612579525f, 0.612579525f, 0.612579525f}},
           {{1, 6, 5, 9, 8, 0},
            {0.70864284f, 0.85474968f, 0.85474968f, 0.70864284f},
            {0.70864284f, 0.447257936f, 0.447257936f, 0.447257936f, 0.447257936f, 0.447257936f}},
           {{0, 8, 7, 3, 9, 4},
            {0.954926729f, 0.996042669f, 0.996042669f, 0.954926729f},
            {0.621558189f, 0.621558189f, 0.996042669f, 0.954926729f, 0.621558189f, 0.621558189f}}});
  Sampler("ThreadUnsafeUnigramCandidateSampler", {1, 7, 7, 3}, 2, 6, false, 87654321, 5)
      .Attr("range_max", int64_t{10})
      .Gives(
          {{{1, 9, 4, 9, 2, 4},
            {0.600000024f, 0.600000024f, 0.600000024f, 0.600000024f},
            {0.600000024f, 0.600000024f, 0.600000024f, 0.600000024f, 0.600000024f, 0.600000024f}},
           {{1, 6, 6, 5, 5, 9},
            {0.857142925f, 1.28571427f, 1.28571427f, 0.857142925f},
            {0.857142925f, 0.428571463f, 0.428571463f, 0.428571463f, 0.428571463f, 0.428571463f}},
           {{0, 8, 7, 3, 3, 3},
            {1.0f, 1.66666675f, 1.66666675f, 1.0f},
            {0.333333343f, 0.333333343f, 1.66666675f, 1.0f, 1.0f, 1.0f}}});
}

TEST(CandidateSamplerTest, FixedUnigrams) {
  Sampler("FixedUnigramCandidateSampler", {1, 7, 0, 3}, 2, 6, true, 87654321, 5)
      .Attr("range_max", int64_t{8})
      .Attr("distortion", 0.75f)
      .Attr("unigrams", std::vector<float>{1, 2, 3.5f, 4, .5f, .25f, 10, 7})
      .Gives(
          {{{7, 3, 6, 1, 5, 2},
            {0.727885962f, 0.972886205f, 0.531974494f, 0.896044433f},
            {0.972886205f, 0.896044433f, 0.992776453f, 0.727885962f, 0.23183395f, 0.868871093f}},
           {{6, 5, 7, 2, 3, 1},
            {0.566862702f, 0.901652098f, 0.386195034f, 0.766668439f},
            {0.957977474f, 0.155958116f, 0.901652098f, 0.729101837f, 0.766668439f, 0.566862702f}}});
  Sampler("FixedUnigramCandidateSampler", {1, 7, 0, 3}, 2, 6, false, 87654321, 5)
      .Attr("range_max", int64_t{8})
      .Attr("distortion", 0.75f)
      .Attr("unigrams", std::vector<float>{1, 2, 3.5f, 4, .5f, .25f, 10, 7})
      .Gives({{{7, 7, 3, 7, 7, 6},
               {0.532657027f, 1.36300874f, 0.31671977f, 0.89581871f},
               {1.36300874f, 1.36300874f, 0.89581871f, 1.36300874f, 1.36300874f, 1.78104591f}},
              {{6, 5, 7, 2, 3, 6},
               {0.532657027f, 1.36300874f, 0.31671977f, 0.89581871f},
               {1.78104591f, 0.111977339f, 1.36300874f, 0.810449958f, 0.89581871f, 1.78104591f}}});
}

TEST(CandidateSamplerTest, ManyFixedUnigrams) {
  std::vector<float> unigrams;
  for (int i = 0; i < 1000; ++i) unigrams.push_back(static_cast<float>(1.0 / (i + 3)));
  Sampler("FixedUnigramCandidateSampler", {1, 999}, 1, 8, false, 4, 2)
      .Attr("range_max", int64_t{1000})
      .Attr("distortion", 0.75f)
      .Attr("unigrams", unigrams)
      .Gives({{{7, 101, 224, 4, 204, 611, 457, 198},
               {0.161885336f, 0.00257099792f},
               {0.0814240202f, 0.0140597476f, 0.0078294836f, 0.106396906f, 0.00839024782f,
                0.00371215609f, 0.00460982183f, 0.00857739616f}},
              {{681, 197, 30, 933, 104, 887, 1, 835},
               {0.161885336f, 0.00257099792f},
               {0.00342342211f, 0.00860954169f, 0.0332557745f, 0.00270579965f, 0.0137630496f,
                0.00281002396f, 0.161885336f, 0.00293981191f}}});
}

TEST(CandidateSamplerTest, ReservedIdsAndShards) {
  Sampler("FixedUnigramCandidateSampler", {1, 0}, 1, 4, false, 1, 2)
      .Attr("range_max", int64_t{3})
      .Attr("unigrams", std::vector<float>{1, 2, 3, 4})
      .Attr("num_reserved_ids", int64_t{2})
      .Attr("num_shards", int64_t{2})
      .Attr("shard", int64_t{0})
      .Gives({{{2, 2, 1, 1},
               {1.33333337f, 0.0f},
               {2.66666675f, 2.66666675f, 1.33333337f, 1.33333337f}},
              {{1, 1, 2, 2},
               {1.33333337f, 0.0f},
               {1.33333337f, 1.33333337f, 2.66666675f, 2.66666675f}}});
  Sampler("FixedUnigramCandidateSampler", {1, 0}, 1, 4, false, 1, 2)
      .Attr("range_max", int64_t{3})
      .Attr("unigrams", std::vector<float>{1, 2, 3, 4})
      .Attr("num_reserved_ids", int64_t{2})
      .Attr("num_shards", int64_t{2})
      .Attr("shard", int64_t{1})
      .Gives({{{2, 2, 1, 1}, {1.0f, 0.0f}, {3.0f, 3.0f, 1.0f, 1.0f}},
              {{1, 2, 2, 2}, {1.0f, 0.0f}, {1.0f, 3.0f, 3.0f, 3.0f}}});
  Sampler("FixedUnigramCandidateSampler", {1, 0}, 1, 4, false, 1, 2)
      .Attr("range_max", int64_t{2})
      .Attr("unigrams", std::vector<float>{1, 2, 3, 4})
      .Attr("num_reserved_ids", int64_t{0})
      .Attr("num_shards", int64_t{2})
      .Attr("shard", int64_t{1})
      .Gives({{{1, 1, 0, 1},
               {2.66666675f, 1.33333337f},
               {2.66666675f, 2.66666675f, 1.33333337f, 2.66666675f}},
              {{0, 1, 1, 1},
               {2.66666675f, 1.33333337f},
               {1.33333337f, 2.66666675f, 2.66666675f, 2.66666675f}}});
}

TEST(CandidateSamplerTest, VocabularyFile) {
  const std::string path = ::testing::TempDir() + "/vocabulary";
  std::ofstream(path) << "a,1\nb,2\nc,3\nd,4\ne,5\n";
  Sampler("FixedUnigramCandidateSampler", {1, 2, 0, 4}, 1, 3, true, 1, 2)
      .Attr("range_max", int64_t{6})
      .Attr("num_reserved_ids", int64_t{1})
      .Attr("vocab_file", path)
      .Gives({{{4, 5, 3},
               {0.383039415f, 0.63274765f, 0.0f, 0.885946155f},
               {0.885946155f, 0.941472352f, 0.790284812f}},
              {{3, 2, 5},
               {0.200000018f, 0.400000036f, 0.0f, 0.800000072f},
               {0.600000024f, 0.400000036f, 1.0f}}});
  std::ofstream(path) << "1\n\n2\n";
  Sampler("FixedUnigramCandidateSampler", {1}, 1, 2, false, 1, 2)
      .Attr("range_max", int64_t{2})
      .Attr("vocab_file", path)
      .Gives({{{1, 1}, {1.33333337f}, {1.33333337f, 1.33333337f}},
              {{0, 1}, {1.33333337f}, {0.666666687f, 1.33333337f}}});
}

TEST(CandidateSamplerTest, All) {
  Sampler("AllCandidateSampler", {1, 4, 0, 3}, 2, 6, true, 87654321, 5)
      .Gives(
          {{{0, 1, 2, 3, 4, 5}, {1.0f, 1.0f, 1.0f, 1.0f}, {1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f}}});
  Sampler("AllCandidateSampler", {1, 4, 0, 3}, 2, 6, false, 87654321, 5)
      .Gives(
          {{{0, 1, 2, 3, 4, 5}, {1.0f, 1.0f, 1.0f, 1.0f}, {1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f}}});
}

OpTest& Uniform(OpTest& test, int64_t num_true, int64_t num_sampled, int64_t range, bool unique) {
  return test.Attr("num_true", num_true)
      .Attr("num_sampled", num_sampled)
      .Attr("unique", unique)
      .Attr("range_max", range);
}

TEST(CandidateSamplerTest, Errors) {
  const auto refused = StatusCode::kInvalidArgument;
  for (const char* op : {"UniformCandidateSampler", "LogUniformCandidateSampler",
                         "LearnedUnigramCandidateSampler", "ThreadUnsafeUnigramCandidateSampler"}) {
    OpTest vector(op), columns(op), above(op), below(op), narrow(op);
    Uniform(vector, 2, 6, 10, true).Input<int64_t>({2}, {1, 2}).ExpectError(refused, "rank 2");
    Uniform(columns, 1, 6, 10, true).Input<int64_t>({1, 2}, {1, 2}).ExpectError(refused, "columns");
    Uniform(above, 1, 6, 5, false).Input<int64_t>({1, 1}, {5}).ExpectError(refused, "range [0, 5)");
    Uniform(below, 1, 6, 5, false).Input<int64_t>({1, 1}, {-1}).ExpectError(refused, "range");
    Uniform(narrow, 1, 6, 5, true).Input<int64_t>({1, 1}, {1}).ExpectError(refused, "too small");
  }
}

TEST(CandidateSamplerTest, FixedUnigramErrors) {
  const std::string path = ::testing::TempDir() + "/bad_vocabulary";
  std::ofstream(path) << "a,1\nb,x\n";
  const auto expect = [](StatusCode code, const char* message, int64_t range,
                         std::vector<float> unigrams, std::string file, bool unique = false) {
    OpTest test("FixedUnigramCandidateSampler");
    Uniform(test, 1, 2, range, unique)
        .Attr("unigrams", std::move(unigrams))
        .Attr("vocab_file", std::move(file))
        .Input<int64_t>({1, 1}, {1})
        .ExpectError(code, message);
  };
  const auto refused = StatusCode::kInvalidArgument;
  expect(refused, "range_max", 5, {1, 2, 3, 4}, "");
  expect(refused, "either", 5, {}, "");
  expect(refused, "both", 2, {1, 2}, path);
  expect(refused, "Wrong vocabulary format", 2, {}, path);
  expect(StatusCode::kNotFound, "", 2, {}, path + ".none");
  // Of two classes with a chance of 0 for one, two different ones never come.
  expect(refused, "too small", 2, {0, 1}, "", /*unique=*/true);
}

}  // namespace
}  // namespace warpbeam
