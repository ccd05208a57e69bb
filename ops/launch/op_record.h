// OpTest: one record of what an op must do, checked when the record ends.
//
//   TEST(SoftplusTest, Values) {
//     OpTest("Softplus").Input<float>({3}, {-1, 0, 1}).Expect<float>({3}, {0.3132617f, …});
//     OpTest("MatMul").Input(a).Input(b).ExpectError(StatusCode::kInvalidArgument, "inner");
//   }
//
// A record that expects values runs the op three times: with inputs that must not be touched, with
// inputs whose buffers the kernel may take over, and with loops in one piece; and it compares what
// the shape function says, with and without constant inputs, to the real shapes. Where the program
// has a kernel that only GPUs run for the op and its types (WB_GPU_KERNEL), a simulated GPU runs it
// as well and must give the same values within the same tolerance. A record that expects an error
// wants it from the shape function or from the kernel, on the CPU alone.
//
// `ElementwiseOpTest` does the same for functions of one or two scalars, over dtypes, against a
// reference in double; sample counts are padded so that vector loops and their tails both run.
//
// Failures are reported through GoogleTest with the record's file and line. Thread safety: one
// thread. Ownership: a record owns its tensors.
#ifndef WARPBEAM_OPS_LAUNCH_OP_RECORD_H_
#define WARPBEAM_OPS_LAUNCH_OP_RECORD_H_

#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "ops/launch/op_runner.h"

namespace warpbeam {

class OpTest {
 public:
  explicit OpTest(std::string op, const char* file = __builtin_FILE(), int line = __builtin_LINE());
  ~OpTest();
  OpTest(const OpTest&) = delete;
  OpTest& operator=(const OpTest&) = delete;

  OpTest& Attr(absl::string_view name, AttrValue value);
  OpTest& Input(Tensor value);
  template <typename T>
  OpTest& Input(std::initializer_list<int64_t> shape, std::initializer_list<T> values) {
    return Input(Make<T>(shape, values));
  }
  template <typename T>
  OpTest& Scalar(T value) {
    return Input(Tensor::Scalar<T>(value));
  }
  OpTest& InputList(std::vector<Tensor> values);

  // The outputs in order.
  OpTest& Expect(Tensor value);
  template <typename T>
  OpTest& Expect(std::initializer_list<int64_t> shape, std::initializer_list<T> values) {
    return Expect(Make<T>(shape, values));
  }
  template <typename T>
  OpTest& ExpectScalar(T value) {
    return Expect(Tensor::Scalar<T>(value));
  }
  // Tolerances; exact by default for integers, 1e-6 both for floating types.
  OpTest& Within(double atol, double rtol);
  OpTest& ExpectError(StatusCode code, std::string message_part = "");
  // The kernel for GPUs gives something else by its contract; `why` is where that is written down.
  OpTest& NotOnGpu(std::string why);

  template <typename T>
  static Tensor Make(std::initializer_list<int64_t> shape, std::initializer_list<T> values) {
    return Tensor::FromValues<T>(Shape(shape), Span<const T>(values.begin(), values.size()));
  }

 private:
  OpRunner NewRunner() const;
  void CheckValues() const;
  void CheckOnGpu() const;
  bool CheckOutputs(const StatusOr<std::vector<Tensor>>& outputs, const char* where) const;
  void CheckShapes() const;
  void CheckError() const;
  void Fail(const std::string& what) const;

  struct Argument {
    std::vector<Tensor> values;
    bool is_list;
  };
  std::string op_;
  const char* file_;
  int line_;
  std::vector<std::pair<std::string, AttrValue>> attrs_;
  std::vector<Argument> inputs_;
  std::vector<Tensor> expected_;
  StatusCode error_ = StatusCode::kOk;
  std::string message_part_;
  double atol_ = -1;
  double rtol_ = -1;
  std::string not_on_gpu_;
};

// Compares an op of one or two inputs with a reference, element by element, for several dtypes.
//
//   ElementwiseOpTest("Softplus").Types(kFloatingTypes).Samples({-30, -1, 0, 2, 30})
//       .Reference([](double x) { return std::log1p(std::exp(x)); });
//
// For two inputs every pair of samples is taken. The reference sees samples as rounded to the
// dtype; the result must agree to a few units in the last place of the dtype (`Ulps`).
class ElementwiseOpTest {
 public:
  explicit ElementwiseOpTest(std::string op, const char* file = __builtin_FILE(),
                             int line = __builtin_LINE());
  ~ElementwiseOpTest();
  ElementwiseOpTest(const ElementwiseOpTest&) = delete;
  ElementwiseOpTest& operator=(const ElementwiseOpTest&) = delete;

  ElementwiseOpTest& Attr(absl::string_view name, AttrValue value);
  ElementwiseOpTest& Types(TypeSet types);
  ElementwiseOpTest& Samples(std::vector<double> samples);
  ElementwiseOpTest& Samples2(std::vector<double> samples);  // of the second input, if different
  ElementwiseOpTest& Ulps(double ulps);
  ElementwiseOpTest& AbsoluteError(double atol);
  ElementwiseOpTest& Reference(std::function<double(double)> f);
  ElementwiseOpTest& Reference2(std::function<double(double, double)> f);

 private:
  void Check(DType dtype) const;

  std::string op_;
  const char* file_;
  int line_;
  std::vector<std::pair<std::string, AttrValue>> attrs_;
  TypeSet types_ = {DType::kFloat, DType::kDouble};
  std::vector<double> samples_, samples2_;
  double ulps_ = 4;
  double atol_ = 0;
  std::function<double(double)> unary_;
  std::function<double(double, double)> binary_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LAUNCH_OP_RECORD_H_
