#include "runtime/dist/gloo/gloo_communicator.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <numeric>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/dist/gloo/local_address.h"
#include "runtime/dist/gloo/pipe_signal.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

// Depends on the order: the digits of the result are the tasks' digits.
void AppendDigit(void* out, const void* a, const void* b, int64_t count) {
  const auto* const x = static_cast<const int64_t*>(a);
  const auto* const y = static_cast<const int64_t*>(b);
  for (int64_t i = 0; i < count; ++i) static_cast<int64_t*>(out)[i] = x[i] * 10 + y[i];
}

class Tasks {
 public:
  explicit Tasks(int size) {
    std::map<std::string, std::string> addresses;
    std::vector<std::string> names;
    for (int i = 0; i < size; ++i) {
      names.push_back(absl::StrCat("/job:worker/replica:0/task:", i));
      addresses[names.back()] = "localhost:1";
    }
    const MakeTaskCommunicator make = GlooCommunicators(addresses);
    for (int i = 0; i < size; ++i) {
      auto made = make(names, i);
      EXPECT_TRUE(made.ok()) << made.status();
      all.push_back(*std::move(made));
    }
  }
  // In a thread for each of the tasks.
  std::vector<absl::Status> InEach(const std::function<absl::Status(int)>& work) {
    std::vector<absl::Status> status(all.size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < all.size(); ++i) {
      threads.emplace_back([&, i] { status[i] = work(static_cast<int>(i)); });
    }
    for (std::thread& thread : threads) thread.join();
    return status;
  }
  std::vector<absl::Status> ConnectAll() {
    return InEach([&](int rank) {
      std::vector<std::string> addresses;
      for (size_t i = 0; i < all.size(); ++i) {
        const bool is_own = static_cast<int>(i) == rank;
        addresses.push_back(is_own ? "" : all[i]->AddressFor(rank));
      }
      return all[static_cast<size_t>(rank)]->Connect(addresses);
    });
  }
  TaskCommunicator& operator[](int rank) { return *all[static_cast<size_t>(rank)]; }

  std::vector<std::unique_ptr<TaskCommunicator>> all;
};

void ExpectOk(const std::vector<absl::Status>& all) {
  for (const absl::Status& status : all) EXPECT_TRUE(status.ok()) << status;
}

TEST(GlooCommunicator, ReducesInTheOrderOfTheRanks) {
  for (const int size : {1, 2, 3, 5}) {
    Tasks tasks(size);
    ExpectOk(tasks.ConnectAll());
    int64_t digits = 0;
    for (int i = 0; i < size; ++i) digits = digits * 10 + i + 1;
    // From less than an element for each task to more blocks than are under way.
    for (const int64_t count : {0, 1, 4, 1000, 2000003}) {
      ExpectOk(tasks.InEach([&](int rank) {
        std::vector<int64_t> data(static_cast<size_t>(count), rank + 1);
        for (int64_t i = 0; i < count; i += 1000) data[static_cast<size_t>(i)] = 0;
        WB_RETURN_IF_ERROR(tasks[rank].AllReduce(data.data(), count, sizeof(int64_t), AppendDigit));
        for (int64_t i = 0; i < count; ++i) {
          const int64_t expected = i % 1000 == 0 ? 0 : digits;
          if (data[static_cast<size_t>(i)] == expected) continue;
          return Internal("of ", size, " tasks, rank ", rank, ": element ", i, " of ", count,
                          " is ", data[static_cast<size_t>(i)]);
        }
        return absl::OkStatus();
      }));
    }
  }
}

TEST(GlooCommunicator, GathersPiecesOfDifferentSizes) {
  Tasks tasks(3);
  ExpectOk(tasks.ConnectAll());
  const std::vector<int64_t> bytes = {5, 0, 3000000};
  ExpectOk(tasks.InEach([&](int rank) {
    std::string data(3000005, '-');
    std::string expected = std::string(5, '0') + std::string(3000000, '2');
    if (rank == 0) data.replace(0, 5, 5, '0');
    if (rank == 2) data.replace(5, 3000000, 3000000, '2');
    WB_RETURN_IF_ERROR(tasks[rank].AllGather(data.data(), bytes));
    return data == expected ? absl::OkStatus() : Internal("rank ", rank, " has something else");
  }));
}

