#include "runtime/dist/socket/socket_communicator.h"

#include <chrono>
#include <functional>
#include <numeric>
#include <thread>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/dist/socket/local_address.h"
#include "runtime/dist/socket/socket.h"

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
  explicit Tasks(int size, const TlsFiles& tls = {}) {
    std::map<std::string, std::string> addresses;
    std::vector<std::string> names;
    for (int i = 0; i < size; ++i) {
      names.push_back(absl::StrCat("/job:worker/replica:0/task:", i));
      addresses[names.back()] = "localhost:1";
    }
    const MakeTaskCommunicator make = SocketCommunicators(addresses, tls);
    for (int i = 0; i < size; ++i) {
      auto made = make(names, i);
      EXPECT_TRUE(made.ok()) << made.status();
      all.push_back(*std::move(made));
    }
  }
  // In a thread for each of the tasks.
  std::vector<Status> InEach(const std::function<Status(int)>& work) {
    std::vector<Status> status(all.size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < all.size(); ++i) {
      threads.emplace_back([&, i] { status[i] = work(static_cast<int>(i)); });
    }
    for (std::thread& thread : threads) thread.join();
    return status;
  }
  std::vector<Status> ConnectAll() {
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

void ExpectOk(const std::vector<Status>& all) {
  for (const Status& status : all) EXPECT_TRUE(status.ok()) << status;
}

TEST(SocketCommunicator, ReducesInTheOrderOfTheRanks) {
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
        return OkStatus();
      }));
    }
  }
}

TEST(SocketCommunicator, GathersPiecesOfDifferentSizes) {
  Tasks tasks(3);
  ExpectOk(tasks.ConnectAll());
  const std::vector<int64_t> bytes = {5, 0, 3000000};
  ExpectOk(tasks.InEach([&](int rank) {
    std::string data(3000005, '-');
    std::string expected = std::string(5, '0') + std::string(3000000, '2');
    if (rank == 0) data.replace(0, 5, 5, '0');
    if (rank == 2) data.replace(5, 3000000, 3000000, '2');
    WB_RETURN_IF_ERROR(tasks[rank].AllGather(data.data(), bytes));
    return data == expected ? OkStatus() : Internal("rank ", rank, " has something else");
  }));
}

TEST(SocketCommunicator, PiecesOfAnySizeGoFromEachToEach) {
  const std::vector<std::vector<int64_t>> bytes = {
      {1, 2, 0}, {0, 3, 3000000}, {2, 1, 1}};  // [from][to]
  Tasks tasks(3);
  ExpectOk(tasks.ConnectAll());
  ExpectOk(tasks.InEach([&](int rank) {
    std::string sent, expected;
    for (int other = 0; other < 3; ++other) {
      sent.append(static_cast<size_t>(bytes[rank][other]),
                  static_cast<char>('a' + 3 * rank + other));
      expected.append(static_cast<size_t>(bytes[other][rank]),
                      static_cast<char>('a' + 3 * other + rank));
    }
    std::string come(expected.size(), '?');
    WB_RETURN_IF_ERROR(tasks[rank].AllToAll(sent.data(), come.data(), bytes));
    return come == expected ? OkStatus() : Internal("rank ", rank, " has something else");
  }));
}

TEST(SocketCommunicator, BroadcastsFromAnyTask) {
  for (const int size : {2, 3, 6}) {
    Tasks tasks(size);
    ExpectOk(tasks.ConnectAll());
    for (int source = 0; source < size; ++source) {
      ExpectOk(tasks.InEach([&](int rank) {
        std::string data(100000, rank == source ? 'x' : '-');
        WB_RETURN_IF_ERROR(tasks[rank].Broadcast(data.data(), 100000, source));
        return data == std::string(100000, 'x') ? OkStatus() : Internal("rank ", rank);
      }));
    }
  }
}

TEST(SocketCommunicator, AbortEndsWhoeverWaitsForASilentTask) {
  Tasks tasks(2);
  ExpectOk(tasks.ConnectAll());
  Status status;
  std::vector<int64_t> data(1000000, 1);
  std::thread waiting([&] {
    status = tasks[0].AllReduce(data.data(), static_cast<int64_t>(data.size()), 8, AppendDigit);
  });
  tasks[0].Abort();
  waiting.join();
  EXPECT_EQ(status.code(), StatusCode::kAborted) << status;
  EXPECT_EQ(tasks[0].Broadcast(data.data(), 8, 1).code(), StatusCode::kAborted);
}

