// What the C API promises: models, graphs and steps by names; statuses and not crashes.
#include "frontend/c/c_api.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/graph.pb.h"

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kModel[] = "frontend/model/testdata/tf1";
constexpr int kInvalidArgument = 3, kNotFound = 5, kFailedPrecondition = 9, kOutOfRange = 11;

template <auto kDelete>
struct Deleter {
  template <typename T>
  void operator()(T* value) const {
    kDelete(value);
  }
};
using TensorPtr = std::unique_ptr<wb_tensor, Deleter<wb_tensor_delete>>;
using OptionsPtr = std::unique_ptr<wb_options, Deleter<wb_options_delete>>;
using SessionPtr = std::unique_ptr<wb_session, Deleter<wb_session_delete>>;
using CallablePtr = std::unique_ptr<wb_callable, Deleter<wb_callable_delete>>;

// x and y = (x + x) * x on the device.
std::string SmallGraph(const std::string& device = "") {
  tensorflow::GraphDef graph;
  graph.mutable_versions()->set_producer(134);
  const auto add = [&](const char* name, const char* op, std::vector<std::string> inputs) {
    auto* const node = graph.add_node();
    node->set_name(name);
    node->set_op(op);
    node->set_device(device);
    for (const std::string& input : inputs) node->add_input(input);
    (*node->mutable_attr())[inputs.empty() ? "dtype" : "T"].set_type(tensorflow::DT_FLOAT);
  };
  add("x", "Placeholder", {});
  add("twice", "AddV2", {"x", "x"});
  add("y", "Mul", {"twice", "x"});
  return graph.SerializeAsString();
}

class CApiTest : public testing::Test {
 protected:
  ~CApiTest() override { wb_status_delete(status_); }

  void ExpectOk() { EXPECT_EQ(wb_status_code(status_), 0) << wb_status_message(status_); }
  void ExpectError(int code, const std::string& part) {
    EXPECT_EQ(wb_status_code(status_), code);
    EXPECT_THAT(wb_status_message(status_), HasSubstr(part));
  }
  TensorPtr Floats(std::vector<int64_t> dims, const std::vector<float>& values) {
    TensorPtr tensor(wb_tensor_new(WB_FLOAT, dims.data(), static_cast<int>(dims.size()), status_));
    ExpectOk();
    EXPECT_EQ(wb_tensor_bytes(tensor.get()), values.size() * sizeof(float));
    memcpy(wb_tensor_data(tensor.get()), values.data(), values.size() * sizeof(float));
    return tensor;
  }
  static std::vector<float> Values(wb_tensor* tensor) {
    const auto* const data = static_cast<const float*>(wb_tensor_data(tensor));
    return std::vector<float>(data, data + wb_tensor_elements(tensor));
  }
  SessionPtr OfGraph(const std::string& graph, const wb_options* options = nullptr) {
    SessionPtr session(wb_session_of_graph(graph.data(), graph.size(), options, status_));
    ExpectOk();
    return session;
  }
  // y of x.
  TensorPtr Run(wb_session* session, wb_tensor* x) {
    const char *feed = "x:0", *fetch = "y:0";
    wb_tensor* y = nullptr;
    wb_session_run(session, &feed, &x, 1, &fetch, &y, 1, nullptr, 0, status_);
    return TensorPtr(y);
  }

  wb_status* const status_ = wb_status_new();
};

TEST_F(CApiTest, TheLibraryIsOfTheHeadersVersion) {
  EXPECT_EQ(wb_version(), std::to_string(WB_VERSION_MAJOR) + "." +
                              std::to_string(WB_VERSION_MINOR) + "." +
                              std::to_string(WB_VERSION_PATCH));
}

