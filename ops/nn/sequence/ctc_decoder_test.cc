#include <limits>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

struct BeamTest : OpTest {
  BeamTest(Tensor logits, Tensor frames, int64_t width, int64_t paths, bool merge = false,
           int line = __builtin_LINE())
      : OpTest("CTCBeamSearchDecoder", __builtin_FILE(), line) {
    Attr("beam_width", width).Attr("top_paths", paths).Attr("merge_repeated", merge);
    Input(std::move(logits)).Input(std::move(frames)).Within(2e-6, 1e-6);
  }
  // The labels of each sequence for one path after the other.
  BeamTest& Paths(const std::vector<std::vector<std::vector<int64_t>>>& paths) {
    std::vector<Tensor> values, shapes;
    for (const auto& path : paths) {
      std::vector<int64_t> indices, labels;
      int64_t longest = 0;
      for (size_t b = 0; b < path.size(); ++b) {
        longest = std::max(longest, static_cast<int64_t>(path[b].size()));
        for (size_t i = 0; i < path[b].size(); ++i) {
          indices.push_back(static_cast<int64_t>(b));
          indices.push_back(static_cast<int64_t>(i));
          labels.push_back(path[b][i]);
        }
      }
      Expect(Tensor::FromValues<int64_t>(Shape({static_cast<int64_t>(labels.size()), 2}), indices));
      values.push_back(Tensor::Vector<int64_t>(labels));
      shapes.push_back(Tensor::Vector<int64_t>({static_cast<int64_t>(path.size()), longest}));
    }
    for (Tensor& t : values) Expect(t);
    for (Tensor& t : shapes) Expect(t);
    return *this;
  }
};

template <class T>
Tensor Logits() {
  return OpTest::Make<T>({4, 2, 4}, {T(0.1), T(0.6), T(0.2), T(0.3), T(0.5), T(0.0), T(0.2), T(0.1),
                                     T(0.7), T(0.1), T(0.2), T(0.3), T(0.5), T(0.5), T(0.5), T(0.5),
                                     T(0.1), T(0.1), T(0.9), T(0.2), T(0.2), T(0.2), T(0.2), T(0.2),
                                     T(0.3), T(0.1), T(0.1), T(0.9), T(1),   T(1),   T(0),   T(0)});
}
Tensor Zeros(std::initializer_list<int64_t> dims) {
  Tensor t = *Tensor::Allocate(DType::kFloat, Shape(dims));
  std::fill_n(t.data<float>(), t.num_elements(), 0.0f);
  return t;
}
Tensor Frames(std::initializer_list<int32_t> frames) { return Tensor::Vector<int32_t>(frames); }

// All expectations are TensorFlow's results.
TEST(CtcBeamSearchDecoder, Paths) {
  BeamTest(Logits<float>(), Frames({4, 3}), 3, 2)
      .Paths({{{1, 2}, {0, 1}}, {{1, 0}, {0}}})
      .Expect<float>({2, 2}, {-3.05472731590271f, -3.0685293674468994f, -2.335845947265625f,
                              -2.4090514183044434f});
  BeamTest(Logits<double>(), Frames({4, 3}), 3, 3)
      .Paths({{{1, 2}, {0, 1}}, {{1, 0}, {0}}, {{2}, {2}}})
      .Within(1e-13, 1e-13)
      .Expect<double>({2, 3}, {-3.05472694069452, -3.0685291591317148, -3.275912279191682,
                               -2.335845782891291, -2.4090515072498495, -2.606443899408358});
  // More room than prefixes, and room for one.
  BeamTest(Logits<float>(), Frames({4, 4}), 100, 3)
      .Paths({{{1, 2}, {0, 1}}, {{0, 2}, {2, 1}}, {{1, 0}, {2, 0}}})
      .Expect<float>({2, 3}, {-2.4785120487213135f, -2.520111560821533f, -2.7723376750946045f,
                              -2.541734457015991f, -2.747788667678833f, -2.747788667678833f});
  BeamTest(Logits<float>(), Frames({4, 4}), 1, 1)
      .Paths({{{1, 2}, {0, 1}}})
      .Expect<float>({2, 1}, {-3.3425276279449463f, -3.78486967086792f});
}

