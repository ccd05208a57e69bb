#include "ops/queue/queue.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"

namespace warpbeam {
namespace {

// Set while a step's cancellation callback runs on this thread. Taking other steps' callbacks back
// then could wait for a thread that waits for this one; left in place they find nothing to do.
thread_local bool in_cancellation = false;

std::string Names(const std::vector<DType>& types) {
  return absl::StrJoin(types, ", ",
                       [](std::string* out, DType t) { absl::StrAppend(out, DTypeName(t)); });
}

std::string Names(const std::vector<PartialShape>& shapes) {
  return absl::StrCat("[",
                      absl::StrJoin(shapes, ", ",
                                    [](std::string* out, const PartialShape& s) {
                                      absl::StrAppend(out, s.ToString());
                                    }),
                      "]");
}

// `skip` leading extents of `shape` are not a row's.
bool Fits(const PartialShape& wanted, const Shape& shape, int skip) {
  if (!wanted.has_rank()) return true;
  if (wanted.rank() + skip != shape.rank()) return false;
  for (int i = 0; i < wanted.rank(); ++i) {
    if (wanted.dim(i) >= 0 && wanted.dim(i) != shape.dim(i + skip)) return false;
  }
  return true;
}

}  // namespace

std::string Queue::DebugString() const {
  return absl::StrCat("the ", spec_.kind, " '", spec_.name, "'");
}

Status Queue::CheckSame(const QueueSpec& spec) const {
  const auto differs = [&](const char* what, const auto& has, const auto& wanted) {
    return InvalidArgument("Shared queue '", spec_.name, "' has ", what, " ", has,
                           " but requested ", what, " was ", wanted);
  };
  if (spec.kind != spec_.kind) return differs("type", spec_.kind, spec.kind);
  if (spec.capacity != spec_.capacity) return differs("capacity", spec_.capacity, spec.capacity);
  if (spec.types != spec_.types) {
    return differs("component types", Names(spec_.types), Names(spec.types));
  }
  if (spec.shapes != spec_.shapes) {
    return differs("component shapes", Names(spec_.shapes), Names(spec.shapes));
  }
  if (spec.min_after_dequeue != spec_.min_after_dequeue) {
    return differs("min_after_dequeue", spec_.min_after_dequeue, spec.min_after_dequeue);
  }
  // A queue that was asked for without seeds draws some; asked for again, any will do.
  if ((spec.seed != 0 || spec.seed2 != 0) &&
      (spec.seed != spec_.seed || spec.seed2 != spec_.seed2)) {
    return differs("random seeds", absl::StrCat("(", spec_.seed, ", ", spec_.seed2, ")"),
                   absl::StrCat("(", spec.seed, ", ", spec.seed2, ")"));
  }
  return OkStatus();
}

Status Queue::CheckTypes(const DType* types, int count) const {
  if (count != static_cast<int>(spec_.types.size())) {
    return InvalidArgument(DebugString(), " has ", spec_.types.size(), " components, not ", count);
  }
  for (int i = 0; i < count; ++i) {
    if (BaseType(types[i]) != spec_.types[i]) return TypeMismatch(i, BaseType(types[i]));
  }
  return OkStatus();
}

Status Queue::TypeMismatch(size_t component, DType type) const {
  return InvalidArgument("Type mismatch in tuple component ", component, ": ", DebugString(),
                         " holds ", DTypeName(spec_.types[component]), ", not ", DTypeName(type));
}

Status Queue::CheckRow(const Row& row) const {
  if (row.size() != spec_.types.size()) {
    return InvalidArgument(DebugString(), " has ", spec_.types.size(), " components, not ",
                           row.size());
  }
  for (size_t i = 0; i < row.size(); ++i) {
    if (row[i].dtype() != spec_.types[i]) return TypeMismatch(i, row[i].dtype());
    if (!spec_.shapes.empty() && !Fits(spec_.shapes[i], row[i].shape(), 0)) {
      return InvalidArgument("Shape mismatch in tuple component ", i, ". Expected ",
                             spec_.shapes[i].ToString(), ", got ", row[i].shape().ToString());
    }
  }
  return OkStatus();
}

Status Queue::CheckBatch(const Row& batch) const {
  if (batch.size() != spec_.types.size()) {
    return InvalidArgument(DebugString(), " has ", spec_.types.size(), " components, not ",
                           batch.size());
  }
  for (size_t i = 0; i < batch.size(); ++i) {
    if (batch[i].dtype() != spec_.types[i]) return TypeMismatch(i, batch[i].dtype());
    if (batch[i].rank() == 0) {
      return InvalidArgument("Tuple component ", i,
                             " must have a first dimension that counts elements, it is a scalar");
    }
    if (!spec_.shapes.empty() && !Fits(spec_.shapes[i], batch[i].shape(), 1)) {
      std::vector<int64_t> expected = {batch[i].dim(0)};
      const std::vector<int64_t> element = spec_.shapes[i].dims();
      expected.insert(expected.end(), element.begin(), element.end());
      return InvalidArgument("Shape mismatch in tuple component ", i, ". Expected ",
                             PartialShape(expected).ToString(), ", got ",
                             batch[i].shape().ToString());
    }
    if (batch[i].dim(0) != batch[0].dim(0)) {
      return InvalidArgument(
          "All input tensors must have the same size in the 0th dimension. Component ", i, " has ",
          batch[i].dim(0), ", and should have ", batch[0].dim(0));
    }
  }
  return OkStatus();
}

Status Queue::ClosedError() const {
  return Cancelled(spec_.kind, " '", spec_.name, "' is closed.");
}

bool Queue::TryPut(Row* row) {
  Line served;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (closed_ || !puts_.empty() || stored() >= spec_.capacity) return false;
    Insert(std::move(*row));
    if (takes_.empty()) return true;
    Serve(&served);
  }
  Finish(std::move(served));
  return true;
}

