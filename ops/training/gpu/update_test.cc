// The update ops on simulated GPUs leave in their variables what they leave on the CPU.
#include <complex>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/types/testing/tensor_compare.h"
#include "gtest/gtest.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/launch/op_runner.h"
#include "ops/state/testing/variable_op_check.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Complex numbers get imaginary parts as well, a quarter of the real ones.
Tensor Cast(const Tensor& x, DType dtype) {
  auto cast = OpRunner("Cast").Attr("DstT", dtype).Input(x).RunOne();
  if (cast.ok() && dtype == DType::kComplex64) {
    const auto turn = Tensor::Scalar(std::complex<float>(1, 0.25f));
    cast = OpRunner("Mul").Input(*cast).Input(turn).RunOne();
  } else if (cast.ok() && dtype == DType::kComplex128) {
    const auto turn = Tensor::Scalar(std::complex<double>(1, 0.25));
    cast = OpRunner("Mul").Input(*cast).Input(turn).RunOne();
  }
  EXPECT_TRUE(cast.ok()) << cast.status();
  return cast.ok() ? *cast : Tensor();
}

// Between 0.5 and 2.1 times `scale`; other ones for each `seed`.
Tensor Values(const Shape& shape, DType dtype, int seed, double scale) {
  std::vector<double> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = scale * (0.5 + static_cast<double>((i * 37 + seed * 29) % 101) / 64);
  }
  return Cast(Tensor::FromValues<double>(shape, values), dtype);
}

double ScalarOf(const std::string& name) {
  static const auto* const scalars = new std::map<std::string, double>{
      {"lr", 0.125},        {"alpha", 0.125},  {"beta1_power", 0.75}, {"beta2_power", 0.875},
      {"beta1", 0.875},     {"beta2", 0.75},   {"epsilon", 0.0625},   {"rho", 0.875},
      {"momentum", 0.75},   {"l1", 0.03125},   {"l2", 0.0625},        {"l2_shrinkage", 0.125},
      {"lr_power", -0.625}, {"logbase", 0.75}, {"sign_decay", 0.875}, {"beta", 0.75}};
  const auto found = scalars->find(name);
  EXPECT_NE(found, scalars->end()) << name;
  return found == scalars->end() ? 0 : found->second;
}

// A call of the op `name` with a variable of `shape`; of sparse ops with these indices.
VariableOp Call(const std::string& name, const Shape& shape, DType dtype,
                const Tensor& indices = Tensor()) {
  VariableOp op{name, {}, {}, {}};
  const auto schema = OpRegistry::Global().Get(name);
  EXPECT_TRUE(schema.ok()) << schema.status();
  if (!schema.ok()) return op;
  for (const ArgSpec& argument : (*schema)->inputs) {
    if (argument.is_ref || argument.type == DType::kResource) {
      // A mean of values has to be less than the mean of their squares.
      const int i = static_cast<int>(op.variables.size());
      op.variables.push_back(Values(shape, dtype, i, i == 1 ? 0.25 : 1));
    } else if (argument.name == "grad" || argument.name == "delta") {
      absl::InlinedVector<int64_t, 4> dims(shape.dims().begin(), shape.dims().end());
      if (indices.has_value()) dims[0] = indices.num_elements();
      const Tensor positive = Values(*Shape::Make(dims), DType::kDouble, 7, 1);
      std::vector<double> values(positive.num_elements());
      for (size_t i = 0; i < values.size(); ++i) values[i] = positive.data<double>()[i] - 1.25;
      op.arguments.push_back(Cast(Tensor::FromValues<double>(positive.shape(), values), dtype));
    } else if (argument.name == "indices") {
      op.arguments.push_back(indices);
    } else {
      op.arguments.push_back(Cast(Tensor::Scalar<double>(ScalarOf(argument.name)), dtype));
    }
  }
  return op;
}

