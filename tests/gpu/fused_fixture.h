// FusedTest: graphs on a GPU whose elementwise nodes and updates are fused, and are not, with the
// same bits: on the machine's GPU, and where there is none on a simulated one that runs the kernels
// written for GPUs, on the stream and enqueued.
#ifndef WARPBEAM_TESTS_GPU_FUSED_FIXTURE_H_
#define WARPBEAM_TESTS_GPU_FUSED_FIXTURE_H_

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "gtest/gtest.h"
#include "ops/launch/op_runner.h"
#include "runtime/device/gpu_platform.h"
#include "runtime/session/session.h"

namespace warpbeam {

using NodeAttrs = std::vector<std::pair<std::string, AttrValue>>;

inline bool HasRealGpu() {
  const GpuPlatform* const gpus = RegisteredGpuPlatform();
  return gpus != nullptr && gpus->count().value_or(0) > 0;
}

inline Tensor Cast(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  auto cast = OpRunner("Cast").Attr("DstT", dtype).Input(x).RunOne();
  EXPECT_TRUE(cast.ok()) << cast.status();
  return cast.ok() ? *cast : Tensor();
}

// Positive and negative, small and large, and what is no number.
inline Tensor Numbers(const Shape& shape, DType dtype, int seed) {
  const float special[] = {0.0f,  -0.0f, std::numeric_limits<float>::infinity(),
                           -1.0f, 1.0f,  -std::numeric_limits<float>::infinity(),
                           6.0f,  70.0f, std::numeric_limits<float>::quiet_NaN()};
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t k = i * 37 + static_cast<size_t>(seed) * 29;
    values[i] = k % 11 < 2 ? special[k % 9] : (static_cast<float>(k % 211) - 90.0f) / 32.0f;
  }
  return Cast(Tensor::FromValues<float>(shape, values), dtype);
}

struct FusedOutcome {
  Status status;
  std::vector<Tensor> fetched;  // of all steps
  int64_t nodes = 0;            // of the last
};