TEST_F(CApiTest, TensorsHoldWhatWasPutIn) {
  const int64_t dims[] = {2, 3};
  const TensorPtr tensor(wb_tensor_new(WB_INT64, dims, 2, status_));
  ExpectOk();
  EXPECT_EQ(wb_tensor_dtype(tensor.get()), WB_INT64);
  EXPECT_EQ(wb_tensor_rank(tensor.get()), 2);
  EXPECT_EQ(wb_tensor_dim(tensor.get(), 1), 3);
  EXPECT_EQ(wb_tensor_dim(tensor.get(), 2), 0);
  EXPECT_EQ(wb_tensor_elements(tensor.get()), 6);
  EXPECT_EQ(wb_tensor_bytes(tensor.get()), 48u);
  EXPECT_EQ(static_cast<int64_t*>(wb_tensor_data(tensor.get()))[5], 0);
}

TEST_F(CApiTest, StringsMayHoldAnyBytes) {
  const int64_t dims[] = {2};
  const TensorPtr tensor(wb_tensor_new(WB_STRING, dims, 1, status_));
  EXPECT_EQ(wb_tensor_data(tensor.get()), nullptr);
  wb_tensor_set_string(tensor.get(), 1, "a\0b", 3, status_);
  ExpectOk();
  size_t size = 0;
  const char* const text = wb_tensor_string(tensor.get(), 1, &size, status_);
  EXPECT_EQ(std::string(text, size), std::string("a\0b", 3));
  EXPECT_STREQ(wb_tensor_string(tensor.get(), 0, nullptr, status_), "");
  EXPECT_EQ(wb_tensor_string(tensor.get(), 2, &size, status_), nullptr);
  ExpectError(kOutOfRange, "there is no string 2: the tensor has 2");
}

TEST_F(CApiTest, TheCallersMemoryIsGivenBackOnce) {
  alignas(64) static float aligned[5] = {1, 2, 3, 4, 5};
  const auto count = [](void*, void* argument) { ++*static_cast<int*>(argument); };
  int released = 0;
  const int64_t four[] = {4};
  TensorPtr shared(wb_tensor_over(WB_FLOAT, four, 1, aligned, 16, count, &released, status_));
  ExpectOk();
  EXPECT_EQ(wb_tensor_data(shared.get()), aligned);
  EXPECT_EQ(released, 0);
  const SessionPtr session = OfGraph(SmallGraph());
  const TensorPtr y = Run(session.get(), shared.get());
  ExpectOk();
  EXPECT_THAT(Values(y.get()), ElementsAre(2, 8, 18, 32));
  EXPECT_THAT(aligned, ElementsAre(1, 2, 3, 4, 5));
  shared.reset();
  EXPECT_EQ(released, 1);

  const TensorPtr copied(
      wb_tensor_over(WB_FLOAT, four, 1, aligned + 1, 16, count, &released, status_));
  ExpectOk();
  EXPECT_EQ(released, 2);
  EXPECT_THAT(Values(copied.get()), ElementsAre(2, 3, 4, 5));

  EXPECT_EQ(wb_tensor_over(WB_FLOAT, four, 1, aligned, 20, count, &released, status_), nullptr);
  ExpectError(kInvalidArgument, "the memory has 20 bytes");
  EXPECT_EQ(released, 2);
}