// The first task waits for the second, which never calls; the second calls somebody who is not
// there.
TEST(SocketCommunicator, AbortEndsWhoeverConnects) {
  Tasks tasks(2);
  const auto before = std::chrono::steady_clock::now();
  const std::string nobody = absl::StrCat("127.0.0.1 1 ", std::string(64, '0'));
  for (const int rank : {0, 1}) {
    Status status;
    std::thread connecting([&] { status = tasks[rank].Connect({nobody, nobody}); });
    tasks[rank].Abort();
    connecting.join();
    EXPECT_EQ(status.code(), StatusCode::kAborted) << status;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(10));
}

// Whoever connects without the token, says nothing or something else, is sent away; the group forms
// all the same, and its data stays its own.
TEST(SocketCommunicator, StrangersAreSentAway) {
  Tasks tasks(2);
  const std::vector<std::string> parts = absl::StrSplit(tasks[0].AddressFor(1), ' ');
  const int port = std::stoi(parts[1]);
  std::vector<Socket> strangers;
  for (const std::string& says :
       {std::string(), std::string("GET / HTTP/1.1\r\n\r\n"), std::string(44, '\0'),
        absl::StrCat("wbgroup1", std::string(32, 'x'), std::string("\1\0\0\0", 4)),
        std::string(1000000, 'y')}) {
    auto socket = Socket::Connect(parts[0], port, 5000);
    ASSERT_TRUE(socket.ok()) << socket.status();
    iovec bytes = {const_cast<char*>(says.data()), says.size()};
    if (!says.empty()) socket->Write(MakeSpan(&bytes, 1), true).status().IgnoreError();
    strangers.push_back(*std::move(socket));
  }
  ExpectOk(tasks.ConnectAll());
  ExpectOk(tasks.InEach([&](int rank) {
    std::vector<int64_t> data(1000, rank + 1);
    WB_RETURN_IF_ERROR(tasks[rank].AllReduce(data.data(), 1000, sizeof(int64_t), AppendDigit));
    return data[999] == 12 ? OkStatus() : Internal("it is ", data[999]);
  }));
  char byte = 0;
  for (Socket& stranger : strangers) {
    stranger.SetReadTimeout(20000);
    EXPECT_EQ(stranger.ReadSome(&byte, 1).status().code(), StatusCode::kUnavailable);
  }
}

TEST(SocketCommunicator, ATaskThatGoesEndsTheOthers) {
  Tasks tasks(3);
  ExpectOk(tasks.ConnectAll());
  std::vector<Status> status = tasks.InEach([&](int rank) {
    if (rank == 2) {
      tasks.all[2].reset();
      return OkStatus();
    }
    std::vector<int64_t> data(3000000, 1);
    return tasks[rank].AllReduce(data.data(), static_cast<int64_t>(data.size()), 8, AppendDigit);
  });
  for (const int rank : {0, 1}) {
    EXPECT_EQ(status[static_cast<size_t>(rank)].code(), StatusCode::kUnavailable);
    EXPECT_THAT(std::string(status[static_cast<size_t>(rank)].message()),
                HasSubstr(absl::StrCat("as task ", rank, " of 3")));
  }
}

TEST(SocketCommunicator, AddressesThatAreNoneAreErrors) {
  Tasks tasks(2);
  for (const std::string& address :
       {std::string(), std::string("nonsense"), std::string(100000, 'x'),
        absl::StrCat("localhost 70000 ", std::string(64, '0')),
        absl::StrCat("localhost 1 ", std::string(63, '0'))}) {
    const Status status = tasks[0].Connect({"", address});
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << address.substr(0, 80);
    EXPECT_THAT(std::string(status.message()), HasSubstr("/job:worker/replica:0/task:1"));
  }
  int64_t number = 1;
  EXPECT_EQ(tasks[0].Broadcast(&number, 8, 0).code(), StatusCode::kFailedPrecondition);
  const MakeTaskCommunicator make = SocketCommunicators({});
  EXPECT_EQ(make({"/job:worker/replica:0/task:0"}, 0).status().code(), StatusCode::kNotFound);
}

