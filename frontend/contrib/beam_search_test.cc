// Beam search finds what a search of everything finds, and puts sequences together from steps.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "frontend/array.h"
#include "frontend/arrays/layout.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/collections.h"
#include "frontend/contrib/attention.h"
#include "frontend/contrib/beam_search_decoder.h"
#include "frontend/control.h"
#include "frontend/host_tensor/host_tensor.h"
#include "frontend/layers/dense.h"
#include "frontend/variables/variable.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace seq2seq {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// How likely each word is after each other one, as logits.
constexpr int kWords = 4;
constexpr float kLogits[kWords][kWords] = {{0.1f, 1.3f, 0.7f, -0.4f},
                                           {2.2f, 0.3f, -1.1f, 0.9f},
                                           {-0.6f, 0.2f, 1.7f, 1.6f},
                                           {0.5f, -0.9f, 1.2f, 0.05f}};
constexpr int kEnd = 3;

double LogProb(int word, int next) {
  double sum = 0;
  for (const float logit : kLogits[word]) sum += std::exp(logit);
  return kLogits[word][next] - std::log(sum);
}

// A cell whose output is its input, which is the row of the word before: a chain of Markov.
class Chain final : public nn::RNNCell {
 public:
  std::vector<int64_t> state_size() const override { return {1}; }
  int64_t output_size() const override { return kWords; }
  void Build(const Scope&, int64_t, DType) override {}
  nn::CellResult Call(const Scope&, const Output& input, const nn::RNNState& state) override {
    return {input, state};
  }
};

Output Table(const Scope& scope) {
  return Constant(scope, std::vector<float>(&kLogits[0][0], &kLogits[0][0] + kWords * kWords),
                  DType::kFloat, Shape({kWords, kWords}));
}

struct Sentence {
  double log_prob;
  std::vector<int32_t> words;
};

// All that may be said in `steps` words after `word`, the likeliest first.
std::vector<Sentence> Everything(int word, int steps) {
  if (steps == 0) return {{0, {}}};
  std::vector<Sentence> all;
  for (int next = 0; next < kWords; ++next) {
    const std::vector<Sentence> rest =
        next == kEnd ? std::vector<Sentence>{{0, std::vector<int32_t>(steps - 1, kEnd)}}
                     : Everything(next, steps - 1);
    for (const Sentence& end : rest) {
      Sentence whole{LogProb(word, next) + end.log_prob, {next}};
      whole.words.insert(whole.words.end(), end.words.begin(), end.words.end());
      all.push_back(whole);
    }
  }
  std::sort(all.begin(), all.end(),
            [](const Sentence& a, const Sentence& b) { return a.log_prob > b.log_prob; });
  return all;
}

BeamDecoded Search(const Scope& scope, int64_t beams, int steps,
                   const BeamSearchOptions& options = BeamSearchOptions()) {
  const auto cell = std::make_shared<Chain>();
  const BeamSearchDecoder decoder(cell, Table(scope), Constant(scope, {0, 1}), kEnd,
                                  cell->ZeroState(scope, static_cast<int>(2 * beams)), beams,
                                  nullptr, options);
  return DynamicDecode(scope, decoder,
                       DynamicDecodeOptions().maximum_iterations(steps).output_time_major(true));
}

// With as many beams as there are sentences nothing is lost.
TEST(BeamSearchTest, FindsWhatASearchOfEverythingFinds) {
  constexpr int kSteps = 4;
  constexpr int kBeams = 27 * kWords;
  const Scope root = Scope::NewRoot();
  const BeamDecoded found = Search(root, kBeams, kSteps);
  ClientSession session(root);
  const auto out = session.Run({found.outputs.predicted_ids, found.state.log_probs});
  ASSERT_TRUE(out.ok()) << out.status();
  ASSERT_EQ((*out)[0].shape(), Shape({kSteps, 2, kBeams}));
  for (int first = 0; first < 2; ++first) {
    const std::vector<Sentence> all = Everything(first, kSteps);
    std::set<std::vector<int32_t>> said;
    for (size_t place = 0; place < 40; ++place) {
      std::vector<int32_t> words;
      double log_prob = 0;
      for (int t = 0; t < kSteps; ++t) {
        words.push_back((*out)[0].flat<int32_t>()[(t * 2 + first) * kBeams + place]);
        const int before = t == 0 ? first : words[static_cast<size_t>(t) - 1];
        log_prob += before == kEnd ? 0 : LogProb(before, words.back());
      }
      // Sentences of the same probability stand in any order.
      EXPECT_TRUE(said.insert(words).second) << place;
      EXPECT_NEAR(log_prob, all[place].log_prob, 1e-5) << place;
      EXPECT_NEAR((*out)[1].flat<float>()[first * kBeams + place], log_prob, 1e-5) << place;
    }
  }
}

