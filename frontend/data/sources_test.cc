#include "frontend/data/sources.h"

#include <filesystem>
#include <fstream>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/host_call.h"
#include "frontend/host_tensor/host_tensor.h"
#include "graph/types/errors.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace data {
namespace {

bool Mentions(const Status& status, const std::string& text) {
  return status.message().find(text) != absl::string_view::npos;
}

std::string FileWith(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + "/sources_test_" + name;
  std::ofstream(path) << text;
  return path;
}

// The first component of the elements, up to the end or `most` of them.
template <typename T>
std::vector<T> FirstsOf(const Dataset& dataset, int most = 100) {
  std::vector<T> firsts;
  const Element next = dataset.MakeOneShotIterator().GetNext();
  EXPECT_TRUE(dataset.scope().ok()) << dataset.scope().status();
  ClientSession session(dataset.scope());
  for (int i = 0; i < most; ++i) {
    const auto element = session.Run(next);
    if (!element.ok()) {
      EXPECT_EQ(element.status().code(), StatusCode::kOutOfRange) << element.status();
      break;
    }
    const auto value = ValueOf<T>(element->at(0));
    EXPECT_TRUE(value.ok()) << value.status();
    firsts.push_back(value.value_or(T()));
  }
  return firsts;
}

using Strings = std::vector<std::string>;
using NumberVector = std::vector<int64_t>;

TEST(SourcesTest, FilesOfLinesAndRecords) {
  const Scope root = Scope::NewRoot();
  const std::string a = FileWith("a.txt", "one\ntwo\n"), b = FileWith("b.txt", "three\n");
  EXPECT_EQ(FirstsOf<std::string>(TextLineDataset(root, {a, b})), (Strings{"one", "two", "three"}));
  const std::string records = FileWith("records", "Habcdef!");
  EXPECT_EQ(FirstsOf<std::string>(FixedLengthRecordDataset(root, {records}, 3, 1, 1)),
            (Strings{"abc", "def"}));
  const std::string pattern = ::testing::TempDir() + "/sources_test_*.txt";
  EXPECT_EQ(FirstsOf<std::string>(ListFiles(root, pattern, false)), (Strings{a, b}));
  EXPECT_EQ(FirstsOf<std::string>(ListFiles(root, pattern)).size(), 2u);
}

TEST(SourcesTest, RowsOfCsvFiles) {
  const Scope root = Scope::NewRoot();
  const std::string file = FileWith("rows.csv", "name;count\na;1\nb;\n");
  const Dataset rows = CsvDataset(root, {file}, {{DType::kString}, {DType::kInt64, 7}},
                                  CsvOptions().header(true).field_delim(";"));
  EXPECT_EQ(FirstsOf<std::string>(rows), (Strings{"a", "b"}));
  const Dataset counts = CsvDataset(root, {file}, {{DType::kInt64, 7}},
                                    CsvOptions().header(true).field_delim(";").select_cols({1}));
  EXPECT_EQ(FirstsOf<int64_t>(counts), (NumberVector{1, 7}));
}

TEST(SourcesTest, NumbersWithoutEnd) {
  const Scope root = Scope::NewRoot();
  EXPECT_EQ(FirstsOf<int64_t>(Counter(root, 5, 2), 3), (NumberVector{5, 7, 9}));
  const NumberVector random = FirstsOf<int64_t>(RandomDataset(root, 3), 4);
  EXPECT_EQ(FirstsOf<int64_t>(RandomDataset(root, 3), 4), random);
}

TEST(SourcesTest, DatasetsInTurn) {
  const Scope root = Scope::NewRoot();
  const Dataset low = Range(root, 0, 3), high = Range(root, 10, 13);
  const Dataset choices = FromTensorSlices(root, {std::vector<int64_t>{1, 0, 0, 1}});
  EXPECT_EQ(FirstsOf<int64_t>(ChooseFromDatasets({low, high}, choices)),
            (NumberVector{10, 0, 1, 11}));
  EXPECT_EQ(FirstsOf<int64_t>(SampleFromDatasets({low, high}, {0.0f, 1.0f}, 3, true)),
            (NumberVector{10, 11, 12}));
  EXPECT_EQ(FirstsOf<int64_t>(SampleFromDatasets({low, high})).size(), 6u);
  SampleFromDatasets({low, high}, {1.0f});
  EXPECT_FALSE(root.ok());
}

TEST(SourcesTest, SavedElementsAreLoaded) {
  const Scope root = Scope::NewRoot();
  const std::string folder = ::testing::TempDir() + "/sources_test_saved";
  std::filesystem::remove_all(folder);
  const Operation save = Range(root, 0, 3).Save(folder + "/elements");
  ASSERT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  const Status saved = session.Run({save}).status();
  ASSERT_TRUE(saved.ok()) << saved;
  EXPECT_EQ(FirstsOf<int64_t>(Load(root, folder + "/elements", Range(root, 0, 1).spec())),
            (NumberVector{0, 1, 2}));
  const Dataset snapshot = Range(root, 5, 8).Snapshot(folder + "/snapshot");
  EXPECT_EQ(FirstsOf<int64_t>(snapshot), (NumberVector{5, 6, 7}));
  EXPECT_EQ(FirstsOf<int64_t>(snapshot), (NumberVector{5, 6, 7}));
}

// Numbers below `count`.
std::function<Generator()> CountTo(int64_t count) {
  return [count] {
    return [count, i = int64_t{0}]() mutable -> StatusOr<std::optional<std::vector<Tensor>>> {
      if (i == count) return std::optional<std::vector<Tensor>>();
      return std::optional<std::vector<Tensor>>({Tensor::Scalar<int64_t>(i++)});
    };
  };
}

TEST(GeneratorTest, AFunctionOfTheProgramMakesTheElements) {
  const Scope root = Scope::NewRoot();
  const ElementSpec spec = {{DType::kInt64}, {PartialShape(Shape())}};
  EXPECT_EQ(FirstsOf<int64_t>(FromGenerator(root, spec, CountTo(3)).Repeat(2)),
            (NumberVector{0, 1, 2, 0, 1, 2}));
}

TEST(GeneratorTest, WhatWasNotPromisedIsAnError) {
  const Scope root = Scope::NewRoot();
  const ElementSpec other = {{DType::kFloat}, {PartialShape(Shape())}};
  const Element next = FromGenerator(root, other, CountTo(3)).MakeOneShotIterator().GetNext();
  const ElementSpec spec = {{DType::kInt64}, {PartialShape(Shape())}};
  const auto failing = [] {
    return []() -> StatusOr<std::optional<std::vector<Tensor>>> {
      return InvalidArgument("no more of this");
    };
  };
  const Element fails = FromGenerator(root, spec, failing).MakeOneShotIterator().GetNext();
  ClientSession session(root);
  EXPECT_TRUE(Mentions(session.Run(next).status(), "promised was float"))
      << session.Run(next).status();
  EXPECT_TRUE(Mentions(session.Run(fails).status(), "no more of this"));
  FromGenerator(root, spec, nullptr);
  EXPECT_FALSE(root.ok());
}

TEST(HostCallTest, AFunctionOfTheProgramIsAnOperation) {
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root, DType::kFloat, Shape());
  const auto twice = [](const std::vector<Tensor>& in, std::vector<Tensor>* out) -> Status {
    WB_ASSIGN_OR_RETURN(const float value, ValueOf<float>(in[0]));
    if (value < 0) return InvalidArgument("it is negative");
    out->push_back(Tensor::Scalar(2 * value));
    return OkStatus();
  };
  const std::vector<Output> y = HostCall(root, twice, {x}, {DType::kFloat});
  const std::vector<Output> wrong = HostCall(root, twice, {x}, {DType::kInt32}, false);
  const std::vector<Output> none = HostCall(root, twice, {x}, {});
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_EQ(y[0].op().type(), "PyFunc");
  ClientSession session(root);
  const auto out = session.Run({{x, Tensor::Scalar(1.5f)}}, y);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(*ValueOf<float>(out->at(0)), 3);
  EXPECT_TRUE(Mentions(session.Run({{x, Tensor::Scalar(-1.0f)}}, y).status(), "it is negative"));
  EXPECT_TRUE(Mentions(session.Run({{x, Tensor::Scalar(1.0f)}}, wrong).status(), "int32"));
  EXPECT_FALSE(session.Run({{x, Tensor::Scalar(1.0f)}}, {"PyFunc_1"}).ok());
}

}  // namespace
}  // namespace data
}  // namespace frontend
}  // namespace warpbeam
