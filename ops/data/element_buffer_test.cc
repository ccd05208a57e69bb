#include "ops/data/element_buffer.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <tuple>

#include "gmock/gmock.h"
#include "ops/data/dataset_testing.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using testing_data::Range;
using Code = StatusCode;

// Gives 0, 1, 2, … up to `end`; waits before each for as many permits as it has been given.
class GatedIterator final : public DatasetIterator {
 public:
  struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    int permits = 0;
    int made = 0;
    bool entered = false;
    bool gone = false;

    void Permit(int n) {
      std::lock_guard<std::mutex> lock(mutex);
      permits += n;
      changed.notify_all();
    }
    bool WaitUntilMade(int n) {
      std::unique_lock<std::mutex> lock(mutex);
      return changed.wait_for(lock, std::chrono::seconds(20), [&] { return made >= n; });
    }
  };

  GatedIterator(std::shared_ptr<Gate> gate, PipelineContext& pipeline, int end, bool heeds = true)
      : gate_(std::move(gate)), pipeline_(pipeline), end_(end), heeds_(heeds) {}
  ~GatedIterator() override {
    std::lock_guard<std::mutex> lock(gate_->mutex);
    gate_->gone = true;
    gate_->changed.notify_all();
  }

  Status GetNext(Element* element, bool* end) override {
    std::unique_lock<std::mutex> lock(gate_->mutex);
    gate_->entered = true;
    gate_->changed.notify_all();
    while (gate_->permits == 0) {
      if (heeds_ && pipeline_.IsCancelled()) return pipeline_.cancel_reason();
      gate_->changed.wait_for(lock, std::chrono::milliseconds(1));
    }
    --gate_->permits;
    *end = gate_->made == end_;
    if (*end) return OkStatus();
    const int value = gate_->made++;
    gate_->changed.notify_all();
    if (value == 3) return DataLoss("three is broken");
    *element = {Tensor::Scalar<int64_t>(value)};
    return OkStatus();
  }

 private:
  const std::shared_ptr<Gate> gate_;
  PipelineContext& pipeline_;
  const int end_;
  const bool heeds_;
};

// What requests were answered with.
struct Answers {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> texts;

  ElementBuffer::Done Done() {
    return [this](Status s, bool end, Element e) {
      std::lock_guard<std::mutex> lock(mutex);
      texts.push_back(!s.ok() ? StatusCodeName(s.code())
                      : end   ? "end"
                              : absl::StrCat(e[0].scalar<int64_t>()));
      changed.notify_all();
    };
  }
  std::vector<std::string> WaitFor(size_t n) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait_for(lock, std::chrono::seconds(20), [&] { return texts.size() >= n; });
    return texts;
  }
};

class ElementBufferTest : public ::testing::Test {
 protected:
  std::unique_ptr<ElementBuffer> Make(ElementBuffer::Options options, int end = 100,
                                      bool heeds = true) {
    auto context = std::make_unique<PipelineContext>(nullptr, nullptr, &PoolAllocator::Process());
    auto input = std::make_unique<GatedIterator>(gate_, *context, end, heeds);
    auto dataset = DatasetFromTensor(Range(0, 1));
    EXPECT_TRUE(dataset.ok());
    return std::make_unique<ElementBuffer>(*dataset, std::move(context), std::move(input), options);
  }
  static ElementBuffer::Options Ahead(int64_t n) {
    ElementBuffer::Options options;
    options.capacity = n;
    return options;
  }

  std::shared_ptr<GatedIterator::Gate> gate_ = std::make_shared<GatedIterator::Gate>();
};

TEST_F(ElementBufferTest, RequestsAreAnsweredInOrderAndErrorsOnce) {
  Answers answers;
  auto buffer = Make(Ahead(1), 5);
  for (int i = 0; i < 7; ++i) buffer->GetNextAsync(nullptr, answers.Done());
  gate_->Permit(100);
  EXPECT_THAT(answers.WaitFor(7), ElementsAre("0", "1", "2", "DATA_LOSS", "4", "end", "end"));
}

TEST_F(ElementBufferTest, MakesNoMoreThanItsCapacity) {
  auto buffer = Make(Ahead(3));
  gate_->Permit(100);
  Element element;
  bool end = false;
  ASSERT_TRUE(buffer->GetNext(&element, &end).ok());
  ASSERT_TRUE(gate_->WaitUntilMade(3));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::lock_guard<std::mutex> lock(gate_->mutex);
  EXPECT_LE(gate_->made, 4);
}

