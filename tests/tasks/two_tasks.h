// TwoTasks: a graph that a frontend has built, run by a session of two tasks in this process, by
// one whose two tasks send each other messages, and by one of one task, where the very same nodes
// run.
//
//   TwoTasks both(root);
//   both.ExpectEqual({loss});        // runs it on all, and compares all bits
//
// Tasks are "/job:worker/task:0", the caller's, and "/job:ps/task:0". Errors fail the test.
#ifndef WARPBEAM_TESTS_TASKS_TWO_TASKS_H_
#define WARPBEAM_TESTS_TASKS_TWO_TASKS_H_

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/warpbeam.h"
#include "gtest/gtest.h"
#include "runtime/dist/cluster/testing/local_cluster.h"
#include "runtime/session/session.h"
#include "runtime/session/task_group.h"

namespace warpbeam {

inline constexpr char kWorker[] = "/job:worker/task:0";
inline constexpr char kPs[] = "/job:ps/task:0";

// The two tasks, whose sessions have these options.
inline TaskGroupOptions WorkerAndPs(SessionOptions options = SessionOptions()) {
  TaskGroupOptions tasks;
  tasks.tasks = {{"worker", 0}, {"ps", 0}};
  tasks.session = std::move(options);
  return tasks;
}

class TwoTasks {
 public:
  explicit TwoTasks(const frontend::Scope& root, SessionOptions options = SessionOptions()) {
    EXPECT_TRUE(root.status().ok()) << root.status();
    auto group = NewTaskGroupSession(WorkerAndPs(options), root.graph());
    EXPECT_TRUE(group.ok()) << group.status();
    if (group.ok()) group_ = *std::move(group);
    auto one = Session::Create(options, OnOneTask(*root.graph()));
    EXPECT_TRUE(one.ok()) << one.status();
    if (one.ok()) one_ = *std::move(one);
    auto cluster = LocalCluster::Create(WorkerAndPs().tasks, options);
    EXPECT_TRUE(cluster.ok()) << cluster.status();
    if (!cluster.ok()) return;
    cluster_ = *std::move(cluster);
    auto by_messages = cluster_->NewSession(root.graph());
    EXPECT_TRUE(by_messages.ok()) << by_messages.status();
    if (by_messages.ok()) by_messages_ = *std::move(by_messages);
  }

  Session& group() { return *group_; }
  // Without comparing anything.
  void Run(const std::vector<std::string>& targets) {
    for (Session* session : {group_.get(), by_messages_.get(), one_.get()}) {
      const Status ran = session->Run({}, {}, {}, targets, nullptr);
      EXPECT_TRUE(ran.ok()) << ran;
    }
  }
  void ExpectEqual(const std::vector<std::string>& fetches, const NamedTensors& feeds = {},
                   const std::vector<std::string>& targets = {}) {
    std::vector<Tensor> expected;
    const Status by_one = one_->Run({}, feeds, fetches, targets, &expected);
    ASSERT_TRUE(by_one.ok()) << by_one;
    for (Session* session : {group_.get(), by_messages_.get()}) {
      std::vector<Tensor> out;
      const Status ran = session->Run({}, feeds, fetches, targets, &out);
      ASSERT_TRUE(ran.ok()) << ran;
      for (size_t i = 0; i < fetches.size(); ++i) {
        ASSERT_EQ(out[i].shape(), expected[i].shape()) << fetches[i];
        EXPECT_EQ(memcmp(out[i].raw_data(), expected[i].raw_data(), expected[i].bytes()), 0)
            << (session == group_.get() ? "in one process, " : "by messages, ") << fetches[i]
            << ": " << out[i].ToString() << " and " << expected[i].ToString();
      }
    }
  }

 private:
  // The same graph with nobody asked for.
  static std::shared_ptr<Graph> OnOneTask(const Graph& graph) {
    std::shared_ptr<Graph> copy = graph.Clone();
    for (NodeId id = 0; id < copy->num_nodes(); ++id) copy->SetDevice(id, "");
    for (const auto& [name, function] : graph.functions().functions()) {
      auto anywhere = std::make_shared<Function>(*function);
      for (NodeSpec& node : anywhere->nodes) node.device.clear();
      copy->functions().Replace(std::move(anywhere));
    }
    return copy;
  }

  std::unique_ptr<LocalCluster> cluster_;
  std::unique_ptr<Session> group_;
  std::unique_ptr<Session> by_messages_;
  std::unique_ptr<Session> one_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_TASKS_TWO_TASKS_H_