// Where all labels are alike, TensorFlow's heap decides.
TEST(CtcBeamSearchDecoder, Ties) {
  BeamTest(Zeros({3, 1, 3}), Frames({3}), 4, 4)
      .Paths({{{0}}, {{1}}, {{0, 1}}, {{1, 0}}})
      .Expect<float>({1, 4}, {-1.504077434539795f, -1.504077434539795f, -1.686398983001709f,
                              -2.1972246170043945f});
  BeamTest(Zeros({4, 1, 5}), Frames({4}), 6, 6)
      .Paths({{{0, 1}}, {{0, 2}}, {{3}}, {{0}}, {{1}}, {{2}}})
      .Expect<float>({1, 6}, {-3.729701519012451f, -3.9528450965881348f, -4.240527153015137f,
                              -4.240527153015137f, -4.240527153015137f, -4.240527153015137f});
}

TEST(CtcBeamSearchDecoder, MergesRepetitions) {
  const Tensor logits = OpTest::Make<float>(
      {6, 3, 5},
      {1.8f,  0.4f,  0.1f,  -1.9f, -0.3f, -0.4f, -0.1f, -0.6f, -0.0f, -0.5f, -1.3f, 0.9f,  0.9f,
       1.7f,  0.1f,  -0.4f, -0.5f, -1.5f, 1.0f,  -1.1f, -1.2f, -0.2f, 1.5f,  0.2f,  -1.0f, -0.7f,
       0.6f,  -0.2f, -0.8f, -0.2f, 0.7f,  2.0f,  -1.2f, -0.6f, -0.8f, -2.4f, -0.9f, -1.0f, 1.1f,
       -0.1f, -1.6f, 0.6f,  -0.4f, -1.7f, -0.6f, -0.6f, -0.9f, 0.0f,  -2.2f, -0.3f, 1.0f,  0.9f,
       1.1f,  1.1f,  1.5f,  -1.1f, 0.8f,  -1.9f, -0.6f, -1.9f, 1.0f,  1.3f,  -0.2f, 1.8f,  -0.7f,
       0.2f,  0.2f,  -1.1f, 0.4f,  1.9f,  -1.0f, 0.9f,  -0.2f, 1.8f,  0.5f,  0.7f,  0.6f,  0.2f,
       -1.4f, 1.4f,  -1.4f, 0.2f,  0.6f,  -0.8f, 0.1f,  1.2f,  -0.0f, -0.9f, -2.9f, -1.0f});
  const auto scores = OpTest::Make<float>(
      {3, 3}, {-3.8341684341430664f, -3.860377788543701f, -3.9716567993164062f, -2.808529853820801f,
               -2.991177558898926f, -3.091177463531494f, -2.407728910446167f, -3.1328957080841064f,
               -3.2811479568481445f});
  for (const bool merge : {false, true}) {
    BeamTest(logits, Frames({6, 4, 5}), 5, 3, merge)
        .Paths({{{0, 3, 1, 3}, {2, 3}, {3, 1, 3}},
                {{0, 3, 1, 0}, {3, 2, 3}, {3, 1}},
                {{0, 3, 1, 2, 3}, {1, 2, 3}, {3, 2, 1, 3}}})
        .Expect(scores);
  }
  // Label 0, a blank, label 0: two labels that are merged on request.
  const auto twice = OpTest::Make<float>({3, 1, 2}, {9, 0, 0, 9, 9, 0});
  BeamTest(twice, Frames({3}), 2, 1).Paths({{{0, 0}}}).Expect<float>({1, 1}, {-0.00036907196f});
  BeamTest(twice, Frames({3}), 2, 1, true).Paths({{{0}}}).Expect<float>({1, 1}, {-0.00036907196f});
}

// Logits that any language's integers give again: `step` times a number of [0, levels).
Tensor MadeLogits(std::initializer_list<int64_t> dims, float step, uint32_t levels) {
  Tensor t = Zeros(dims);
  uint32_t state = 1;
  for (float& x : t.flat<float>()) {
    state = (state * 1103515245u + 12345u) & 0x7fffffffu;
    x = step * static_cast<float>((state >> 16) % levels);
  }
  return t;
}