TEST(BeamSearchTest, OneBeamIsGreedy) {
  const Scope root = Scope::NewRoot();
  const BeamDecoded found = Search(root, 1, 5);
  ClientSession session(root);
  const auto out =
      session.Run({found.outputs.predicted_ids, found.state.lengths, found.state.finished});
  ASSERT_TRUE(out.ok()) << out.status();
  // 0 1 0 1 …, and from 1: 0 1 0 1.
  EXPECT_THAT((*out)[0].flat<int32_t>(), ElementsAre(1, 0, 0, 1, 1, 0, 0, 1, 1, 0));
  EXPECT_THAT((*out)[1].flat<int64_t>(), ElementsAre(5, 5));
  EXPECT_THAT((*out)[2].flat<bool>(), ElementsAre(false, false));
}

// A long sentence has the larger sum of logarithms to divide by.
TEST(BeamSearchTest, AWeightOfTheLengthFavoursLongOnes) {
  const auto mean_length = [](double weight) {
    const Scope root = Scope::NewRoot();
    const BeamDecoded found = Search(root, 6, 8, BeamSearchOptions().length_penalty_weight(weight));
    ClientSession session(root);
    const auto out = session.Run({found.state.lengths});
    EXPECT_TRUE(out.ok()) << out.status();
    int64_t sum = 0;
    for (const int64_t length : (*out)[0].flat<int64_t>()) sum += length;
    return sum / 12.0;
  };
  EXPECT_LT(mean_length(0), mean_length(1.5));
}

// TensorFlow's own example of gather_tree.
TEST(BeamSearchTest, GatherTreeFollowsTheParents) {
  const Scope root = Scope::NewRoot();
  const auto ints = [&](std::vector<int32_t> values, Shape shape) {
    return Constant(root, values, DType::kInt32, shape);
  };
  const Output ids = ints({1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -1, -1}, Shape({4, 1, 3}));
  const Output parents = ints({0, 0, 0, 0, 1, 1, 2, 1, 2, -1, -1, -1}, Shape({4, 1, 3}));
  const Output whole = GatherTree(root, ids, parents, {3}, 10);
  // What is beyond a length stays in its place; deeper tensors go by the same paths.
  const Output deep = Tile(root, ExpandDims(root, ids, -1), {1, 1, 1, 2});
  const Output sorted = GatherTreeFromArray(root, deep, parents, Constant(root, {{3, 3, 2}}));
  ClientSession session(root);
  const auto out = session.Run({whole, sorted});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT((*out)[0].flat<int32_t>(), ElementsAre(2, 2, 2, 6, 5, 6, 7, 8, 9, 10, 10, 10));
  EXPECT_THAT((*out)[1].flat<int32_t>(), ElementsAre(2, 2, 2, 2, 2, 2, 6, 6, 5, 5, 6, 6, 7, 7, 8, 8,
                                                     9, 9, -1, -1, -1, -1, -1, -1));
}

