#include "ops/queue/barrier.h"

#include <algorithm>

#include "runtime/memory/pool_allocator.h"
#include "runtime/memory/string_memory.h"

namespace warpbeam {

Status Barrier::Insert(int64_t component, const Tensor& keys, const Tensor& values) {
  if (component < 0 || component >= static_cast<int64_t>(spec_.types.size())) {
    return InvalidArgument("The component ID is out of range ", component,
                           " > num_components (= ", spec_.types.size(), ")");
  }
  if (values.dtype() != spec_.types[component]) {
    return InvalidArgument("component ", component, " of ", DebugString(), " holds ",
                           DTypeName(spec_.types[component]), ", not ", DTypeName(values.dtype()));
  }
  if (keys.rank() != 1 || values.rank() < 1 || values.dim(0) != keys.dim(0)) {
    return InvalidArgument("a barrier takes a vector of keys and as many values, not ",
                           keys.shape().ToString(), " and ", values.shape().ToString());
  }
  if (values.num_elements() == 0 && keys.num_elements() > 0) {
    return InvalidArgument("Tensors with no elements are not supported ", spec_.name,
                           ": received shape ", values.shape().ToString());
  }
  if (!spec_.shapes[component].IsCompatibleWith(values.shape().Remove(0))) {
    return InvalidArgument("Shape mismatch in tuple component ", component, ". Expected ",
                           spec_.shapes[component].ToString(), ", got ",
                           values.shape().Remove(0).ToString());
  }
  return Now([&] { return InsertLocked(component, keys, values); });
}

Status Barrier::InsertLocked(int64_t component, const Tensor& keys, const Tensor& values) {
  if (inserts_cancelled_) {
    return Cancelled("Barrier ", spec_.name, " is closed and takes no more values.");
  }
  bool has_new_keys = false;
  for (int64_t i = 0; i < keys.num_elements(); ++i) {
    const std::string& key = keys.flat<std::string>()[i];
    auto at = incomplete_.find(key);
    if (at == incomplete_.end()) {
      if (closed_) {
        return Cancelled("Barrier ", spec_.name,
                         " is closed, but attempted to insert a brand new key: ", key);
      }
      Row row;
      row.batch = next_batch_;
      has_new_keys = true;
      row.key = key;
      row.values.resize(spec_.types.size());
      at = incomplete_.emplace(key, std::move(row)).first;
    }
    Row& row = at->second;
    if (row.values[component].has_value()) {
      return InvalidArgument("Key ", key, " already has a value for component ", component,
                             " in barrier ", spec_.name);
    }
    // A copy: rows of one batch are taken at different times.
    WB_ASSIGN_OR_RETURN(const Tensor value,
                        values.Rows(i, i + 1).Reshaped(values.shape().Remove(0)));
    WB_ASSIGN_OR_RETURN(row.values[component], value.Clone(PoolAllocator::Process()));
    WB_RETURN_IF_ERROR(StringMemory::Count(row.values[component]));
    const bool is_whole = std::all_of(row.values.begin(), row.values.end(),
                                      [](const Tensor& t) { return t.has_value(); });
    if (!is_whole) continue;
    const int64_t first_batch = row.batch;
    ready_.emplace(first_batch, std::move(row));
    incomplete_.erase(at);
  }
  if (has_new_keys) ++next_batch_;
  return OkStatus();
}

void Barrier::Take(StepContext* step, int64_t count, bool allow_small_batch,
                   std::shared_ptr<Rows> rows, Finished finished) {
  Attempt(
      step, {allow_small_batch ? 1 : 0, count},
      [this, count, allow_small_batch, rows](Status* status) {
        return TakeLocked(count, allow_small_batch, rows.get(), status);
      },
      std::move(finished));
}

bool Barrier::TakeLocked(int64_t count, bool allow_small_batch, Rows* rows, Status* status) {
  const int64_t ready = static_cast<int64_t>(ready_.size());
  if (closed_) {
    int64_t available = ready;
    if (allow_small_batch) {
      count = std::min(count, ready);
    } else if (!inserts_cancelled_) {
      available += static_cast<int64_t>(incomplete_.size());
    }
    if (available < std::max<int64_t>(count, 1)) {
      *status = OutOfRange("Barrier '", spec_.name, "' is closed and has insufficient elements ",
                           "(requested ", count, ", total size ", available, ")");
      return true;
    }
  }
  if (ready < count) return false;
  for (; count > 0; --count) {
    rows->push_back(std::move(ready_.begin()->second));
    ready_.erase(ready_.begin());
  }
  return true;
}

void Barrier::Return(Rows rows) {
  Now([&] {
    // Before the others of their batches, in the order in which they came out.
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
      const int64_t batch = row->batch;
      ready_.emplace_hint(ready_.lower_bound(batch), batch, std::move(*row));
    }
    return OkStatus();
  }).IgnoreError();  // giving back cannot fail
}

Status Barrier::Close(bool cancel_pending_inserts) {
  return Now([&]() -> Status {
    if (closed_ && (inserts_cancelled_ || !cancel_pending_inserts)) {
      return Cancelled("Barrier '", spec_.name, "' is already closed.");
    }
    closed_ = true;
    inserts_cancelled_ = cancel_pending_inserts;
    return OkStatus();
  });
}

int64_t Barrier::ready_size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(ready_.size());
}

int64_t Barrier::incomplete_size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(incomplete_.size());
}

}  // namespace warpbeam
