#include "ops/data/iterator/iterator_state.h"

#include "gmock/gmock.h"
#include "ops/data/dataset_testing.h"
#include "ops/data/iterator/iterator_resource.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_data::Int;
using testing_data::Made;
using testing_data::Op;
using testing_data::Range;
using Code = StatusCode;

class IteratorStateTest : public ::testing::Test {
 protected:
  // An iterator over a dataset that has been initialised; -1 is its end, -2 an error.
  struct Iterator {
    Tensor handle;
    std::shared_ptr<IteratorResource> resource;

    int64_t Next() {
      int64_t value = -3;
      StepContext step(0, nullptr, nullptr);
      std::mutex mutex;
      std::condition_variable done;
      resource->GetNextAsync(&step, [&](Status s, bool end, Element element) {
        std::lock_guard<std::mutex> lock(mutex);
        value = !s.ok() ? -2 : end ? -1 : element[0].scalar<int64_t>();
        done.notify_all();
      });
      std::unique_lock<std::mutex> lock(mutex);
      done.wait(lock, [&] { return value != -3; });
      return value;
    }
    std::vector<int64_t> Next(int count) {
      std::vector<int64_t> values;
      for (int i = 0; i < count; ++i) values.push_back(Next());
      return values;
    }
  };

  void TearDown() override { store_.Clear(); }
  Iterator Make(const char* name, const Tensor* dataset) {
    Iterator it;
    it.handle = Made(Op("IteratorV2")
                         .Attr("shared_name", std::string(name))
                         .Attr("container", std::string())
                         .Resources(&store_)
                         .RunOne());
    it.resource = *store_.Lookup<IteratorResource>("", name);
    if (dataset != nullptr) {
      EXPECT_TRUE(it.resource->SetDataset(*DatasetFromTensor(*dataset), nullptr, &store_).ok());
    }
    return it;
  }
  // By way of the message that a checkpoint keeps.
  Tensor Save(const Iterator& it) {
    const Tensor state =
        Made(OpRunner("SerializeIterator").Resources(&store_).Input(it.handle).RunOne());
    const Tensor text = Made(OpRunner("SerializeTensor").Input(state).RunOne());
    return Made(OpRunner("ParseTensor").Attr("out_type", DType::kVariant).Input(text).RunOne());
  }
  Status Restore(const Iterator& it, const Tensor& state) {
    return OpRunner("DeserializeIterator")
        .Resources(&store_)
        .Input(it.handle)
        .Input(state)
        .Run()
        .status();
  }
  static Tensor Shuffled(const Tensor& input, int64_t seed) {
    return Made(
        Op("ShuffleDataset").Input(input).Input(Int(5)).Input(Int(seed)).Input(Int(seed)).RunOne());
  }

  ResourceStore store_;
};

TEST_F(IteratorStateTest, GoesOnWhereItWasSaved) {
  const Tensor range = Range(0, 8);
  Iterator it = Make("it", &range);
  EXPECT_THAT(it.Next(3), ElementsAre(0, 1, 2));
  const Tensor state = Save(it);
  EXPECT_THAT(it.Next(2), ElementsAre(3, 4));
  ASSERT_TRUE(Restore(it, state).ok());
  EXPECT_THAT(it.Next(2), ElementsAre(3, 4));
  const Tensor later = Save(it);
  Iterator other = Make("other", &range);
  ASSERT_TRUE(Restore(other, later).ok());
  EXPECT_THAT(other.Next(4), ElementsAre(5, 6, 7, -1));
  const Tensor end = Save(other);
  ASSERT_TRUE(Restore(it, end).ok());
  EXPECT_EQ(it.Next(), -1);
}

TEST_F(IteratorStateTest, DrawnSeedsAreKept) {
  for (const int64_t seed : {0, 7}) {
    const Tensor shuffled = Shuffled(Range(0, 1000), seed);
    Iterator it = Make("it", &shuffled);
    it.Next(300);
    const Tensor state = Save(it);
    const std::vector<int64_t> expected = it.Next(400);
    // Another session has other seeds, until it restores.
    const Tensor again = Shuffled(Range(0, 1000), seed);
    Iterator other = Make("other", &again);
    other.Next(10);
    ASSERT_TRUE(Restore(other, state).ok());
    EXPECT_EQ(other.Next(400), expected) << seed;
    // The next pass of the same dataset is another one than the last.
    ASSERT_TRUE(Restore(it, state).ok());
    EXPECT_EQ(it.Next(400), expected) << seed;
  }
}

TEST_F(IteratorStateTest, Refusals) {
  const Tensor range = Range(0, 8);
  Iterator it = Make("it", &range);
  const Tensor state = Save(it);
  const Iterator unready = Make("unready", nullptr);
  const Status unsaved =
      OpRunner("SerializeIterator").Resources(&store_).Input(unready.handle).Run().status();
  EXPECT_EQ(unsaved.code(), Code::kFailedPrecondition);
  EXPECT_THAT(std::string(unsaved.message()), HasSubstr("Save() failed"));
  const Status unrestored = Restore(unready, state);
  EXPECT_EQ(unrestored.code(), Code::kFailedPrecondition);
  EXPECT_THAT(std::string(unrestored.message()), HasSubstr("Restore() failed"));

  const Tensor shuffled = Shuffled(range, 1);
  const Iterator other = Make("other", &shuffled);
  const Status changed = Restore(other, state);
  EXPECT_EQ(changed.code(), Code::kNotFound);
  EXPECT_THAT(std::string(changed.message()),
              HasSubstr("Make sure the dataset definition has not changed"));
  EXPECT_EQ(Restore(it, Tensor::Scalar<Variant>(Variant::Of<int32_t>(1))).code(),
            Code::kInvalidArgument);
  Tensor two = *Tensor::Allocate(DType::kVariant, Shape({2}));
  EXPECT_EQ(Restore(it, two).code(), Code::kInvalidArgument);
  EXPECT_EQ(OpRunner("SerializeIterator")
                .Attr("external_state_policy", 3)
                .Resources(&store_)
                .Input(it.handle)
                .Run()
                .status()
                .code(),
            Code::kInvalidArgument);
}

TEST(SeedGeneratorTest, AStateIsGoneOnFrom) {
  SeedGenerator one({3, 4}, /*reseed=*/true);
  one.Next();
  one.Next();
  one.Next();
  SeedGenerator other({8, 9}, /*reseed=*/true);
  other.set_state(one.state());
  for (int i = 0; i < 3; ++i) {
    const SeedPair a = one.Next(), b = other.Next();
    EXPECT_EQ(a.seed, b.seed);
    EXPECT_EQ(a.seed2, b.seed2);
  }
}

}  // namespace
}  // namespace warpbeam