TEST(BeamSearchTest, GatherTreeEndsAtTheFirstEnd) {
  const Scope root = Scope::NewRoot();
  const Output ids =
      Constant(root, std::vector<int32_t>{5, 0, 7, 8}, DType::kInt32, Shape({4, 1, 1}));
  const Output parents = Constant(root, 0, DType::kInt32, Shape({4, 1, 1}));
  ClientSession session(root);
  const auto out = session.Run({GatherTree(root, ids, parents, {4}, 0)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT((*out)[0].flat<int32_t>(), ElementsAre(5, 0, 0, 0));
}

TEST(BeamSearchTest, TileBatchRepeatsRows) {
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root, DType::kFloat, {-1, 2});
  const nn::RNNState tiled = TileBatch(root, nn::RNNState{x, Constant(root, {1, 2})}, 3);
  EXPECT_EQ(tiled[0].shape(), PartialShape({-1, 2}));
  EXPECT_EQ(tiled[1].shape(), PartialShape({6}));
  ClientSession session(root);
  const auto out = session.Run({{x, *TensorOf<float>({{1, 2}, {3, 4}})}}, tiled);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT((*out)[0].flat<float>(), ElementsAre(1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4));
  EXPECT_THAT((*out)[1].flat<int32_t>(), ElementsAre(1, 1, 1, 2, 2, 2));
}

// A memory whose steps only a run knows, below a cell on top of it.
TEST(BeamSearchTest, KeepsTheAlignmentsOfACellInside) {
  const Scope root = Scope::NewRoot();
  const Output memory = Placeholder(root, DType::kFloat, {-1, -1, 3});
  const auto attention = std::make_shared<AttentionWrapper>(
      std::make_shared<nn::GRUCell>(4),
      std::make_shared<LuongAttention>(root, 4, TileBatch(root, memory, 2)), std::nullopt,
      /*output_attention=*/false, /*alignment_history=*/true);
  const auto cell = std::make_shared<nn::MultiRNNCell>(
      std::vector<nn::RNNCellPtr>{std::make_shared<nn::GRUCell>(3), attention});
  const OutputLayer words = [](const Scope& s, const Output& x) {
    return ::warpbeam::frontend::layers::Dense(s, x, 5);
  };
  const BeamSearchDecoder decoder(cell, Zeros(root, {5, 2}), Constant(root, {1}), 2,
                                  cell->ZeroState(root, 2), 2, words,
                                  BeamSearchOptions().coverage_penalty_weight(0.1));
  const BeamDecoded out =
      DynamicDecode(root, decoder, DynamicDecodeOptions().maximum_iterations(3));
  ASSERT_TRUE(root.ok()) << root.status();
  ASSERT_EQ(out.alignment_history.size(), 1u);
  const Operation init = GlobalVariablesInitializer(root);
  ClientSession session(root);
  ASSERT_TRUE(session.Run({init}).ok());
  const ClientSession::Feeds feeds = {
      {memory, *TensorOf<float>(Shape({1, 2, 3}), {1, -1, 0.5f, 2, 0, 1})}};
  const auto run = session.Run(
      feeds, {out.alignment_history[0], out.state.accumulated_attention_probs, out.lengths});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ((*run)[0].shape().dim(2), 2);
  EXPECT_EQ((*run)[0].shape().dim(3), 2);
  for (size_t i = 0; i + 1 < (*run)[0].flat<float>().size(); i += 2) {
    EXPECT_NEAR((*run)[0].flat<float>()[i] + (*run)[0].flat<float>()[i + 1], 1, 1e-5);
  }
}

TEST(BeamSearchTest, WhatDoesNotFitIsSaid) {
  const auto error = [](int64_t beams, const BeamSearchOptions& search,
                        const DynamicDecodeOptions& options, nn::RNNState start) {
    const Scope root = Scope::NewRoot();
    const auto cell = std::make_shared<Chain>();
    if (start.empty()) start = cell->ZeroState(root, 4);
    const BeamSearchDecoder decoder(cell, Table(root), Constant(root, {0, 1}), kEnd, start, beams,
                                    nullptr, search);
    EXPECT_FALSE(DynamicDecode(root, decoder, options).outputs.predicted_ids.valid());
    return std::string(root.status().message());
  };
  EXPECT_THAT(error(0, {}, {}, {}), HasSubstr("one beam or more, got 0"));
  EXPECT_THAT(error(2, {}, DynamicDecodeOptions().impute_finished(true), {}),
              HasSubstr("impute_finished cannot"));
  EXPECT_THAT(error(2, BeamSearchOptions().coverage_penalty_weight(1), {}, {}),
              HasSubstr("AttentionWrapper with alignment_history"));
  EXPECT_THAT(error(2, {}, {}, {Output(), Output()}), HasSubstr("state is 1 tensors"));
  const Scope root = Scope::NewRoot();
  EXPECT_FALSE(TileBatch(root, Constant(root, 1), 2).valid());
  EXPECT_THAT(std::string(root.status().message()), HasSubstr("TileBatch repeats the rows"));
  const Scope other = Scope::NewRoot();
  EXPECT_FALSE(GatherTree(other, Zeros(other, {2, 3}), Zeros(other, {2, 3}), {3}, 0).valid());
  EXPECT_THAT(std::string(other.status().message()), HasSubstr("GatherTree takes int32 parents"));
}

}  // namespace
}  // namespace seq2seq
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam
