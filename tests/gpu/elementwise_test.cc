// The blocks of elementwise ops give what the CPU's loops give: every op of every element type that
// there is code of for GPUs; and what they give where the CPU refuses whole numbers.
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/types/number.h"
#include "gtest/gtest.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_launch.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/launch/type_list.h"

namespace warpbeam {
namespace {

// Numbers that functions treat differently, and others in between.
constexpr double kNumbers[] = {0.5,  -0.5, 1,  -1,    2,    -2,  0.25, 3.25, -7.5,  1e-3,
                               10.5, -40,  90, -0.75, 0.99, 127, 1.5,  4,    0.125, -3};
constexpr double kSpecial[] = {0,
                               -0.0,
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN(),
                               300,
                               -300,
                               1e10};

// The CPU refuses some whole numbers, as divisors and exponents: second inputs are 1 to 5.
template <class T>
T NumberAt(int64_t i, int input) {
  const auto n = static_cast<size_t>(i * 7 + input * 3);
  if constexpr (std::is_same_v<T, bool>) {
    return n % 3 == 0;
  } else if constexpr (std::is_integral_v<T>) {
    if (input > 0) return static_cast<T>(1 + n % 5);
    if (n % 11 == 0) return std::numeric_limits<T>::max();
    if (n % 13 == 0) return std::numeric_limits<T>::min();
    return static_cast<T>(n % 19 * 5 - (std::is_signed_v<T> ? 45 : 0));
  } else if constexpr (kIsComplex<T>) {
    using R = typename T::value_type;
    return T(static_cast<R>(kNumbers[n % 20]) / 4, static_cast<R>(kNumbers[(n + 9) % 20]) / 4);
  } else {
    const double number = i % 6 == 5 ? kSpecial[n % 8] : kNumbers[n % 20];
    return static_cast<T>(static_cast<ComputeType<T>>(number));
  }
}

Tensor Numbers(DType dtype, const Shape& shape, int input) {
  Tensor result = Tensor::Allocate(dtype, shape).value_or(Tensor());
  using Types = ConcatTypes<NumberTypeList, TypeList<bool>>;
  EXPECT_EQ(DispatchTypes(Types{}, dtype,
                          [&](auto tag) {
                            using T = typename decltype(tag)::type;
                            for (int64_t i = 0; i < shape.num_elements(); ++i) {
                              result.data<T>()[i] = NumberAt<T>(i, input);
                            }
                            return OkStatus();
                          }),
            OkStatus())
      << DTypeName(dtype);
  return result;
}

// The functions of the host's vectors agree with the exact result to 5 units in the last place, and
// 16-bit floats are rounded from numbers that may differ by so much.
Tolerance ToleranceOf(DType dtype) {
  switch (dtype) {
    case DType::kHalf:
      return {2e-3, 1e-6};
    case DType::kBFloat16:
      return {1.6e-2, 1e-6};
    case DType::kFloat:
    case DType::kComplex64:
      return {1e-5, 2e-6};
    case DType::kDouble:
    case DType::kComplex128:
      return {1e-12, 1e-13};
    default:
      return {};
  }
}

struct Code {
  std::string op;
  std::vector<DType> inputs;
  std::vector<std::pair<std::string, AttrValue>> attrs;
  DType result = DType::kInvalid;  // where it is another than the inputs'

  Status Compare(const std::vector<Shape>& shapes) const {
    OpCall call{op, attrs, {}};
    DType coarsest = result;
    for (size_t i = 0; i < inputs.size(); ++i) {
      call.arguments.push_back({Numbers(inputs[i], shapes[i], static_cast<int>(i))});
      if (ToleranceOf(inputs[i]).relative > ToleranceOf(coarsest).relative) coarsest = inputs[i];
    }
    return GpuAsCpu(call, ToleranceOf(coarsest));
  }
};

Code CodeOf(const GpuElementwiseEntry& entry) {
  std::string op = entry.op;
  Code code;
  if (op == "Cast, truncating") {
    op = "Cast";
    code.attrs.emplace_back("Truncate", true);
  }
  code.op = op;
  if (entry.variant != DType::kInvalid) {
    code.attrs.emplace_back("DstT", entry.variant);
    code.result = entry.variant;
  }
  if (entry.dtype == DType::kComplex128 && op != "Cast") {
    for (const char* part : {"Real", "Imag", "Angle", "ComplexAbs"}) {
      if (op == part) code.attrs.emplace_back("Tout", DType::kDouble);
    }
  }
  if (op == "Complex" && entry.dtype == DType::kDouble) {
    code.attrs.emplace_back("Tout", DType::kComplex128);
  }
  const OpSchema* const schema = OpRegistry::Global().Find(op);
  if (schema == nullptr) {
    ADD_FAILURE() << "no op has the name " << op;
    return code;
  }
  for (const auto& input : schema->inputs) {
    code.inputs.push_back(input.type_attr.empty() ? input.type : entry.dtype);
  }
  return code;
}

std::vector<Shape> ShapesOf(size_t inputs, int which) {
  const Shape all({3, 16}), row({16}), column({3, 1}), odd({131});
  switch (which % 4) {
    case 0:
      return {inputs, odd};
    case 1:
      return inputs == 2 ? std::vector<Shape>{all, row} : std::vector<Shape>{inputs, all};
    case 2:
      return inputs == 2 ? std::vector<Shape>{column, all} : std::vector<Shape>{inputs, all};
    default:
      return inputs == 2 ? std::vector<Shape>{Shape(), odd} : std::vector<Shape>{inputs, odd};
  }
}

// The CPU has no kernel that these could be compared with; their functors are those of other types.
bool IsOfGpusAlone(const GpuElementwiseEntry& entry) {
  const std::string op = entry.op;
  return (op == "Relu" && entry.dtype == DType::kQInt8) ||
         (op == "Rint" && entry.dtype == DType::kHalf);
}

TEST(ElementwiseOnGpu, EveryOpAndTypeIsAsOnTheCpu) {
  std::set<std::string> ops;
  int entries = 0, of_gpus_alone = 0;
  for (const auto* e = GpuElementwiseEntries(GpuSide::kSimulated); e != nullptr; e = e->next) {
    ++entries;
    of_gpus_alone += IsOfGpusAlone(*e);
    if (IsOfGpusAlone(*e)) continue;
    const Code code = CodeOf(*e);
    ops.insert(code.op);
    for (const int which : {0, entries}) {
      EXPECT_EQ(code.Compare(ShapesOf(code.inputs.size(), which)), OkStatus())
          << e->op << " of " << DTypeName(e->dtype) << " " << DTypeName(e->variant);
    }
  }
  EXPECT_GT(entries, 850);
  EXPECT_EQ(of_gpus_alone, 2);
  EXPECT_GT(ops.size(), 100u);
}

TEST(ElementwiseOnGpu, RowsColumnsAndScalarsMeet) {
  const Shape cube({2, 5, 8}), row({8}), middle({5, 1}), outer({2, 1, 1}), scalar;
  const std::vector<std::vector<Shape>> shapes = {{cube, cube, cube},   {middle, cube, row},
                                                  {outer, row, middle}, {scalar, cube, scalar},
                                                  {cube, scalar, row},  {outer, outer, cube}};
  for (const std::vector<Shape>& three : shapes) {
    for (const DType dtype : {DType::kFloat, DType::kHalf, DType::kComplex128, DType::kInt8}) {
      const Code select{"SelectV2", {DType::kBool, dtype, dtype}};
      EXPECT_EQ(select.Compare(three), OkStatus()) << DTypeName(dtype);
      const Code add{"AddV2", {dtype, dtype}};
      EXPECT_EQ(add.Compare({three[0], three[1]}), OkStatus()) << DTypeName(dtype);
    }
  }
  const Code rows{"Select", {DType::kBool, DType::kFloat, DType::kFloat}};
  EXPECT_EQ(rows.Compare({Shape({2}), cube, cube}), OkStatus());
  EXPECT_EQ(rows.Compare({scalar, cube, cube}), OkStatus());
}

StatusOr<Tensor> OnGpu(const std::string& op, GpuMode mode, const Tensor& x, const Tensor& y) {
  return GpuOpRunner(op, mode).Input(x).Input(y).Run();
}
template <class T>
void ExpectOnGpu(const std::string& op, const std::vector<T>& x, const std::vector<T>& y,
                 const std::vector<T>& want) {
  for (const GpuMode mode : GpuModes()) {
    const auto z = OnGpu(op, mode, Tensor::Vector<T>(x), Tensor::Vector<T>(y));
    ASSERT_TRUE(z.ok()) << z.status();
    EXPECT_EQ(CompareTensors(*z, Tensor::Vector<T>(want), {}), OkStatus())
        << op << " of " << DTypeName(z->dtype());
  }
}

// A quotient that is zero where nobody could refuse its divisor, and one that wraps around.
template <class T>
void ExpectQuotients(const std::string& op) {
  constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  const bool is_remainder = op == "FloorMod";
  const T seven_halves = is_remainder ? 1 : 3;
  ExpectOnGpu<T>(op, {7, least, 7, most, 0, 1}, {2, 0, 0, 0, 0, 0}, {seven_halves, 0, 0, 0, 0, 0});
  if (!std::is_signed_v<T>) return;
  const auto minus = [](int n) { return static_cast<T>(-n); };
  ExpectOnGpu<T>(op, {minus(1), least, least, minus(7)}, {0, 0, minus(1), minus(1)},
                 is_remainder ? std::vector<T>{0, 0, 0, 0} : std::vector<T>{0, 0, least, 7});
}

// Those of int32 lie in host memory.
TEST(ElementwiseOnGpu, WholeNumbersByZeroAreZero) {
  const std::set<std::string> ops = {"Div", "TruncateDiv", "FloorDiv", "FloorMod"};
  int of_whole_numbers = 0;
  for (const auto* e = GpuElementwiseEntries(GpuSide::kSimulated); e != nullptr; e = e->next) {
    if (ops.count(e->op) == 0) continue;
    const Status of_these = DispatchTypes(IntegerTypeList{}, e->dtype, [&](auto tag) {
      ExpectQuotients<typename decltype(tag)::type>(e->op);
      return OkStatus();
    });
    of_whole_numbers += of_these.ok();
  }
  EXPECT_EQ(of_whole_numbers, 4 * 7);
}

TEST(ElementwiseOnGpu, Int32ByZeroIsRefusedByTheHost) {
  const Tensor x = Tensor::Vector<int32_t>({7, 8}), y = Tensor::Vector<int32_t>({2, 0});
  for (const char* op : {"Div", "FloorDiv", "FloorMod", "Mod", "TruncateMod"}) {
    for (const GpuMode mode : GpuModes()) {
      const Status refused = OnGpu(op, mode, x, y).status();
      EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument) << op << ": " << refused;
    }
  }
}

TEST(ElementwiseOnGpu, WholeNumbersToNegativePowersAreZero) {
  ExpectOnGpu<int8_t>("Pow", {3, 1, 3, 0, -128}, {2, -1, -128, -1, -128}, {9, 0, 0, 0, 0});
  constexpr int64_t least = std::numeric_limits<int64_t>::min();
  ExpectOnGpu<int64_t>("Pow", {3, 1, 3, 0, least}, {2, -1, least, -1, least}, {9, 0, 0, 0, 0});
}

}  // namespace
}  // namespace warpbeam
