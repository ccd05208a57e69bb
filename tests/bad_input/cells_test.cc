// Recurrent cells that are wrapped around nothing, or are given states that do not fit, are an
// error of the scope.
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "frontend/contrib/contrib.h"
#include "frontend/warpbeam.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

using nn::RNNCellPtr;
using nn::RNNState;
namespace seq2seq = contrib::seq2seq;

// A cell of the program's own that keeps no promise.
class CarelessCell final : public nn::RNNCell {
 public:
  explicit CarelessCell(size_t gives) : gives_(gives) {}
  std::vector<int64_t> state_size() const override { return {2, 2}; }
  int64_t output_size() const override { return 2; }
  void Build(const Scope&, int64_t, DType) override {}
  nn::CellResult Call(const Scope&, const Output& input, const RNNState& state) override {
    RNNState next(gives_);
    for (size_t i = 0; i < gives_; ++i) next[i] = state[i];
    return {input, next};
  }

 private:
  const size_t gives_;
};

class Chances {
 public:
  explicit Chances(uint32_t seed) : engine_(seed) {}
  int OneOf(int count) { return static_cast<int>(engine_() % static_cast<uint32_t>(count)); }

 private:
  std::mt19937 engine_;
};

RNNCellPtr RandomCell(Chances& chances, const Scope& scope, int depth) {
  const int units = chances.OneOf(6) - 1;
  const auto inner = [&] { return depth > 0 ? RandomCell(chances, scope, depth - 1) : nullptr; };
  switch (chances.OneOf(12)) {
    case 0:
      return nullptr;
    case 1:
      return std::make_shared<nn::BasicRNNCell>(units);
    case 2:
      return std::make_shared<nn::GRUCell>(units);
    case 3:
      return std::make_shared<nn::BasicLSTMCell>(units);
    case 4:
      return std::make_shared<nn::LSTMCell>(units, nn::LSTMOptions().num_proj(units - 1));
    case 5: {
      std::vector<RNNCellPtr> cells;
      for (int i = chances.OneOf(3); i > 0; --i) cells.push_back(inner());
      return std::make_shared<nn::MultiRNNCell>(cells);
    }
    case 6:
      return std::make_shared<nn::DropoutWrapper>(inner(), 0.5, 1, 0.5);
    case 7:
      return std::make_shared<nn::ResidualWrapper>(inner());
    case 8:
      return std::make_shared<nn::DeviceWrapper>(inner(), "/cpu:0");
    case 9:
      return std::make_shared<CarelessCell>(static_cast<size_t>(chances.OneOf(4)));
    default: {
      seq2seq::AttentionMechanismPtr mechanism;
      const Output memory = chances.OneOf(5) > 0 ? Zeros(scope, {2, 3, 4}) : Output();
      if (chances.OneOf(4) > 0) {
        mechanism = std::make_shared<seq2seq::BahdanauAttention>(scope, units, memory);
      }
      return std::make_shared<seq2seq::AttentionWrapper>(
          inner(), mechanism, std::nullopt, chances.OneOf(2) > 0, chances.OneOf(2) > 0);
    }
  }
}

RNNState RandomState(Chances& chances, const Scope& scope) {
  RNNState state;
  for (int i = chances.OneOf(5); i > 0; --i) {
    state.push_back(chances.OneOf(5) > 0 ? Zeros(scope, {2, 1 + chances.OneOf(4)}) : Output());
  }
  return state;
}

// What a program does with a cell, one way or another; whether it is a function that knows the
// place of its call.
bool Use(Chances& chances, const Scope& scope, const RNNCellPtr& cell) {
  const Output x = Zeros(scope, {2, 3, 2});
  const RNNState state = RandomState(chances, scope);
  nn::RNNOptions options;
  if (chances.OneOf(2) > 0) options.initial_state(state);
  if (chances.OneOf(3) == 0) options.sequence_length({1, 2});
  switch (chances.OneOf(6)) {
    case 0: {
      const nn::RNNResult result = nn::DynamicRNN(scope, cell, x, options);
      (void)Identity(scope, result.state[1]);
      break;
    }
    case 1: {
      const auto result = nn::StaticRNN(scope, cell, {Zeros(scope, {2, 2})}, options);
      (void)Identity(scope, result.outputs[0]);
      break;
    }
    case 2: {
      const auto result = nn::BidirectionalDynamicRNN(scope, cell, cell, x, options);
      (void)Identity(scope, result.backward.state[0]);
      break;
    }
    case 3: {
      const auto inputs = std::make_shared<seq2seq::TrainingInputs>(x, Constant(scope, {3, 2}));
      const seq2seq::BasicDecoder decoder(cell, inputs, state);
      (void)Identity(scope, seq2seq::DynamicDecode(scope, decoder).state[0]);
      break;
    }
    case 4: {
      const seq2seq::BeamSearchDecoder decoder(cell, Zeros(scope, {3, 2}), Constant(scope, {1, 1}),
                                               2, state, chances.OneOf(4) - 1);
      const auto decoded = seq2seq::DynamicDecode(
          scope, decoder, seq2seq::DynamicDecodeOptions().maximum_iterations(2));
      (void)Identity(scope, decoded.state.cell_state[0]);
      break;
    }
    default:
      if (cell == nullptr) return false;
      cell->Build(scope, 2, DType::kFloat);
      const nn::CellResult result = cell->Call(scope, Zeros(scope, {2, 2}), state);
      (void)Identity(scope, result.state[0]);
      return false;
  }
  return true;
}

