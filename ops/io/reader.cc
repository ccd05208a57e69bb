#include "ops/io/reader.h"

#include <utility>

#include "ops/parsing/wire_reader.h"

namespace warpbeam {
namespace {

void AppendVarint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

// Fields that are zero are left out, as in every proto3 message.
void AppendField(uint32_t field, int64_t value, std::string* out) {
  if (value == 0) return;
  AppendVarint(VarintTag(field), out);
  AppendVarint(static_cast<uint64_t>(value), out);
}

}  // namespace

void Reader::ReadAsync(std::shared_ptr<Queue> queue, StepContext* step, int64_t count, Done done) {
  for (;;) {
    Records records;
    Status status;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      status = ReadLocked(count, &records);
    }
    if (!status.ok() || !records.empty()) return done(std::move(status), std::move(records));
    Queue::Row row;
    if (!queue->TryTake(&row)) break;
    std::lock_guard<std::mutex> lock(mutex_);
    to_do_.push_back(row[0].scalar<std::string>());
  }
  Queue& source = *queue;
  source.Take(step, 1, /*up_to=*/false,
              [self = shared_from_this(), queue = std::move(queue), step, count,
               done = std::move(done)](Status s, Queue::Rows rows) mutable {
                {
                  std::lock_guard<std::mutex> lock(self->mutex_);
                  if (s.ok()) {
                    self->to_do_.push_back(rows[0][0].scalar<std::string>());
                  } else if (!IsOutOfRange(s) || (self->unit_ == nullptr && self->to_do_.empty())) {
                    // Else what another read took last is still to be read from.
                    rows.clear();
                  } else {
                    s = OkStatus();
                  }
                }
                if (!s.ok()) return done(std::move(s), {});
                self->ReadAsync(std::move(queue), step, count, std::move(done));
              });
}

// Nothing in `records` without an error: there is no work.
Status Reader::ReadLocked(int64_t count, Records* records) {
  while (unit_ != nullptr || !to_do_.empty()) {
    if (unit_ == nullptr) WB_RETURN_IF_ERROR(StartLocked());
    while (static_cast<int64_t>(records->size()) < count) {
      Record record;
      StatusOr<bool> more = unit_->Next(&record.key, &record.value);
      if (!more.ok()) {
        FinishLocked();
        // What was read before the damage is given out first; the rest of the file is left.
        if (!records->empty()) return OkStatus();
        return more.status();
      }
      if (!*more) {
        FinishLocked();
        break;
      }
      ++records_produced_;
      records->push_back(std::move(record));
      if (saves_state_) {  // the unit was one record
        FinishLocked();
        break;
      }
    }
    if (!records->empty()) return OkStatus();
  }
  return OkStatus();
}

Status Reader::StartLocked() {
  work_ = std::move(to_do_.front());
  to_do_.pop_front();
  ++work_started_;
  StatusOr<std::unique_ptr<WorkUnit>> unit = open_(work_);
  if (!unit.ok()) {
    ++work_finished_;
    return unit.status();
  }
  unit_ = *std::move(unit);
  return OkStatus();
}

void Reader::FinishLocked() {
  unit_ = nullptr;
  ++work_finished_;
}

int64_t Reader::records_produced() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return records_produced_;
}

int64_t Reader::work_units_completed() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return work_finished_;
}

void Reader::Reset() {
  std::lock_guard<std::mutex> lock(mutex_);
  unit_ = nullptr;
  to_do_.clear();
  work_.clear();
  work_started_ = work_finished_ = records_produced_ = 0;
}

Status Reader::CheckSavesState() const {
  if (saves_state_) return OkStatus();
  return Unimplemented("only IdentityReader and WholeFileReader save and restore their state; '",
                       name_, "' is a ", kind_);
}

StatusOr<std::string> Reader::Serialize() const {
  WB_RETURN_IF_ERROR(CheckSavesState());
  std::lock_guard<std::mutex> lock(mutex_);
  std::string state;
  AppendField(1, work_started_, &state);
  AppendField(2, work_finished_, &state);
  AppendField(3, records_produced_, &state);
  if (!work_.empty()) {
    AppendVarint(DelimitedTag(4), &state);
    AppendVarint(work_.size(), &state);
    state += work_;
  }
  return state;
}

Status Reader::Restore(const std::string& state) {
  WB_RETURN_IF_ERROR(CheckSavesState());
  const auto malformed = [&] {
    return InvalidArgument("Could not parse state for ", kind_, " '", name_, "': ", state.size(),
                           " bytes");
  };
  int64_t counters[3] = {0, 0, 0};
  std::string work;
  WireReader wire(state);
  uint32_t tag;
  while (wire.ReadTag(&tag)) {
    if (tag == VarintTag(1) || tag == VarintTag(2) || tag == VarintTag(3)) {
      uint64_t value;
      if (!wire.ReadVarint(&value)) return malformed();
      counters[(tag >> 3) - 1] = static_cast<int64_t>(value);
    } else if (tag == DelimitedTag(4)) {
      absl::string_view value;
      if (!wire.ReadBytes(&value)) return malformed();
      work.assign(value.data(), value.size());
    } else if (!wire.Skip(tag)) {
      return malformed();
    }
  }
  if (!wire.AtEnd()) return malformed();
  const auto [started, finished, produced] = counters;
  if (started < 0 || finished < 0 || produced < 0 || started > 1 + finished || finished > started) {
    return InvalidArgument("Could not parse state for ", kind_, " '", name_,
                           "': it has counters that fit no reader: ", started, " units begun, ",
                           finished, " completed, ", produced, " records");
  }
  std::unique_ptr<WorkUnit> unit;
  if (started > finished) {
    WB_ASSIGN_OR_RETURN(unit, open_(work));
  }
  std::lock_guard<std::mutex> lock(mutex_);
  unit_ = std::move(unit);
  to_do_.clear();
  work_ = std::move(work);
  work_started_ = started;
  work_finished_ = finished;
  records_produced_ = produced;
  return OkStatus();
}

Status ReaderHandleShape(ShapeContext& c) {
  c.set_output(0, c.schema().outputs[0].is_ref ? PartialShape({2}) : PartialShape(Shape()));
  return OkStatus();
}

}  // namespace warpbeam
