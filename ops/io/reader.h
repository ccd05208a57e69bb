// Reader: records out of files whose names come from a queue, as TensorFlow's Reader ops read them.
//
// A name in the queue is a unit of work. A read that finds no file open takes the next name,
// waiting for it without a thread; several reads may wait at once, and a name that comes while
// another file is still being read waits for its turn.
//
//   reader->ReadAsync(queue, step, 1, [](Status s, Reader::Records records) { … });
//
// Ownership: the session's ResourceStore, and reads while they run. Thread safety: any thread;
// files are read one after the other. Errors: those of the file, naming it; OUT_OF_RANGE when the
// queue is closed and all files have been read; CANCELLED with the step.
#ifndef WARPBEAM_OPS_IO_READER_H_
#define WARPBEAM_OPS_IO_READER_H_

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "graph/op/shape_context.h"
#include "ops/queue/named_resource.h"
#include "ops/queue/queue.h"

namespace warpbeam {

// The records of one file, front to back.
class WorkUnit {
 public:
  virtual ~WorkUnit() = default;
  // Sets key and value to the next record's; false at the end.
  virtual StatusOr<bool> Next(std::string* key, std::string* value) = 0;
};

class Reader final : public Resource, public std::enable_shared_from_this<Reader> {
 public:
  struct Record {
    std::string key;
    std::string value;
  };
  using Records = std::vector<Record>;
  using Done = std::function<void(Status status, Records records)>;
  using Open = std::function<StatusOr<std::unique_ptr<WorkUnit>>(const std::string& work)>;

  // `saves_state`: a unit of work is one record, so that counters are all the state there is.
  Reader(std::string name, const char* kind, Open open, bool saves_state)
      : name_(std::move(name)), kind_(kind), open_(std::move(open)), saves_state_(saves_state) {}
  std::string DebugString() const override { return "the reader '" + name_ + "'"; }

  // At least one record and at most `count`, all of one file. `queue` holds scalar strings.
  void ReadAsync(std::shared_ptr<Queue> queue, StepContext* step, int64_t count, Done done);

  int64_t records_produced() const;
  int64_t work_units_completed() const;
  // As if nothing had been read. FAILED_PRECONDITION is impossible: an open file is left.
  void Reset();
  // A serialized tensorflow.ReaderBaseState; UNIMPLEMENTED for readers that stand inside a file.
  StatusOr<std::string> Serialize() const;
  Status Restore(const std::string& state);

 private:
  Status ReadLocked(int64_t count, Records* records);
  Status StartLocked();
  void FinishLocked();
  Status CheckSavesState() const;

  const std::string name_;
  const char* const kind_;  // for messages
  const Open open_;
  const bool saves_state_;
  mutable std::mutex mutex_;
  std::deque<std::string> to_do_;  // names taken from the queue
  std::unique_ptr<WorkUnit> unit_;
  std::string work_;  // the last file that was begun
  int64_t work_started_ = 0;
  int64_t work_finished_ = 0;
  int64_t records_produced_ = 0;
};

// The kernel of an op that makes a reader.
class ReaderKernel : public NamedResourceKernel<Reader> {
 protected:
  Status InitNames(KernelInit& init, const char* type_name) {
    shown_name_ = init.attrs.GetOr<std::string>("shared_name", "");
    if (shown_name_.empty()) shown_name_ = init.node_name;
    return NamedResourceKernel::InitNames(init, type_name);
  }
  // Called once, after the attributes have been read.
  virtual Reader::Open OpenFunction() const = 0;
  virtual bool SavesState() const { return false; }
  virtual const char* Kind() const { return "reader of another kind"; }

 private:
  StatusOr<std::shared_ptr<Reader>> Make(const std::string&) final {
    return std::make_shared<Reader>(shown_name_, Kind(), OpenFunction(), SavesState());
  }

  std::string shown_name_;  // for messages: as the graph has it
};

// The shape of a reader's handle, of either kind.
Status ReaderHandleShape(ShapeContext& c);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_IO_READER_H_
