// A dataset that could not be built hands out elements whose components are not valid: what takes
// them is an error of the scope, and nothing ends the program.
#include <functional>
#include <string>
#include <vector>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/data/multi_device_iterator.h"
#include "frontend/data/sources.h"
#include "frontend/operators.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace data {
namespace {

const ElementSpec& NumberSpec() {
  static const ElementSpec* const spec = new ElementSpec{{DType::kInt64}, {Shape()}};
  return *spec;
}

bool Mentions(const Status& status, const std::string& text) {
  return std::string(status.message()).find(text) != std::string::npos;
}

struct Wrong {
  std::string name;
  std::function<Dataset(const Scope& root)> make;
  std::string says;
};

Element Same(const Scope&, const Element& e) { return e; }
Element Second(const Scope& s, const Element& e) { return {Identity(s, e[1])}; }

std::vector<Wrong> Transformations() {
  const auto range = [](const Scope& s) { return Range(s, 0, 4); };
  const auto vectors = [](const Scope& s) { return FromTensorSlices(s, {{{1, 2}, {3, 4}}}); };
  return {
      {"Map", [=](const Scope& s) { return range(s).Map(Second); }, "never built"},
      {"ParallelMap", [=](const Scope& s) { return range(s).Map(Second, 2); }, "never built"},
      {"MapNothing", [=](const Scope& s) { return range(s).Map(MapFunction()); }, "is empty"},
      {"FlatMap", [=](const Scope& s) { return range(s).FlatMap(DatasetMapFunction()); },
       "is empty"},
      {"FlatMapOfNone",
       [=](const Scope& s) {
         return range(s).FlatMap(
             [](const Scope& b, const Element& e) { return FromTensors(b, {e[3]}); });
       },
       "never built"},
      {"Interleave", [=](const Scope& s) { return range(s).Interleave(DatasetMapFunction()); },
       "is empty"},
      {"Filter", [=](const Scope& s) { return range(s).Filter(Predicate()); }, "is empty"},
      {"FilterByNone",
       [=](const Scope& s) {
         return range(s).Filter([](const Scope&, const Element& e) { return e[1]; });
       },
       "never built"},
      {"Shuffle", [=](const Scope& s) { return range(s).Shuffle(Output()); }, "never built"},
      {"BatchOfText", [=](const Scope& s) { return range(s).Batch("three"); }, "int64"},
      {"PaddedBatch",
       [=](const Scope& s) {
         return vectors(s).PaddedBatch(2, {{-1}, {-1}});
       },
       "padded_shapes"},
      {"PaddingValues", [=](const Scope& s) { return vectors(s).PaddedBatch(2, {}, {"x"}); },
       "int32"},
      {"TakeWhile", [=](const Scope& s) { return range(s).TakeWhile(Predicate()); }, "is empty"},
      {"Concatenate", [=](const Scope& s) { return range(s).Concatenate(vectors(s)); },
       "other types"},
      {"Scan", [=](const Scope& s) { return range(s).Scan({0}, ScanFunction()); }, "is empty"},
      {"ScanOfNone",
       [=](const Scope& s) {
         return range(s).Scan({0}, [](const Scope&, const Element& state, const Element& e) {
           return std::pair<Element, Element>({state[0]}, {e[7]});
         });
       },
       "never built"},
      {"ScanWithoutState",
       [=](const Scope& s) {
         return range(s).Scan({0}, [](const Scope&, const Element&, const Element&) {
           return std::pair<Element, Element>();
         });
       },
       "state's 1 tensors"},
      {"GroupByWindow",
       [=](const Scope& s) { return range(s).GroupByWindow(Predicate(), WindowFunction(), 2); },
       "is empty"},
      {"Bucket",
       [=](const Scope& s) {
         return range(s).BucketBySequenceLength(Predicate(), {1}, {1, 1});
       },
       "is empty"},
      {"BucketSizes",
       [=](const Scope& s) { return range(s).BucketBySequenceLength(Predicate(), {1}, {}); },
       "Dataset_key"},
      {"TwoPrefetches",
       [=](const Scope& s) { return range(s).PrefetchToDevice("/cpu:0").Repeat(2); },
       "PrefetchToDevice"},
      {"NoDevice", [=](const Scope& s) { return range(s).PrefetchToDevice(""); }, "no device"},
  };
}

std::vector<Wrong> Sources() {
  return {
      {"Scalar", [](const Scope& s) { return FromTensorSlices(s, {3}); }, "is a scalar"},
      {"NoTensor", [](const Scope& s) { return FromTensors(s, {Output()}); }, "never built"},
      {"NoVariant", [](const Scope& s) { return FromVariant(s, Output(), NumberSpec()); },
       "never built"},
      {"NoShapes",
       [](const Scope& s) {
         return FromVariant(s, Range(s, 0, 2).variant(), {{DType::kInt64}, {}}).Batch(2);
       },
       "1 types and 0 shapes"},
      {"NoGenerator", [](const Scope& s) { return FromGenerator(s, NumberSpec(), nullptr); },
       "no generator"},
      {"NoColumns", [](const Scope& s) { return CsvDataset(s, {"a.csv"}, {}); }, "CSVDataset"},
      {"NoChoices", [](const Scope& s) { return ChooseFromDatasets({}, Range(s, 0, 2)); },
       "no datasets"},
      {"Weights",
       [](const Scope& s) {
         return SampleFromDatasets({Range(s, 0, 2), Range(s, 0, 2)}, {1.0f});
       },
       "2 datasets and 1 weights"},
  };
}

void TakesTheFirstElement(const Wrong& wrong) {
  SCOPED_TRACE(wrong.name);
  const Scope root = Scope::NewRoot();
  const Dataset dataset = wrong.make(root).Repeat(2);
  const auto batch = dataset.MakeOneShotIterator().GetNext();
  const Output doubled = batch[0] * 2, second = Identity(root, batch[1]);
  EXPECT_FALSE(second.valid());
  const auto other = dataset.MakeInitializableIterator().GetNext();
  EXPECT_FALSE(Identity(root, other[0]).valid());
  EXPECT_FALSE(Identity(root, dataset.GetSingleElement()[0]).valid());
  EXPECT_TRUE(IsInvalidArgument(root.status())) << root.status();
  EXPECT_TRUE(Mentions(root.status(), wrong.says)) << root.status();
  ClientSession session(root);
  EXPECT_EQ(session.Run(batch).status().message(), root.status().message());
}

TEST(FailedDatasetTest, ItsFirstElementCanBeTaken) {
  for (const Wrong& wrong : Transformations()) TakesTheFirstElement(wrong);
  for (const Wrong& wrong : Sources()) TakesTheFirstElement(wrong);
}

TEST(FailedDatasetTest, OfNoDatasets) {
  for (const Dataset& none : {Zip({}), SampleFromDatasets({})}) {
    const Scope root = Scope::NewRoot();
    EXPECT_FALSE(Identity(root, none.MakeOneShotIterator().GetNext()[0]).valid());
    EXPECT_TRUE(Mentions(none.scope().status(), "there are no datasets"));
    EXPECT_TRUE(Mentions(root.status(), "never built")) << root.status();
  }
}

TEST(FailedDatasetTest, StatesAndDevices) {
  const Scope root = Scope::NewRoot();
  const Element state = Range(root, 0, 3).Reduce({0}, ReduceFunction());
  EXPECT_FALSE(Identity(root, state[0]).valid());
  EXPECT_TRUE(Mentions(root.status(), "is empty")) << root.status();
  const Scope other = Scope::NewRoot();
  const MultiDeviceIterator none(Range(other, 0, 3), {});
  EXPECT_FALSE(Identity(other, none.GetNext(0)[0]).valid());
  EXPECT_TRUE(Mentions(other.status(), "no devices")) << other.status();
}

TEST(FailedDatasetTest, AComponentThatAnElementDoesNotHave) {
  const Scope root = Scope::NewRoot();
  const Element next = Range(root, 0, 3).MakeOneShotIterator().GetNext();
  EXPECT_TRUE(next[0].valid());
  EXPECT_FALSE(next[1].valid());
  EXPECT_TRUE(root.ok());
  EXPECT_FALSE(Identity(root, next[1]).valid());
  EXPECT_TRUE(IsInvalidArgument(root.status()));
  EXPECT_FALSE(Iterator().GetNext()[0].valid());
  EXPECT_FALSE(Same(root, Element())[0].valid());
}

}  // namespace
}  // namespace data
}  // namespace frontend
}  // namespace warpbeam
