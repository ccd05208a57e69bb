// InstanceRecords: what the leader of a group with members on TensorFlow's tasks knows of the
// group's collectives: what they are, once and for all steps, and who the source of each broadcast
// is. Members ask before they first execute one; TensorFlow's never ask again.
//
//   InstanceRecords records(/*group=*/1, /*size=*/2);
//   records.Complete({0, instance}, terms, [](const Status& status, int source) { … });
//
// Members of a broadcast wait for all others, those of anything else for nobody. Members that do
// not agree are an error for all that have not been answered; when all have been, they may try
// again.
//
// Ownership: what is to be called is held until it was. Thread safety: any thread; it is called
// without a lock. Errors: INVALID_ARGUMENT for shapes that differ, INTERNAL for other differences
// and broadcasts of no source, or of two, in TensorFlow's words; RESOURCE_EXHAUSTED.
#ifndef WARPBEAM_RUNTIME_DIST_COLLECTIVE_INSTANCE_RECORDS_H_
#define WARPBEAM_RUNTIME_DIST_COLLECTIVE_INSTANCE_RECORDS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph/types/dtype.h"
#include "graph/types/errors.h"
#include "graph/types/shape.h"

namespace warpbeam {

class InstanceRecords {
 public:
  using Key = std::pair<int64_t, int32_t>;  // step, or 0; instance
  struct Terms {
    int rank = 0;  // the member's
    std::string device;
    int kind = 0;  // CollectiveKind
    DType dtype = DType::kInvalid;
    Shape shape;
    bool is_source = false;
  };
  // `source`: the rank of the member that broadcasts; -1: none does.
  using Done = std::function<void(const Status& status, int source)>;

  InstanceRecords(int32_t group, int size) : group_(group), size_(size) {}
  ~InstanceRecords() { End(Cancelled("the group has ended")); }

  void Complete(const Key& key, Terms terms, Done done);
  void End(const Status& why);

 private:
  struct Record {
    Terms terms;  // of the first member
    int source = -1;
    std::set<int> known, answered;
    std::vector<std::pair<int, Done>> waiting;
    Status failed;
  };
  Status CheckLocked(const Key& key, const Terms& terms, Record* record) const;

  const int32_t group_;
  const int size_;
  std::mutex mutex_;  // of what follows
  std::map<Key, Record> records_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_COLLECTIVE_INSTANCE_RECORDS_H_
