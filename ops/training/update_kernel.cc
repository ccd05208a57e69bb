// The kernels of the CPU, schemas and shape functions of all update rules.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/scatter_rows.h"
#include "ops/training/update.h"
#include "ops/training/update_form.h"
#include "runtime/device/device.h"
#include "runtime/kernel/block_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam::host_pass {
namespace {

Status CheckCondition(const UpdateForm& form, int i, const Tensor& scalar, bool flag) {
  const char condition = form.conditions[i];
  if (condition == ' ') return OkStatus();
  double x = 0;
  WB_RETURN_IF_ERROR(DispatchTypes(FloatTypeList{}, scalar.dtype(), [&](auto tag) {
    x = static_cast<double>(static_cast<float>(scalar.scalar<typename decltype(tag)::type>()));
    return OkStatus();
  }));
  const bool zero_is_fine = condition != '>' || (form.rule.flag_allows_zero && flag);
  if (condition == '-' ? x <= 0 : zero_is_fine ? x >= 0 : x > 0) return OkStatus();
  return InvalidArgument("'", form.names[form.scalars[i]], "' must ",
                         condition == '-' ? "not be positive"
                         : zero_is_fine   ? "not be negative"
                                          : "be positive",
                         ", but is ", x);
}

Status CheckScalars(const UpdateForm& form, UpdateInputAt input, bool flag) {
  WB_RETURN_IF_ERROR(CheckScalarShapes(form, input));
  for (size_t i = 0; i < form.scalars.size(); ++i) {
    WB_RETURN_IF_ERROR(CheckCondition(form, static_cast<int>(i), input(form.scalars[i]), flag));
  }
  return OkStatus();
}

class UpdateKernel final : public Kernel, public BlockKernel {
 public:
  UpdateKernel(const UpdateForm& form, bool flag, std::vector<DType> input_types)
      : form_(form),
        flag_(flag),
        input_types_(std::move(input_types)),
        finders_(form.resource ? form.variables : 0),
        block_fn_(form.sparse ? nullptr : form.rule.find(input_types_[form.gradient]).on_cpu) {}

  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const UpdateForm* form, FormOf(init.schema.name));
    WB_ASSIGN_OR_RETURN(const bool flag, FlagOf(*form, init));
    return std::make_unique<UpdateKernel>(*form, flag, init.input_types);
  }

  int num_variables() const override { return form_.variables; }
  int picoseconds() const override { return 250 * form_.variables; }
  bool AcceptsInputs(Span<const Tensor* const> inputs) const override {
    return block_fn_ != nullptr &&
           CheckScalars(
               form_, [&](int i) -> const Tensor& { return *inputs[i]; }, flag_)
               .ok();
  }
  bool RunBlock(const BlockCall& block) const override {
    UpdateCall call;
    call.flag = flag_;
    for (const int i : form_.scalars) {
      call.scalars[call.num_scalars++] = {block.inputs[i], input_types_[i]};
    }
    for (int i = 0; i < form_.variables; ++i) {
      call.from[i] = block.inputs[i];
      call.to[i] = block.outputs[i];
    }
    call.gradient = block.inputs[form_.gradient];
    block_fn_(call, 0, block.count);
    return true;
  }

  Status Compute(KernelContext& ctx) override {
    return WithUpdateValues(ctx, form_, finders_,
                            [&](const UpdateValues& values) { return UpdateLocked(ctx, values); });
  }

 private:
  Status UpdateLocked(KernelContext& ctx, const UpdateValues& values) {
    const Tensor &gradient = ctx.input(form_.gradient), &first = values[0];
    WB_RETURN_IF_ERROR(CheckScalars(
        form_, [&](int i) -> const Tensor& { return ctx.input(i); }, flag_));
    WB_RETURN_IF_ERROR(CheckGradient(ctx, form_, first));
    std::vector<int64_t> rows;
    if (form_.sparse) {
      WB_ASSIGN_OR_RETURN(rows, CheckRows(ctx.input(form_.indices), first.dim(0)));
    }
    const UpdateFn fn = form_.rule.find(first.dtype()).on_cpu;
    if (fn == nullptr) return warpbeam::internal::UnsupportedDType(first.dtype());
    if (gradient.num_elements() == 0) return OkStatus();

    std::array<Tensor, kMostVariables> copies;  // of values that must stay as they are
    WB_RETURN_IF_ERROR(MakeRoom(ctx, values, &copies));
    UpdateCall call;
    call.flag = flag_;
    for (const int i : form_.scalars) {
      call.scalars[call.num_scalars++] = {ctx.input(i).raw_data(), ctx.input(i).dtype()};
    }
    for (int i = 0; i < form_.variables; ++i) {
      Tensor &value = values[i], &copy = copies[values.place[i]];
      call.from[i] = value.raw_data();
      call.to[i] = copy.has_value() ? copy.raw_data() : value.raw_data();
    }
    call.gradient = gradient.raw_data();
    if (form_.sparse) {
      RunSparse(ctx, fn, rows, gradient, &call);
    } else {
      RunDense(ctx, fn, gradient, call);
    }
    for (size_t i = 0; i < values.distinct.size(); ++i) {
      if (copies[i].has_value()) *values.distinct[i] = std::move(copies[i]);
    }
    return OkStatus();
  }

  // A dense update writes every element, so what is held elsewhere needs no copy of its bytes.
  Status MakeRoom(KernelContext& ctx, const UpdateValues& values,
                  std::array<Tensor, kMostVariables>* copies) const {
    for (size_t i = 0; i < values.distinct.size(); ++i) {
      Tensor& value = *values.distinct[i];
      if (form_.sparse || value.IsUnique()) {
        WB_RETURN_IF_ERROR(ctx.MakeWritable(value));
        continue;
      }
      WB_ASSIGN_OR_RETURN((*copies)[i], ctx.AllocateTemp(value.dtype(), value.shape()));
      if (ctx.device() != nullptr) {
        value.set_raw_data(ctx.device()->ToKernelAddress(value.raw_data()));
      }
    }
    return OkStatus();
  }

  void RunDense(KernelContext& ctx, UpdateFn fn, const Tensor& gradient,
                const UpdateCall& call) const {
    constexpr int64_t kBlock = 4096;
    const int64_t count = gradient.num_elements();
    const auto bytes = static_cast<int64_t>(DTypeSize(gradient.dtype())) * form_.variables;
    ctx.ParallelFor((count + kBlock - 1) / kBlock, kBlock * bytes / 8,
                    [&](int64_t begin, int64_t end) {
                      fn(call, begin * kBlock, std::min(count, end * kBlock));
                    });
  }

  void RunSparse(KernelContext& ctx, UpdateFn fn, const std::vector<int64_t>& rows,
                 const Tensor& gradient, UpdateCall* call) const {
    call->rows = rows.data();
    call->num_rows = static_cast<int64_t>(rows.size());
    call->row_size = gradient.num_elements() / call->num_rows;
    // Every part looks at all indices: few parts, and only where rows are much.
    const auto bytes = static_cast<int64_t>(gradient.bytes()) * form_.variables;
    call->parts = std::max<int64_t>(1, std::min<int64_t>(ctx.width(), bytes >> 16));
    ctx.ParallelFor(call->parts, bytes / 4 / call->parts,
                    [&](int64_t begin, int64_t end) { fn(*call, begin, end); });
  }

  const UpdateForm& form_;
  const bool flag_;
  const std::vector<DType> input_types_;
  std::vector<VariableFinder> finders_;
  const UpdateFn block_fn_;  // of dense updates
};

