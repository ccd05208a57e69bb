// TwoTasks: a graph that a frontend has built, run by a session of two tasks in this process, and
// by one of one task, where the very same nodes run.
//
//   TwoTasks both(root);
//   both.ExpectEqual({loss});        // runs it on both, and compares all bits
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
  }

  Session& group() { return *group_; }
  // Without comparing anything.
  void Run(const std::vector<std::string>& targets) {
    const absl::Status a = group_->Run({}, {}, {}, targets, nullptr);
    EXPECT_TRUE(a.ok()) << a;
    const absl::Status b = one_->Run({}, {}, {}, targets, nullptr);
    EXPECT_TRUE(b.ok()) << b;
  }
  void ExpectEqual(const std::vector<std::string>& fetches, const NamedTensors& feeds = {},
                   const std::vector<std::string>& targets = {}) {
    std::vector<Tensor> a, b;
    const absl::Status by_group = group_->Run({}, feeds, fetches, targets, &a);
    ASSERT_TRUE(by_group.ok()) << by_group;
    const absl::Status by_one = one_->Run({}, feeds, fetches, targets, &b);
    ASSERT_TRUE(by_one.ok()) << by_one;
    for (size_t i = 0; i < fetches.size(); ++i) {
      ASSERT_EQ(a[i].shape(), b[i].shape()) << fetches[i];
      EXPECT_EQ(memcmp(a[i].raw_data(), b[i].raw_data(), b[i].bytes()), 0)
          << fetches[i] << ": " << a[i].ToString() << " and " << b[i].ToString();
    }
  }

 private:
  // The same graph with nobody asked for.
  static std::shared_ptr<Graph> OnOneTask(const Graph& graph) {
    std::shared_ptr<Graph> copy = graph.Clone();
    for (NodeId id = 0; id < copy->num_nodes(); ++id) copy->SetDevice(id, "");
    return copy;
  }

  std::unique_ptr<Session> group_;
  std::unique_ptr<Session> one_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_TASKS_TWO_TASKS_H_
