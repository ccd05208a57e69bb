// Gradients of factorisations and of what is made of them against central differences. Signs of
// singular and eigenvectors are arbitrary, so that what is differentiated are squares of elements.
// On the CPU and on a simulated GPU.
#include <cmath>

#include "graph/build/node_builder.h"
#include "graph/gradients/gradients.h"
#include "graph/types/testing/tensor_compare.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

Tensor Doubles(std::initializer_list<int64_t> shape, std::vector<double> values) {
  return Tensor::FromValues<double>(Shape(shape), values);
}

// The derivative of the sum of w * y * y, over all outputs y of an op, by one of its inputs.
class LinalgGradient : public ::testing::Test {
 protected:
  using Attrs = std::vector<std::pair<const char*, AttrValue>>;

  void Check(const std::string& op, const Attrs& attrs, std::vector<Tensor> inputs, int by = 0) {
    SCOPED_TRACE(op);
    inputs_ = std::move(inputs);
    by_ = by;
    graph_ = std::make_shared<Graph>();
    weights_.clear();
    outputs_.clear();
    const Status s = Compare(op, attrs);
    EXPECT_TRUE(s.ok()) << s;
  }

 private:
  Status Compare(const std::string& op, const Attrs& attrs) {
    NodeBuilder builder(graph_.get(), op);
    for (size_t i = 0; i < inputs_.size(); ++i) {
      WB_ASSIGN_OR_RETURN(Node * input,
                          AddConstant(graph_.get(), absl::StrCat("in", i), inputs_[i]));
      builder.Input(input);
    }
    for (const auto& attr : attrs) builder.Attr(attr.first, attr.second);
    WB_ASSIGN_OR_RETURN(Node * node, builder.Name("y").Build());
    std::vector<OutputRef> ys;
    GradientOptions options;
    for (int i = 0; i < node->num_outputs(); ++i) {
      WB_ASSIGN_OR_RETURN(Node * square, NodeBuilder(graph_.get(), "Square")
                                             .Input(OutputRef{node->id(), i})
                                             .Name(absl::StrCat("square", i))
                                             .Build());
      WB_ASSIGN_OR_RETURN(Shape shape, square->output_shape(0).AsShape());
      WB_ASSIGN_OR_RETURN(Tensor w, Tensor::Allocate(DType::kDouble, shape));
      for (int64_t k = 0; k < w.num_elements(); ++k) w.data<double>()[k] = std::cos(1 + k + i);
      WB_ASSIGN_OR_RETURN(Node * weight, AddConstant(graph_.get(), absl::StrCat("w", i), w));
      ys.push_back({square->id(), 0});
      options.grad_ys.push_back(GradientValue::Dense({weight->id(), 0}));
      outputs_.push_back(square->name());
      weights_.push_back(std::move(w));
    }
    const OutputRef x{graph_->Find(absl::StrCat("in", by_))->id(), 0};
    WB_ASSIGN_OR_RETURN(std::vector<GradientValue> dx, AddGradients(*graph_, ys, {x}, options));
    WB_ASSIGN_OR_RETURN(OutputRef dense, ToDense(*graph_, dx[0], "dense"));
    const std::string fetch = absl::StrCat(graph_->node(dense.node).name(), ":", dense.index);
    WB_ASSIGN_OR_RETURN(session_, Session::Create({}, graph_));
    WB_ASSIGN_OR_RETURN(const Tensor expected, Differences());
    WB_ASSIGN_OR_RETURN(const std::unique_ptr<Session> on_gpu, Session::Create(WithGpu(), graph_));
    for (Session* one : {session_.get(), on_gpu.get()}) {
      std::vector<Tensor> out;
      WB_RETURN_IF_ERROR(one->Run({}, {}, {fetch}, {}, &out, nullptr));
      WB_RETURN_IF_ERROR(CompareTensors(out[0], expected, {1e-6, 1e-6}));
    }
    return OkStatus();
  }

  // A simulated GPU runs the kernels of real ones; no pass computes constants on the CPU before.
  static SessionOptions WithGpu() {
    SessionOptions options;
    options.simulated_gpus = 1;
    options.simulated_gpus_enqueue = options.simulated_gpu_kernels = true;
    options.passes = "none";
    return options;
  }

  StatusOr<double> Value(const Tensor& x) {
    std::vector<Tensor> out;
    WB_RETURN_IF_ERROR(
        session_->Run({}, {{absl::StrCat("in", by_), x}}, outputs_, {}, &out, nullptr));
    double sum = 0;
    for (size_t i = 0; i < out.size(); ++i) {
      for (int64_t k = 0; k < out[i].num_elements(); ++k) {
        sum += out[i].data<double>()[k] * weights_[i].data<double>()[k];
      }
    }
    return sum;
  }

  StatusOr<Tensor> Differences() {
    const Tensor& x = inputs_[static_cast<size_t>(by_)];
    WB_ASSIGN_OR_RETURN(Tensor result, x.Clone());
    constexpr double kStep = 1e-5;
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      double values[2];
      for (int side = 0; side < 2; ++side) {
        WB_ASSIGN_OR_RETURN(Tensor moved, x.Clone());
        moved.data<double>()[i] += side == 0 ? -kStep : kStep;
        WB_ASSIGN_OR_RETURN(values[side], Value(moved));
      }
      result.data<double>()[i] = (values[1] - values[0]) / (2 * kStep);
    }
    return result;
  }

  std::vector<Tensor> inputs_;
  int by_ = 0;
  std::shared_ptr<Graph> graph_;
  std::vector<Tensor> weights_;
  std::vector<std::string> outputs_;
  std::unique_ptr<Session> session_;
};

