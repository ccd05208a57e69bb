// MnistBatches: the digits as the network takes them (input_data.read_data_sets(one_hot=True)):
// pixels from 0 to 1, labels as vectors with one 1, in batches of digits in random order.
//
//   StatusOr<MnistBatches> train = MnistBatches::Read(data_dir, /*seed=*/task_index);
//   if (!train.ok()) return train.status();
//   const MnistBatches::Batch batch = train->Next(100);       // batch.images: [100, 784]
//   const MnistBatches::Batch& validation = train->validation();
//
// Some digits of the training files are kept back for validation: 5,000 as in TensorFlow's
// function, or a tenth where there are fewer than 50,000. Every digit comes once before any comes
// again.
//
// Ownership: holds all digits; batches are the caller's. Thread safety: one thread. Errors: those
// of ReadDigits; INVALID_ARGUMENT for fewer than ten digits, or a label that is no digit.
#ifndef WARPBEAM_EXAMPLES_MNIST_BATCHES_H_
#define WARPBEAM_EXAMPLES_MNIST_BATCHES_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "examples/idx.h"
#include "graph/types/errors.h"
#include "graph/types/tensor.h"

namespace warpbeam {
namespace examples {

class MnistBatches {
 public:
  struct Batch {
    Tensor images;  // float [n, pixels]
    Tensor labels;  // float [n, 10]
  };

  // "train-images-idx3-ubyte.gz" and "train-labels-idx1-ubyte.gz" of a folder.
  static StatusOr<MnistBatches> Read(const std::string& data_dir, uint32_t seed);
  static StatusOr<MnistBatches> Make(Digits digits, uint32_t seed);

  Batch Next(int64_t batch_size);
  const Batch& validation() const { return validation_; }
  int64_t num_training_digits() const { return static_cast<int64_t>(order_.size()); }

 private:
  MnistBatches(Digits digits, uint32_t seed) : digits_(std::move(digits)), random_(seed) {}
  Batch Gather(const std::vector<int64_t>& digits) const;

  Digits digits_;
  std::mt19937 random_;
  std::vector<int64_t> order_;  // of the training digits, in this round
  size_t next_ = 0;
  Batch validation_;
};

}  // namespace examples
}  // namespace warpbeam

#endif  // WARPBEAM_EXAMPLES_MNIST_BATCHES_H_
