// The table of HashTable: filled once, by an initialiser or an import.
#include <shared_mutex>

#include "ops/table/key_index.h"
#include "ops/table/lookup_table.h"
#include "runtime/memory/pool_allocator.h"

namespace warpbeam {
namespace {

class StaticTable final : public LookupTable {
 public:
  explicit StaticTable(TableSpec spec) : LookupTable(std::move(spec)) {}

  bool is_static() const override { return true; }
  bool is_initialized() const override {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    return index_ != nullptr;
  }
  int64_t size() const override {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    return index_ == nullptr ? 0 : index_->size();
  }

  Status Initialize(const Tensor& keys, const Tensor& values) override {
    if (keys.dtype() != spec().key_dtype || values.dtype() != spec().value_dtype) {
      return InvalidArgument("the table ", spec().name, " maps ", DTypeName(spec().key_dtype),
                             " to ", DTypeName(spec().value_dtype), ", not ",
                             DTypeName(keys.dtype()), " to ", DTypeName(values.dtype()));
    }
    if (keys.rank() != 1) {
      return InvalidArgument("Keys must be a vector, but received shape ", keys.shape().ToString());
    }
    if (values.shape() != keys.shape()) {
      return InvalidArgument("Values must be of the keys' shape ", keys.shape().ToString(),
                             ", but received shape ", values.shape().ToString());
    }
    std::lock_guard<std::shared_mutex> lock(mutex_);
    // Initialising again is no error where it would change nothing, of which the number of entries
    // is taken as a sign.
    if (index_ != nullptr) {
      if (index_->size() == keys.num_elements()) return OkStatus();
      return FailedPrecondition("Table was already initialized with different data.");
    }
    auto index = NewKeyIndex(spec().key_dtype);
    WB_RETURN_IF_ERROR(index->CheckRoom(keys, keys.num_elements()));
    WB_RETURN_IF_ERROR(CheckRoomForStrings(values, values.num_elements()));
    for (int64_t i = 0; i < keys.num_elements(); ++i) {
      bool is_new = false;
      const int64_t row = index->FindOrAdd(keys, i, i, &is_new);
      if (!is_new && !AreEqual(values, row, values, i, 1)) {
        return FailedPrecondition("HashTable has different value for same key. Elements ", row,
                                  " and ", i,
                                  " of the keys are equal: ", keys.Rows(i, i + 1).ToString());
      }
    }
    // The initialiser's tensors may be a step's memory.
    WB_ASSIGN_OR_RETURN(values_, values.Clone(PoolAllocator::Process()));
    WB_RETURN_IF_ERROR(StringMemory::Count(values_));
    index_ = std::move(index);
    return OkStatus();
  }

  StatusOr<Contents> Export() const override {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    if (index_ == nullptr) return Aborted("HashTable is not initialized.");
    Contents contents;
    WB_ASSIGN_OR_RETURN(contents.keys, Tensor::Allocate(spec().key_dtype, Shape({index_->size()})));
    WB_ASSIGN_OR_RETURN(contents.values,
                        Tensor::Allocate(spec().value_dtype, Shape({index_->size()})));
    index_->List(&contents.keys, [&](int64_t i, int64_t row) {
      CopyBetween(values_, row, &contents.values, i, 1);
    });
    return contents;
  }

 private:
  Status DoFind(const Tensor& keys, int64_t count, const Tensor& default_value,
                int64_t default_step, Tensor* values) const override {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    if (index_ == nullptr) {
      return FailedPrecondition("Table not initialized: ", spec().name,
                                "; run its initialiser (tf.tables_initializer) first");
    }
    for (int64_t i = 0; i < count; ++i) {
      const int64_t row = index_->Find(keys, i);
      if (row >= 0) {
        CopyBetween(values_, row, values, i, 1);
      } else {
        CopyBetween(default_value, i * default_step, values, i, 1);
      }
    }
    return OkStatus();
  }
  Status DoImport(const Tensor& keys, const Tensor& values, int64_t) override {
    return Initialize(keys, values);
  }

  mutable std::shared_mutex mutex_;
  std::unique_ptr<KeyIndex> index_;  // null until it is filled
  Tensor values_;
};

}  // namespace

std::shared_ptr<LookupTable> NewStaticTable(TableSpec spec) {
  return std::make_shared<StaticTable>(std::move(spec));
}

}  // namespace warpbeam
