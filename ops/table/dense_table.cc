// The table of MutableDenseHashTable: one array of buckets, probed quadratically. Exports list all
// buckets, free ones with the empty key, so that the hash functions and the growth are part of what
// users see; they are TensorFlow's.
#include <shared_mutex>

#include "graph/hash/murmur_hash.h"
#include "ops/table/lookup_table.h"
#include "runtime/memory/held_memory.h"

namespace warpbeam {
namespace {

constexpr int64_t kNone = -1;

uint64_t HashOfElement(const Tensor& keys, int64_t i) {
  switch (keys.dtype()) {
    case DType::kInt32:
      return static_cast<uint64_t>(int64_t{keys.data<int32_t>()[i]});
    case DType::kInt64:
      return static_cast<uint64_t>(keys.data<int64_t>()[i]);
    default:
      return MurmurHash64(keys.data<std::string>()[i]);
  }
}

class DenseTable final : public LookupTable {
 public:
  DenseTable(TableSpec spec, DenseSpec dense)
      : LookupTable(std::move(spec)),
        dense_(std::move(dense)),
        key_size_(this->spec().key_shape.num_elements()),
        value_size_(this->spec().value_shape.num_elements()) {}

  Status Init() {
    if (dense_.deleted_key.has_value() &&
        AreEqual(dense_.empty_key, 0, dense_.deleted_key, 0, key_size_)) {
      return InvalidArgument("Empty and deleted keys cannot be equal");
    }
    return Allocate(dense_.num_buckets);
  }

  int64_t size() const override {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    return num_entries_;
  }

  // Keys and values as rows of [buckets, elements], scalars too.
  StatusOr<Contents> Export() const override {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    Contents contents;
    WB_ASSIGN_OR_RETURN(contents.keys, keys_.Clone());
    WB_ASSIGN_OR_RETURN(contents.values, values_.Clone());
    return contents;
  }

 private:
  Status DoFind(const Tensor& keys, int64_t count, const Tensor& default_value,
                int64_t default_step, Tensor* values) const override {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    WB_RETURN_IF_ERROR(CheckAllowed(keys, count));
    for (int64_t i = 0; i < count; ++i) {
      const Place place = Locate(keys, i);
      if (place.found) {
        CopyBetween(values_, place.bucket * value_size_, values, i * value_size_, value_size_);
      } else {
        CopyBetween(default_value, i * default_step, values, i * value_size_, value_size_);
      }
    }
    return OkStatus();
  }

  Status DoInsert(const Tensor& keys, const Tensor& values, int64_t count) override {
    std::lock_guard<std::shared_mutex> lock(mutex_);
    WB_RETURN_IF_ERROR(CheckAllowed(keys, count));
    WB_RETURN_IF_ERROR(CheckRoomForStrings(keys, count * key_size_));
    WB_RETURN_IF_ERROR(CheckRoomForStrings(values, count * value_size_));
    int64_t buckets = num_buckets_;
    while (static_cast<double>(num_entries_ + count) >
           static_cast<double>(buckets) * dense_.max_load_factor) {
      buckets *= 2;
    }
    if (buckets > num_buckets_) WB_RETURN_IF_ERROR(Grow(buckets));
    for (int64_t i = 0; i < count; ++i) Put(keys, i, values, i);
    return OkStatus();
  }

  // Rows of an export: free buckets are left out. Keys of a scalar kind may be a vector.
  Status DoImport(const Tensor& keys, const Tensor& values, int64_t count) override {
    std::lock_guard<std::shared_mutex> lock(mutex_);
    WB_RETURN_IF_ERROR(CheckRoomForStrings(keys, count * key_size_));
    WB_RETURN_IF_ERROR(CheckRoomForStrings(values, count * value_size_));
    int64_t buckets = dense_.num_buckets;
    while (static_cast<double>(count) > static_cast<double>(buckets) * dense_.max_load_factor) {
      buckets *= 2;
    }
    WB_RETURN_IF_ERROR(Allocate(buckets));
    for (int64_t i = 0; i < count; ++i) {
      if (!IsReserved(keys, i)) Put(keys, i, values, i);
    }
    return OkStatus();
  }

  Status DoRemove(const Tensor& keys, int64_t count) override {
    if (!dense_.deleted_key.has_value()) {
      return Unimplemented(DebugString(), " has no deleted_key, so that nothing can be removed");
    }
    std::lock_guard<std::shared_mutex> lock(mutex_);
    WB_RETURN_IF_ERROR(CheckAllowed(keys, count));
    for (int64_t i = 0; i < count; ++i) {
      const Place place = Locate(keys, i);
      if (!place.found) continue;
      CopyBetween(dense_.deleted_key, 0, &keys_, place.bucket * key_size_, key_size_);
      --num_entries_;
    }
    return OkStatus();
  }

  struct Place {
    int64_t bucket;  // of the key, else of the first that it may take
    bool found;
  };

  bool IsEmptyKey(const Tensor& keys, int64_t row) const {
    return AreEqual(keys, row * key_size_, dense_.empty_key, 0, key_size_);
  }
  bool IsDeletedKey(const Tensor& keys, int64_t row) const {
    return dense_.deleted_key.has_value() &&
           AreEqual(keys, row * key_size_, dense_.deleted_key, 0, key_size_);
  }
  bool IsReserved(const Tensor& keys, int64_t row) const {
    return IsEmptyKey(keys, row) || IsDeletedKey(keys, row);
  }