TEST_F(CApiTest, ASavedModelRunsByItsSignatures) {
  const OptionsPtr options(wb_options_new());
  wb_options_set_string(options.get(), "tags", "serve", status_);
  ExpectOk();
  const SessionPtr session(wb_session_open(kModel, options.get(), status_));
  ExpectOk();
  std::vector<std::string> signatures;
  for (int i = 0; const char* const name = wb_session_signature(session.get(), i); ++i) {
    signatures.push_back(name);
  }
  EXPECT_THAT(signatures, ElementsAre("lookup", "scaled", "serving_default", "sparse"));
  EXPECT_STREQ(wb_session_input(session.get(), "scaled", 1), "x");
  EXPECT_STREQ(wb_session_output(session.get(), "scaled", 0), "scaled");
  EXPECT_EQ(wb_session_output(session.get(), "scaled", 2), nullptr);
  EXPECT_EQ(wb_session_input(session.get(), "nothing", 0), nullptr);

  const TensorPtr x = Floats({1, 2}, {1, 10});
  const TensorPtr scale = Floats({}, {2});
  const char* const inputs[] = {"x", "scale"};
  wb_tensor* in[] = {x.get(), scale.get()};
  const char* const outputs[] = {"y", "scaled"};
  wb_tensor* out[2];
  wb_session_run_signature(session.get(), "scaled", inputs, in, 2, outputs, out, 2, status_);
  ExpectOk();
  const TensorPtr y(out[0]), scaled(out[1]);
  EXPECT_THAT(Values(y.get()), ElementsAre(21.5f));
  EXPECT_THAT(Values(scaled.get()), ElementsAre(43));

  const char* const nothing = "nothing";
  wb_session_run_signature(session.get(), "scaled", inputs, in, 2, &nothing, out, 1, status_);
  ExpectError(kNotFound, "has no output 'nothing'; it has scaled, y");
  EXPECT_EQ(out[0], nullptr);
  wb_session_run_signature(session.get(), "nothing", inputs, in, 2, outputs, out, 1, status_);
  ExpectError(kNotFound, "serving_default");
}

TEST_F(CApiTest, AGraphRunsByTheNamesOfItsNodesAndGrows) {
  const SessionPtr session = OfGraph(SmallGraph());
  const TensorPtr x = Floats({2}, {3, -1});
  EXPECT_THAT(Values(Run(session.get(), x.get()).get()), ElementsAre(18, 2));

  tensorflow::GraphDef more;
  more.mutable_versions()->set_producer(134);
  auto* const node = more.add_node();
  node->set_name("z");
  node->set_op("Neg");
  node->add_input("y");
  (*node->mutable_attr())["T"].set_type(tensorflow::DT_FLOAT);
  const std::string bytes = more.SerializeAsString();
  wb_session_extend(session.get(), bytes.data(), bytes.size(), status_);
  ExpectOk();
  const char *feed = "x", *fetch = "z";
  wb_tensor *in = x.get(), *out = nullptr;
  wb_session_run(session.get(), &feed, &in, 1, &fetch, &out, 1, nullptr, 0, status_);
  ExpectOk();
  EXPECT_THAT(Values(TensorPtr(out).get()), ElementsAre(-18, -2));
}

TEST_F(CApiTest, DevicesAreThoseOfTheOptionsAndPlacementIsLogged) {
  const OptionsPtr options(wb_options_new());
  wb_options_set_int(options.get(), "simulated_gpus", 1, status_);
  ExpectOk();
  std::string log;
  wb_options_log_placement(
      options.get(),
      [](const char* line, void* argument) {
        static_cast<std::string*>(argument)->append(line).append("\n");
      },
      &log);
  const SessionPtr session = OfGraph(SmallGraph("/gpu:0"), options.get());
  ASSERT_EQ(wb_session_num_devices(session.get()), 2);
  EXPECT_THAT(wb_session_device(session.get(), 1), HasSubstr("GPU:0"));
  EXPECT_EQ(wb_session_device(session.get(), 2), nullptr);
  EXPECT_THAT(Values(Run(session.get(), Floats({1}, {3}).get()).get()), ElementsAre(18));
  EXPECT_THAT(log, HasSubstr("y: (Mul): /job:localhost/replica:0/task:0/device:GPU:0"));
}

