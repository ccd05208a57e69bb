// A net that reads a word and says it backwards: an encoder, a decoder with attention, and beam
// search (sequence to sequence, as tf.contrib.seq2seq has it).
//
//   bazel run //examples:reverse_words -- --steps=300
#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "examples/session_flags.h"
#include "frontend/contrib/contrib.h"
#include "frontend/warpbeam.h"

ABSL_FLAG(int, steps, 300, "how many batches to learn from");
ABSL_FLAG(int, seed, 1, "of the words and of the first weights");

namespace wb = warpbeam::frontend;
namespace seq2seq = wb::contrib::seq2seq;

namespace {

constexpr int kBatch = 64, kUnits = 64, kBeams = 3;
// Letters stand for themselves from 2 on; 0 fills words up and begins them, 1 ends them.
constexpr int kEnd = 1, kTokens = 28, kLongest = 6;

// Words side by side: the letters [words, kLongest] and how many there are.
struct Words {
  std::vector<int32_t> letters, lengths;
};

Words RandomWords(int count, std::mt19937* random) {
  Words words;
  for (int i = 0; i < count; ++i) {
    const int length = 2 + static_cast<int>((*random)() % (kLongest - 1));
    words.lengths.push_back(length);
    for (int j = 0; j < kLongest; ++j) {
      words.letters.push_back(j < length ? 2 + static_cast<int>((*random)() % 26) : 0);
    }
  }
  return words;
}

std::string Spelled(const int32_t* letters, int count) {
  std::string word;
  for (int i = 0; i < count && letters[i] > kEnd; ++i)
    word += static_cast<char>('a' + letters[i] - 2);
  return word;
}

// What is read, and what becomes of it in the training and when words are said.
struct Model {
  wb::Output letters, lengths, loss, said;
};

// The decoder's cell and its place to begin, over a memory that is there `times` times.
struct Decoder {
  std::shared_ptr<seq2seq::AttentionWrapper> cell;
  wb::nn::RNNState start;
};

Decoder MakeDecoder(const wb::Scope& scope, const wb::nn::RNNResult& read,
                    const wb::Output& lengths, const wb::Output& batch, int times) {
  const auto mechanism = std::make_shared<seq2seq::BahdanauAttention>(
      scope, kUnits, seq2seq::TileBatch(scope, read.outputs, times),
      seq2seq::TileBatch(scope, lengths, times));
  Decoder decoder;
  decoder.cell = std::make_shared<seq2seq::AttentionWrapper>(
      std::make_shared<wb::nn::GRUCell>(kUnits), mechanism, kUnits);
  decoder.start = decoder.cell->InitialState(scope, wb::Multiply(scope, batch, times),
                                             seq2seq::TileBatch(scope, read.state, times));
  return decoder;
}

Model Build(const wb::Scope& scope) {
  Model model;
  model.letters = wb::Placeholder(scope.Named("letters"), wb::DType::kInt32, {-1, kLongest});
  model.lengths = wb::Placeholder(scope.Named("lengths"), wb::DType::kInt32, {-1});
  const wb::Variable table = wb::GetVariable(scope, "embedding", {kTokens, kUnits});
  const wb::nn::RNNResult read =
      wb::nn::DynamicRNN(scope.Named("encoder"), std::make_shared<wb::nn::GRUCell>(kUnits),
                         wb::nn::EmbeddingLookup(scope, {table}, model.letters),
                         wb::nn::RNNOptions().sequence_length(model.lengths));
  const wb::Output batch = wb::ShapeOf(scope, model.lengths)[0];
  const seq2seq::OutputLayer layer = [](const wb::Scope& s, const wb::Output& x) {
    return wb::layers::Dense(s.Named("projection"), x, kTokens);
  };

  // Training: each step is told the letter that should have come before.
  const wb::Output steps = model.lengths + 1;
  const wb::Output backwards = wb::ReverseSequence(scope, model.letters, model.lengths, 1, 0);
  const wb::Output before = wb::Pad(scope, backwards, {{0, 0}, {1, 0}});
  const wb::Output ends = wb::OneHot(scope, model.lengths, kLongest + 1,
                                     wb::OneHotOptions().on_value(kEnd).dtype(wb::DType::kInt32));
  const wb::Output targets = wb::Pad(scope, backwards, {{0, 0}, {0, 1}}) + ends;
  const Decoder trained = MakeDecoder(scope, read, model.lengths, batch, 1);
  const auto inputs = std::make_shared<seq2seq::TrainingInputs>(
      wb::nn::EmbeddingLookup(scope, {table}, before), steps);
  const seq2seq::Decoded decoded = seq2seq::DynamicDecode(
      scope, seq2seq::BasicDecoder(trained.cell, inputs, trained.start, layer));
  const wb::Output longest = wb::ReduceMax(scope, steps);
  model.loss = seq2seq::SequenceLoss(scope, decoded.rnn_output,
                                     targets(wb::All, wb::Slice(wb::None, longest)),
                                     wb::SequenceMask(scope, steps, longest, wb::DType::kFloat));

  // The same weights again, and the likeliest words.
  const wb::Scope again = scope.SameVariableScope(wb::VariableScopeOptions().reuse(true));
  const Decoder searching = MakeDecoder(again, read, model.lengths, batch, kBeams);
  const seq2seq::BeamSearchDecoder search(
      searching.cell, table, wb::ZerosLike(scope, model.lengths), kEnd, searching.start, kBeams,
      layer, seq2seq::BeamSearchOptions().length_penalty_weight(0.6));
  model.said = seq2seq::DynamicDecode(
                   again, search, seq2seq::DynamicDecodeOptions().maximum_iterations(kLongest + 1))
                   .outputs.predicted_ids(wb::All, wb::All, 0);
  return model;
}

wb::Status Run() {
  const wb::Scope root = wb::Scope::NewRoot();
  root.SetRandomSeed(absl::GetFlag(FLAGS_seed));
  const Model model = Build(root);
  wb::train::AdamOptimizer optimizer(0.005);
  const auto gradients = optimizer.ComputeGradients(root, model.loss);
  const wb::Operation train = optimizer.ApplyGradients(root, gradients);
  const wb::Operation init = wb::GlobalVariablesInitializer(root);
  wb::ClientSession session(root, warpbeam::examples::SessionConfigFromFlags());
  WB_RETURN_IF_ERROR(session.Run({init}).status());

  std::mt19937 random(static_cast<uint32_t>(absl::GetFlag(FLAGS_seed)));
  const auto feeds_of = [&](const Words& words) -> wb::StatusOr<wb::ClientSession::Feeds> {
    const int64_t count = static_cast<int64_t>(words.lengths.size());
    WB_ASSIGN_OR_RETURN(wb::Tensor letters,
                        wb::TensorOf(wb::Shape({count, kLongest}), words.letters));
    WB_ASSIGN_OR_RETURN(wb::Tensor lengths, wb::TensorOf(wb::Shape({count}), words.lengths));
    return wb::ClientSession::Feeds{{model.letters, letters}, {model.lengths, lengths}};
  };
  for (int step = 1; step <= absl::GetFlag(FLAGS_steps); ++step) {
    WB_ASSIGN_OR_RETURN(const auto feeds, feeds_of(RandomWords(kBatch, &random)));
    WB_ASSIGN_OR_RETURN(const auto out, session.Run(feeds, {model.loss, train}));
    if (step % 100 == 0) std::printf("step %d: loss %.3f\n", step, out[0].scalar<float>());
  }

  const Words unseen = RandomWords(200, &random);
  WB_ASSIGN_OR_RETURN(const auto feeds, feeds_of(unseen));
  WB_ASSIGN_OR_RETURN(const auto out, session.Run(feeds, {model.said}));
  const int64_t said_length = out[0].shape().dim(1);
  int right = 0;
  for (size_t i = 0; i < unseen.lengths.size(); ++i) {
    const std::string word = Spelled(&unseen.letters[i * kLongest], unseen.lengths[i]);
    const std::string said = Spelled(out[0].data<int32_t>() + static_cast<int64_t>(i) * said_length,
                                     static_cast<int>(said_length));
    right += said == std::string(word.rbegin(), word.rend());
    if (i < 3) std::printf("%s -> %s\n", word.c_str(), said.c_str());
  }
  std::printf("%d of %zu new words are right\n", right, unseen.lengths.size());
  return session.Close();
}

}  // namespace

int main(int argc, char** argv) {
  warpbeam::examples::ParseFlags(
      "Learns to say words backwards: an encoder, attention, beam search.\n\n"
      "  bazel run //examples:reverse_words -- --steps=300",
      argc, argv);
  return warpbeam::examples::ExitCode(Run());
}
