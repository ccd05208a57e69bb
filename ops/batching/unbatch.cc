// Unbatch: gives each step its rows of a batch that one of them worked on (batch.cc).
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/batching/alarm.h"
#include "runtime/comm/waiting_resource.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

using Pieces = std::vector<std::pair<int64_t, Tensor>>;

class Unbatcher final : public WaitingResource {
 public:
  Unbatcher(std::string name, int64_t timeout_micros)
      : name_(std::move(name)), timeout_micros_(timeout_micros) {}
  std::string DebugString() const override { return absl::StrCat("unbatched '", name_, "'"); }
  void StartAlarm() {
    alarm_.Start([weak = weak_from_this()] {
      const auto self = std::static_pointer_cast<Unbatcher>(weak.lock());
      if (self != nullptr) self->Now([&] { return self->DropLate(); }).IgnoreError();
    });
  }

  // What one step brings and waits for.
  struct Request {
    int64_t id = 0;
    Pieces pieces;
    bool is_waiting = false;
    Alarm::Time deadline;
    Tensor result;
  };

  bool TryLocked(Request* request, Status* status) {
    if (TakeLocked(request)) return true;
    if (request->is_waiting) {
      if (Alarm::Clock::now() < request->deadline) return false;
      *status = DeadlineExceeded("Batched data did not arrive within timeout window.");
      return true;
    }
    *status = BringLocked(request);
    return !status->ok() || TakeLocked(request);
  }
  // Takes out the request of a step that does not wait any more.
  void Remove(const Request& request) {
    Now([&] {
      if (request.is_waiting) waiting_.erase(request.id);
      return OkStatus();
    }).IgnoreError();
  }

 private:
  struct Piece {
    Alarm::Time deadline;
    Tensor tensor;
  };

  bool TakeLocked(Request* request) {
    const auto piece = pieces_.find(request->id);
    if (piece == pieces_.end()) return false;
    request->result = std::move(piece->second.tensor);
    pieces_.erase(piece);
    return true;
  }

  Status BringLocked(Request* request) {
    request->deadline = Alarm::After(timeout_micros_);
    if (!waiting_.emplace(request->id, request->deadline).second) {
      return AlreadyExists("Multiple session runs with the same batch key.");
    }
    request->is_waiting = true;
    // Pieces are dropped too: whom they are for may have given up.
    WB_RETURN_IF_ERROR(alarm_.At(request->deadline));
    for (auto& [id, tensor] : request->pieces) {
      if (!pieces_.emplace(id, Piece{request->deadline, std::move(tensor)}).second) {
        return AlreadyExists("Multiple tensors returned for same batch key.");
      }
    }
    request->pieces.clear();
    return OkStatus();
  }

  // Attempts that waited too long end by themselves.
  Status DropLate() {
    const Alarm::Time now = Alarm::Clock::now();
    Alarm::Time next = Alarm::Time::max();
    for (auto piece = pieces_.begin(); piece != pieces_.end();) {
      const auto here = piece++;
      if (here->second.deadline <= now) {
        pieces_.erase(here);
      } else {
        next = std::min(next, here->second.deadline);
      }
    }
    for (const auto& [id, deadline] : waiting_) {
      if (deadline > now) next = std::min(next, deadline);
    }
    return next == Alarm::Time::max() ? OkStatus() : alarm_.At(next);
  }

  const std::string name_;
  const int64_t timeout_micros_;
  std::map<int64_t, Piece> pieces_;  // of steps that have not come yet
  std::map<int64_t, Alarm::Time> waiting_;
  Alarm alarm_;
};

StatusOr<Pieces> ReadPieces(const Tensor& batched, const Tensor& index) {
  if (batched.rank() < 1 || index.rank() != 2) {
    return InvalidArgument("the batched tensor must have rows and the index tensor be a matrix, ",
                           "but they are of the shapes ", batched.shape().ToString(), " and ",
                           index.shape().ToString());
  }
  if (index.dim(0) > batched.dim(0)) {
    return InvalidArgument(
        "Wrong shape for index tensor. Expected 0th dimension size to be no greater than ",
        batched.dim(0), "; Got: ", index.dim(0), ".");
  }
  if (index.dim(1) != 3) {
    return InvalidArgument(
        "Wrong shape for index tensor. Expected 1st dimension size to be 3 ; Got: ", index.dim(1),
        ".");
  }
  Pieces pieces;
  const int64_t* row = index.data<int64_t>();
  int64_t begin = 0;
  for (int64_t i = 0; i < index.dim(0); ++i, row += 3) {
    int64_t rows = 0;
    if (__builtin_sub_overflow(row[2], row[1], &rows) || rows < 0) {
      return InvalidArgument("the index tensor's row ", i, " has its end ", row[2],
                             " before its begin ", row[1]);
    }
    if (rows > batched.dim(0) - begin) {
      return InvalidArgument("Sum of split sizes must not exceed dim0-size of input tensor");
    }
    pieces.emplace_back(row[0], batched.Rows(begin, begin + rows));
    begin += rows;
  }
  return pieces;
}

class UnbatchKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<UnbatchKernel>();
    kernel->container_ = init.attrs.GetOr<std::string>("container", "");
    kernel->name_ = init.attrs.GetOr<std::string>("shared_name", "");
    if (kernel->name_.empty()) kernel->name_ = init.node_name;
    WB_ASSIGN_OR_RETURN(kernel->timeout_micros_, init.attr<int64_t>("timeout_micros"));
    return kernel;
  }

  void ComputeAsync(KernelContext& ctx, Done done) override {
    if (ctx.resources() == nullptr) {
      return done(FailedPrecondition("the step has no resource store"));
    }
    auto request = std::make_shared<Unbatcher::Request>();
    StatusOr<Pieces> pieces = ReadPieces(ctx.input(0), ctx.input(1));
    if (!pieces.ok()) return done(pieces.status());
    request->pieces = *std::move(pieces);
    if (ctx.input(2).num_elements() != 1) {
      return done(
          InvalidArgument("'id' must be a scalar, not of shape ", ctx.input(2).shape().ToString()));
    }
    request->id = ctx.input(2).data<int64_t>()[0];
    auto found = ctx.resources()->LookupOrCreate<Unbatcher>(
        container_, name_, [&]() -> StatusOr<std::shared_ptr<Unbatcher>> {
          auto unbatcher = std::make_shared<Unbatcher>(name_, timeout_micros_);
          unbatcher->StartAlarm();
          return unbatcher;
        });
    if (!found.ok()) return done(found.status());
    const std::shared_ptr<Unbatcher> unbatcher = *std::move(found);
    unbatcher->Attempt(
        ctx.step(),
        [unbatcher = unbatcher.get(), request](Status* status) {
          return unbatcher->TryLocked(request.get(), status);
        },
        [&ctx, unbatcher, request, done = std::move(done)](Status status) {
          unbatcher->Remove(*request);
          if (status.ok()) ctx.set_output(0, std::move(request->result));
          done(std::move(status));
        });
  }

 private:
  std::string container_, name_;
  int64_t timeout_micros_ = 0;
};

WB_OP("Unbatch")
    .Input("batched_tensor: T")
    .Input("batch_index: int64")
    .Input("id: int64")
    .Output("unbatched_tensor: T")
    .Attr("timeout_micros: int")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("T: type")
    .Shape(shapes::Unknown);
WB_KERNEL("Unbatch", UnbatchKernel).Cpu().Async().Unbounded();

}  // namespace
}  // namespace warpbeam
