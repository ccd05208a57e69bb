#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

// Two frames of two classes and a blank, all equally likely: of the nine paths three spell "0".
TEST(CtcLoss, CountsPaths) {
  const float third = 1.0f / 3;
  const auto logits = OpTest::Make<float>({2, 1, 3}, {0, 0, 0, 0, 0, 0});
  const auto place = OpTest::Make<int64_t>({1, 2}, {0, 0});
  OpTest("CTCLoss")
      .Input(logits)
      .Input(place)
      .Input<int32_t>({1}, {0})
      .Input<int32_t>({1}, {2})
      .Expect<float>({1}, {std::log(3.0f)})
      // The label stands in two of the three paths in either frame, the blank in one.
      .Expect<float>({2, 1, 3}, {-third, third, 0, -third, third, 0})
      .Within(1e-6, 1e-6);
  // Without merging, "00" is another sequence.
  OpTest("CTCLoss")
      .Attr("ctc_merge_repeated", false)
      .Input(logits)
      .Input(place)
      .Input<int32_t>({1}, {0})
      .Input<int32_t>({1}, {2})
      .Expect<float>({1}, {std::log(4.5f)})
      .Expect<float>({2, 1, 3},
                     {third - 0.5f, third, third - 0.5f, third - 0.5f, third, third - 0.5f})
      .Within(1e-6, 1e-6);
}

TEST(CtcLoss, SequencesThatDoNotFit) {
  const auto logits = OpTest::Make<float>({1, 1, 3}, {0, 0, 0});
  const auto places = OpTest::Make<int64_t>({2, 2}, {0, 0, 0, 1});
  const auto check = [&](OpTest& op) -> OpTest& {
    return op.Input(logits).Input(places).Input<int32_t>({2}, {0, 1}).Input<int32_t>({1}, {1});
  };
  OpTest refused("CTCLoss"), ignored("CTCLoss");
  check(refused).ExpectError(kInvalid, "frames");
  OpTest("CTCLoss")
      .Input<float>({1, 1, 0}, {})
      .Input<int64_t>({0, 2}, {})
      .Input<int32_t>({0}, {})
      .Input<int32_t>({1}, {1})
      .ExpectError(kInvalid, "no classes");
  ignored.Attr("ignore_longer_outputs_than_inputs", true);
  check(ignored).Expect<float>({1}, {0}).Expect<float>({1, 1, 3}, {0, 0, 0});
  // Two equal labels need a blank between them.
  OpTest("CTCLoss")
      .Input<float>({2, 1, 2}, {0, 0, 0, 0})
      .Input(places)
      .Input<int32_t>({2}, {0, 0})
      .Input<int32_t>({1}, {2})
      .Expect<float>({1}, {std::numeric_limits<float>::infinity()})
      .Expect<float>({2, 1, 2}, {0.5f, 0.5f, 0.5f, 0.5f})
      .Within(1e-6, 1e-6);
}

TEST(CtcLoss, RefusesBadLabels) {
  const auto refuse = [](std::vector<int64_t> places, std::vector<int32_t> labels, int32_t frames) {
    const auto n = static_cast<int64_t>(labels.size());
    OpTest("CTCLoss")
        .Input<float>({2, 1, 3}, {0, 0, 0, 0, 0, 0})
        .Input(Tensor::FromValues<int64_t>(Shape({n, 2}), places))
        .Input(Tensor::Vector<int32_t>(labels))
        .Input(Tensor::Vector<int32_t>({frames}))
        .ExpectError(kInvalid);
  };
  refuse({0, 0}, {-1}, 2);
  refuse({1, 0}, {0}, 2);
  refuse({0, 1, 0, 0}, {0, 1}, 2);
  refuse({0, 0, 0, 1}, {2, 0}, 2);  // a label behind a blank
  refuse({0, 0}, {0}, 3);
  refuse({0, 0}, {0}, -1);
  refuse({}, {}, 2);
}