bool Queue::TryTake(Row* row) {
  Line served;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!takes_.empty() || TakeableLocked() <= 0) return false;
    *row = Remove();
    if (puts_.empty()) return true;
    Serve(&served);
  }
  Finish(std::move(served));
  return true;
}

void Queue::Put(StepContext* step, Rows rows, Finished finished) {
  if (rows.empty()) return finished(OkStatus(), {});
  Attempt a{Attempt::Kind::kPut};
  a.step = step;
  a.rows = std::move(rows);
  a.finished = std::move(finished);
  Join(std::move(a));
}

void Queue::Take(StepContext* step, int64_t count, bool up_to, Finished finished) {
  if (count <= 0) return finished(OkStatus(), {});
  Attempt a{Attempt::Kind::kTake};
  a.step = step;
  a.count = count;
  a.up_to = up_to;
  a.finished = std::move(finished);
  Join(std::move(a));
}

void Queue::Close(StepContext* step, bool cancel_puts, std::function<void(Status)> done) {
  if (!cancel_puts) {
    Attempt a{Attempt::Kind::kClose};
    a.step = step;
    a.finished = [done = std::move(done)](Status s, Rows) { done(std::move(s)); };
    return Join(std::move(a));
  }
  Line served;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    while (!puts_.empty()) {
      MoveTo(&served, puts_, puts_.begin(), Cancelled("Enqueue operation was cancelled"));
    }
    Serve(&served);
  }
  Finish(std::move(served));
  done(OkStatus());
}

void Queue::Return(Rows rows) {
  Line served;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    GiveBack(std::move(rows));
    Serve(&served);
  }
  Finish(std::move(served));
}

int64_t Queue::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return stored();
}

bool Queue::is_closed() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return closed_;
}

