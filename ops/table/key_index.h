// KeyIndex: which row each key has, for tables of scalar keys.
//
//   std::unique_ptr<KeyIndex> index = NewKeyIndex(DType::kString);
//   int64_t row = index->Find(keys, 3);                     // -1: not there
//   int64_t row = index->FindOrAdd(keys, 3, next, &is_new);
//
// Thread safety: finding from several threads at once; changes alone. Errors: none.
#ifndef WARPBEAM_OPS_TABLE_KEY_INDEX_H_
#define WARPBEAM_OPS_TABLE_KEY_INDEX_H_

#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "graph/types/tensor.h"

namespace warpbeam {

class KeyIndex {
 public:
  virtual ~KeyIndex() = default;
  virtual int64_t size() const = 0;
  // Of element `i` of `keys`.
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
  int64_t Find(const Tensor& keys, int64_t i) const override {
    const auto at = rows_.find(keys.data<K>()[i]);
    return at == rows_.end() ? -1 : at->second;
  }
  int64_t FindOrAdd(const Tensor& keys, int64_t i, int64_t row, bool* is_new) override {
    const auto [at, added] = rows_.emplace(keys.data<K>()[i], row);
    *is_new = added;
    return at->second;
  }
  int64_t Erase(const Tensor& keys, int64_t i) override {
    const auto at = rows_.find(keys.data<K>()[i]);
    if (at == rows_.end()) return -1;
    const int64_t row = at->second;
    rows_.erase(at);
    return row;
  }
  void Clear() override { rows_.clear(); }
  void List(Tensor* keys, absl::FunctionRef<void(int64_t, int64_t)> visit) const override {
    int64_t i = 0;
    for (const auto& [key, row] : rows_) {
      keys->data<K>()[i] = key;
      visit(i++, row);
    }
  }

 private:
  absl::flat_hash_map<K, int64_t> rows_;
};

inline std::unique_ptr<KeyIndex> NewKeyIndex(DType dtype) {
  if (dtype == DType::kInt32) return std::make_unique<KeyIndexOf<int32_t>>();
  if (dtype == DType::kInt64) return std::make_unique<KeyIndexOf<int64_t>>();
  return std::make_unique<KeyIndexOf<std::string>>();
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_TABLE_KEY_INDEX_H_