TEST_F(ElementBufferTest, GrowsWhileItIsWaitedForAsFarAsItMay) {
  // An element has 8 bytes.
  for (const auto& [most, bytes, want] :
       {std::tuple{16, 1000, 16}, {16, 48, 6}, {3, 1000, 3}, {16, 9, 2}}) {
    SCOPED_TRACE(absl::StrCat(most, " elements, ", bytes, " bytes"));
    gate_ = std::make_shared<GatedIterator::Gate>();
    ElementBuffer::Options options = Ahead(2);
    options.max_capacity = most;
    options.max_bytes = bytes;
    auto buffer = Make(options);
    Answers answers;
    size_t asked = 0;
    // Each request finds nothing there, and waits.
    for (int i = 0; i < 6; ++i) {
      buffer->GetNextAsync(nullptr, answers.Done());
      gate_->Permit(1);
      ASSERT_EQ(answers.WaitFor(++asked).size(), asked);
    }
    gate_->Permit(100);
    ASSERT_TRUE(gate_->WaitUntilMade(static_cast<int>(asked) + want));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::lock_guard<std::mutex> lock(gate_->mutex);
    EXPECT_EQ(gate_->made, static_cast<int>(asked) + want);
  }
}

TEST_F(ElementBufferTest, WithoutCapacityNothingIsMadeAhead) {
  Answers answers;
  auto buffer = Make(Ahead(0));
  gate_->Permit(100);
  buffer->GetNextAsync(nullptr, answers.Done());
  EXPECT_THAT(answers.WaitFor(1), ElementsAre("0"));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::lock_guard<std::mutex> lock(gate_->mutex);
  EXPECT_EQ(gate_->made, 1);
}

TEST_F(ElementBufferTest, ACancelledStepGivesUpItsRequestAndTheNextGetsTheElement) {
  Answers answers;
  auto buffer = Make(Ahead(1));
  StepContext first(1, nullptr, nullptr), second(2, nullptr, nullptr);
  buffer->GetNextAsync(&first, answers.Done());
  buffer->GetNextAsync(&second, answers.Done());
  first.Cancel(DeadlineExceeded("too late"));
  EXPECT_THAT(answers.WaitFor(1), ElementsAre("DEADLINE_EXCEEDED"));
  buffer->GetNextAsync(&first, answers.Done());  // cancelled before it asked
  EXPECT_THAT(answers.WaitFor(2), ElementsAre("DEADLINE_EXCEEDED", "DEADLINE_EXCEEDED"));
  gate_->Permit(1);
  EXPECT_THAT(answers.WaitFor(3), ElementsAre("DEADLINE_EXCEEDED", "DEADLINE_EXCEEDED", "0"));
}

TEST_F(ElementBufferTest, DestructionAnswersThoseWhoWaitAndJoins) {
  Answers answers;
  auto buffer = Make(Ahead(1));
  buffer->GetNextAsync(nullptr, answers.Done());
  buffer.reset();
  EXPECT_THAT(answers.WaitFor(1), ElementsAre("CANCELLED"));
  std::lock_guard<std::mutex> lock(gate_->mutex);
  EXPECT_TRUE(gate_->gone);
}

TEST_F(ElementBufferTest, AStuckIteratorIsLeftBehindAtTheDeadline) {
  Answers answers;
  ElementBuffer::Options options;
  options.close_ms = 20;
  auto buffer = Make(options, 100, /*heeds=*/false);
  buffer->GetNextAsync(nullptr, answers.Done());
  {
    std::unique_lock<std::mutex> lock(gate_->mutex);
    gate_->changed.wait_for(lock, std::chrono::seconds(20), [&] { return gate_->entered; });
  }
  ::testing::internal::CaptureStderr();
  buffer.reset();
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), ::testing::HasSubstr("did not end within"));
  EXPECT_THAT(answers.WaitFor(1), ElementsAre("CANCELLED"));
  // Once it comes back, it cleans up after itself.
  gate_->Permit(1);
  std::unique_lock<std::mutex> lock(gate_->mutex);
  EXPECT_TRUE(gate_->changed.wait_for(lock, std::chrono::seconds(20), [&] { return gate_->gone; }));
}

TEST_F(ElementBufferTest, StepsThatAreCancelledWhileElementsArrive) {
  Answers answers;
  auto buffer = Make(Ahead(2), 1000);
  gate_->Permit(1001);
  constexpr int kRounds = 300;
  for (int i = 0; i < kRounds; ++i) {
    StepContext step(i, nullptr, nullptr);
    buffer->GetNextAsync(&step, answers.Done());
    std::thread canceller([&step] { step.Cancel(Cancelled("enough")); });
    EXPECT_EQ(answers.WaitFor(i + 1).size(), static_cast<size_t>(i + 1));
    canceller.join();
  }
}

}  // namespace
}  // namespace warpbeam
