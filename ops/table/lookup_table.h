// LookupTable: a map from keys to values that lives in a session. Keys and values are rows of
// tensors: a scalar or, where the table says so, a tensor of fixed shape.
//
//   std::shared_ptr<LookupTable> table = …;
//   WB_ASSIGN_OR_RETURN(Tensor values, table->Find(keys, default_value));
//
// The kinds are in static_table.cc (filled once), mutable_table.cc and dense_table.cc. This class
// checks dtypes and shapes; they find, insert and list.
//
// Ownership: the session's ResourceStore, and steps while they use it. Thread safety: any thread;
// each call is one change. Errors: INVALID_ARGUMENT for tensors that do not fit the table,
// UNIMPLEMENTED for what its kind cannot do, FAILED_PRECONDITION for a table without contents.
#ifndef WARPBEAM_OPS_TABLE_LOOKUP_TABLE_H_
#define WARPBEAM_OPS_TABLE_LOOKUP_TABLE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/types/tensor.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {

struct TableSpec {
  std::string name;
  DType key_dtype = DType::kInvalid;
  DType value_dtype = DType::kInvalid;
  Shape key_shape;
  Shape value_shape;
};

class LookupTable : public Resource {
 public:
  struct Contents {
    Tensor keys;
    Tensor values;
  };

  explicit LookupTable(TableSpec spec) : spec_(std::move(spec)) {}
  const TableSpec& spec() const { return spec_; }
  std::string DebugString() const override;
  // INVALID_ARGUMENT when `spec` asks for a table of other dtypes.
  Status CheckSame(const TableSpec& spec) const;

  virtual int64_t size() const = 0;
  virtual StatusOr<Contents> Export() const = 0;
  // Whether an initialiser fills it, and whether one has.
  virtual bool is_static() const { return false; }
  virtual bool is_initialized() const { return true; }

  // The values of `keys`; for those that are not there, `default_value`: one for all or one each.
  StatusOr<Tensor> Find(const Tensor& keys, const Tensor& default_value) const;
  Status Insert(const Tensor& keys, const Tensor& values);
  Status Remove(const Tensor& keys);
  // In place of all contents.
  Status Import(const Tensor& keys, const Tensor& values);
  // Fills a static table.
  virtual Status Initialize(const Tensor& keys, const Tensor& values);

 protected:
  // Looks up tensors that fit. `default_step` is 0 where one default value serves all keys.
  virtual Status DoFind(const Tensor& keys, int64_t count, const Tensor& default_value,
                        int64_t default_step, Tensor* values) const = 0;
  virtual Status DoInsert(const Tensor& keys, const Tensor& values, int64_t count);
  virtual Status DoRemove(const Tensor& keys, int64_t count);
  virtual Status DoImport(const Tensor& keys, const Tensor& values, int64_t count);

 private:
  // How many keys there are, and the shape of as many values.
  struct Fit {
    int64_t count;
    Shape values;
  };
  StatusOr<Fit> CheckKeys(const Tensor& keys) const;
  StatusOr<int64_t> CheckKeysAndValues(const Tensor& keys, const Tensor& values) const;

  const TableSpec spec_;
};

// `count` elements from `from_index` on in place of those of `to` from `to_index` on.
void CopyBetween(const Tensor& from, int64_t from_index, Tensor* to, int64_t to_index,
                 int64_t count);
bool AreEqual(const Tensor& a, int64_t a_index, const Tensor& b, int64_t b_index, int64_t count);
// A tensor of `row` after the dimensions `leading`; RESOURCE_EXHAUSTED when it is too large.
StatusOr<Tensor> AllocateRows(DType dtype, int64_t count, const Shape& row);
// Whether there is room for copies of what the first `count` elements hold if they are strings.
Status CheckRoomForStrings(const Tensor& tensor, int64_t count);

// The tables, see their files.
std::shared_ptr<LookupTable> NewStaticTable(TableSpec spec);
std::shared_ptr<LookupTable> NewMutableTable(TableSpec spec);
struct DenseSpec {
  Tensor empty_key;
  Tensor deleted_key;  // no value: nothing can be removed
  int64_t num_buckets = 0;
  float max_load_factor = 0;
};
StatusOr<std::shared_ptr<LookupTable>> NewDenseTable(TableSpec spec, DenseSpec dense);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_TABLE_LOOKUP_TABLE_H_
