#include "ops/launch/op_record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "graph/op/node_types.h"
#include "graph/op/op_registry.h"
#include "graph/types/testing/tensor_compare.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/gpu_op_runner.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Copies of the tensors, so that a kernel may take their buffers.
std::vector<Tensor> Copies(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> out;
  for (const Tensor& t : tensors) {
    auto copy = t.Clone();
    out.push_back(copy.ok() ? *std::move(copy) : Tensor());
  }
  return out;
}

bool DefaultTolerance(DType dtype) { return IsFloating(dtype) || IsComplex(dtype); }

// Whether a node with these attributes and types of inputs has a kernel that only GPUs run. Where
// it has none, a simulated GPU would run the CPU's once more.
bool HasGpuKernel(const std::string& op, AttrMap attrs,
                  const std::vector<std::vector<DType>>& types) {
  const auto schema = OpRegistry::Global().Get(op);
  if (!schema.ok() || !InferAttrs(**schema, types, &attrs).ok() ||
      !CompleteAttrs(**schema, &attrs).ok()) {
    return false;
  }
  const KernelDecl* const decl = KernelRegistry::Global().Find(op, attrs, DeviceType::kGpu);
  return decl != nullptr && decl->gpu_factory != nullptr;
}

}  // namespace

OpTest::OpTest(std::string op, const char* file, int line)
    : op_(std::move(op)), file_(file), line_(line) {}

OpTest& OpTest::Attr(absl::string_view name, AttrValue value) {
  attrs_.emplace_back(std::string(name), std::move(value));
  return *this;
}
OpTest& OpTest::Input(Tensor value) {
  inputs_.push_back({{std::move(value)}, false});
  return *this;
}
OpTest& OpTest::InputList(std::vector<Tensor> values) {
  inputs_.push_back({std::move(values), true});
  return *this;
}
OpTest& OpTest::Expect(Tensor value) {
  expected_.push_back(std::move(value));
  return *this;
}
OpTest& OpTest::Within(double atol, double rtol) {
  atol_ = atol;
  rtol_ = rtol;
  return *this;
}
OpTest& OpTest::ExpectError(StatusCode code, std::string message_part) {
  error_ = code;
  message_part_ = std::move(message_part);
  return *this;
}

OpTest& OpTest::NotOnGpu(std::string why) {
  not_on_gpu_ = std::move(why);
  return *this;
}

void OpTest::Fail(const std::string& what) const {
  GTEST_MESSAGE_AT_(file_, line_, (op_ + ": " + what).c_str(),
                    testing::TestPartResult::kNonFatalFailure);
}

OpRunner OpTest::NewRunner() const {
  OpRunner runner(op_);
  for (const auto& [name, value] : attrs_) runner.Attr(name, value);
  for (const Argument& a : inputs_) {
    if (a.is_list) {
      runner.InputList(Copies(a.values));
    } else {
      runner.Input(Copies(a.values)[0]);
    }
  }
  return runner;
}

void OpTest::CheckValues() const {
  struct Variant {
    const char* what;
    bool forward, unsplit;
  };
  for (const Variant v : {Variant{"", false, false}, Variant{" (inputs forwarded)", true, false},
                          Variant{" (loops in one piece)", false, true}}) {
    OpRunner runner = NewRunner();
    if (v.forward) runner.ForwardInputs();
    if (v.unsplit) runner.UnsplitLoops();
    if (!CheckOutputs(runner.Run(), v.what)) return;
    if (v.forward) continue;
    size_t at = 0;
    for (const Argument& a : inputs_) {
      for (const Tensor& t : a.values) {
        Status s = CompareTensors(runner.inputs()[at++], t, {});
        if (!s.ok()) Fail(absl::StrCat("input ", at - 1, " was written: ", s.message()));
      }
    }
  }
}

// Whether there are as many outputs as expected.
bool OpTest::CheckOutputs(const StatusOr<std::vector<Tensor>>& outputs, const char* where) const {
  if (!outputs.ok()) {
    Fail(absl::StrCat(outputs.status().ToString(), where));
    return false;
  }
  if (outputs->size() != expected_.size()) {
    Fail(absl::StrCat(outputs->size(), " outputs instead of ", expected_.size(), where));
    return false;
  }
  for (size_t i = 0; i < expected_.size(); ++i) {
    const bool loose = DefaultTolerance(expected_[i].dtype());
    const double atol = atol_ >= 0 ? atol_ : loose ? 1e-6 : 0;
    const double rtol = rtol_ >= 0 ? rtol_ : loose ? 1e-6 : 0;
    const Status s = CompareTensors((*outputs)[i], expected_[i], {rtol, atol});
    if (!s.ok()) Fail(absl::StrCat("output ", i, ": ", s.message(), where));
  }
  return true;
}

void OpTest::CheckOnGpu() const {
  if (!not_on_gpu_.empty()) return;
  AttrMap attrs;
  for (const auto& [name, value] : attrs_) attrs.Set(name, value);
  std::vector<std::vector<DType>> types;
  GpuOpRunner runner(op_, GpuMode::kEnqueues);
  for (const auto& [name, value] : attrs_) runner.Attr(name, value);
  for (const Argument& a : inputs_) {
    runner.InputList(a.values);
    types.emplace_back();
    for (const Tensor& value : a.values) types.back().push_back(value.dtype());
  }
  if (!HasGpuKernel(op_, std::move(attrs), types)) return;
  CheckOutputs(runner.RunAll(), " (on a simulated GPU)");
}