Tolerance ToleranceOf(DType dtype) {
  if (dtype == DType::kDouble || dtype == DType::kComplex128) return {1e-12, 1e-12};
  return dtype == DType::kHalf ? Tolerance{2e-3, 2e-3} : Tolerance{2e-6, 2e-6};
}

// What both devices have of an op.
std::vector<DType> TypesOf(const std::string& op) {
  std::vector<DType> types;
  for (const DType dtype :
       {DType::kHalf, DType::kFloat, DType::kDouble, DType::kComplex64, DType::kComplex128}) {
    AttrMap attrs;
    attrs.Set("T", dtype);
    attrs.Set("Tindices", DType::kInt32);
    const auto& kernels = KernelRegistry::Global();
    if (kernels.Find(op, attrs, DeviceType::kCpu) != nullptr &&
        kernels.Find(op, attrs, DeviceType::kGpu) != nullptr) {
      types.push_back(dtype);
    }
  }
  return types;
}

const char* const kDense[] = {"GradientDescent",
                              "Momentum",
                              "KerasMomentum",
                              "Adam",
                              "AdaMax",
                              "AdamWithAmsgrad",
                              "RMSProp",
                              "Adadelta",
                              "CenteredRMSProp",
                              "Adagrad",
                              "AdagradV2",
                              "ProximalAdagrad",
                              "Ftrl",
                              "FtrlV2",
                              "AddSign",
                              "PowerSign"};
const char* const kSparse[] = {"KerasMomentum",   "Adadelta", "Adagrad", "AdagradV2",
                               "ProximalAdagrad", "Ftrl",     "FtrlV2"};

bool HasReference(const std::string& rule) {
  return rule != "KerasMomentum" && rule != "AdamWithAmsgrad";
}
std::string FlagOf(const std::string& op) {
  const auto schema = OpRegistry::Global().Get(op);
  for (const AttrSpec& attr : (*schema)->attrs) {
    if (attr.type == "bool" && attr.name != "use_locking") return attr.name;
  }
  return "use_locking";
}

TEST(UpdateOnGpu, DenseRulesOfAllTypes) {
  for (const std::string rule : kDense) {
    for (const bool resource : {false, true}) {
      if (!resource && !HasReference(rule)) continue;
      const std::string name = (resource ? "ResourceApply" : "Apply") + rule;
      for (const DType dtype : TypesOf(name)) {
        for (const Shape& shape : {Shape(), Shape({3, 7}), Shape({5, 1000}), Shape({0, 3})}) {
          for (const bool flag : {false, true}) {
            VariableOp op = Call(name, shape, dtype);
            op.attrs = {{FlagOf(name), flag}};
            EXPECT_EQ(GpuUpdatesAsCpu(op, ToleranceOf(dtype)), OkStatus())
                << DTypeName(dtype) << shape.ToString() << flag;
          }
        }
      }
    }
  }
}

void ExpectSparseRulesOf(const Tensor& indices, const std::vector<Shape>& shapes) {
  for (const std::string rule : kSparse) {
    for (const bool resource : {false, true}) {
      if (!resource && !HasReference(rule)) continue;
      const std::string name = (resource ? "ResourceSparseApply" : "SparseApply") + rule;
      for (const DType dtype : TypesOf(name)) {
        for (const Shape& shape : shapes) {
          const VariableOp op = Call(name, shape, dtype, indices);
          EXPECT_EQ(GpuUpdatesAsCpu(op, ToleranceOf(dtype)), OkStatus())
              << DTypeName(dtype) << shape.ToString() << indices.num_elements();
        }
      }
    }
  }
}

TEST(UpdateOnGpu, SparseRulesInTheOrderOfTheirRows) {
  const std::vector<Shape> shapes = {Shape({5}), Shape({5, 3}), Shape({5, 2, 150})};
  ExpectSparseRulesOf(Tensor::Vector<int32_t>({4, 0, 4, 4, 2, 0}), shapes);
  ExpectSparseRulesOf(Tensor::Vector<int64_t>({1}), shapes);
}

