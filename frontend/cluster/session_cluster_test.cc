// Sessions that are of some of a cluster's tasks, and those that bring a cluster of their own.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontend/cluster/server.h"
#include "frontend/ops/collective_ops.h"
#include "frontend/ops/state_ops.h"
#include "frontend/warpbeam.h"
#include "gmock/gmock.h"
#include "graph/types/errors.h"
#include "gtest/gtest.h"
#include "runtime/dist/testing/loopback.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string AddressOf(const Server& server) {
  return server.target().substr(std::string("grpc://").size());
}

// y = w * x, with w on the ps; `worker` computes.
struct Product {
  explicit Product(const std::string& worker)
      : w(root.Device("/job:ps/task:0").Named("w"), 2.0f),
        x(Placeholder(root.Device(worker), DType::kFloat, PartialShape(Shape()))),
        y(Multiply(root.Device(worker).Named("y"), w.read(), x)),
        assigned(ops::Assign(root.Device("/job:ps/task:0"), w.ref(), 5.0f).op()),
        init(GlobalVariablesInitializer(root)) {}

  StatusOr<float> Run(ClientSession* session, float value) {
    WB_ASSIGN_OR_RETURN(const std::vector<Tensor> out,
                        session->Run({{x, Tensor::Scalar(value)}}, {y}));
    return out[0].scalar<float>();
  }

  Scope root = Scope::NewRoot();
  Variable w;
  Output x, y;
  Operation assigned, init;
};

// A ps and a worker that run; a second worker that has not been started.
class DeviceFiltersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::vector<std::string> free = FreeAddresses(3);
    const auto cluster = ClusterSpec::Create({{"ps", {free[0]}}, {"worker", {free[1], free[2]}}});
    ASSERT_TRUE(cluster.ok()) << cluster.status();
    for (const char* job : {"ps", "worker"}) {
      auto server = Server::Create(*cluster, job, 0);
      ASSERT_TRUE(server.ok()) << server.status();
      servers_.push_back(*std::move(server));
    }
    config_.target = servers_[1]->target();
    config_.operation_timeout_in_ms = 10000;
  }

  std::vector<std::unique_ptr<Server>> servers_;
  SessionConfig config_;
};

TEST_F(DeviceFiltersTest, ASessionNeedsTheTasksThatItIsOf) {
  Product product("/job:worker/task:0");
  config_.device_filters = {"/job:ps", "/job:worker/task:0"};
  ClientSession session(product.root, config_);
  ASSERT_TRUE(session.status().ok()) << session.status();
  EXPECT_EQ(session.DeviceNames().size(), 2u);
  ASSERT_TRUE(session.Run({product.init}).ok());
  const auto out = product.Run(&session, 3);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(*out, 6);
}

TEST_F(DeviceFiltersTest, WhatIsFilteredOutIsNotThere) {
  Product product("/job:worker/task:1");
  config_.device_filters = {"/job:ps"};
  ClientSession session(product.root, config_);
  const Status failed =
      session.status().ok() ? session.Run({product.init}).status() : session.status();
  EXPECT_EQ(failed.code(), StatusCode::kInvalidArgument) << failed;
  EXPECT_THAT(std::string(failed.message()), HasSubstr("/job:worker/task:1"));
}

TEST_F(DeviceFiltersTest, AFilterThatIsNone) {
  Product product("/job:worker/task:0");
  config_.device_filters = {"/jobb:ps"};
  const ClientSession session(product.root, config_);
  EXPECT_EQ(session.status().code(), StatusCode::kInvalidArgument) << session.status();
  EXPECT_THAT(std::string(session.status().message()),
              AllOf(HasSubstr("device_filters"), HasSubstr("/jobb:ps")));
}

// Servers that were started alone, each as /job:localhost/task:0.
class SessionClusterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 2; ++i) {
      auto server = Server::CreateLocal();
      ASSERT_TRUE(server.ok()) << server.status();
      servers_.push_back(*std::move(server));
    }
    config_.target = servers_[1]->target();
    config_.operation_timeout_in_ms = 10000;
    config_.cluster =
        absl::StrCat("ps=", AddressOf(*servers_[0]), ";worker=", AddressOf(*servers_[1]));
  }

  std::vector<std::unique_ptr<Server>> servers_;
  SessionConfig config_;
};

TEST_F(SessionClusterTest, BringsTheNamesOfItsTasks) {
  Product product("/job:worker/task:0");
  // A function runs under the session's names, too.
  ClientSession session(product.root, config_);
  ASSERT_TRUE(session.status().ok()) << session.status();
  EXPECT_THAT(session.DeviceNames(),
              ::testing::UnorderedElementsAre("/job:worker/replica:0/task:0/device:CPU:0",
                                              "/job:ps/replica:0/task:0/device:CPU:0"));
  ASSERT_TRUE(session.Run({product.init}).ok());
  const auto out = product.Run(&session, 3);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(*out, 6);
  // What a session of another cluster calls the same tasks: the variable is there.
  config_.cluster = absl::StrCat("worker=", AddressOf(*servers_[1]),
                                 ";ps=", AddressOf(*servers_[0]), ";other=localhost:", FreePort());
  config_.device_filters = {"/job:ps"};
  ClientSession again(product.root, config_);
  ASSERT_TRUE(again.status().ok()) << again.status();
  const auto same = product.Run(&again, 4);
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_EQ(*same, 8);
}

