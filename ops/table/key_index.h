// KeyIndex: which row each key has, for tables of scalar keys.
//
//   std::unique_ptr<KeyIndex> index = NewKeyIndex(DType::kString);
//   int64_t row = index->Find(keys, 3);                     // -1: not there
//   row = index->FindOrAdd(keys, 3, next, &is_new);
//
// What it holds counts as host memory. Thread safety: finding from several threads at once; changes
// alone. Errors: RESOURCE_EXHAUSTED where there is no room for more keys.
#ifndef WARPBEAM_OPS_TABLE_KEY_INDEX_H_
#define WARPBEAM_OPS_TABLE_KEY_INDEX_H_

#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "graph/types/tensor.h"
#include "runtime/memory/held_memory.h"
#include "runtime/memory/string_memory.h"

namespace warpbeam {

class KeyIndex {
 public:
  virtual ~KeyIndex() = default;
  virtual int64_t size() const = 0;
  // Whether there is room for the first `count` of `keys` besides.
  virtual Status CheckRoom(const Tensor& keys, int64_t count) const = 0;
  // The index of element `i` of `keys`.
  virtual int64_t Find(const Tensor& keys, int64_t i) const = 0;
  virtual int64_t FindOrAdd(const Tensor& keys, int64_t i, int64_t row, bool* is_new) = 0;
  // The row that the key had, or -1.
  virtual int64_t Erase(const Tensor& keys, int64_t i) = 0;
  virtual void Clear() = 0;
  // Writes the keys, and calls `visit` with each one's place and row.
  virtual void List(Tensor* keys, absl::FunctionRef<void(int64_t, int64_t)> visit) const = 0;
};

template <class K>
class KeyIndexOf final : public KeyIndex {
 public:
  int64_t size() const override { return static_cast<int64_t>(rows_.size()); }
  Status CheckRoom(const Tensor& keys, int64_t count) const override {
    const auto wanted = static_cast<size_t>(size() + count);
    // The map doubles when it is seven eighths full, and has both halves then.
    const size_t slots = wanted * 8 / 7 <= rows_.capacity() ? 0 : 3 * wanted;
    const int64_t bytes =
        static_cast<int64_t>(slots * kSlot) + ObjectMemory::HeldBy(keys, 0, count);
    return StringMemory::CheckRoom("the keys of a table", static_cast<size_t>(bytes));
  }
  int64_t Find(const Tensor& keys, int64_t i) const override {
    const auto at = rows_.find(keys.data<K>()[i]);
    return at == rows_.end() ? -1 : at->second;
  }
  int64_t FindOrAdd(const Tensor& keys, int64_t i, int64_t row, bool* is_new) override {
    const auto [at, added] = rows_.emplace(keys.data<K>()[i], row);
    *is_new = added;
    if (added) Count(HeldBy(at->first));
    return at->second;
  }
  int64_t Erase(const Tensor& keys, int64_t i) override {
    const auto at = rows_.find(keys.data<K>()[i]);
    if (at == rows_.end()) return -1;
    const int64_t row = at->second;
    const int64_t held = HeldBy(at->first);
    rows_.erase(at);
    Count(-held);
    return row;
  }
  void Clear() override {
    rows_.clear();
    Count(-strings_);
  }
  void List(Tensor* keys, absl::FunctionRef<void(int64_t, int64_t)> visit) const override {
    int64_t i = 0;
    for (const auto& [key, row] : rows_) {
      keys->data<K>()[i] = key;
      visit(i++, row);
    }
  }

 private:
  // An entry, and the byte that says whether there is one.
  static constexpr size_t kSlot = sizeof(std::pair<const K, int64_t>) + 1;

  // Beside its object.
  static int64_t HeldBy(const K& key) {
    if constexpr (std::is_same_v<K, std::string>) {
      return static_cast<int64_t>(key.capacity() <= std::string().capacity() ? 0 : key.capacity());
    }
    return 0;
  }
  void Count(int64_t more) {
    strings_ += more;
    held_.Set(static_cast<int64_t>(rows_.capacity() * kSlot) + strings_);
  }

  absl::flat_hash_map<K, int64_t> rows_;
  int64_t strings_ = 0;
  HeldMemory held_;
};

inline std::unique_ptr<KeyIndex> NewKeyIndex(DType dtype) {
  if (dtype == DType::kInt32) return std::make_unique<KeyIndexOf<int32_t>>();
  if (dtype == DType::kInt64) return std::make_unique<KeyIndexOf<int64_t>>();
  return std::make_unique<KeyIndexOf<std::string>>();
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_TABLE_KEY_INDEX_H_
