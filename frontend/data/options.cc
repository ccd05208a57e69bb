#include "frontend/data/options.h"

namespace warpbeam {
namespace frontend {
namespace data {
namespace {

// Numbers of the message's fields.
constexpr int kDeterministic = 1;
constexpr int kDistribute = 2;
constexpr int kOptimization = 3;
constexpr int kThreading = 5;
constexpr int kAutotunePart = 7;
constexpr int kDatasetName = 10;
constexpr int kService = 12;
constexpr int kMaxIntraOpParallelism = 1;  // of the threading's part
constexpr int kPrivateThreadpoolSize = 2;  // of the threading's part
constexpr int kAutotuneEnabled = 1;        // of the autotune part

void AddVarint(uint64_t value, std::string* bytes) {
  for (; value >= 0x80; value >>= 7) bytes->push_back(static_cast<char>(value | 0x80));
  bytes->push_back(static_cast<char>(value));
}

void AddNumber(int field, int64_t value, std::string* bytes) {
  AddVarint(static_cast<uint64_t>(field) << 3, bytes);
  AddVarint(static_cast<uint64_t>(value), bytes);
}

void AddMessage(int field, const std::string& message, std::string* bytes) {
  AddVarint(static_cast<uint64_t>(field) << 3 | 2, bytes);
  AddVarint(message.size(), bytes);
  bytes->append(message);
}

}  // namespace

Options Options::Merge(const Options& other) const {
  Options merged = *this;
  if (other.deterministic_) merged.deterministic_ = other.deterministic_;
  if (other.autotune_enabled_) merged.autotune_enabled_ = other.autotune_enabled_;
  if (other.max_intra_op_parallelism_) {
    merged.max_intra_op_parallelism_ = other.max_intra_op_parallelism_;
  }
  if (other.private_threadpool_size_) {
    merged.private_threadpool_size_ = other.private_threadpool_size_;
  }
  if (other.dataset_name_) merged.dataset_name_ = other.dataset_name_;
  return merged;
}

// Parts without any setting are written empty, as TensorFlow writes them.
std::string Options::Serialize() const {
  std::string bytes, autotune, threading;
  if (deterministic_) AddNumber(kDeterministic, *deterministic_ ? 1 : 0, &bytes);
  if (autotune_enabled_) AddNumber(kAutotuneEnabled, *autotune_enabled_ ? 1 : 0, &autotune);
  if (max_intra_op_parallelism_) {
    AddNumber(kMaxIntraOpParallelism, *max_intra_op_parallelism_, &threading);
  }
  if (private_threadpool_size_) {
    AddNumber(kPrivateThreadpoolSize, *private_threadpool_size_, &threading);
  }
  AddMessage(kDistribute, "", &bytes);
  AddMessage(kOptimization, "", &bytes);
  AddMessage(kThreading, threading, &bytes);
  AddMessage(kAutotunePart, autotune, &bytes);
  if (dataset_name_) AddMessage(kDatasetName, *dataset_name_, &bytes);
  AddMessage(kService, "", &bytes);
  return bytes;
}

}  // namespace data
}  // namespace frontend
}  // namespace warpbeam
