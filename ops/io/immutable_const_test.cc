// Constants whose bytes lie in files.
#include <unistd.h>

#include <fstream>

#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "ops/launch/op_runner.h"
#include "runtime/record/file.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = StatusCode;

std::string SixFloats() {
  // Tests run side by side.
  const std::string path = absl::StrCat(
      ::testing::TempDir(), "/", ::testing::UnitTest::GetInstance()->current_test_info()->name());
  const float values[] = {0, 1, 2, 3, 4, 5};
  EXPECT_TRUE(WriteStringToFile(path, {reinterpret_cast<const char*>(values), sizeof values}).ok());
  return path;
}

StatusOr<Tensor> Read(const std::string& path, DType dtype, const Shape& shape) {
  return OpRunner("ImmutableConst")
      .Attr("dtype", dtype)
      .Attr("shape", shape)
      .Attr("memory_region_name", path)
      .RunOne();
}

TEST(ImmutableConst, IsWhatTheFileHolds) {
  const auto all = Read(SixFloats(), DType::kFloat, Shape({2, 3}));
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->shape(), Shape({2, 3}));
  EXPECT_THAT(all->flat<float>(), ElementsAre(0, 1, 2, 3, 4, 5));
  const auto first = Read(SixFloats(), DType::kFloat, Shape({2}));
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_THAT(first->flat<float>(), ElementsAre(0, 1));
  EXPECT_TRUE(Read(SixFloats(), DType::kFloat, Shape({0})).ok());
}

TEST(ImmutableConst, WhatItRefuses) {
  const Status large = Read(SixFloats(), DType::kFloat, Shape({7})).status();
  EXPECT_EQ(large.code(), Code::kInternal);
  EXPECT_THAT(std::string(large.message()), HasSubstr("has 24 bytes, the constant takes 28"));
  EXPECT_EQ(Read(SixFloats() + ".none", DType::kFloat, Shape({6})).status().code(),
            Code::kNotFound);
  EXPECT_EQ(Read(SixFloats(), DType::kString, Shape({1})).status().code(), Code::kUnimplemented);
  EXPECT_EQ(Read("memmapped_package://w", DType::kFloat, Shape({1})).status().code(),
            Code::kUnimplemented);
  EXPECT_EQ(Read(SixFloats(), DType::kDouble, *Shape::Make({int64_t{1} << 31, int64_t{1} << 31}))
                .status()
                .code(),
            Code::kInvalidArgument);
}

class ImmutableConstGraph : public ::testing::Test {
 protected:
  OutputRef Add(NodeBuilder& builder) {
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  OutputRef FromFile(const std::string& path, const Shape& shape) {
    return Add(NodeBuilder(graph_.get(), "ImmutableConst")
                   .Name("w")
                   .Attr("dtype", DType::kFloat)
                   .Attr("shape", shape)
                   .Attr("memory_region_name", path));
  }
  Status Fetch(const std::string& name) {
    if (session_ == nullptr) {
      WB_ASSIGN_OR_RETURN(session_, Session::Create(SessionOptions(), graph_));
    }
    return session_->Run(RunOptions(), {}, {name}, {}, &fetched_);
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::unique_ptr<Session> session_;
  std::vector<Tensor> fetched_;
};

// What reads a constant may not write into the file, nor into the next step's value.
TEST_F(ImmutableConstGraph, StaysAsItIs) {
  const std::string path = SixFloats();
  Add(NodeBuilder(graph_.get(), "Neg").Name("neg").Input(FromFile(path, Shape({6}))));
  for (int step = 0; step < 2; ++step) {
    const Status ran = Fetch("neg");
    ASSERT_TRUE(ran.ok()) << ran;
    EXPECT_THAT(fetched_[0].flat<float>(), ElementsAre(0, -1, -2, -3, -4, -5));
  }
  EXPECT_EQ(ReadFileToString(path)->substr(4, 4), std::string("\0\0\x80\x3f", 4));
}

// Three gigabytes, of which the file system stores one page and the step touches another.
TEST_F(ImmutableConstGraph, MayBeLargerThanASerializedGraph) {
  const std::string path = ::testing::TempDir() + "/large.bin";
  constexpr int64_t kElements = int64_t{3} << 28;
  ASSERT_TRUE(WriteStringToFile(path, "").ok());
  ASSERT_EQ(truncate(path.c_str(), kElements * 4), 0);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const float last = 7;
  file.seekp(kElements * 4 - 4);
  file.write(reinterpret_cast<const char*>(&last), sizeof last);
  file.close();
  const OutputRef large = FromFile(path, Shape({kElements}));
  const auto at = AddConstant(graph_.get(), "at", Tensor::Vector<int64_t>({kElements - 1, 0}));
  const auto axis = AddConstant(graph_.get(), "axis", Tensor::Scalar<int32_t>(0));
  ASSERT_TRUE(at.ok() && axis.ok());
  Add(NodeBuilder(graph_.get(), "GatherV2")
          .Name("ends")
          .Input(large)
          .Input(OutputRef{(*at)->id(), 0})
          .Input(OutputRef{(*axis)->id(), 0}));
  const Status ran = Fetch("ends");
  ASSERT_TRUE(ran.ok()) << ran;
  EXPECT_THAT(fetched_[0].flat<float>(), ElementsAre(7, 0));
  session_ = nullptr;
  unlink(path.c_str());
}

TEST_F(ImmutableConstGraph, NeedsLeaveToRead) {
  FromFile(SixFloats(), Shape({6}));
  SessionOptions options;
  options.allow = CapabilitySet();
  auto session = Session::Create(options, graph_);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ((*session)->Run(RunOptions(), {}, {"w"}, {}, &fetched_).code(),
            Code::kPermissionDenied);
}

}  // namespace
}  // namespace warpbeam
