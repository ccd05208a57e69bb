#include "tests/cuda_stand_in/cudnn_written.h"

#include <cstdint>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace warpbeam::cuda_stand_in {
namespace {

constexpr char kEnd[] = "end";

// Each number of a plan in turn, written or read by `side`.
template <class Side, class Convolution>
void VisitPlan(Side& side, Convolution& c, int& engine) {
  const auto operand = [&](auto& x) {
    side.Number(x.element);
    side.Number(x.id);
    side.Number(x.alignment);
    side.Number(x.is_virtual);
    side.Numbers(x.dimensions);
    side.Numbers(x.strides);
  };
  side.Number(engine);
  side.Number(c.result);
  for (auto* x : {&c.input, &c.filter, &c.output}) operand(*x);
  side.Number(c.window.sums_doubles);
  for (auto* list : {&c.window.strides, &c.window.dilations, &c.window.before, &c.window.after}) {
    side.Numbers(*list);
  }
  side.Number(c.factor);
  side.Number(c.factor_of_old);
  side.Number(c.has_bias);
  side.Number(c.has_relu);
  if (c.has_bias) operand(c.bias);
}

struct Writer {
  std::string words;

  template <class T>
  void Number(const T& number) {
    absl::StrAppend(&words, static_cast<int64_t>(number), " ");
  }
  void Numbers(const std::vector<int64_t>& numbers) {
    Number(numbers.size());
    for (const int64_t number : numbers) Number(number);
  }
};

struct Reader {
  std::vector<absl::string_view> words;
  size_t at = 0;
  bool is_whole = true;

  template <class T>
  void Number(T& number) {
    int64_t value = 0;
    is_whole = is_whole && at < words.size() && absl::SimpleAtoi(words[at++], &value);
    number = static_cast<T>(value);
  }
  void Numbers(std::vector<int64_t>& numbers) {
    size_t count = 0;
    Number(count);
    if (count > words.size()) is_whole = false;
    numbers.resize(is_whole ? count : 0);
    for (int64_t& number : numbers) Number(number);
  }
};

}  // namespace

std::string WrittenPlan(const CudnnConvolution& convolution, int engine) {
  Writer writer;
  VisitPlan(writer, convolution, engine);
  return writer.words + kEnd;
}

bool ReadPlan(absl::string_view words, CudnnConvolution* convolution, int* engine) {
  Reader reader;
  reader.words = absl::StrSplit(words, ' ');
  VisitPlan(reader, *convolution, *engine);
  return reader.is_whole && reader.at + 1 == reader.words.size() && reader.words.back() == kEnd;
}

}  // namespace warpbeam::cuda_stand_in