TEST_F(SessionClusterTest, SeveralClustersAtOnce) {
  Product forth("/job:worker/task:0"), back("/job:worker/task:0");
  ClientSession one(forth.root, config_);
  // The same two servers the other way round.
  config_.target = servers_[0]->target();
  config_.cluster =
      absl::StrCat("ps=", AddressOf(*servers_[1]), ";worker=", AddressOf(*servers_[0]));
  ClientSession two(back.root, config_);
  ASSERT_TRUE(one.status().ok()) << one.status();
  ASSERT_TRUE(two.status().ok()) << two.status();
  ASSERT_TRUE(one.Run({forth.init}).ok());
  ASSERT_TRUE(two.Run({back.init}).ok());
  ASSERT_TRUE(two.Run({back.assigned}).ok());
  for (int i = 0; i < 20; ++i) {
    const auto a = forth.Run(&one, static_cast<float>(i)), b = back.Run(&two, 1.0f);
    ASSERT_TRUE(a.ok()) << a.status();
    ASSERT_TRUE(b.ok()) << b.status();
    EXPECT_EQ(*a, 2.0f * static_cast<float>(i));
    EXPECT_EQ(*b, 5);
  }
}

// Members on the ps and on a worker, by the names that the session gives them.
struct Sums {
  explicit Sums(const std::vector<std::string>& tasks) {
    for (const std::string& task : tasks) {
      const Scope at = root.Device(task);
      x.push_back(Placeholder(at, DType::kFloat, PartialShape(Shape())));
      y.push_back(ops::CollectiveReduceV2(at, x.back(), Constant(at, 2), Constant(at, 1),
                                          Constant(at, 1), {}, "Add", "Id"));
    }
  }
  StatusOr<float> Run(ClientSession* session, const std::vector<float>& values) {
    ClientSession::Feeds feeds;
    for (size_t i = 0; i < x.size(); ++i) feeds.emplace_back(x[i], Tensor::Scalar(values[i]));
    WB_ASSIGN_OR_RETURN(const std::vector<Tensor> out, session->Run(feeds, {y.begin(), y.end()}));
    for (const Tensor& sum : out) {
      if (sum.scalar<float>() != out[0].scalar<float>()) return Internal("they differ");
    }
    return out[0].scalar<float>();
  }

  Scope root = Scope::NewRoot();
  std::vector<Output> x, y;
};

TEST_F(SessionClusterTest, CollectivesMeetInIt) {
  Sums sums({"/job:ps/task:0", "/job:worker/task:0"});
  ClientSession session(sums.root, config_);
  ASSERT_TRUE(session.status().ok()) << session.status();
  for (int step = 0; step < 5; ++step) {
    const auto sum = sums.Run(&session, {1, static_cast<float>(step)});
    ASSERT_TRUE(sum.ok()) << sum.status();
    EXPECT_EQ(*sum, 1 + step);
  }
}

// Of two masters in each of two clusters, in which the servers' names are exchanged: the same keys
// are another group in each.
TEST_F(SessionClusterTest, CollectivesOfSeveralMastersMeetInTheirCluster) {
  const SessionConfig one = config_;
  config_.cluster =
      absl::StrCat("ps=", AddressOf(*servers_[1]), ";worker=", AddressOf(*servers_[0]));
  const SessionConfig other = config_;
  std::vector<std::unique_ptr<Sums>> sums;
  std::vector<std::unique_ptr<ClientSession>> sessions;
  for (size_t i = 0; i < 4; ++i) {
    SessionConfig config = i < 2 ? one : other;
    config.target = servers_[i % 2]->target();
    // The first server is the ps of the one and the worker of the other.
    const bool is_ps = (i % 2 == 0) == (i < 2);
    sums.push_back(std::make_unique<Sums>(
        std::vector<std::string>{is_ps ? "/job:ps/task:0" : "/job:worker/task:0"}));
    sessions.push_back(std::make_unique<ClientSession>(sums[i]->root, config));
    ASSERT_TRUE(sessions[i]->status().ok()) << sessions[i]->status();
  }
  for (int step = 0; step < 3; ++step) {
    std::vector<std::thread> threads;
    std::vector<StatusOr<float>> out(4, 0.0f);
    for (size_t i = 0; i < 4; ++i) {
      threads.emplace_back(
          [&, i] { out[i] = sums[i]->Run(sessions[i].get(), {i < 2 ? 1.0f : 100.0f}); });
    }
    for (std::thread& thread : threads) thread.join();
    for (size_t i = 0; i < 4; ++i) {
      ASSERT_TRUE(out[i].ok()) << i << ": " << out[i].status();
      EXPECT_EQ(*out[i], i < 2 ? 2 : 200) << i;
    }
  }
}

TEST_F(SessionClusterTest, ClustersThatAreWrong) {
  Product product("/job:worker/task:0");
  const std::string own = config_.cluster;
  config_.cluster = absl::StrCat("ps=", AddressOf(*servers_[0]));
  const ClientSession not_in_it(product.root, config_);
  EXPECT_EQ(not_in_it.status().code(), StatusCode::kInvalidArgument) << not_in_it.status();
  EXPECT_THAT(std::string(not_in_it.status().message()), HasSubstr(AddressOf(*servers_[1])));
  config_.cluster = absl::StrCat(own, ";gone=localhost:", FreePort());
  config_.operation_timeout_in_ms = 1500;
  const ClientSession missing(product.root, config_);
  EXPECT_EQ(missing.status().code(), StatusCode::kUnavailable) << missing.status();
  config_.target.clear();
  const ClientSession of_this_process(product.root, config_);
  EXPECT_EQ(of_this_process.status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