// Prefixes that leave the beam, come back, are tried again and fail: over many frames the scores
// depend on each of these being as in TensorFlow.
TEST(CtcBeamSearchDecoder, ManyFrames) {
  const struct {
    Tensor logits;
    int32_t frames;
    int64_t width;
    std::vector<float> scores;        // two for each of eight sequences
    std::vector<int64_t> label_sums;  // of each path
  } kCases[] = {{MadeLogits({40, 8, 6}, 0.25f, 16),
                 40,
                 30,
                 {-28.3984509f, -28.4162502f, -27.234251f, -27.2411709f, -28.3012486f, -28.3309994f,
                  -25.4863014f, -25.529644f, -26.9868946f, -27.0503712f, -24.8769474f, -24.8946896f,
                  -25.5075779f, -25.5326138f, -25.2286472f, -25.2333164f},
                 {383, 383}},
                {MadeLogits({30, 8, 4}, 1, 3),
                 30,
                 7,
                 {-12.4955969f, -12.6499977f, -12.0230837f, -12.3345976f, -11.892889f, -12.1635332f,
                  -13.9289827f, -14.0032854f, -12.5472412f, -13.1951952f, -14.3002701f,
                  -14.6940651f, -13.316823f, -13.5964069f, -13.6686096f, -13.6686096f},
                 {111, 109}}};
  for (const auto& c : kCases) {
    const auto y = OpRunner("CTCBeamSearchDecoder")
                       .Attr("beam_width", c.width)
                       .Attr("top_paths", int64_t{2})
                       .Attr("merge_repeated", false)
                       .Input(c.logits)
                       .Input(Tensor::Vector<int32_t>(std::vector<int32_t>(8, c.frames)))
                       .Run();
    ASSERT_TRUE(y.ok()) << y.status();
    for (size_t i = 0; i < c.scores.size(); ++i) {
      EXPECT_NEAR((*y)[6].data<float>()[i], c.scores[i], 2e-5) << i;
    }
    for (size_t p = 0; p < 2; ++p) {
      int64_t sum = 0;
      for (const int64_t label : (*y)[2 + p].flat<int64_t>()) sum += label;
      EXPECT_EQ(sum, c.label_sums[p]) << p;
    }
  }
}

TEST(CtcBeamSearchDecoder, SequencesWithoutFrames) {
  BeamTest(Logits<float>(), Frames({0, 2}), 4, 1)
      .Paths({{{}, {0}}})
      .Expect<float>({2, 1}, {0, -1.5085806846618652f});
  BeamTest(Logits<float>(), Frames({-1, 2}), 4, 1)
      .Paths({{{}, {0}}})
      .Expect<float>({2, 1}, {0, -1.5085806846618652f});
  BeamTest(Zeros({2, 1, 1}), Frames({2}), 4, 1).Paths({{{}}}).Expect<float>({1, 1}, {0});
}

TEST(CtcBeamSearchDecoder, OddLogits) {
  Tensor logits = *Logits<float>().Clone();
  logits.data<float>()[9] = -std::numeric_limits<float>::infinity();
  BeamTest(logits, Frames({4, 3}), 3, 2)
      .Paths({{{2}, {0, 1}}, {{1, 0, 2}, {0}}})
      .Expect<float>({2, 2}, {-3.0599629878997803f, -3.0675525665283203f, -2.335845947265625f,
                              -2.4090514183044434f});
  logits.data<float>()[9] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(OpRunner("CTCBeamSearchDecoder")
                  .Attr("beam_width", int64_t{3})
                  .Attr("top_paths", int64_t{1})
                  .Input(logits)
                  .Input(Frames({4, 3}))
                  .Run()
                  .ok());
}

TEST(CtcBeamSearchDecoder, Refusals) {
  constexpr auto kPrecondition = StatusCode::kFailedPrecondition;
  BeamTest(Logits<float>(), Frames({4, 4}), 1, 2).ExpectError(kInvalid, "beam width");
  BeamTest(Zeros({1, 1, 1}), Frames({1}), 4, 2).ExpectError(kInvalid, "Less leaves");
  BeamTest(Logits<float>(), Frames({5, 2}), 4, 1).ExpectError(kPrecondition);
  BeamTest(Zeros({0, 2, 3}), Frames({0, 0}), 4, 1).ExpectError(kInvalid);
  BeamTest(Zeros({3, 0, 3}), Frames({}), 4, 1).ExpectError(kInvalid);
  BeamTest(Zeros({3, 2, 0}), Frames({1, 1}), 4, 1).ExpectError(kInvalid);
  BeamTest(Zeros({3, 2}), Frames({1, 1}), 4, 1).ExpectError(kInvalid);
}

}  // namespace
}  // namespace warpbeam
