// Attention and decoders give what the steps of tf.contrib.seq2seq give, and their gradients.
#include "frontend/array.h"
#include "frontend/arrays/indexing.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/collections.h"
#include "frontend/contrib/attention.h"
#include "frontend/contrib/beam_search_decoder.h"
#include "frontend/contrib/decoder.h"
#include "frontend/control.h"
#include "frontend/layers/dense.h"
#include "frontend/rnn/rnn.h"
#include "frontend/values/expected_values.h"
#include "frontend/variables/variable_scope.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace seq2seq {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace core = ::warpbeam::frontend::layers;

constexpr int64_t kUnits = 3;

// Every variable is a constant, weights() of seq2seq_cases.py.
Scope WithWeights(const Scope& scope) {
  return scope.SameVariableScope(VariableScopeOptions().custom_getter(
      [](const VariableGetter&, const Scope& s, const std::string&, const Shape& shape,
         const GetVariableOptions&) {
        std::vector<float> values;
        for (int64_t i = 0; i < shape.num_elements(); ++i) {
          values.push_back(static_cast<float>(i * 7 % 5 - 2) / 4);
        }
        const Scope top = s.NoControlDependencies();
        return Variable().WithValue(Constant(top, values, DType::kFloat, shape));
      }));
}

using Make = std::function<AttentionMechanismPtr(S s, const Output& memory, const Output& lengths)>;

Built Trained(S outer, X x, const Make& make, std::optional<int64_t> layer, bool imputes = false) {
  const Scope s = WithWeights(outer);
  const auto cell = std::make_shared<AttentionWrapper>(std::make_shared<nn::BasicLSTMCell>(kUnits),
                                                       make(s, x[1], Constant(s, {4, 2})), layer);
  const auto inputs = std::make_shared<TrainingInputs>(x[0], Constant(s, {3, 2}));
  const BasicDecoder decoder(cell, inputs, cell->InitialState(s, 2));
  const Decoded out = DynamicDecode(s, decoder, DynamicDecodeOptions().impute_finished(imputes));
  return {out.rnn_output, out.sample_id, out.lengths};
}

Make Bahdanau(bool normalize) {
  return [normalize](S s, const Output& memory, const Output& lengths) {
    return std::make_shared<BahdanauAttention>(s, kUnits, memory, lengths, normalize);
  };
}

Make Luong(bool scale) {
  return [scale](S s, const Output& memory, const Output& lengths) {
    return std::make_shared<LuongAttention>(s, kUnits, memory, lengths, scale);
  };
}

OutputLayer Words(int64_t count) {
  return [count](const Scope& s, const Output& x) { return core::Dense(s, x, count); };
}

constexpr int64_t kBeams = 4;

// The beams of two examples that begin with the words 1 and 2; the word 2 ends them.
Built Searched(const Scope& s, X x, const nn::RNNCellPtr& cell, const BeamSearchOptions& options) {
  const nn::RNNState start = cell->ZeroState(s, 2 * kBeams);
  const BeamSearchDecoder decoder(cell, x[0], Constant(s, {1, 2}), 2, start, kBeams, Words(5),
                                  options);
  const BeamDecoded out = DynamicDecode(s, decoder, DynamicDecodeOptions().maximum_iterations(6));
  const Output& scores = out.outputs.beam_search_decoder_output.scores;
  Built built = {out.outputs.predicted_ids, out.state.log_probs, out.state.lengths,
                 scores(All, -1)};
  if (out.alignment_history.empty()) return built;
  std::vector<Output> all = built.outputs();
  all.push_back(out.alignment_history[0]);
  return all;
}

TEST(Seq2seqTest, GivesTheValuesOfTheSteps) {
  const std::vector<ValueRow> rows = {
      {"attention_bahdanau", [](S s, X x) { return Trained(s, x, Bahdanau(false), 2); }},
      {"attention_bahdanau_normalized",
       [](S s, X x) { return Trained(s, x, Bahdanau(true), std::nullopt); }},
      {"attention_luong", [](S s, X x) { return Trained(s, x, Luong(false), 2); }},
      {"attention_luong_scaled", [](S s, X x) { return Trained(s, x, Luong(true), 2); }},
      {"decode_imputed", [](S s, X x) { return Trained(s, x, Bahdanau(false), 2, true); }},
      {"decode_greedy",
       [](S outer, X x) {
         const Scope s = WithWeights(outer);
         const auto cell = std::make_shared<nn::BasicLSTMCell>(kUnits);
         const auto inputs = std::make_shared<GreedyEmbeddingInputs>(x[0], Constant(s, {1, 2}), 99);
         const BasicDecoder decoder(cell, inputs, cell->ZeroState(s, 2), Words(5));
         const Decoded out =
             DynamicDecode(s, decoder, DynamicDecodeOptions().maximum_iterations(3));
         return Built{out.rnn_output, out.sample_id, out.lengths};
       }},
      {"beam_search",
       [](S outer, X x) {
         const Scope s = WithWeights(outer);
         return Searched(s, x, std::make_shared<nn::BasicLSTMCell>(kUnits), BeamSearchOptions());
       }},
      {"beam_search_length_penalty",
       [](S outer, X x) {
         const Scope s = WithWeights(outer);
         return Searched(s, x, std::make_shared<nn::BasicLSTMCell>(kUnits),
                         BeamSearchOptions().length_penalty_weight(0.8));
       }},
      {"beam_search_attention",
       [](S outer, X x) {
         const Scope s = WithWeights(outer);
         const auto mechanism =
             std::make_shared<LuongAttention>(s, kUnits, TileBatch(s, x[1], kBeams));
         const auto cell = std::make_shared<AttentionWrapper>(
             std::make_shared<nn::BasicLSTMCell>(kUnits), mechanism, 2, /*output_attention=*/true,
             /*alignment_history=*/true);
         return Searched(
             s, x, cell,
             BeamSearchOptions().length_penalty_weight(0.6).coverage_penalty_weight(0.4));
       }},
  };
  ExpectTensorFlowsValues("seq2seq", rows);
}

