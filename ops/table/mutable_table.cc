// The table of MutableHashTable and MutableHashTableOfTensors.
#include <algorithm>
#include <shared_mutex>

#include "ops/table/key_index.h"
#include "ops/table/lookup_table.h"

namespace warpbeam {
namespace {

class MutableTable final : public LookupTable {
 public:
  explicit MutableTable(TableSpec spec)
      : LookupTable(std::move(spec)),
        row_size_(this->spec().value_shape.num_elements()),
        index_(NewKeyIndex(this->spec().key_dtype)) {}

  int64_t size() const override {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    return index_->size();
  }

  StatusOr<Contents> Export() const override {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    Contents contents;
    WB_ASSIGN_OR_RETURN(contents.keys, AllocateRows(spec().key_dtype, index_->size(), Shape()));
    WB_ASSIGN_OR_RETURN(contents.values,
                        AllocateRows(spec().value_dtype, index_->size(), spec().value_shape));
    index_->List(&contents.keys, [&](int64_t i, int64_t row) {
      CopyBetween(rows_, row * row_size_, &contents.values, i * row_size_, row_size_);
    });
    return contents;
  }

 private:
  Status DoFind(const Tensor& keys, int64_t count, const Tensor& default_value,
                int64_t default_step, Tensor* values) const override {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t row = index_->Find(keys, i);
      if (row >= 0) {
        CopyBetween(rows_, row * row_size_, values, i * row_size_, row_size_);
      } else {
        CopyBetween(default_value, i * default_step, values, i * row_size_, row_size_);
      }
    }
    return OkStatus();
  }

  Status DoInsert(const Tensor& keys, const Tensor& values, int64_t count) override {
    std::lock_guard<std::shared_mutex> lock(mutex_);
    return InsertLocked(keys, values, count);
  }

  Status DoImport(const Tensor& keys, const Tensor& values, int64_t count) override {
    std::lock_guard<std::shared_mutex> lock(mutex_);
    index_->Clear();
    rows_ = Tensor();
    held_.Set(0);
    num_rows_ = 0;
    free_rows_.clear();
    return InsertLocked(keys, values, count);
  }

  Status DoRemove(const Tensor& keys, int64_t count) override {
    std::lock_guard<std::shared_mutex> lock(mutex_);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t row = index_->Erase(keys, i);
      if (row >= 0) free_rows_.push_back(row);
    }
    return OkStatus();
  }

  Status InsertLocked(const Tensor& keys, const Tensor& values, int64_t count) {
    WB_RETURN_IF_ERROR(index_->CheckRoom(keys, count));
    WB_RETURN_IF_ERROR(CheckRoomForStrings(values, count * row_size_));
    WB_RETURN_IF_ERROR(Reserve(num_rows_ + count));
    for (int64_t i = 0; i < count; ++i) {
      const int64_t next = free_rows_.empty() ? num_rows_ : free_rows_.back();
      bool is_new = false;
      const int64_t row = index_->FindOrAdd(keys, i, next, &is_new);
      if (is_new && free_rows_.empty()) {
        ++num_rows_;
      } else if (is_new) {
        free_rows_.pop_back();
      }
      const int64_t before = ObjectMemory::HeldBy(rows_, row * row_size_, row_size_);
      CopyBetween(values, i * row_size_, &rows_, row * row_size_, row_size_);
      const int64_t after = ObjectMemory::HeldBy(rows_, row * row_size_, row_size_);
      held_.Set(held_.bytes() + after - before);
    }
    return OkStatus();
  }

  Status Reserve(int64_t wanted) {
    const int64_t has = rows_.has_value() ? rows_.dim(0) : 0;
    if (wanted <= has && rows_.has_value()) return OkStatus();
    WB_ASSIGN_OR_RETURN(Tensor grown, AllocateRows(spec().value_dtype, std::max(wanted, 2 * has),
                                                   spec().value_shape));
    if (num_rows_ > 0) CopyBetween(rows_, 0, &grown, 0, num_rows_ * row_size_);
    rows_ = std::move(grown);
    return OkStatus();
  }

  const int64_t row_size_;
  mutable std::shared_mutex mutex_;
  std::unique_ptr<KeyIndex> index_;
  Tensor rows_;
  HeldMemory held_;       // by the strings of rows_
  int64_t num_rows_ = 0;  // in use, and those in free_rows_
  std::vector<int64_t> free_rows_;
};

}  // namespace

std::shared_ptr<LookupTable> NewMutableTable(TableSpec spec) {
  return std::make_shared<MutableTable>(std::move(spec));
}

}  // namespace warpbeam
