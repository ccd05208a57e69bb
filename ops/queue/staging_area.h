// StagingArea: rows of tensors that wait between two steps, first in, first out; StagingMap: the
// same by key, where a row's tensors may come and go one by one.
//
//   area->Attempt(step, {StagingArea::kPut, bytes},
//                 [area, row](Status* s) { return area->PutLocked(row.get(), s); }, done);
//
// Limits: a number of whole rows and a number of bytes; 0 is none. Methods ending in Locked are for
// attempts (waiting_resource.h): false means that one has to wait.
//
// Thread safety: any thread. Errors: RESOURCE_EXHAUSTED for a row larger than the memory limit;
// INVALID_ARGUMENT for tensors that are not where they are looked for.
#ifndef WARPBEAM_OPS_QUEUE_STAGING_AREA_H_
#define WARPBEAM_OPS_QUEUE_STAGING_AREA_H_

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "ops/state/kept_tensor.h"
#include "runtime/comm/waiting_resource.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// What the attributes of all these ops say.
struct StagingSpec {
  std::string container;
  std::string name;
  int64_t capacity = 0;
  int64_t memory_limit = 0;
  std::vector<DType> types;

  static StatusOr<StagingSpec> Read(const KernelInit& init);
};

// Each in the memory of the device that staged it.
using StagedRow = std::vector<KeptTensor>;
size_t BytesOf(const StagedRow& row);

class StagingArea final : public WaitingResource {
 public:
  explicit StagingArea(StagingSpec spec) : spec_(std::move(spec)) {}
  std::string DebugString() const override { return "the staging area " + spec_.name; }

  // Kinds of attempts, which wait for the same: rows of so many bytes for room, those who take for
  // a row, those who peek for one of a number.
  enum Wait { kPut, kTake, kPeek };

  bool PutLocked(StagedRow* row, Status* status);
  bool TakeLocked(StagedRow* row);
  // Undoes a taking.
  void ReturnLocked(StagedRow row);
  bool PeekLocked(int64_t index, StagedRow* row) const;
  int64_t size() const;
  void ClearLocked();

 private:
  const StagingSpec spec_;
  std::deque<StagedRow> rows_;
  size_t bytes_ = 0;
};

class StagingMap final : public WaitingResource {
 public:
  explicit StagingMap(StagingSpec spec) : spec_(std::move(spec)), types_(spec_.types) {}
  std::string DebugString() const override { return "the staging map " + spec_.name; }

  // `values[i]` becomes tensor `indices[i]` of the row `key`.
  bool PutLocked(int64_t key, const std::vector<int32_t>& indices, StagedRow* values,
                 const std::vector<DType>& types, Status* status);
  // Gives out parts of a row, or all of it; `take` removes what is given out.
  bool GetLocked(int64_t key, const std::vector<int32_t>& indices, bool take, StagedRow* values,
                 Status* status);
  // The row with the least key.
  bool TakeAnyLocked(const std::vector<int32_t>& indices, int64_t* key, StagedRow* values,
                     Status* status);
  // Undoes a taking; a row that has come under the key since stays as it is.
  void ReturnLocked(int64_t key, const std::vector<int32_t>& indices, StagedRow values);
  int64_t size() const;
  int64_t incomplete_size() const;
  void ClearLocked();

 private:
  Status CheckPut(int64_t key, const std::vector<int32_t>& indices, const StagedRow& values) const;

  const StagingSpec spec_;
  std::vector<DType> types_;                 // of a row
  std::map<int64_t, StagedRow> rows_;        // whole ones; removed tensors have no value
  std::map<int64_t, StagedRow> incomplete_;  // missing tensors have no value
  size_t bytes_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_QUEUE_STAGING_AREA_H_