TEST(Seq2seqTest, VariablesHaveContribsNames) {
  const Scope root = Scope::NewRoot();
  const auto mechanism = std::make_shared<BahdanauAttention>(root, 4, Zeros(root, {2, 5, 3}),
                                                             Output(), /*normalize=*/true);
  const auto cell =
      std::make_shared<AttentionWrapper>(std::make_shared<nn::BasicLSTMCell>(6), mechanism, 7);
  const auto inputs =
      std::make_shared<TrainingInputs>(Zeros(root, {2, 5, 2}), Constant(root, {5, 3}));
  const BasicDecoder decoder(cell, inputs, cell->InitialState(root, 2), Words(9));
  const Decoded out = DynamicDecode(root, decoder);
  ASSERT_TRUE(root.ok()) << root.status();
  ASSERT_EQ(out.rnn_output.rank(), 3);
  EXPECT_EQ(out.rnn_output.shape().dim(2), 9);
  ASSERT_EQ(out.state.size(), 3u);
  EXPECT_EQ(out.state[2].shape(), PartialShape({2, 7}));
  std::vector<std::string> names;
  for (const Variable& variable : TrainableVariables(root)) names.push_back(variable.name());
  EXPECT_THAT(
      names, ElementsAre("memory_layer/kernel", "decoder/attention_wrapper/basic_lstm_cell/kernel",
                         "decoder/attention_wrapper/basic_lstm_cell/bias",
                         "decoder/attention_wrapper/bahdanau_attention/query_layer/kernel",
                         "decoder/attention_wrapper/bahdanau_attention/attention_v",
                         "decoder/attention_wrapper/bahdanau_attention/attention_g",
                         "decoder/attention_wrapper/bahdanau_attention/attention_b",
                         "decoder/attention_wrapper/attention_layer/kernel", "decoder/dense/kernel",
                         "decoder/dense/bias"));
}

TEST(Seq2seqTest, GreedyDecodingEndsAtTheEndToken) {
  const Scope root = WithWeights(Scope::NewRoot());
  const auto cell = std::make_shared<nn::BasicLSTMCell>(kUnits);
  const Output embedding = Constant(root, 0.5f, DType::kFloat, Shape({5, 2}));
  const auto said_of = [&](int32_t end) {
    const auto inputs =
        std::make_shared<GreedyEmbeddingInputs>(embedding, Constant(root, {1, 2}), end);
    const BasicDecoder decoder(cell, inputs, cell->ZeroState(root, 2), Words(5));
    return DynamicDecode(root, decoder,
                         DynamicDecodeOptions().output_time_major(true).maximum_iterations(4));
  };
  const Decoded whole = said_of(99);
  ASSERT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  const auto run = session.Run({whole.sample_id, whole.lengths});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ((*run)[0].shape(), Shape({4, 2}));
  EXPECT_THAT((*run)[1].flat<int32_t>(), ElementsAre(4, 4));
  // What is said first is the end.
  const Decoded ended = said_of((*run)[0].flat<int32_t>()[0]);
  const auto first = session.Run({ended.sample_id, ended.lengths});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ((*first)[0].shape(), Shape({1, 2}));
  EXPECT_THAT((*first)[1].flat<int32_t>(), ElementsAre(1, 1));
}

TEST(Seq2seqTest, WhatDoesNotFitIsSaid) {
  const Scope root = Scope::NewRoot();
  const BahdanauAttention none(root, 4, Zeros(root, {2, 5}));
  EXPECT_THAT(std::string(root.status().message()), HasSubstr("needs a memory"));
  const auto error = [](int64_t units, const nn::RNNState& start) {
    const Scope scope = Scope::NewRoot();
    const auto mechanism = std::make_shared<LuongAttention>(scope, units, Zeros(scope, {2, 5, 3}));
    const auto cell =
        std::make_shared<AttentionWrapper>(std::make_shared<nn::GRUCell>(6), mechanism);
    const auto inputs =
        std::make_shared<TrainingInputs>(Zeros(scope, {2, 5, 2}), Constant(scope, {5, 3}));
    const BasicDecoder decoder(cell, inputs,
                               start.empty() ? cell->InitialState(scope, 2) : nn::RNNState());
    EXPECT_FALSE(DynamicDecode(scope, decoder).rnn_output.valid());
    return std::string(scope.status().message());
  };
  EXPECT_THAT(error(4, {}), HasSubstr("they must be as many"));
  EXPECT_THAT(error(6, {Output()}), HasSubstr("the cell's state is 2 tensors"));
  const Scope other = Scope::NewRoot();
  EXPECT_FALSE(DynamicDecode(other, BasicDecoder(nullptr, nullptr, {})).lengths.valid());
  EXPECT_THAT(std::string(other.status().message()), HasSubstr("a cell and inputs"));
}

}  // namespace
}  // namespace seq2seq
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam
