// Operators, brackets, datasets and gated gradients make Python's graphs; each test here is one
// function of pipeline_graphs.py, line by line.
#include <string>

#include "frontend/golden/same_graph.h"
#include "frontend/warpbeam.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

TEST(PipelineGraphsTest, Operators) {
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root.Named("x"), DType::kFloat, {4});
  const Output y = Placeholder(root.Named("y"), DType::kFloat, {4});
  const Output b = x<y, c = x> y;
  x <= 2;
  x >= y;
  5 < x;
  x % 3;
  2 % x;
  b& c;
  b | c;
  b ^ c;
  ~b;
  b & true;
  const Output k = Constant(root.Named("k"), 3);
  k & 1;
  k | k;
  k ^ k;
  ~k;
  const Scope s = root.NameScope("s");
  -s(x);
  const Variable w(s.Named("w"), {1.0f, 2.0f});
  w < 1;
  w % 2;
  EXPECT_EQ(DifferencesFromPython(root, "operators"), "");
}

TEST(PipelineGraphsTest, Brackets) {
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root.Named("x"), DType::kFloat, {4, 5, 6});
  const Output i = Placeholder(root.Named("i"), DType::kInt32, Shape());
  const Output j = Placeholder(root.Named("j"), DType::kInt64, Shape());
  x[0];
  x(Slice(1, 3), All);
  x(Ellipsis, -1);
  x(NewAxis, Slice(2, None));
  x(Slice(None, None, 2));
  x[Ellipsis];
  x(All, NewAxis, Slice(None, None, -1));
  x[i];
  x(Slice(i, 3));
  x(1, i);
  x(Slice(i, None), 2);
  x[j];
  x(Slice(1, j));
  x(Slice(None, i));
  x(Slice(None, None, i));
  x(i, Ellipsis, NewAxis);
  x(Slice(1, 2), Slice(None, i));
  const Variable w(root.Named("w"), {1.0f, 2.0f});
  w[0];
  EXPECT_EQ(DifferencesFromPython(root, "brackets"), "");
}

TEST(PipelineGraphsTest, Datasets) {
  using data::Element;
  const Scope root = Scope::NewRoot();
  const auto numbers = [&] { return data::Range(root, 0, 10); };
  const auto tensors = [](const Scope& s, const Element& e) {
    return data::FromTensors(s, {e[0]});
  };
  numbers().Enumerate(5);
  data::Zip({numbers(), numbers()});
  {
    const data::Dataset first = numbers();
    first.Concatenate(numbers());
  }
  numbers().Interleave(tensors, 2, 3);
  numbers().Interleave(tensors, 2, 1, 2);
  numbers().Cache();
  numbers()
      .Map([](const Scope& s, const Element& e) -> Element {
        return {BuildOutput(s, "Range", {int64_t{0}, e[0], int64_t{1}})};
      })
      .PaddedBatch(2, {PartialShape({-1})});
  numbers().Window(3, 1, 1, true);
  numbers().Window(3);
  numbers().Shard(3, 1);
  numbers().TakeWhile([](const Scope&, const Element& e) { return e[0] < 3; });
  numbers().Unique();
  {
    const data::Dataset first = numbers();
    first.Scan({Constant(root, int64_t{0})}, [](const Scope&, const Element& s, const Element& e) {
      return std::pair<Element, Element>({s[0] + e[0]}, {s[0]});
    });
  }
  {
    const data::Dataset first = numbers();
    first.Reduce(
        {Constant(root, int64_t{0})},
        [](const Scope&, const Element& s, const Element& e) -> Element { return {s[0] + e[0]}; });
  }
  numbers().GroupByWindow(
      [](const Scope&, const Element& e) { return e[0] % 2; },
      [](const Scope&, const Output&, const data::Dataset& window) { return window.Batch(2); }, 4);
  numbers().BucketBySequenceLength(
      [](const Scope& s, const Element& e) { return Cast(s, e[0], DType::kInt32); }, {3, 5},
      {2, 2, 2});
  numbers().IgnoreErrors();
  numbers().WithOptions(data::Options().deterministic(true));
  numbers().AssertCardinality(10);
  numbers().Batch(2).Rebatch(3);
  numbers().Cardinality();
  {
    const data::Dataset first = numbers(), second = numbers();
    data::ChooseFromDatasets({first, second}, data::Range(root, 0, 2));
  }
  data::TextLineDataset(root, {"a", "b"});
  data::FixedLengthRecordDataset(root, {"a"}, 4, 1, 2);
  data::ListFiles(root, "a*", false);
  data::FromGenerator(root, {{DType::kInt32}, {PartialShape(Shape())}}, [] {
    return [] { return StatusOr<std::optional<std::vector<Tensor>>>(std::nullopt); };
  });
  data::CsvDataset(root, {"a"}, {{DType::kFloat}, {DType::kInt32, {1}}});
  // Two constants of Python's that nothing reads.
  const auto unused = [](const std::string& node) {
    return node == "batch_sizes" || node == "drop_remainder_4";
  };
  EXPECT_EQ(DifferencesFromPython(root, "datasets", unused), "");
}

TEST(PipelineGraphsTest, Iterators) {
  const Scope root = Scope::NewRoot();
  const Output handle = Placeholder(root.Named("handle"), DType::kString, Shape());
  const data::ElementSpec spec = {{DType::kInt64}, {PartialShape(Shape())}};
  data::Iterator::FromStringHandle(root, handle, spec).GetNext();
  const data::Iterator iterator = data::Iterator::FromStructure(root, spec);
  iterator.MakeInitializer(data::Range(root, 0, 3));
  iterator.GetNext();
  iterator.GetNext();
  EXPECT_EQ(DifferencesFromPython(root, "iterators"), "");
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
