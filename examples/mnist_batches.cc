#include "examples/mnist_batches.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"

namespace warpbeam {
namespace examples {
namespace {

constexpr int64_t kClasses = 10;
constexpr int64_t kValidationDigits = 5000;

}  // namespace

StatusOr<MnistBatches> MnistBatches::Read(const std::string& data_dir, uint32_t seed) {
  WB_ASSIGN_OR_RETURN(Digits digits,
                      ReadDigits(absl::StrCat(data_dir, "/train-images-idx3-ubyte.gz"),
                                 absl::StrCat(data_dir, "/train-labels-idx1-ubyte.gz")));
  return Make(std::move(digits), seed);
}

StatusOr<MnistBatches> MnistBatches::Make(Digits digits, uint32_t seed) {
  const int64_t size = digits.size();
  if (size < 10) {
    return InvalidArgument(
        absl::StrCat(size, " digits are too few to train and validate with; at least 10"));
  }
  const auto largest = std::max_element(digits.labels.begin(), digits.labels.end());
  if (*largest >= kClasses) {
    return InvalidArgument("a label is ", *largest, ", which is no digit");
  }
  MnistBatches batches(std::move(digits), seed);
  const int64_t kept_back = std::min(kValidationDigits, size / 10);
  std::vector<int64_t> first(static_cast<size_t>(kept_back));
  std::iota(first.begin(), first.end(), 0);
  batches.validation_ = batches.Gather(first);
  batches.order_.resize(static_cast<size_t>(size - kept_back));
  std::iota(batches.order_.begin(), batches.order_.end(), kept_back);
  batches.next_ = batches.order_.size();
  return batches;
}

MnistBatches::Batch MnistBatches::Next(int64_t batch_size) {
  std::vector<int64_t> chosen;
  while (static_cast<int64_t>(chosen.size()) < batch_size) {
    if (next_ == order_.size()) {
      std::shuffle(order_.begin(), order_.end(), random_);
      next_ = 0;
    }
    chosen.push_back(order_[next_++]);
  }
  return Gather(chosen);
}

MnistBatches::Batch MnistBatches::Gather(const std::vector<int64_t>& chosen) const {
  const int64_t pixels = digits_.pixels_per_image();
  std::vector<float> images, labels;
  images.reserve(chosen.size() * static_cast<size_t>(pixels));
  labels.assign(chosen.size() * kClasses, 0.0f);
  for (size_t i = 0; i < chosen.size(); ++i) {
    const auto first = digits_.images.values.begin() + chosen[i] * pixels;
    std::transform(first, first + pixels, std::back_inserter(images),
                   [](uint8_t pixel) { return static_cast<float>(pixel) / 255.0f; });
    labels[i * kClasses + digits_.labels[static_cast<size_t>(chosen[i])]] = 1.0f;
  }
  const int64_t n = static_cast<int64_t>(chosen.size());
  return {*Tensor::Vector<float>(images).Reshaped(Shape({n, pixels})),
          *Tensor::Vector<float>(labels).Reshaped(Shape({n, kClasses}))};
}

}  // namespace examples
}  // namespace warpbeam
