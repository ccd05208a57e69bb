// Feeds that do not fit and names that are not there are refused before anything of a step runs,
// whoever asks, with what was asked for.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "graph/io/graph_file.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kGraph[] = R"(
node { name: "tower/x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "shape" value { shape { dim { size: -1 } dim { size: 2 } } } } }
node { name: "free" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "shape" value { shape { unknown_rank: true } } } }
node { name: "tower/loss" op: "Neg" input: "tower/x"
       attr { key: "T" value { type: DT_FLOAT } } }
node { name: "any" op: "Neg" input: "free" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "after" op: "Neg" input: "tower/loss" attr { key: "T" value { type: DT_FLOAT } } }
)";

Tensor Zeros(std::initializer_list<int64_t> extents) {
  const Shape shape(extents);
  return Tensor::FromValues<float>(shape, std::vector<float>(shape.num_elements()));
}

class Feeds : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(Open().ok()); }

  Status Open() {
    auto graph = std::make_shared<Graph>();
    WB_RETURN_IF_ERROR(ImportGraphText(kGraph, ImportOptions(), graph.get()));
    WB_ASSIGN_OR_RETURN(session_, Session::Create(options_, std::move(graph)));
    return OkStatus();
  }
  // By each way to run a step, all of which say the same.
  std::string Message(const std::string& feed, const Tensor& value, const std::string& fetch) {
    std::vector<Tensor> out;
    const Status run = session_->Run({}, {{feed, value}}, {fetch}, {}, &out);
    CallableOptions options;
    options.feeds = {feed};
    options.fetches = {fetch};
    Status called;
    if (const auto handle = session_->MakeCallable(options); handle.ok()) {
      called = session_->RunCallable(*handle, MakeConstSpan(&value, 1), &out);
    } else {
      called = handle.status();
    }
    EXPECT_EQ(called, run);
    Status partial;
    if (const auto handle = session_->PartialRunSetup({feed}, {fetch}, {}); handle.ok()) {
      partial = session_->PartialRun(*handle, {{feed, value}}, {fetch}, &out);
      EXPECT_TRUE(partial.ok() ||
                  session_->PartialRun(*handle, {{feed, Zeros({1, 2})}}, {fetch}, &out).ok())
          << "a refused call ended the run";
    } else {
      partial = handle.status();
    }
    EXPECT_EQ(partial, run);
    return std::string(run.message());
  }

  SessionOptions options_;
  std::unique_ptr<Session> session_;
};

TEST_F(Feeds, AreOfTheirPlaceholdersDtype) {
  EXPECT_EQ(Message("tower/x", Tensor::Vector<int32_t>({1, 2}), "tower/loss"),
            "the feed 'tower/x:0' must be float, not int32");
}

// TensorFlow's sessions run these; its Python client holds the shapes against each other.
TEST_F(Feeds, MayBeOfAnotherShapeThanTheGraphSays) {
  EXPECT_EQ(Message("tower/x", Zeros({3, 2}), "tower/loss"), "");
  EXPECT_EQ(Message("tower/x", Zeros({2, 3}), "tower/loss"), "");
  EXPECT_EQ(Message("free", Zeros({}), "any"), "");
  EXPECT_EQ(Message("tower/loss", Zeros({5, 5, 5}), "after"), "");
}

TEST_F(Feeds, NamesThatAreNearAreNamed) {
  EXPECT_THAT(Message("tower/y", Zeros({1, 2}), "tower/loss"),
              EndsWith("names no node of the graph; did you mean 'tower/x'?"));
  EXPECT_THAT(Message("tower/x", Zeros({1, 2}), "loss"), HasSubstr("did you mean 'tower/loss'?"));
  EXPECT_THAT(Message("tower/x", Zeros({1, 2}), "prediction"), Not(HasSubstr("did you mean")));
  const Status target = session_->Run({}, {}, {}, {"afer"}, nullptr);
  EXPECT_THAT(std::string(target.message()), HasSubstr("did you mean 'after'?"));
}

TEST_F(Feeds, NamesInMessagesAreCut) {
  const std::string name(1'000'000, 'n');
  const std::string message = Message(name, Zeros({1, 2}), "after");
  EXPECT_LT(message.size(), 400);
  EXPECT_THAT(message, HasSubstr(std::string(200, 'n') + "…'"));
}

TEST_F(Feeds, DumpedGraphsGetTheirFolder) {
  const fs::path folder = fs::path(::testing::TempDir()) / "dumps";
  fs::remove_all(folder);
  options_.dump_directory = (folder / "of" / "today").string();
  ASSERT_TRUE(Open().ok());
  EXPECT_EQ(Message("tower/x", Zeros({1, 2}), "tower/loss"), "");
  EXPECT_FALSE(fs::is_empty(options_.dump_directory));
  std::ofstream(folder / "file") << "in the way";
  options_.dump_directory = (folder / "file" / "today").string();
  EXPECT_THAT(std::string(Open().message()),
              AllOf(HasSubstr("cannot be dumped"), HasSubstr("file/today")));
}

}  // namespace
}  // namespace warpbeam