// Made for tests: "task" and "second_task" are of one authority, "stranger" is of another.
TlsFiles FilesOf(const std::string& name) {
  const std::string folder = "runtime/dist/testdata/tls/";
  return {folder + name + ".crt", folder + name + ".key", folder + "authority.crt"};
}

TEST(SocketCommunicator, ReducesEncryptedToo) {
  Tasks tasks(3, FilesOf("task"));
  ExpectOk(tasks.ConnectAll());
  ExpectOk(tasks.InEach([&](int rank) {
    std::vector<int64_t> data(2000003, rank + 1);
    WB_RETURN_IF_ERROR(tasks[rank].AllReduce(data.data(), 2000003, 8, AppendDigit));
    for (const int64_t digits : data) {
      if (digits != 123) return Internal("it is ", digits);
    }
    std::string gathered(3000000, static_cast<char>('0' + rank));
    WB_RETURN_IF_ERROR(tasks[rank].AllGather(gathered.data(), {1000000, 1000000, 1000000}));
    const bool is_right =
        gathered[0] == '0' && gathered[1999999] == '1' && gathered[2999999] == '2';
    return is_right ? OkStatus() : Internal("rank ", rank, " has something else");
  }));
}

struct Ends {
  Status near, far;
};
// A connection of two sides with these files; the second has called "localhost".
Ends Shake(const TlsFiles& near, const TlsFiles& far, const std::string& host = "localhost") {
  auto listener = SocketListener::Open("127.0.0.1");
  EXPECT_TRUE(listener.ok()) << listener.status();
  Ends ends;
  std::thread accepting([&] {
    StatusOr<Socket> socket = (*listener)->Accept();
    ends.near = socket->StartTls(near, "", 5000);
    char byte = 0;
    if (ends.near.ok()) ends.near = socket->Read(&byte, 1);
  });
  StatusOr<Socket> socket = Socket::Connect("127.0.0.1", (*listener)->port(), 5000);
  EXPECT_TRUE(socket.ok()) << socket.status();
  ends.far = socket->StartTls(far, host, 5000);
  iovec bytes = {const_cast<char*>("x"), 1};
  if (ends.far.ok()) ends.far = socket->Write(MakeSpan(&bytes, 1), true).status();
  *socket = Socket();
  accepting.join();
  return ends;
}

TEST(Socket, WithTlsBothSidesKnowEachOther) {
  const Ends both = Shake(FilesOf("task"), FilesOf("second_task"));
  EXPECT_TRUE(both.near.ok()) << both.near;
  EXPECT_TRUE(both.far.ok()) << both.far;
}

TEST(Socket, WithTlsNobodyElseIsHeard) {
  EXPECT_FALSE(Shake(FilesOf("task"), FilesOf("stranger")).near.ok());
  EXPECT_FALSE(Shake(FilesOf("stranger"), FilesOf("task")).far.ok());
  EXPECT_FALSE(Shake(FilesOf("task"), TlsFiles()).near.ok());
  EXPECT_FALSE(Shake(TlsFiles(), FilesOf("task")).far.ok());
  // The certificate is for another host than the one that was called.
  EXPECT_FALSE(Shake(FilesOf("task"), FilesOf("task"), "example.com").far.ok());
  TlsFiles missing = FilesOf("task");
  missing.key = "/nowhere.key";
  const Status refused = Shake(FilesOf("task"), missing).far;
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("/nowhere.key"));
}

TEST(AddressTowards, IsTheOneThatLeadsThere) {
  EXPECT_EQ(AddressTowards({"localhost:1", "127.0.0.1:2"}).value_or(""), "127.0.0.1");
  EXPECT_EQ(AddressTowards({"[::1]:1"}).value_or(""), "::1");
  EXPECT_EQ(AddressTowards({"no-such-host.invalid:1"}).status().code(), StatusCode::kUnavailable);
}

}  // namespace
}  // namespace warpbeam
