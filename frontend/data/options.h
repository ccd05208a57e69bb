// Options: how a dataset's iterators work (tf.data.Options); they say nothing about its elements
// but for their order.
//
//   dataset = dataset.WithOptions(data::Options().deterministic(false).private_threadpool_size(4));
//
// Ownership: a value. Thread safety: a value. Errors: none.
#ifndef WARPBEAM_FRONTEND_DATA_OPTIONS_H_
#define WARPBEAM_FRONTEND_DATA_OPTIONS_H_

#include <optional>
#include <string>
#include <utility>

namespace warpbeam {
namespace frontend {
namespace data {

class Options {
 public:
  // Whether elements that are made in parallel come in the order in which they were begun.
  Options& deterministic(bool value) {
    deterministic_ = value;
    return *this;
  }
  // How many threads of its own the dataset has.
  Options& private_threadpool_size(int value) {
    private_threadpool_size_ = value;
    return *this;
  }
  // How many threads one operation of its functions may use.
  Options& max_intra_op_parallelism(int value) {
    max_intra_op_parallelism_ = value;
    return *this;
  }
  // Whether the numbers left to the runtime are tuned while elements are read.
  Options& autotune_enabled(bool value) {
    autotune_enabled_ = value;
    return *this;
  }

  // What it is called where datasets are counted and watched.
  Options& dataset_name(std::string value) {
    dataset_name_ = std::move(value);
    return *this;
  }

  // What `other` says, where it says something, and else what this does.
  Options Merge(const Options& other) const;

  // As the bytes of the message that tf.data writes.
  std::string Serialize() const;

 private:
  std::optional<bool> deterministic_;
  std::optional<int> private_threadpool_size_;
  std::optional<int> max_intra_op_parallelism_;
  std::optional<bool> autotune_enabled_;
  std::optional<std::string> dataset_name_;
};

}  // namespace data
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_DATA_OPTIONS_H_
