// Queues and readers: what goes in comes out, under TensorFlow's names.
#include "frontend/queue/queue.h"

#include <fstream>
#include <functional>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/queue/reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename T>
std::vector<T> ValuesOf(const Tensor& tensor) {
  return std::vector<T>(tensor.data<T>(), tensor.data<T>() + tensor.num_elements());
}

TEST(QueueTest, FirstInFirstOutWithNames) {
  const Scope root = Scope::NewRoot();
  const FIFOQueue queue(root, 8, {DType::kFloat, DType::kInt32}, {{2}, Shape()},
                        QueueOptions().names({"x", "y"}));
  const Operation put = queue.EnqueueByName(root, {{"y", 7}, {"x", {1.0f, 2.0f}}});
  const Operation many = queue.EnqueueMany(
      root, {Constant(root, std::vector<float>{3, 4, 5, 6}, DType::kFloat, {2, 2}), {8, 9}});
  const auto taken = queue.ByName(queue.Dequeue(root));
  const std::vector<Output> two = queue.DequeueMany(root, 2);
  const Output size = queue.Size(root), closed = queue.IsClosed(root);
  const Operation close = queue.Close(root);
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_EQ(queue.name(), "fifo_queue");
  EXPECT_EQ(put.name(), "fifo_queue_enqueue");
  EXPECT_EQ(many.name(), "fifo_queue_EnqueueMany");
  EXPECT_EQ(two[0].name(), "fifo_queue_DequeueMany:0");
  EXPECT_EQ(two[0].shape().ToString(), "[2,2]");
  ClientSession session(root);
  ASSERT_TRUE(session.Run({put}).ok());
  ASSERT_TRUE(session.Run({many}).ok());
  EXPECT_EQ((*session.Run({size}))[0].scalar<int32_t>(), 3);
  const auto first = session.Run({taken.at("x"), taken.at("y")});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_THAT(ValuesOf<float>((*first)[0]), ElementsAre(1, 2));
  EXPECT_EQ((*first)[1].scalar<int32_t>(), 7);
  const auto rest = session.Run({two[0], two[1]});
  ASSERT_TRUE(rest.ok()) << rest.status();
  EXPECT_THAT(ValuesOf<int32_t>((*rest)[1]), ElementsAre(8, 9));
  ASSERT_TRUE(session.Run({close}).ok());
  EXPECT_TRUE((*session.Run({closed}))[0].scalar<bool>());
  EXPECT_EQ(session.Run({two[0]}).status().code(), StatusCode::kOutOfRange);
}

TEST(QueueTest, OthersPadShuffleAndSort) {
  const Scope root = Scope::NewRoot();
  const PaddingFIFOQueue padding(root, 8, {DType::kInt32}, {{-1}});
  const Operation one = padding.Enqueue(root, {{1}}), three = padding.Enqueue(root, {{2, 3, 4}});
  const Output padded = padding.DequeueMany(root, 2)[0];
  const PriorityQueue priority(root, 8, {DType::kString}, {Shape()});
  const Operation later = priority.Enqueue(root, {int64_t{5}, "later"});
  const Operation sooner = priority.Enqueue(root, {int64_t{2}, "sooner"});
  const Output next = priority.Dequeue(root)[1];
  const RandomShuffleQueue shuffle(root, 8, 0, {DType::kInt32}, {Shape()}, QueueOptions().seed(3));
  const Operation numbers = shuffle.EnqueueMany(root, {{1, 2, 3}});
  const Output some = shuffle.DequeueUpTo(root, 3)[0];
  ASSERT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  for (const Operation& operation : {one, three, later, sooner, numbers}) {
    ASSERT_TRUE(session.Run({operation}).ok());
  }
  const auto got = session.Run({padded, next, some});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_THAT(ValuesOf<int32_t>((*got)[0]), ElementsAre(1, 0, 0, 2, 3, 4));
  EXPECT_EQ((*got)[1].scalar<std::string>(), "sooner");
  EXPECT_THAT(ValuesOf<int32_t>((*got)[2]), ::testing::UnorderedElementsAre(1, 2, 3));
}

TEST(QueueTest, SaysWhatDoesNotFit) {
  const auto refused = [](const std::function<void(const Scope&, const FIFOQueue&)>& build) {
    const Scope root = Scope::NewRoot();
    build(root, FIFOQueue(root, 8, {DType::kFloat}, {{2}}));
    return std::string(root.status().message());
  };
  EXPECT_THAT(refused([](const Scope& s, const FIFOQueue& queue) {
                queue.Enqueue(s, {1.0f, 2.0f});
              }),
              HasSubstr("'fifo_queue' takes 1 components, got 2"));
  EXPECT_THAT(refused([](const Scope& s, const FIFOQueue& queue) { queue.Enqueue(s, {{1.0f}}); }),
              HasSubstr("component 0 of the queue 'fifo_queue' is float[2]"));
  EXPECT_THAT(refused([](const Scope& s, const FIFOQueue& queue) {
                queue.EnqueueByName(s, {{"x", 1.0f}});
              }),
              HasSubstr("by the 0 names it was made with"));
  const Scope root = Scope::NewRoot();
  QueueBase().Size(root);
  EXPECT_THAT(std::string(root.status().message()), HasSubstr("never made"));
}

TEST(ReaderTest, ReadsLines) {
  const std::string path = testing::TempDir() + "/reader_test.txt";
  std::ofstream(path) << "header\none\ntwo\nthree\n";
  const Scope root = Scope::NewRoot();
  const FIFOQueue files(root, 4, {DType::kString}, {Shape()});
  const Operation put = files.Enqueue(root, {path});
  const TextLineReader reader(root, /*skip_header_lines=*/1);
  const ReadRecords line = reader.Read(root, files);
  const ReadRecords rest = reader.ReadUpTo(root, files, 5);
  const Output count = reader.NumRecordsProduced(root);
  ASSERT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  ASSERT_TRUE(session.Run({put}).ok());
  const auto first = session.Run({line.keys, line.values});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ((*first)[0].scalar<std::string>(), path + ":2");
  EXPECT_EQ((*first)[1].scalar<std::string>(), "one");
  const auto others = session.Run({rest.values});
  ASSERT_TRUE(others.ok()) << others.status();
  EXPECT_THAT(ValuesOf<std::string>((*others)[0]), ElementsAre("two", "three"));
  EXPECT_EQ((*session.Run({count}))[0].scalar<int64_t>(), 3);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