// What is known of the updated variable's shape.
StatusOr<PartialShape> UpdatedShape(const UpdateForm& form, ShapeContext& c) {
  PartialShape shape;
  for (int i = 0; i < form.variables; ++i) {
    PartialShape one = c.input(i);
    if (form.resource) {
      const HandleShapes& handle = c.input_handle(i);
      one = handle.empty() ? PartialShape() : handle[0].shape;
    }
    WB_ASSIGN_OR_RETURN(shape, PartialShape::Merge(shape, one));
  }
  for (const int i : form.scalars) WB_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  const PartialShape& gradient = c.input(form.gradient);
  if (!form.sparse) return PartialShape::Merge(shape, gradient);
  WB_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(form.indices, 1));
  if (!gradient.has_rank()) return shape;
  WB_RETURN_IF_ERROR(c.WithRankAtLeast(form.gradient, 1).status());
  WB_RETURN_IF_ERROR(
      PartialShape::Merge(PartialShape({indices.dim(0)}), PartialShape({gradient.dim(0)}))
          .status());
  PartialShape trailing = gradient;
  trailing.set_dim(0, -1);
  return PartialShape::Merge(shape, trailing);
}

constexpr absl::string_view kNumberAttr =
    "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
    "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}";

OpSchemaBuilder MakeSchema(const UpdateForm& form, const char* library) {
  OpSchemaBuilder schema(form.op, library);
  for (int i = 0; i < static_cast<int>(form.names.size()); ++i) {
    const bool variable = i < form.variables;
    schema.Input(absl::StrCat(form.names[i], ": ",
                              variable            ? form.resource ? "resource" : "Ref(T)"
                              : i == form.indices ? "Tindices"
                              : form.names[i] == "global_step" ? "int64"
                                                               : "T"));
  }
  if (!form.resource) schema.Output("out: Ref(T)");
  schema.Attr(kNumberAttr);
  if (form.sparse) schema.Attr("Tindices: {int32, int64}");
  schema.Attr("use_locking: bool = false");
  if (!form.attr.empty()) schema.Attr(form.rule.attr);
  if (form.resource) schema.Stateful();
  const UpdateForm* kept = &form;
  schema.Shape([kept](ShapeContext& c) -> Status {
    WB_ASSIGN_OR_RETURN(PartialShape shape, UpdatedShape(*kept, c));
    if (!kept->resource) c.set_output(0, std::move(shape));
    return OkStatus();
  });
  return schema;
}

void Register(const UpdateForm& form, const char* library) {
  const OpRegistration schema(MakeSchema(form, library));
  KernelDeclBuilder kernel(form.op, &UpdateKernel::Create);
  const auto types = [&](TypeSet set) {
    TypeConstraints constraints = {{"T", set}};
    if (form.sparse) {
      constraints.push_back({"Tindices", TypeSet{DType::kInt32, DType::kInt64}});
    }
    return constraints;
  };
  kernel.Cpu(types(form.sparse ? form.rule.sparse_cpu : form.rule.cpu));
  const TypeSet gpu = form.sparse ? form.rule.sparse_gpu : form.rule.gpu;
  if (!gpu.empty()) {
    kernel.Gpu(types(gpu));
    if (form.resource && !form.sparse) {
      kernel.HostMemory({form.names.begin(), form.names.begin() + form.variables});
    }
  }
  const KernelRegistration registration(kernel);
  if (!gpu.empty()) RegisterUpdateOnGpu(form);
}

}  // namespace

UpdateOps::UpdateOps(const UpdateRule& rule, const char* library) {
  for (const bool sparse : {false, true}) {
    for (const bool resource : {false, true}) {
      const TypeSet types = sparse ? rule.sparse_cpu : rule.cpu;
      if (types.empty() || (!resource && !rule.has_ref)) continue;
      Register(KeepForm(MakeForm(rule, resource, sparse)), library);
    }
  }
}

}  // namespace warpbeam::host_pass
