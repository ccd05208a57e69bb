#include "ops/queue/staging_area.h"

#include <algorithm>

namespace warpbeam {
namespace {

// Whether `bytes` more may come now. Nothing waits for ever: what can never come is refused before.
bool HasRoom(const StagingSpec& spec, size_t bytes, size_t stored) {
  return spec.memory_limit == 0 || stored + bytes <= static_cast<size_t>(spec.memory_limit);
}

Status CheckSize(const StagingSpec& spec, size_t bytes) {
  if (HasRoom(spec, bytes, 0)) return OkStatus();
  return ResourceExhausted("Attempted to insert tensors with combined size of '", bytes,
                           "' bytes into Staging Area with a memory limit of '", spec.memory_limit,
                           "'.");
}

}  // namespace

StatusOr<StagingSpec> StagingSpec::Read(const KernelInit& init) {
  StagingSpec spec;
  spec.container = init.attrs.GetOr<std::string>("container", "");
  spec.name = init.attrs.GetOr<std::string>("shared_name", "");
  if (spec.name.empty()) spec.name = init.node_name;
  WB_ASSIGN_OR_RETURN(spec.capacity, init.attr<int64_t>("capacity"));
  WB_ASSIGN_OR_RETURN(spec.memory_limit, init.attr<int64_t>("memory_limit"));
  WB_ASSIGN_OR_RETURN(spec.types, init.attr<std::vector<DType>>("dtypes"));
  return spec;
}

size_t BytesOf(const StagedRow& row) {
  size_t bytes = 0;
  for (const KeptTensor& t : row) bytes += t.has_value() ? t.bytes() : 0;
  return bytes;
}

bool StagingArea::PutLocked(StagedRow* row, Status* status) {
  const size_t bytes = BytesOf(*row);
  *status = CheckSize(spec_, bytes);
  if (!status->ok()) return true;
  if (spec_.capacity > 0 && static_cast<int64_t>(rows_.size()) >= spec_.capacity) return false;
  if (!HasRoom(spec_, bytes, bytes_)) return false;
  bytes_ += bytes;
  rows_.push_back(std::move(*row));
  return true;
}

bool StagingArea::TakeLocked(StagedRow* row) {
  if (rows_.empty()) return false;
  *row = std::move(rows_.front());
  rows_.pop_front();
  bytes_ -= BytesOf(*row);
  return true;
}

void StagingArea::ReturnLocked(StagedRow row) {
  bytes_ += BytesOf(row);
  rows_.push_front(std::move(row));
}

bool StagingArea::PeekLocked(int64_t index, StagedRow* row) const {
  if (index >= static_cast<int64_t>(rows_.size())) return false;
  *row = rows_[static_cast<size_t>(index)];
  return true;
}

int64_t StagingArea::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(rows_.size());
}

void StagingArea::ClearLocked() {
  rows_.clear();
  bytes_ = 0;
}

Status StagingMap::CheckPut(int64_t key, const std::vector<int32_t>& indices,
                            const StagedRow& values) const {
  const auto row = incomplete_.find(key);
  for (size_t i = 0; i < indices.size(); ++i) {
    const int32_t index = indices[i];
    if (index < 0 || index >= static_cast<int32_t>(types_.size())) {
      return InvalidArgument("Index '", index, "' for key '", key, "' was out of bounds '",
                             types_.size(), "'.");
    }
    if (values[i].dtype() != types_[index]) {
      return InvalidArgument("the tensor for index '", index, "' must be ",
                             DTypeName(types_[index]), ", not ", DTypeName(values[i].dtype()));
    }
    if (row != incomplete_.end() && row->second[index].has_value()) {
      return InvalidArgument("The tensor for index '", index, "' for key '", key,
                             "' was already initialized '", types_.size(), "'.");
    }
  }
  return CheckSize(spec_, BytesOf(values));
}

bool StagingMap::PutLocked(int64_t key, const std::vector<int32_t>& indices, StagedRow* values,
                           const std::vector<DType>& types, Status* status) {
  // Only the ops that put know all of a row's types.
  if (rows_.empty() && incomplete_.empty()) types_ = types;
  *status = CheckPut(key, indices, *values);
  if (!status->ok()) return true;
  const size_t bytes = BytesOf(*values);
  const bool completes = [&] {
    const auto row = incomplete_.find(key);
    size_t has = indices.size();
    if (row != incomplete_.end()) {
      for (const KeptTensor& t : row->second) has += t.has_value() ? 1 : 0;
    }
    return has == types_.size();
  }();
  if (completes && spec_.capacity > 0 && static_cast<int64_t>(rows_.size()) >= spec_.capacity) {
    return false;
  }
  if (!HasRoom(spec_, bytes, bytes_)) return false;
  StagedRow& row = incomplete_[key];
  row.resize(types_.size());
  for (size_t i = 0; i < indices.size(); ++i) row[indices[i]] = std::move((*values)[i]);
  bytes_ += bytes;
  if (!completes) return true;
  // A key that is there already keeps its row.
  const size_t row_bytes = BytesOf(row);
  if (!rows_.emplace(key, std::move(row)).second) bytes_ -= row_bytes;
  incomplete_.erase(key);
  return true;
}

bool StagingMap::GetLocked(int64_t key, const std::vector<int32_t>& indices, bool take,
                           StagedRow* values, Status* status) {
  const auto at = rows_.find(key);
  if (at == rows_.end()) return false;
  StagedRow& row = at->second;
  for (int32_t index : indices) {
    if (index < 0 || index >= static_cast<int32_t>(row.size())) {
      *status = InvalidArgument("Index '", index, "' for key '", key, "' was out of bounds '",
                                row.size(), "'.");
      return true;
    }
    if (!row[index].has_value()) {
      *status = InvalidArgument("Tensor at index '", index, "' for key '", key,
                                "' has already been removed.");
      return true;
    }
  }
  values->clear();
  for (int32_t index : indices) values->push_back(row[index]);
  if (!take) return true;
  bytes_ -= BytesOf(*values);
  for (int32_t index : indices) row[index].Reset();
  const bool is_empty =
      std::none_of(row.begin(), row.end(), [](const KeptTensor& t) { return t.has_value(); });
  if (is_empty) rows_.erase(at);
  return true;
}

bool StagingMap::TakeAnyLocked(const std::vector<int32_t>& indices, int64_t* key, StagedRow* values,
                               Status* status) {
  if (rows_.empty()) return false;
  *key = rows_.begin()->first;
  return GetLocked(*key, indices, /*take=*/true, values, status);
}

void StagingMap::ReturnLocked(int64_t key, const std::vector<int32_t>& indices, StagedRow values) {
  StagedRow& row = rows_[key];
  if (row.size() < types_.size()) row.resize(types_.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    KeptTensor& place = row[indices[i]];
    if (place.has_value()) continue;
    bytes_ += values[i].bytes();
    place = std::move(values[i]);
  }
}

int64_t StagingMap::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(rows_.size());
}

int64_t StagingMap::incomplete_size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(incomplete_.size());
}

void StagingMap::ClearLocked() {
  rows_.clear();
  incomplete_.clear();
  bytes_ = 0;
}

}  // namespace warpbeam
