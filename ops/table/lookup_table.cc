#include "ops/table/lookup_table.h"

#include "runtime/memory/held_memory.h"
#include "runtime/memory/pool_allocator.h"
#include "runtime/memory/string_memory.h"

namespace warpbeam {

std::string LookupTable::DebugString() const { return absl::StrCat("the table ", spec_.name); }

Status LookupTable::CheckSame(const TableSpec& spec) const {
  if (spec.key_dtype == spec_.key_dtype && spec.value_dtype == spec_.value_dtype) {
    return OkStatus();
  }
  return InvalidArgument("Conflicting key/value dtypes ", DTypeName(spec.key_dtype), "->",
                         DTypeName(spec.value_dtype), " with ", DTypeName(spec_.key_dtype), "-",
                         DTypeName(spec_.value_dtype), " for table ", spec_.name);
}

StatusOr<LookupTable::Fit> LookupTable::CheckKeys(const Tensor& keys) const {
  if (keys.dtype() != spec_.key_dtype) {
    return InvalidArgument("Key must be type ", DTypeName(spec_.key_dtype), " but got ",
                           DTypeName(keys.dtype()));
  }
  const int leading = keys.rank() - spec_.key_shape.rank();
  Fit fit{1, {}};
  std::vector<int64_t> dims;
  bool fits = leading >= 0;
  for (int i = 0; fits && i < keys.rank(); ++i) {
    if (i < leading) {
      fit.count *= keys.dim(i);
      dims.push_back(keys.dim(i));
    } else {
      fits = keys.dim(i) == spec_.key_shape.dim(i - leading);
    }
  }
  if (!fits) {
    return InvalidArgument("Expected key shape ending in ", spec_.key_shape.ToString(), " got ",
                           keys.shape().ToString());
  }
  const Span<const int64_t> row = spec_.value_shape.dims();
  dims.insert(dims.end(), row.begin(), row.end());
  WB_ASSIGN_OR_RETURN(fit.values, Shape::Make(dims));
  return fit;
}

StatusOr<int64_t> LookupTable::CheckKeysAndValues(const Tensor& keys, const Tensor& values) const {
  WB_ASSIGN_OR_RETURN(const Fit fit, CheckKeys(keys));
  if (values.dtype() != spec_.value_dtype) {
    return InvalidArgument("Value must be type ", DTypeName(spec_.value_dtype), " but got ",
                           DTypeName(values.dtype()));
  }
  if (values.shape() != fit.values) {
    return InvalidArgument("Expected shape ", fit.values.ToString(), " for value, got ",
                           values.shape().ToString());
  }
  return fit.count;
}

StatusOr<Tensor> LookupTable::Find(const Tensor& keys, const Tensor& default_value) const {
  WB_ASSIGN_OR_RETURN(const Fit fit, CheckKeys(keys));
  if (default_value.dtype() != spec_.value_dtype) {
    return InvalidArgument("Default value must be type ", DTypeName(spec_.value_dtype), " but got ",
                           DTypeName(default_value.dtype()));
  }
  if (default_value.shape() != spec_.value_shape && default_value.shape() != fit.values) {
    return InvalidArgument("Expected shape ", spec_.value_shape.ToString(), " or ",
                           fit.values.ToString(), " for default value, got ",
                           default_value.shape().ToString());
  }
  const int64_t step =
      default_value.shape() == spec_.value_shape ? 0 : spec_.value_shape.num_elements();
  WB_ASSIGN_OR_RETURN(Tensor values, Tensor::Allocate(spec_.value_dtype, fit.values));
  WB_RETURN_IF_ERROR(DoFind(keys, fit.count, default_value, step, &values));
  return values;
}

Status LookupTable::Insert(const Tensor& keys, const Tensor& values) {
  WB_ASSIGN_OR_RETURN(const int64_t count, CheckKeysAndValues(keys, values));
  return DoInsert(keys, values, count);
}

Status LookupTable::Remove(const Tensor& keys) {
  WB_ASSIGN_OR_RETURN(const Fit fit, CheckKeys(keys));
  return DoRemove(keys, fit.count);
}

Status LookupTable::Import(const Tensor& keys, const Tensor& values) {
  WB_ASSIGN_OR_RETURN(const int64_t count, CheckKeysAndValues(keys, values));
  return DoImport(keys, values, count);
}

Status LookupTable::Initialize(const Tensor&, const Tensor&) {
  return InvalidArgument("Table ", spec_.name, " is not initializable");
}

Status LookupTable::DoInsert(const Tensor&, const Tensor&, int64_t) {
  return Unimplemented("Insert not supported by InitializableLookupTable implementations: ",
                       DebugString(), " is filled once");
}
Status LookupTable::DoRemove(const Tensor&, int64_t) {
  return Unimplemented("Remove not supported by InitializableLookupTable implementations: ",
                       DebugString(), " is filled once");
}
Status LookupTable::DoImport(const Tensor&, const Tensor&, int64_t) {
  return Unimplemented("Import is not supported by ", DebugString());
}

void CopyBetween(const Tensor& from, int64_t from_index, Tensor* to, int64_t to_index,
                 int64_t count) {
  const int64_t size = static_cast<int64_t>(DTypeSize(from.dtype()));
  CopyElements(from.dtype(), to->data<char>() + to_index * size,
               from.data<char>() + from_index * size, count);
}

bool AreEqual(const Tensor& a, int64_t a_index, const Tensor& b, int64_t b_index, int64_t count) {
  if (a.dtype() == DType::kString) {
    for (int64_t i = 0; i < count; ++i) {
      if (a.data<std::string>()[a_index + i] != b.data<std::string>()[b_index + i]) return false;
    }
    return true;
  }
  if (!IsPlainData(a.dtype())) return false;
  const size_t size = DTypeSize(a.dtype());
  return memcmp(a.data<char>() + a_index * size, b.data<char>() + b_index * size, count * size) ==
         0;
}

StatusOr<Tensor> AllocateRows(DType dtype, int64_t count, const Shape& row) {
  constexpr int64_t kMostBytes = int64_t{16} << 30;
  std::vector<int64_t> dims = {count};
  dims.insert(dims.end(), row.dims().begin(), row.dims().end());
  WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  if (shape.num_elements() > kMostBytes / static_cast<int64_t>(DTypeSize(dtype))) {
    return ResourceExhausted("a table of ", shape.ToString(), " elements of ", DTypeName(dtype));
  }
  return Tensor::Allocate(dtype, shape, PoolAllocator::Process());
}

Status CheckRoomForStrings(const Tensor& tensor, int64_t count) {
  const int64_t bytes = ObjectMemory::HeldBy(tensor, 0, count);
  if (bytes == 0) return OkStatus();
  return StringMemory::CheckRoom("the strings of a table", static_cast<size_t>(bytes));
}

}  // namespace warpbeam
