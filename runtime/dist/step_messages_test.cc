#include "runtime/dist/step_messages.h"

#include "graph/io/tensor_io.h"
#include "gtest/gtest.h"
#include "proto/master.pb.h"

namespace warpbeam {
namespace {

Tensor Counting(const Shape& shape) {
  Tensor t = *Tensor::Allocate(DType::kFloat, shape);
  for (int64_t i = 0; i < t.num_elements(); ++i) t.data<float>()[i] = static_cast<float>(i);
  return t;
}

TEST(StepMessages, ReadsBackAsOneMessage) {
  const Tensor large = Counting({100, 50}), small = Tensor::Vector<float>({1, 2});
  RunStepReply reply;
  ASSERT_TRUE(reply.Add("small:0", small).ok());
  ASSERT_TRUE(reply.Add("large:0", large).ok());
  ASSERT_TRUE(reply.Add("again:0", large).ok());
  ASSERT_TRUE(reply.Add("words:0", Tensor::Scalar(std::string(20000, 'x'))).ok());
  ASSERT_TRUE(reply.Add("none:0", Counting({0, 3})).ok());
  tensorflow::RunStepResponse rest;
  rest.mutable_metadata();
  reply.Append(rest);
  std::string wire;
  int shared = 0;
  for (const WirePiece& piece : reply.TakePieces()) {
    wire += piece.bytes;
    if (!piece.values.has_value()) continue;
    EXPECT_EQ(piece.values.raw_data(), large.raw_data());
    wire.append(static_cast<const char*>(piece.values.raw_data()), piece.values.bytes());
    ++shared;
  }
  EXPECT_EQ(shared, 2);
  tensorflow::RunStepResponse response;
  ASSERT_TRUE(response.ParseFromString(wire));
  EXPECT_TRUE(response.has_metadata());
  ASSERT_EQ(response.tensor_size(), 5);
  EXPECT_EQ(response.tensor(0).name(), "small:0");
  EXPECT_EQ(response.tensor(3).tensor().string_val(0).size(), 20000u);
  EXPECT_EQ(TensorFromProto(response.tensor(4).tensor())->shape(), Shape({0, 3}));
  for (int i : {1, 2}) {
    auto back = TensorFromProto(response.tensor(i).tensor());
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(back->shape(), large.shape());
    EXPECT_EQ(memcmp(back->raw_data(), large.raw_data(), large.bytes()), 0);
  }
}

TEST(StepMessages, ARequestHasItsFeeds) {
  const Tensor large = Counting({100, 50});
  RunStepCall call;
  ASSERT_TRUE(call.Add("x:0", large).ok());
  tensorflow::RunStepRequest rest;
  rest.add_fetch("y:0");
  rest.set_request_id(7);
  call.Append(rest);
  std::string wire;
  for (const WirePiece& piece : call.TakePieces()) {
    wire += piece.bytes;
    if (!piece.values.has_value()) continue;
    EXPECT_EQ(piece.values.raw_data(), large.raw_data());
    wire.append(static_cast<const char*>(piece.values.raw_data()), piece.values.bytes());
  }
  tensorflow::RunStepRequest request;
  ASSERT_TRUE(request.ParseFromString(wire));
  ASSERT_EQ(request.feed_size(), 1);
  EXPECT_EQ(request.feed(0).name(), "x:0");
  const auto back = TensorFromProto(request.feed(0).tensor());
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->shape(), large.shape());
  EXPECT_EQ(memcmp(back->raw_data(), large.raw_data(), large.bytes()), 0);
  EXPECT_EQ(request.fetch(0), "y:0");
  EXPECT_EQ(request.request_id(), 7);
}

TEST(StepMessages, RefusesMoreThanAMessageHolds) {
  const Tensor large = Counting({(600 << 20) / 4});
  RunStepReply reply;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(reply.Add("x:0", large).ok());
  EXPECT_EQ(reply.Add("x:0", large).code(), StatusCode::kResourceExhausted);
  EXPECT_FALSE(RunStepReply().Add("x:0", Tensor()).ok());
}

}  // namespace
}  // namespace warpbeam