TEST(CtcGreedyDecoder, MergesAndDrops) {
  // One sequence whose best labels are 0, 0, blank, 0.
  const auto logits = OpTest::Make<float>({4, 1, 3}, {1, 0, 0, 2, 0, 0, 0, 0, 3, 4, 0, 0});
  OpTest("CTCGreedyDecoder")
      .Attr("merge_repeated", true)
      .Input(logits)
      .Input<int32_t>({1}, {4})
      .Expect<int64_t>({2, 2}, {0, 0, 0, 1})
      .Expect<int64_t>({2}, {0, 0})
      .Expect<int64_t>({2}, {1, 2})
      .Expect<float>({1, 1}, {-10});
  OpTest("CTCGreedyDecoder")
      .Input(logits)
      .Input<int32_t>({1}, {2})
      .Expect<int64_t>({2, 2}, {0, 0, 0, 1})
      .Expect<int64_t>({2}, {0, 0})
      .Expect<int64_t>({2}, {1, 2})
      .Expect<float>({1, 1}, {-3});
  OpTest("CTCGreedyDecoder")
      .Input(logits)
      .Input<int32_t>({1}, {5})
      .ExpectError(StatusCode::kFailedPrecondition);
  OpTest("CTCGreedyDecoder")
      .Attr("blank_index", int64_t{3})
      .Input(logits)
      .Input<int32_t>({1}, {4})
      .ExpectError(kInvalid);
}

float Sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

TEST(LstmBlockCell, OneCell) {
  const float x = 0.5f, c = 0.25f, h = -0.5f;
  const float i = Sigmoid(x * 1 + h * 2 + 0.1f), ci = std::tanh(x * -1 + h * 1 + 0.2f);
  const float f = Sigmoid(x * 0.5f + h * 1 + 0.3f + 1), o = Sigmoid(x * 2 + h * -2 + 0.4f);
  const float cs = ci * i + c * f, co = std::tanh(cs);
  const auto one = [](float v) { return OpTest::Make<float>({1, 1}, {v}); };
  const auto zero = OpTest::Make<float>({1}, {0});
  OpTest("LSTMBlockCell")
      .Input(one(x))
      .Input(one(c))
      .Input(one(h))
      .Input<float>({2, 4}, {1, -1, 0.5f, 2, 2, 1, 1, -2})
      .Input(zero)
      .Input(zero)
      .Input(zero)
      .Input<float>({4}, {0.1f, 0.2f, 0.3f, 0.4f})
      .Expect(one(i))
      .Expect(one(cs))
      .Expect(one(f))
      .Expect(one(o))
      .Expect(one(ci))
      .Expect(one(co))
      .Expect(one(co * o))
      .Within(1e-6, 1e-5);
}

TEST(GruBlockCell, OneCell) {
  const float x = 0.5f, h = -0.5f;
  const float r = Sigmoid(x * 1 + h * 2 + 0.1f), u = Sigmoid(x * -1 + h * 1 + 0.2f);
  const float c = std::tanh(x * 0.5f + h * r * 3 + 0.3f);
  const auto one = [](float v) { return OpTest::Make<float>({1, 1}, {v}); };
  OpTest("GRUBlockCell")
      .Input(one(x))
      .Input(one(h))
      .Input<float>({2, 2}, {1, -1, 2, 1})
      .Input<float>({2, 1}, {0.5f, 3})
      .Input<float>({2}, {0.1f, 0.2f})
      .Input<float>({1}, {0.3f})
      .Expect(one(r))
      .Expect(one(u))
      .Expect(one(c))
      .Expect(one(u * h + (1 - u) * c))
      .Within(1e-6, 1e-5);
  OpTest("GRUBlockCell")
      .Input(one(x))
      .Input(one(h))
      .Input<float>({1, 2}, {1, 1})
      .Input<float>({2, 1}, {1, 1})
      .Input<float>({2}, {0, 0})
      .Input<float>({1}, {0})
      .ExpectError(kInvalid);
}

}  // namespace
}  // namespace warpbeam