TEST(GlooCommunicator, BroadcastsFromAnyTask) {
  for (const int size : {2, 3, 6}) {
    Tasks tasks(size);
    ExpectOk(tasks.ConnectAll());
    for (int source = 0; source < size; ++source) {
      ExpectOk(tasks.InEach([&](int rank) {
        std::string data(100000, rank == source ? 'x' : '-');
        WB_RETURN_IF_ERROR(tasks[rank].Broadcast(data.data(), 100000, source));
        return data == std::string(100000, 'x') ? absl::OkStatus() : Internal("rank ", rank);
      }));
    }
  }
}

TEST(GlooCommunicator, AbortEndsWhoeverWaitsForASilentTask) {
  Tasks tasks(2);
  ExpectOk(tasks.ConnectAll());
  absl::Status status;
  std::vector<int64_t> data(1000000, 1);
  std::thread waiting([&] {
    status = tasks[0].AllReduce(data.data(), static_cast<int64_t>(data.size()), 8, AppendDigit);
  });
  tasks[0].Abort();
  waiting.join();
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted) << status;
  EXPECT_EQ(tasks[0].Broadcast(data.data(), 8, 1).code(), absl::StatusCode::kAborted);
}

// Of two tasks the one with the lower address waits for the other, which never connects.
TEST(GlooCommunicator, AbortEndsWhoeverConnects) {
  Tasks tasks(2);
  const auto before = std::chrono::steady_clock::now();
  for (const int rank : {0, 1}) {
    std::vector<std::string> addresses(2);
    addresses[static_cast<size_t>(1 - rank)] = tasks[1 - rank].AddressFor(rank);
    std::thread connecting([&] { tasks[rank].Connect(addresses).IgnoreError(); });
    tasks[rank].Abort();
    connecting.join();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(10));
}

TEST(GlooCommunicator, ATaskThatGoesEndsTheOthers) {
  Tasks tasks(3);
  ExpectOk(tasks.ConnectAll());
  std::vector<absl::Status> status = tasks.InEach([&](int rank) {
    if (rank == 2) {
      tasks.all[2].reset();
      return absl::OkStatus();
    }
    std::vector<int64_t> data(3000000, 1);
    return tasks[rank].AllReduce(data.data(), static_cast<int64_t>(data.size()), 8, AppendDigit);
  });
  for (const int rank : {0, 1}) {
    EXPECT_EQ(status[static_cast<size_t>(rank)].code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(status[static_cast<size_t>(rank)].message()),
                HasSubstr(absl::StrCat("as task ", rank, " of 3")));
  }
}

TEST(GlooCommunicator, AddressesThatAreNoneAreErrors) {
  Tasks tasks(2);
  EXPECT_EQ(tasks[0].Connect({"", ""}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(tasks[0].Connect({"", "nonsense"}).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(tasks[1].Connect({std::string(100000, 'x'), ""}).code(),
            absl::StatusCode::kInvalidArgument);
  const MakeTaskCommunicator make = GlooCommunicators({});
  EXPECT_EQ(make({"/job:worker/replica:0/task:0"}, 0).status().code(), absl::StatusCode::kNotFound);
}

TEST(AddressTowards, IsTheOneThatLeadsThere) {
  EXPECT_EQ(AddressTowards({"localhost:1", "127.0.0.1:2"}).value_or(""), "127.0.0.1");
  EXPECT_EQ(AddressTowards({"[::1]:1"}).value_or(""), "::1");
  EXPECT_EQ(AddressTowards({"no-such-host.invalid:1"}).status().code(),
            absl::StatusCode::kUnavailable);
}

TEST(WithoutPipeSignal, AWriteToNobodyIsAnError) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  close(ends[1]);
  {
    const WithoutPipeSignal quiet;
    EXPECT_EQ(write(ends[0], "x", 1), -1);
    EXPECT_EQ(errno, EPIPE);
  }
  close(ends[0]);
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  EXPECT_EQ(sigismember(&now, SIGPIPE), 0);
}

}  // namespace
}  // namespace warpbeam
