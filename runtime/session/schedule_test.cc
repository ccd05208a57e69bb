// The order in which tasks begin, recorded and replayed.
#include <algorithm>
#include <map>
#include <random>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "runtime/session/testing/session_fixture.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

// Nothing is known of the shapes of Big, so that each is a task of its own.
class ScheduleTest : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    options_.cpu_devices = 2;
    options_.inter_op_threads = 4;
  }

  Status Run(const std::vector<std::string>& fetches, const Schedule* replay,
             int64_t timeout_ms = 0) {
    RunOptions run;
    run.record_schedule = true;
    run.timeout_ms = timeout_ms;
    if (replay != nullptr) run.replay_schedule = std::make_shared<const Schedule>(*replay);
    return session_->Run(run, {}, fetches, {}, &out_, &metadata_);
  }
  Schedule Record(const std::vector<std::string>& fetches) {
    const Status s = Run(fetches, nullptr);
    EXPECT_TRUE(s.ok()) << s;
    return metadata_.schedule;
  }
  static std::map<std::string, std::vector<Schedule::Task>> ByLane(const Schedule& schedule) {
    std::map<std::string, std::vector<Schedule::Task>> lanes;
    for (const Schedule::Task& task : schedule.tasks) lanes[task.lane].push_back(task);
    return lanes;
  }
  // `count` nodes that wait for nothing, b0…, all of them on the first CPU.
  std::vector<std::string> Independent(int count) {
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) {
      names.push_back(absl::StrCat("b", i));
      Add("Big", names.back(), {Const(absl::StrCat("c", i), static_cast<float>(i))}, "/cpu:0");
    }
    return names;
  }
};

TEST_F(ScheduleTest, EachTaskIsRecordedOnceWithItsLane) {
  const std::vector<std::string> names = Independent(6);
  Add("Big", "far", {Add("Big", "near", {Const("c", 1.0f)}, "/cpu:0")}, "/cpu:1");
  Open();
  std::vector<std::string> fetches = names;
  fetches.push_back("far");
  const Schedule schedule = Record(fetches);
  ASSERT_EQ(schedule.tasks.size(), 8u);
  std::vector<std::string> begun;
  for (const Schedule::Task& task : schedule.tasks) {
    ASSERT_EQ(task.items.size(), 1u);
    begun.push_back(task.items[0]);
    EXPECT_THAT(task.lane, HasSubstr(task.items[0] == "far" ? "CPU:1" : "CPU:0"));
  }
  EXPECT_LT(std::find(begun.begin(), begun.end(), "near"),
            std::find(begun.begin(), begun.end(), "far"));
  std::sort(begun.begin(), begun.end());
  EXPECT_EQ(std::unique(begun.begin(), begun.end()), begun.end());
}

TEST_F(ScheduleTest, TasksBeginInTheOrderThatIsReplayed) {
  const std::vector<std::string> names = Independent(12);
  Open();
  Schedule schedule = Record(names);
  ASSERT_EQ(schedule.tasks.size(), names.size());
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(schedule.tasks.begin(), schedule.tasks.end(), random);
    // With a deadline, the caller's thread takes no part.
    const Status s = Run(names, &schedule, round % 2 == 0 ? 0 : 60'000);
    ASSERT_TRUE(s.ok()) << s;
    EXPECT_EQ(metadata_.schedule.tasks, schedule.tasks);
    for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(out_[i].scalar<float>(), i + 1);
  }
}

TEST_F(ScheduleTest, AnyOrderThatDependenciesAllowIsFollowed) {
  std::mt19937 random(5);
  std::vector<OutputRef> nodes = {Const("c", 1.0f)};
  std::vector<std::string> names;
  std::vector<int> sources;  // of each node: -1 for the constant
  for (int i = 0; i < 40; ++i) {
    names.push_back(absl::StrCat("n", i));
    sources.push_back(static_cast<int>(random() % nodes.size()) - 1);
    nodes.push_back(Add("Big", names.back(), {nodes[sources.back() + 1]},
                        random() % 2 == 0 ? "/cpu:0" : "/cpu:1"));
  }
  Open();
  const Schedule recorded = Record(names);
  ASSERT_EQ(recorded.tasks.size(), names.size());
  for (int round = 0; round < 30; ++round) {
    // An order of all tasks at random, what is ready in turn.
    Schedule schedule;
    std::vector<bool> done(names.size(), false);
    while (schedule.tasks.size() < names.size()) {
      const Schedule::Task& task = recorded.tasks[random() % recorded.tasks.size()];
      const int node = std::stoi(task.items[0].substr(1));
      if (done[node] || (sources[node] >= 0 && !done[sources[node]])) continue;
      done[node] = true;
      schedule.tasks.push_back(task);
    }
    const Status s = Run(names, &schedule);
    ASSERT_TRUE(s.ok()) << s;
    EXPECT_EQ(ByLane(metadata_.schedule), ByLane(schedule));
  }
}

