#include "ops/queue/queue_kernel.h"

#include "ops/queue/named_resource.h"

namespace warpbeam {
namespace {

class QueueKernel final : public NamedResourceKernel<Queue> {
 public:
  QueueKernel(QueueSpec spec, QueueMaker make) : spec_(std::move(spec)), make_(make) {}
  Status Init(KernelInit& init) { return InitNames(init, "Queue"); }

 private:
  StatusOr<std::shared_ptr<Queue>> Make(const std::string& name) override {
    QueueSpec spec = spec_;
    spec.name = name;
    return make_(std::move(spec));
  }
  Status CheckFound(const Queue& queue) override { return queue.CheckSame(spec_); }

  const QueueSpec spec_;
  const QueueMaker make_;
};

Status ShapeOfHandle(ShapeContext& c, bool has_priority) {
  const bool is_reference = c.schema().outputs[0].is_ref;
  c.set_output(0, is_reference ? PartialShape({2}) : PartialShape(Shape()));
  WB_ASSIGN_OR_RETURN(const std::vector<DType> types,
                      c.attr<std::vector<DType>>("component_types"));
  WB_ASSIGN_OR_RETURN(const std::vector<PartialShape> shapes,
                      c.attr<std::vector<PartialShape>>("shapes"));
  if (!shapes.empty() && shapes.size() != types.size()) return OkStatus();
  HandleShapes components;
  if (has_priority) components.push_back({DType::kInt64, PartialShape(Shape())});
  for (size_t i = 0; i < types.size(); ++i) {
    components.push_back({types[i], shapes.empty() ? PartialShape() : shapes[i]});
  }
  c.set_output_handle(0, std::move(components));
  return OkStatus();
}

}  // namespace

StatusOr<QueueSpec> ReadQueueSpec(const KernelInit& init, const char* kind) {
  QueueSpec spec;
  spec.kind = kind;
  WB_ASSIGN_OR_RETURN(spec.types, init.attr<std::vector<DType>>("component_types"));
  WB_ASSIGN_OR_RETURN(spec.shapes, init.attr<std::vector<PartialShape>>("shapes"));
  WB_ASSIGN_OR_RETURN(spec.capacity, init.attr<int64_t>("capacity"));
  if (spec.capacity < 0) spec.capacity = QueueSpec::kUnbounded;
  if (!spec.shapes.empty() && spec.shapes.size() != spec.types.size()) {
    return InvalidArgument("Different number of component types: there are ", spec.types.size(),
                           " types and ", spec.shapes.size(), " shapes");
  }
  return spec;
}

Status CheckKnownShapes(const QueueSpec& spec) {
  for (const PartialShape& s : spec.shapes) {
    if (s.has_rank() && !s.IsFullyDefined()) {
      return InvalidArgument("the shapes of a ", spec.kind, "'s components must be known, not ",
                             s.ToString(), "; a PaddingFIFOQueue pads elements of other shapes");
    }
  }
  return OkStatus();
}

StatusOr<std::unique_ptr<Kernel>> NewQueueKernel(KernelInit& init, QueueSpec spec,
                                                 QueueMaker make) {
  auto kernel = std::make_unique<QueueKernel>(std::move(spec), make);
  WB_RETURN_IF_ERROR(kernel->Init(init));
  return kernel;
}

Status QueueHandleShape(ShapeContext& c) { return ShapeOfHandle(c, false); }
Status PriorityQueueHandleShape(ShapeContext& c) { return ShapeOfHandle(c, true); }

}  // namespace warpbeam