  Status CheckAllowed(const Tensor& keys, int64_t count) const {
    for (int64_t i = 0; i < count; ++i) {
      if (IsEmptyKey(keys, i)) {
        return InvalidArgument("Using the empty_key as a table key is not allowed");
      }
      if (IsDeletedKey(keys, i)) {
        return InvalidArgument("Using the deleted_key as a table key is not allowed");
      }
    }
    return OkStatus();
  }

  uint64_t HashOf(const Tensor& keys, int64_t row) const {
    if (key_size_ == 1) return HashOfElement(keys, row);
    uint64_t hash = 0;
    for (int64_t i = 0; i < key_size_; ++i) {
      hash ^= HashOfElement(keys, row * key_size_ + i) + 0x9e3779b97f4a7800ull + (hash << 10) +
              (hash >> 4);
    }
    return hash;
  }

  // Each bucket is seen once in as many probes as there are buckets.
  Place Locate(const Tensor& keys, int64_t row) const {
    const uint64_t mask = static_cast<uint64_t>(num_buckets_ - 1);
    uint64_t bucket = HashOf(keys, row) & mask;
    int64_t free = kNone;
    for (int64_t probes = 1; probes <= num_buckets_; ++probes) {
      const int64_t at = static_cast<int64_t>(bucket);
      if (AreEqual(keys_, at * key_size_, keys, row * key_size_, key_size_)) return {at, true};
      if (IsEmptyKey(keys_, at)) return {free == kNone ? at : free, false};
      if (free == kNone && IsDeletedKey(keys_, at)) free = at;
      bucket = (bucket + static_cast<uint64_t>(probes)) & mask;
    }
    return {free, false};
  }

  int64_t StringsOf(int64_t bucket) const {
    return ObjectMemory::HeldBy(keys_, bucket * key_size_, key_size_) +
           ObjectMemory::HeldBy(values_, bucket * value_size_, value_size_);
  }

  void Put(const Tensor& keys, int64_t key, const Tensor& values, int64_t value) {
    const Place place = Locate(keys, key);
    const int64_t before = StringsOf(place.bucket);
    if (!place.found) {
      CopyBetween(keys, key * key_size_, &keys_, place.bucket * key_size_, key_size_);
      ++num_entries_;
    }
    CopyBetween(values, value * value_size_, &values_, place.bucket * value_size_, value_size_);
    held_.Set(held_.bytes() + StringsOf(place.bucket) - before);
  }

  Status Allocate(int64_t buckets) {
    WB_ASSIGN_OR_RETURN(Tensor keys, AllocateRows(spec().key_dtype, buckets, Shape({key_size_})));
    WB_ASSIGN_OR_RETURN(Tensor values,
                        AllocateRows(spec().value_dtype, buckets, Shape({value_size_})));
    for (int64_t i = 0; i < buckets; ++i) {
      CopyBetween(dense_.empty_key, 0, &keys, i * key_size_, key_size_);
    }
    if (IsPlainData(spec().value_dtype)) memset(values.raw_data(), 0, values.bytes());
    keys_ = std::move(keys);
    values_ = std::move(values);
    held_.Set(ObjectMemory::HeldBy(keys_, 0, buckets * key_size_) +
              ObjectMemory::HeldBy(values_, 0, buckets * value_size_));
    num_buckets_ = buckets;
    num_entries_ = 0;
    return OkStatus();
  }

  Status Grow(int64_t buckets) {
    const Tensor old_keys = keys_;
    const Tensor old_values = values_;
    const int64_t old_buckets = num_buckets_;
    WB_RETURN_IF_ERROR(Allocate(buckets));
    for (int64_t i = 0; i < old_buckets; ++i) {
      if (!IsReserved(old_keys, i)) Put(old_keys, i, old_values, i);
    }
    return OkStatus();
  }

  const DenseSpec dense_;
  const int64_t key_size_;
  const int64_t value_size_;
  mutable std::shared_mutex mutex_;
  int64_t num_buckets_ = 0;  // a power of two
  int64_t num_entries_ = 0;
  Tensor keys_;      // [buckets, key_size]
  Tensor values_;    // [buckets, value_size]
  HeldMemory held_;  // by the strings of both
};

}  // namespace

StatusOr<std::shared_ptr<LookupTable>> NewDenseTable(TableSpec spec, DenseSpec dense) {
  if (dense.num_buckets < 4 || (dense.num_buckets & (dense.num_buckets - 1)) != 0) {
    return InvalidArgument("Number of buckets must be at least 4 and a power of 2, got: ",
                           dense.num_buckets);
  }
  if (!(dense.max_load_factor > 0 && dense.max_load_factor < 1)) {
    return InvalidArgument("max_load_factor must be between 0 and 1, got: ", dense.max_load_factor);
  }
  auto table = std::make_shared<DenseTable>(std::move(spec), std::move(dense));
  WB_RETURN_IF_ERROR(table->Init());
  return std::shared_ptr<LookupTable>(std::move(table));
}

}  // namespace warpbeam