void OpTest::CheckShapes() const {
  for (const bool constants : {false, true}) {
    auto shapes = NewRunner().InferShapes(constants);
    if (!shapes.ok()) return Fail(absl::StrCat("shape function: ", shapes.status().ToString()));
    for (size_t i = 0; i < expected_.size() && i < shapes->size(); ++i) {
      const PartialShape& inferred = (*shapes)[i];
      const PartialShape real(expected_[i].shape());
      if (!inferred.IsCompatibleWith(real)) {
        Fail(absl::StrCat("the shape function says ", inferred.ToString(), " of output ", i,
                          ", which is ", real.ToString()));
      }
    }
  }
}

void OpTest::CheckError() const {
  auto shapes = NewRunner().InferShapes();
  Status status = shapes.ok() ? NewRunner().Run().status() : shapes.status();
  if (status.code() != error_ || !absl::StrContains(status.message(), message_part_)) {
    Fail(absl::StrCat("wanted ", StatusCodeName(error_), " with '", message_part_, "', got ",
                      status.ToString()));
  }
  // A graph without known shapes reaches the kernel, which must refuse too.
  status = NewRunner().Run().status();
  if (status.ok()) Fail("the kernel accepted what the record says it must refuse");
}

OpTest::~OpTest() {
  if (error_ != StatusCode::kOk) {
    CheckError();
  } else if (expected_.empty()) {
    Fail("the record expects nothing");
  } else {
    CheckValues();
    CheckShapes();
    CheckOnGpu();
  }
}

ElementwiseOpTest::ElementwiseOpTest(std::string op, const char* file, int line)
    : op_(std::move(op)), file_(file), line_(line) {}
ElementwiseOpTest& ElementwiseOpTest::Attr(absl::string_view name, AttrValue value) {
  attrs_.emplace_back(std::string(name), std::move(value));
  return *this;
}
ElementwiseOpTest& ElementwiseOpTest::Types(TypeSet types) {
  types_ = types;
  return *this;
}
ElementwiseOpTest& ElementwiseOpTest::Samples(std::vector<double> samples) {
  samples_ = std::move(samples);
  return *this;
}
ElementwiseOpTest& ElementwiseOpTest::Samples2(std::vector<double> samples) {
  samples2_ = std::move(samples);
  return *this;
}
ElementwiseOpTest& ElementwiseOpTest::Ulps(double ulps) {
  ulps_ = ulps;
  return *this;
}
ElementwiseOpTest& ElementwiseOpTest::AbsoluteError(double atol) {
  atol_ = atol;
  return *this;
}
ElementwiseOpTest& ElementwiseOpTest::Reference(std::function<double(double)> f) {
  unary_ = std::move(f);
  return *this;
}
ElementwiseOpTest& ElementwiseOpTest::Reference2(std::function<double(double, double)> f) {
  binary_ = std::move(f);
  return *this;
}

namespace {

double UnitInLastPlace(DType dtype) {
  switch (dtype) {
    case DType::kHalf:
      return std::ldexp(1, -10);
    case DType::kBFloat16:
      return std::ldexp(1, -7);
    case DType::kFloat:
      return std::ldexp(1, -23);
    case DType::kDouble:
      return std::ldexp(1, -52);
    default:
      return 0;
  }
}

}  // namespace

void ElementwiseOpTest::Check(DType dtype) const {
  const std::vector<double>& second = samples2_.empty() ? samples_ : samples2_;
  std::vector<double> x, y;
  for (double a : samples_) {
    for (double b : binary_ ? second : std::vector<double>{0}) {
      x.push_back(a);
      y.push_back(b);
    }
  }
  // Several vectors and a tail of any dtype.
  for (size_t i = 0; x.size() < 67 || x.size() % 32 == 0; ++i) {
    x.push_back(x[i]);
    y.push_back(y[i]);
  }
  Status status = DispatchTypes(RealTypeList{}, dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    std::vector<T> first(x.size()), other(x.size()), want(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      first[i] = static_cast<T>(x[i]);
      other[i] = static_cast<T>(y[i]);
      const double exact =
          binary_ ? binary_(double(first[i]), double(other[i])) : unary_(double(first[i]));
      want[i] = static_cast<T>(exact);
    }
    for (const bool forward : {false, true}) {
      OpRunner runner(op_);
      for (const auto& [name, value] : attrs_) runner.Attr(name, value);
      runner.Input(Tensor::Vector<T>(first));
      if (binary_) runner.Input(Tensor::Vector<T>(other));
      if (forward) runner.ForwardInputs();
      WB_ASSIGN_OR_RETURN(Tensor got, runner.RunOne());
      WB_RETURN_IF_ERROR(
          CompareTensors(got, Tensor::Vector<T>(want), {ulps_ * UnitInLastPlace(dtype), atol_}));
    }
    return OkStatus();
  });
  if (status.ok()) return;
  GTEST_MESSAGE_AT_(file_, line_,
                    absl::StrCat(op_, " of ", DTypeName(dtype), ": ", status.ToString()).c_str(),
                    testing::TestPartResult::kNonFatalFailure);
}

ElementwiseOpTest::~ElementwiseOpTest() {
  if (samples_.empty() || (!unary_ && !binary_)) {
    ADD_FAILURE_AT(file_, line_) << op_ << ": the record has no samples or no reference";
    return;
  }
  for (int t = 1; t < kNumDTypes; ++t) {
    if (types_.contains(static_cast<DType>(t))) Check(static_cast<DType>(t));
  }
}

}  // namespace warpbeam