class FusedTest : public ::testing::Test {
 protected:
  OutputRef Add(const std::string& op, const std::string& name, std::vector<OutputRef> inputs,
                NodeAttrs attrs = {}, std::vector<NodeId> controls = {}) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    spec.device = "/gpu:0";
    for (auto& [key, value] : attrs) spec.attrs.Set(key, std::move(value));
    auto node = graph_->AddNode(std::move(spec), std::move(inputs), std::move(controls));
    EXPECT_TRUE(node.ok()) << name << ": " << node.status();
    return {node.ok() ? (*node)->id() : 0, 0};
  }
  OutputRef Typed(const std::string& op, const std::string& name, std::vector<OutputRef> inputs,
                  DType dtype) {
    return Add(op, name, std::move(inputs), {{"T", dtype}});
  }
  OutputRef Float(const std::string& op, const std::string& name, std::vector<OutputRef> inputs) {
    return Typed(op, name, std::move(inputs), DType::kFloat);
  }
  OutputRef Fed(const std::string& name, DType dtype, const Shape& shape) {
    return Add("Placeholder", name, {}, {{"dtype", dtype}, {"shape", PartialShape(shape)}});
  }
  OutputRef Scalar(const std::string& name, DType dtype, float value) {
    return Add("Const", name, {},
               {{"dtype", dtype}, {"value", Cast(Tensor::Scalar<float>(value), dtype)}});
  }
  void Clear() {
    graph_ = std::make_shared<Graph>();
    initializers_.clear();
  }

  // A variable with a value, as a reference or a handle; "init_NAME" gives it its first one.
  OutputRef Variable(const std::string& name, bool by_handle, const Tensor& value) {
    const DType dtype = value.dtype();
    NodeAttrs attrs = {{"dtype", dtype}, {"shape", PartialShape(value.shape())}};
    if (by_handle) attrs.emplace_back("shared_name", name);
    const OutputRef variable =
        Add(by_handle ? "VarHandleOp" : "VariableV2", name, {}, std::move(attrs));
    const OutputRef first = Add("Const", "first_" + name, {}, {{"dtype", dtype}, {"value", value}});
    if (by_handle) {
      Add("AssignVariableOp", "init_" + name, {variable, first}, {{"dtype", dtype}});
    } else {
      Add("Assign", "init_" + name, {variable, first}, {{"T", dtype}});
    }
    initializers_.push_back("init_" + name);
    return variable;
  }
  OutputRef Read(const std::string& name, bool by_handle, OutputRef variable, DType dtype) {
    return by_handle ? Add("ReadVariableOp", name, {variable}, {{"dtype", dtype}})
                     : Add("Identity", name, {variable}, {{"T", dtype}});
  }

  static SessionOptions Options(const std::string& passes, bool enqueues) {
    SessionOptions options;
    options.passes = passes;
    options.allow_soft_placement = false;
    options.gpus = HasRealGpu() ? 1 : 0;
    if (!HasRealGpu()) {
      options.simulated_gpus = 1;
      options.simulated_gpu_kernels = true;
      options.simulated_gpus_enqueue = enqueues;
    }
    return options;
  }

  FusedOutcome Run(const SessionOptions& options, const NamedTensors& feeds,
                   const std::vector<std::string>& fetches,
                   const std::vector<std::string>& targets = {}) {
    auto session = Session::Create(options, graph_);
    FusedOutcome outcome;
    outcome.status = session.status();
    if (outcome.status.ok() && !initializers_.empty()) {
      outcome.status = (*session)->Run({}, {}, {}, initializers_, nullptr);
    }
    // What is planned, recorded and played again.
    for (int step = 0; step < 4 && outcome.status.ok(); ++step) {
      RunMetadata metadata;
      std::vector<Tensor> fetched;
      outcome.status = (*session)->Run({}, feeds, fetches, targets, &fetched, &metadata);
      outcome.fetched.insert(outcome.fetched.end(), fetched.begin(), fetched.end());
      outcome.nodes = metadata.nodes_executed;
    }
    return outcome;
  }

  static bool IsNaN(const Tensor& x, int64_t i) {
    return x.dtype() == DType::kFloat      ? std::isnan(x.data<float>()[i])
           : x.dtype() == DType::kHalf     ? std::isnan(static_cast<float>(x.data<Half>()[i]))
           : x.dtype() == DType::kBFloat16 ? std::isnan(static_cast<float>(x.data<BFloat16>()[i]))
                                           : false;
  }
  // But for what a NaN is made of: of two, a sum takes the one that the compiler puts first.
  static void ExpectSameBits(const Tensor& got, const Tensor& want) {
    ASSERT_EQ(got.shape(), want.shape());
    ASSERT_EQ(got.dtype(), want.dtype());
    const size_t size = DTypeSize(want.dtype());
    const auto *g = static_cast<const char*>(got.raw_data()),
               *w = static_cast<const char*>(want.raw_data());
    for (int64_t i = 0; i < want.num_elements(); ++i, g += size, w += size) {
      if (memcmp(g, w, size) == 0 || (IsNaN(got, i) && IsNaN(want, i))) continue;
      FAIL() << "element " << i << " of " << got.ToString() << " for " << want.ToString();
    }
  }

  // How many nodes fewer there are, with the same bits.
  int64_t Saved(const NamedTensors& feeds, const std::vector<std::string>& fetches,
                const std::vector<std::string>& targets = {}) {
    int64_t saved = -1;
    for (const bool enqueues : {false, true}) {
      const FusedOutcome plain = Run(Options("none", enqueues), feeds, fetches, targets);
      const FusedOutcome fused = Run(Options("fuse", enqueues), feeds, fetches, targets);
      EXPECT_TRUE(plain.status.ok()) << plain.status;
      EXPECT_TRUE(fused.status.ok()) << fused.status;
      if (!plain.status.ok() || !fused.status.ok()) return -1;
      for (size_t i = 0; i < plain.fetched.size(); ++i)
        ExpectSameBits(fused.fetched[i], plain.fetched[i]);
      saved = plain.nodes - fused.nodes;
    }
    return saved;
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::vector<std::string> initializers_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_GPU_FUSED_FIXTURE_H_