TEST_F(ScheduleTest, ItemsOfOneTaskStayTogether) {
  OutputRef chain = Const("c", 1.0f);
  for (int i = 0; i < 5; ++i) chain = Add("AddOne", absl::StrCat("a", i), {chain});
  Open();
  const Schedule schedule = Record({"a4"});
  ASSERT_EQ(schedule.tasks.size(), 1u) << "one thread runs all of it";
  EXPECT_EQ(schedule.tasks[0].items, std::vector<std::string>({"a0", "a1", "a2", "a3", "a4"}));
  const Status s = Run({"a4"}, &schedule);
  EXPECT_TRUE(s.ok()) << s;
  EXPECT_EQ(metadata_.schedule.tasks, schedule.tasks);
}

TEST_F(ScheduleTest, WhatCannotBeFollowedIsNamed) {
  Add("Big", "second", {Add("Big", "first", {Const("c", 1.0f)}, "/cpu:0")}, "/cpu:0");
  Add("Big", "other", {Const("d", 1.0f)}, "/cpu:0");
  Open();
  const Schedule recorded = Record({"second", "other"});
  ASSERT_EQ(recorded.tasks.size(), 3u);
  const auto refused = [&](const Schedule& schedule) {
    const Status s = Run({"second", "other"}, &schedule);
    EXPECT_EQ(s.code(), StatusCode::kFailedPrecondition) << s;
    return std::string(s.message());
  };
  Schedule schedule = recorded;
  const auto of = [&](const std::string& name) {
    return std::find_if(schedule.tasks.begin(), schedule.tasks.end(),
                        [&](const Schedule::Task& task) { return task.items[0] == name; });
  };
  std::iter_swap(of("first"), of("second"));
  EXPECT_THAT(refused(schedule),
              HasSubstr("the schedule cannot be followed: 'second' on /job:localhost/replica:0/"
                        "task:0/device:CPU:0 would begin before something that it waits for"));
  schedule = recorded;
  schedule.tasks.erase(of("other"));
  EXPECT_THAT(refused(schedule), HasSubstr("it lacks 'other' on /job:"));
  schedule = recorded;
  of("other")->items[0] = "gone";
  EXPECT_THAT(refused(schedule), HasSubstr("it has 'gone' on /job:localhost/replica:0/task:0/"
                                           "device:CPU:0, which this step does not run (3 tasks "
                                           "there, 3 here)"));
  schedule = recorded;
  schedule.tasks.push_back(schedule.tasks[0]);
  EXPECT_THAT(refused(schedule), HasSubstr("more often than this step"));
  EXPECT_TRUE(Run({"second", "other"}, &recorded).ok()) << "the session goes on";
}

TEST_F(ScheduleTest, AFailedStepEndsAndTheNextOneRuns) {
  const std::vector<std::string> names = Independent(4);
  Add("Fail", "bad", {Const("c", 1.0f)}, "/cpu:0");
  Open();
  std::vector<std::string> fetches = names;
  fetches.push_back("bad");
  EXPECT_FALSE(Run(fetches, nullptr).ok());
  Schedule schedule = metadata_.schedule;
  ASSERT_EQ(schedule.tasks.size(), 5u);
  std::reverse(schedule.tasks.begin(), schedule.tasks.end());
  EXPECT_FALSE(Run(fetches, &schedule).ok());
  EXPECT_EQ(metadata_.schedule.tasks, schedule.tasks);
  EXPECT_TRUE(Run(names, nullptr).ok());
}

TEST_P(GpuSessionTest, KernelsAndCopiesOfGpusKeepToAnOrderToo) {
  std::vector<std::string> names;
  for (int i = 0; i < 6; ++i) {
    const OutputRef on_host =
        Add("Big", absl::StrCat("host", i),
            {Const(absl::StrCat("c", i), static_cast<float>(i), "/cpu:0")}, "/cpu:0");
    names.push_back(absl::StrCat("gpu", i));
    Add("Big", names.back(), {on_host}, "/gpu:0");
  }
  Open();
  RunOptions run;
  run.record_schedule = true;
  Status s = session_->Run(run, {}, names, {}, &out_, &metadata_);
  ASSERT_TRUE(s.ok()) << s;
  Schedule schedule = metadata_.schedule;
  // Everything that can be put the other way round.
  const auto is_first = [](const Schedule::Task& task) { return task.items[0][0] == 'h'; };
  const auto rest = std::stable_partition(schedule.tasks.begin(), schedule.tasks.end(), is_first);
  ASSERT_EQ(rest - schedule.tasks.begin(), 6);
  std::reverse(schedule.tasks.begin(), rest);
  std::map<std::string, std::vector<std::string>> wanted, got;
  for (const Schedule::Task& task : schedule.tasks) wanted[task.lane].push_back(task.items[0]);
  run.replay_schedule = std::make_shared<const Schedule>(schedule);
  s = session_->Run(run, {}, names, {}, &out_, &metadata_);
  ASSERT_TRUE(s.ok()) << s;
  for (const Schedule::Task& task : metadata_.schedule.tasks) {
    got[task.lane].push_back(task.items[0]);
  }
  EXPECT_EQ(got, wanted);
  for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(out_[i].scalar<float>(), i + 2);
}

}  // namespace
}  // namespace warpbeam