TEST(UpdateOnGpu, SparseRulesOfManyRows) {
  std::vector<int64_t> rows(700);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int64_t>(i * i % 5);
  ExpectSparseRulesOf(Tensor::Vector<int64_t>(rows), {Shape({5, 3})});
}

// What the variables hold after an op's update on a GPU.
StatusOr<std::vector<Tensor>> Updated(const VariableOp& op, GpuMode mode) {
  GpuOpRunner runner(op.op, mode);
  for (const Tensor& value : op.variables) runner.Variable(value);
  for (const Tensor& argument : op.arguments) runner.Input(argument);
  return runner.RunAll();
}

// The CPU refuses such rows; what lies in a GPU's memory cannot be.
TEST(UpdateOnGpu, SparseRulesLeaveOutRowsOutOfRange) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const Tensor some = Tensor::Vector<int64_t>({-1, 1, 3, kMost, -kMost - 1});
  const Tensor none = Tensor::Vector<int64_t>({-3, 7, 3, kMost, -kMost - 1});
  for (const std::string rule : kSparse) {
    for (const bool resource : {false, true}) {
      if (!resource && !HasReference(rule)) continue;
      const std::string name = (resource ? "ResourceSparseApply" : "SparseApply") + rule;
      const VariableOp bad = Call(name, Shape({3, 2}), DType::kFloat, none);
      // Row 1 alone, with the gradient that it has among the others.
      const VariableOp with = Call(name, Shape({3, 2}), DType::kFloat, some);
      VariableOp alone = Call(name, Shape({3, 2}), DType::kFloat, Tensor::Vector<int64_t>({1}));
      for (size_t i = 0; i < alone.arguments.size(); ++i) {
        if (with.arguments[i].rank() == 2) alone.arguments[i] = with.arguments[i].Rows(1, 2);
      }
      for (const GpuMode mode : GpuModes()) {
        const auto got = Updated(with, mode), want = Updated(alone, mode);
        const auto unchanged = Updated(bad, mode);
        ASSERT_TRUE(got.ok() && want.ok() && unchanged.ok()) << name;
        const size_t first = got->size() - with.variables.size();
        for (size_t i = 0; i < with.variables.size(); ++i) {
          const Tensor& value = with.variables[i];
          EXPECT_EQ(CompareTensors((*got)[first + i], (*want)[first + i], {}), OkStatus()) << name;
          EXPECT_NE(CompareTensors((*got)[first + i], value, {}), OkStatus()) << name;
          EXPECT_EQ(CompareTensors((*unchanged)[first + i], value, {}), OkStatus()) << name;
        }
      }
    }
  }
}

TEST(UpdateOnGpu, RefusesWhatTheCpuRefuses) {
  VariableOp op = Call("ApplyAdam", Shape({3}), DType::kFloat);
  op.arguments.back() = Tensor::Vector<float>({1, 2});
  EXPECT_EQ(GpuUpdatesAsCpu(op, {}), OkStatus());
  op = Call("ApplyAdam", Shape({3}), DType::kFloat);
  op.variables[2] = Tensor::Vector<float>({1, 2});
  EXPECT_EQ(GpuUpdatesAsCpu(op, {}), OkStatus());
  op = Call("ResourceApplyMomentum", Shape({3}), DType::kFloat);
  op.arguments[0] = Tensor::Vector<float>({1, 2});
  EXPECT_EQ(GpuUpdatesAsCpu(op, {}), OkStatus());
  op = Call("SparseApplyAdagrad", Shape({3, 2}), DType::kFloat, Tensor::Vector<int32_t>({0, 1}));
  op.arguments.back() = Tensor::Vector<int32_t>({0, 1, 2});
  EXPECT_EQ(GpuUpdatesAsCpu(op, {}), OkStatus());
}

}  // namespace
}  // namespace warpbeam