const std::vector<double> kSix = {1, 2, -1, 0.5, 3, 1.5};
const std::vector<double> kNine = {4, 1, 0.5, 1.2, 3, -0.7, 0.3, -0.4, 2};

TEST_F(LinalgGradient, Qr) {
  Check("Qr", {}, {Doubles({3, 2}, kSix)});
  Check("Qr", {}, {Doubles({2, 3}, kSix)});
  Check("Qr", {{"full_matrices", true}}, {Doubles({3, 3}, kNine)});
}

TEST_F(LinalgGradient, SelfAdjointEig) {
  Check("SelfAdjointEigV2", {}, {Doubles({3, 3}, kNine)});
  Check("SelfAdjointEigV2", {{"compute_v", false}}, {Doubles({1, 3, 3}, kNine)});
}

TEST_F(LinalgGradient, Svd) {
  Check("Svd", {}, {Doubles({3, 2}, kSix)});
  Check("Svd", {}, {Doubles({2, 3}, kSix)});
  Check("Svd", {{"full_matrices", true}}, {Doubles({3, 3}, kNine)});
  Check("Svd", {{"compute_uv", false}}, {Doubles({1, 2, 3}, kSix)});
}

TEST_F(LinalgGradient, MatrixSolveLs) {
  const Tensor l2 = Tensor::Scalar(0.3);
  for (const int by : {0, 1}) {
    Check("MatrixSolveLs", {}, {Doubles({3, 2}, kSix), Doubles({3, 1}, {1, 2, 3}), l2}, by);
    Check("MatrixSolveLs", {}, {Doubles({2, 3}, kSix), Doubles({2, 2}, {1, 2, 3, 4}), l2}, by);
  }
}

TEST_F(LinalgGradient, MatrixSquareRoot) {
  Check("MatrixSquareRoot", {}, {Doubles({3, 3}, kNine)});
  Check("MatrixSquareRoot", {}, {Doubles({2, 2, 2}, {33, 24, 48, 57, 4, 1, 0, 9})});
}

TEST_F(LinalgGradient, BandedTriangularSolve) {
  for (const bool lower : {false, true}) {
    for (const bool adjoint : {false, true}) {
      for (const int by : {0, 1}) {
        const std::vector<Tensor> inputs = {Doubles({2, 3}, kSix), Doubles({3, 1}, {1, 2, 3})};
        Check("BandedTriangularSolve", {{"lower", lower}, {"adjoint", adjoint}}, inputs, by);
      }
    }
  }
  for (const int by : {0, 1}) {
    Check("BandedTriangularSolve", {},
          {Doubles({2, 1, 3}, kSix), Doubles({3, 2}, {1, 2, 3, 4, 5, 6})}, by);
  }
}

// The gradient, by a real matrix, of the sum of the real parts of the cubes of the eigenvalues and,
// where there are eigenvectors, of the squared moduli of their first elements.
StatusOr<Tensor> EigGradient(bool with_vectors) {
  auto graph = std::make_shared<Graph>();
  const auto add = [&](const char* op, std::vector<OutputRef> inputs,
                       std::vector<std::pair<const char*, AttrValue>> attrs = {}) {
    NodeBuilder builder(graph.get(), op);
    for (const OutputRef& input : inputs) builder.Input(input);
    for (const auto& attr : attrs) builder.Attr(attr.first, attr.second);
    auto node = builder.Build();
    EXPECT_TRUE(node.ok()) << node.status();
    return node.ok() ? OutputRef{(*node)->id(), 0} : OutputRef();
  };
  const auto constant = [&](Tensor value) {
    return OutputRef{(*AddConstant(graph.get(), "c", std::move(value)))->id(), 0};
  };
  const OutputRef x = constant(Doubles({3, 3}, {1, 2, 0, 4, 5, 6, 7, 8, 10}));
  const OutputRef e = add("Eig", {x}, {{"Tout", DType::kComplex128}, {"compute_v", with_vectors}});
  const auto real = [&](OutputRef z) { return add("Real", {z}, {{"Tout", DType::kDouble}}); };
  std::vector<OutputRef> ys = {real(add("Mul", {add("Mul", {e, e}), e}))};
  if (with_vectors) {
    const OutputRef v{e.node, 1};
    const OutputRef first = constant(Doubles({3, 1}, {1, 0, 0}));
    ys.push_back(add("Mul", {real(add("Mul", {v, add("Conj", {v})})), first}));
  }
  WB_ASSIGN_OR_RETURN(const std::vector<GradientValue> dx, AddGradients(*graph, ys, {x}));
  WB_ASSIGN_OR_RETURN(const OutputRef dense, ToDense(*graph, dx[0], "dense"));
  const std::string fetch = absl::StrCat(graph->node(dense.node).name(), ":", dense.index);
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Create({}, graph));
  std::vector<Tensor> out;
  WB_RETURN_IF_ERROR(session->Run({}, {}, {fetch}, {}, &out, nullptr));
  return out[0];
}

// TensorFlow 2.21's results.
TEST(EigGradientTest, OfValuesAndOfVectors) {
  const auto values = EigGradient(false), both = EigGradient(true);
  ASSERT_TRUE(values.ok()) << values.status();
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_TRUE(CompareTensors(*values, Doubles({3, 3}, {27, 198, 327, 36, 243, 402, 36, 270, 444}),
                             {1e-9, 1e-9})
                  .ok());
  EXPECT_TRUE(
      CompareTensors(*both,
                     Doubles({3, 3}, {27.02811445052902, 198.05949612474686, 326.9383733416656,
                                      36.51691100305023, 242.80627318113457, 401.7959762844723,
                                      35.599039030986596, 270.1410785968741, 444.16561236833536}),
                     {1e-9, 1e-9})
          .ok());
}

}  // namespace
}  // namespace warpbeam
