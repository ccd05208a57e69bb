// UnbatchGrad: puts together what steps have for their rows of a batch, for the step that worked on
// the batch (batch.cc); the others get nothing.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/batching/concatenated_rows.h"
#include "runtime/comm/waiting_resource.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class UnbatchedGradients final : public WaitingResource {
 public:
  explicit UnbatchedGradients(std::string name) : name_(std::move(name)) {}
  std::string DebugString() const override { return absl::StrCat("gradients '", name_, "'"); }

  // What one step brings and waits for.
  struct Request {
    int64_t id = 0;
    Tensor gradient;
    std::vector<int64_t> wanted;  // empty: nothing
    bool has_brought = false;
    std::vector<Tensor> parts;
  };

  bool TryLocked(Request* request, Status* status) {
    if (!request->has_brought) {
      if (!gradients_.emplace(request->id, request->gradient).second) {
        *status = InvalidArgument("Two runs with the same batch key.");
        return true;
      }
      request->has_brought = true;
    }
    for (const int64_t id : request->wanted) {
      if (gradients_.count(id) == 0) return false;
    }
    for (const int64_t id : request->wanted) {
      const auto gradient = gradients_.find(id);
      if (gradient == gradients_.end()) {
        *status = InvalidArgument("the batch index holds the key ", id, " twice");
        return true;
      }
      request->parts.push_back(std::move(gradient->second));
      gradients_.erase(gradient);
    }
    return true;
  }
  // Takes out the request of a step that failed, so that nobody waits for it for ever.
  void Remove(const Request& request) {
    Now([&] {
      if (request.has_brought) gradients_.erase(request.id);
      return OkStatus();
    }).IgnoreError();
  }

 private:
  const std::string name_;
  std::map<int64_t, Tensor> gradients_;
};

Status ReadRequest(const KernelContext& ctx, UnbatchedGradients::Request* request) {
  const Tensor& original = ctx.input(0);
  const Tensor& index = ctx.input(1);
  request->gradient = ctx.input(2);
  if (ctx.input(3).num_elements() != 1) {
    return InvalidArgument("'id' must be a scalar, not of shape ", ctx.input(3).shape().ToString());
  }
  request->id = ctx.input(3).data<int64_t>()[0];
  if (request->gradient.rank() == 0) return InvalidArgument("the gradient has no rows");
  if (original.num_elements() == 0) return OkStatus();
  if (index.num_elements() == 0) {
    return InvalidArgument("batch_index is empty while the tensor isn't.");
  }
  if (index.rank() != 2 || index.dim(1) != 3) {
    return InvalidArgument("the index tensor must be a matrix of three columns, not of shape ",
                           index.shape().ToString());
  }
  for (int64_t i = 0; i < index.dim(0); ++i) {
    request->wanted.push_back(index.data<int64_t>()[3 * i]);
  }
  return OkStatus();
}

class UnbatchGradKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<UnbatchGradKernel>();
    kernel->container_ = init.attrs.GetOr<std::string>("container", "");
    kernel->name_ = init.attrs.GetOr<std::string>("shared_name", "");
    if (kernel->name_.empty()) kernel->name_ = init.node_name;
    return kernel;
  }

  void ComputeAsync(KernelContext& ctx, Done done) override {
    if (ctx.resources() == nullptr) {
      return done(FailedPrecondition("the step has no resource store"));
    }
    auto request = std::make_shared<UnbatchedGradients::Request>();
    const Status read = ReadRequest(ctx, request.get());
    if (!read.ok()) return done(read);
    auto found = ctx.resources()->LookupOrCreate<UnbatchedGradients>(
        container_, name_, [&]() -> StatusOr<std::shared_ptr<UnbatchedGradients>> {
          return std::make_shared<UnbatchedGradients>(name_);
        });
    if (!found.ok()) return done(found.status());
    const std::shared_ptr<UnbatchedGradients> gradients = *std::move(found);
    gradients->Attempt(
        ctx.step(),
        [gradients = gradients.get(), request](Status* status) {
          return gradients->TryLocked(request.get(), status);
        },
        [&ctx, gradients, request, done = std::move(done)](Status status) {
          if (status.ok()) {
            status = Write(ctx, *request);
          } else {
            gradients->Remove(*request);
          }
          done(std::move(status));
        });
  }

 private:
  static Status Write(KernelContext& ctx, const UnbatchedGradients::Request& request) {
    if (request.parts.empty()) {
      WB_ASSIGN_OR_RETURN(const Shape none, request.gradient.shape().WithDim(0, 0));
      return ctx.Allocate(0, none).status();
    }
    WB_ASSIGN_OR_RETURN(Tensor all, ConcatenatedRows(ctx, request.parts));
    ctx.set_output(0, std::move(all));
    return OkStatus();
  }

  std::string container_, name_;
};

WB_OP("UnbatchGrad")
    .Input("original_input: T")
    .Input("batch_index: int64")
    .Input("grad: T")
    .Input("id: int64")
    .Output("batched_grad: T")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("T: type")
    .Shape(shapes::Unknown);
WB_KERNEL("UnbatchGrad", UnbatchGradKernel).Cpu().Async().Unbounded();

}  // namespace
}  // namespace warpbeam