TEST_F(CApiTest, ManyThreadsRunOneCallable) {
  const SessionPtr session = OfGraph(SmallGraph());
  const char *feed = "x", *fetch = "y";
  const CallablePtr callable(
      wb_callable_new(session.get(), &feed, 1, &fetch, 1, nullptr, 0, status_));
  ExpectOk();
  std::vector<std::thread> threads;
  for (int i = 1; i <= 4; ++i) {
    const std::shared_ptr<wb_tensor> x(Floats({1}, {static_cast<float>(i)}).release(),
                                       wb_tensor_delete);
    threads.emplace_back([&callable, x, want = static_cast<float>(2 * i * i)] {
      for (int step = 0; step < 20; ++step) {
        wb_tensor *in = x.get(), *out = nullptr;
        wb_callable_run(callable.get(), &in, &out, nullptr);
        EXPECT_THAT(Values(TensorPtr(out).get()), ElementsAre(want));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(CApiTest, AClosedSessionRefusesToRun) {
  const SessionPtr session = OfGraph(SmallGraph());
  wb_session_close(session.get(), status_);
  ExpectOk();
  EXPECT_EQ(Run(session.get(), Floats({1}, {3}).get()), nullptr);
  EXPECT_EQ(wb_status_code(status_), 1);  // CANCELLED
}

TEST_F(CApiTest, WhatDoesNotFitIsAStatus) {
  EXPECT_EQ(wb_tensor_new(static_cast<wb_dtype>(77), nullptr, 0, status_), nullptr);
  ExpectError(kInvalidArgument, "cannot be of the type 77");
  const int64_t negative[] = {-1};
  EXPECT_EQ(wb_tensor_new(WB_FLOAT, negative, 1, status_), nullptr);
  EXPECT_EQ(wb_status_code(status_), kInvalidArgument);
  EXPECT_EQ(wb_session_open("/nowhere/model.pb", nullptr, status_), nullptr);
  ExpectError(kNotFound, "/nowhere/model.pb");
  EXPECT_EQ(wb_session_of_graph("junk", 4, nullptr, status_), nullptr);
  EXPECT_EQ(wb_status_code(status_), kInvalidArgument);
  const OptionsPtr options(wb_options_new());
  wb_options_set_int(options.get(), "cpus", 1, status_);
  ExpectError(kNotFound, "no option 'cpus' of this type; there are allow_soft_placement, cpu_dev");
  wb_options_set_int(options.get(), "deterministic", 2, status_);
  ExpectError(kInvalidArgument, "option 'deterministic': it must be 0 or 1, not 2");
  wb_options_set_int(options.get(), "placement_evaluations", -1, status_);
  ExpectError(kInvalidArgument, "option 'placement_evaluations': it must not be negative: -1");
  wb_options_set_int(options.get(), "placement_evaluations", 100, status_);
  ExpectOk();

  const SessionPtr session = OfGraph(SmallGraph());
  const char* const name = "y";
  wb_tensor* out = nullptr;
  wb_session_run(session.get(), nullptr, nullptr, 0, &name, &out, 1, nullptr, 0, status_);
  ExpectError(kInvalidArgument, "x");
  wb_session_run_signature(session.get(), "a", nullptr, nullptr, 0, &name, &out, 1, status_);
  ExpectError(kFailedPrecondition, "a session of a GraphDef has no signatures");
}

TEST_F(CApiTest, NullsAreStatusesToo) {
  wb_session_run(nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0, nullptr, 0, status_);
  ExpectError(kInvalidArgument, "the argument 'session' is NULL");
  const SessionPtr session = OfGraph(SmallGraph());
  const char* names[] = {"x", nullptr};
  wb_session_run(session.get(), names, nullptr, 1, nullptr, nullptr, 0, nullptr, 0, status_);
  ExpectError(kInvalidArgument, "the argument 'feeds' is NULL");
  wb_session_run(session.get(), nullptr, nullptr, 0, nullptr, nullptr, 0, names, 2, status_);
  ExpectError(kInvalidArgument, "NULL among targets, at 1");
  wb_tensor_delete(nullptr);
  wb_session_delete(nullptr);
  wb_callable_delete(nullptr);
  wb_options_delete(nullptr);
  wb_status_delete(nullptr);
  EXPECT_EQ(wb_tensor_dtype(nullptr), WB_INVALID);
  EXPECT_EQ(wb_session_num_devices(nullptr), 0);
  EXPECT_EQ(wb_tensor_new(WB_FLOAT, nullptr, 1, nullptr), nullptr);
}

}  // namespace