// The last in its line, served as far as that goes. One that has to stay is withdrawn when its step
// is cancelled.
void Queue::Join(Attempt attempt) {
  Line served;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const uint64_t id = next_id_++;
    attempt.id = id;
    StepContext* const step = attempt.step;
    Line& line = attempt.kind == Attempt::Kind::kTake ? takes_ : puts_;
    line.push_back(std::move(attempt));
    Serve(&served);
    if (step != nullptr && !line.empty() && line.back().id == id) {
      line.back().token = step->OnCancel([queue = shared_from_this(), id] {
        const bool outer = std::exchange(in_cancellation, true);
        queue->Withdraw(id);
        in_cancellation = outer;
      });
      if (line.back().token == StepContext::kAlreadyCancelled) {
        MoveTo(&served, line, std::prev(line.end()), Cancelled("the step has been cancelled"));
        Serve(&served);
      }
    }
  }
  Finish(std::move(served));
}

void Queue::Withdraw(uint64_t id) {
  Line served;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (Line* line : {&puts_, &takes_}) {
      for (auto a = line->begin(); a != line->end(); ++a) {
        if (a->id != id) continue;
        MoveTo(&served, *line, a,
               Cancelled(line == &puts_ ? "Enqueue" : "Dequeue", " operation was cancelled"));
        Serve(&served);
        break;
      }
      if (!served.empty()) break;
    }
  }
  Finish(std::move(served));
}

void Queue::MoveTo(Line* served, Line& line, Line::iterator a, Status status) {
  if (!status.ok()) {
    Rows rows = std::exchange(a->rows, {});
    if (a->kind == Attempt::Kind::kTake && !rows.empty()) GiveBack(std::move(rows));
  }
  a->status = std::move(status);
  served->splice(served->end(), line, a);
}

// Until neither line gets any further.
void Queue::Serve(Line* served) {
  bool progress = true;
  while (progress) {
    progress = ServeLine(puts_, served);
    progress |= ServeLine(takes_, served);
  }
}

bool Queue::ServeLine(Line& line, Line* served) {
  bool progress = false;
  while (!line.empty()) {
    Attempt& a = line.front();
    const bool is_done =
        a.kind == Attempt::Kind::kTake ? ServeTake(a, &progress) : ServePut(a, &progress);
    if (!is_done) break;
    progress = true;
    MoveTo(served, line, line.begin(), std::exchange(a.status, OkStatus()));
  }
  return progress;
}

bool Queue::ServePut(Attempt& a, bool* progress) {
  if (a.kind == Attempt::Kind::kClose) {
    if (closed_) a.status = Cancelled("Queue '", spec_.name, "' is already closed.");
    closed_ = true;
    return true;
  }
  if (closed_) {
    a.status = ClosedError();
    return true;
  }
  for (; a.next < a.rows.size() && stored() < spec_.capacity; ++a.next) {
    Insert(std::move(a.rows[a.next]));
    *progress = true;
  }
  if (a.next < a.rows.size()) return false;
  a.rows.clear();
  return true;
}

bool Queue::ServeTake(Attempt& a, bool* progress) {
  const auto missing = [&a] { return a.count - static_cast<int64_t>(a.rows.size()); };
  if (closed_ && stored() < missing()) {
    if (!a.rows.empty()) GiveBack(std::exchange(a.rows, {}));
    if (!a.up_to || stored() == 0) {
      a.status = OutOfRange(spec_.kind, " '", spec_.name,
                            "' is closed and has insufficient elements (requested ", a.count,
                            ", current size ", stored(), ")");
      return true;
    }
    a.count = std::min(a.count, stored());
  }
  if (TakesAtOnce() && !closed_ && a.rows.empty() && stored() < std::min(a.count, spec_.capacity)) {
    return false;
  }
  for (int64_t n = std::min(TakeableLocked(), missing()); n > 0; --n) {
    a.rows.push_back(Remove());
    *progress = true;
  }
  return missing() == 0;
}

void Queue::Finish(Line served) {
  for (Attempt& a : served) {
    if (a.token != StepContext::kAlreadyCancelled && !in_cancellation) {
      a.step->RemoveCallback(a.token);
    }
    a.finished(std::move(a.status), std::move(a.rows));
  }
}

}  // namespace warpbeam