TEST(BadCellsTest, NothingEndsTheProgram) {
  int failed = 0;
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    Chances chances(seed);
    const Scope root = Scope::NewRoot();
    const RNNCellPtr cell = RandomCell(chances, root, 2);
    const bool cell_is_made = root.ok();
    const bool has_place = Use(chances, root, cell);
    if (root.ok()) continue;
    ++failed;
    const std::string message(root.status().message());
    EXPECT_FALSE(message.empty());
    EXPECT_EQ(message.find("/c++/"), std::string::npos) << message;
    if (cell_is_made && has_place) {
      EXPECT_NE(message.find("cells_test.cc:"), std::string::npos) << message;
    }
  }
  EXPECT_GT(failed, 700);
  EXPECT_LT(failed, 1490);
}

std::string ErrorOf(const std::function<void(const Scope&)>& build) {
  const Scope root = Scope::NewRoot();
  build(root);
  return std::string(root.status().message());
}

TEST(BadCellsTest, NullCellsAreNamedByTheirOwner) {
  const std::vector<std::pair<const char*, std::function<RNNCellPtr(const Scope&)>>> owners = {
      {"MultiRNNCell",
       [](const Scope&) {
         return std::make_shared<nn::MultiRNNCell>(std::vector<RNNCellPtr>{nullptr});
       }},
      {"DropoutWrapper",
       [](const Scope&) { return std::make_shared<nn::DropoutWrapper>(nullptr); }},
      {"ResidualWrapper",
       [](const Scope&) { return std::make_shared<nn::ResidualWrapper>(nullptr); }},
      {"DeviceWrapper",
       [](const Scope&) { return std::make_shared<nn::DeviceWrapper>(nullptr, "/cpu:0"); }},
      {"AttentionWrapper",
       [](const Scope& s) {
         return std::make_shared<seq2seq::AttentionWrapper>(
             nullptr, std::make_shared<seq2seq::BahdanauAttention>(s, 2, Zeros(s, {2, 3, 4})));
       }},
  };
  for (const auto& [owner, make] : owners) {
    for (const bool is_loop : {true, false}) {
      const std::string error = ErrorOf([&, &make = make](const Scope& s) {
        const RNNCellPtr cell = make(s);
        if (is_loop) {
          nn::DynamicRNN(s, cell, Zeros(s, {2, 3, 2}));
        } else {
          cell->Call(s, Zeros(s, {2, 2}), cell->ZeroState(s, 2));
        }
      });
      EXPECT_NE(error.find(std::string("the cell that a")), std::string::npos)
          << owner << ": " << error;
      EXPECT_NE(error.find(owner), std::string::npos) << error;
    }
  }
  EXPECT_NE(ErrorOf([](const Scope& s) {
              const auto cell = std::make_shared<seq2seq::AttentionWrapper>(
                  std::make_shared<nn::GRUCell>(2), nullptr);
              nn::DynamicRNN(s, cell, Zeros(s, {2, 3, 2}));
            }).find("the mechanism that an AttentionWrapper was made with is null"),
            std::string::npos);
}

TEST(BadCellsTest, AShortStateIsSaidWithItsPlace) {
  const std::string error = ErrorOf([](const Scope& s) {
    nn::BasicLSTMCell cell(3);
    cell.Build(s, 2, DType::kFloat);
    cell.Call(s, Zeros(s, {2, 2}), {Zeros(s, {2, 3})});
  });
  EXPECT_NE(error.find("'basic_lstm_cell_1/' has a state of 2 tensors, got 1"), std::string::npos)
      << error;
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
