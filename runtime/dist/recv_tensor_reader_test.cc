#include "runtime/dist/recv_tensor_reader.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <cstring>
#include <random>

#include "gmock/gmock.h"
#include "graph/io/tensor_io.h"
#include "gtest/gtest.h"
#include "proto/worker.pb.h"
#include "runtime/dist/tensor_pieces.h"

namespace warpbeam {
namespace {

using google::protobuf::io::ArrayInputStream;
using tensorflow::RecvTensorResponse;

// Comes in pieces of `block` bytes, as from a socket.
StatusOr<Rendezvous::Value> Read(const std::string& wire, int block = 1000) {
  ArrayInputStream bytes(wire.data(), static_cast<int>(wire.size()), block);
  return ReadRecvTensorReply(&bytes);
}

std::string Written(const Rendezvous::Value& value) {
  auto pieces = RecvTensorReply(value);
  EXPECT_TRUE(pieces.ok()) << pieces.status();
  std::string wire;
  for (const WirePiece& piece : *pieces) {
    wire += piece.bytes;
    if (!piece.values.has_value()) continue;
    wire.append(static_cast<const char*>(piece.values.raw_data()), piece.values.bytes());
  }
  return wire;
}

Tensor Floats(int64_t size) {
  Tensor tensor = *Tensor::Allocate(DType::kFloat, Shape({size}));
  for (int64_t i = 0; i < size; ++i) tensor.data<float>()[i] = static_cast<float>(i);
  return tensor;
}

void ExpectSame(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.dtype(), b.dtype());
  ASSERT_EQ(a.shape(), b.shape());
  EXPECT_EQ(std::memcmp(a.raw_data(), b.raw_data(), a.bytes()), 0);
}

TEST(RecvTensorReaderTest, ReadsWhatIsWritten) {
  for (const int64_t size : {0, 1, 100, 4095, 4096, 4097, 100000}) {
    const Tensor tensor = Floats(size);
    for (const int block : {1 << 20, 1000, 7}) {
      const auto read = Read(Written({tensor}), block);
      ASSERT_TRUE(read.ok()) << size << ": " << read.status();
      EXPECT_FALSE(read->is_dead);
      ExpectSame(read->tensor, tensor);
    }
  }
}

TEST(RecvTensorReaderTest, DeadAndStringsAndBools) {
  Rendezvous::Value dead;
  dead.is_dead = true;
  auto read = Read(Written(dead));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->is_dead);
  Tensor texts = *Tensor::Allocate(DType::kString, Shape({2}));
  texts.data<std::string>()[1] = std::string(100000, 'x');
  read = Read(Written({texts}));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->tensor.data<std::string>()[1], texts.data<std::string>()[1]);
  Tensor bools = *Tensor::Allocate(DType::kBool, Shape({50000}));
  std::memset(bools.raw_data(), 1, bools.bytes());
  read = Read(Written({bools}));
  ASSERT_TRUE(read.ok()) << read.status();
  ExpectSame(read->tensor, bools);
}

// Any order of fields is a message.
TEST(RecvTensorReaderTest, ValuesBeforeTheShape) {
  const Tensor tensor = Floats(20000);
  tensorflow::TensorProto values, head;
  values.set_tensor_content(std::string(static_cast<const char*>(tensor.raw_data()), 80000));
  head.set_dtype(tensorflow::DT_FLOAT);
  head.mutable_tensor_shape()->add_dim()->set_size(20000);
  std::string wire;
  const std::string inner = values.SerializeAsString() + head.SerializeAsString();
  AppendHeader(RecvTensorResponse::kTensorFieldNumber, inner.size(), &wire);
  const auto read = Read(wire + inner);
  ASSERT_TRUE(read.ok()) << read.status();
  ExpectSame(read->tensor, tensor);
}

TEST(RecvTensorReaderTest, WhatIsNoAnswerIsRefused) {
  EXPECT_EQ(Read("").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Read("\xff\xff\xff").status().code(), StatusCode::kInvalidArgument);
  const std::string whole = Written({Floats(20000)});
  for (const size_t cut : {size_t{1}, size_t{10}, size_t{40}, whole.size() / 2, whole.size() - 1}) {
    EXPECT_FALSE(Read(whole.substr(0, cut)).ok()) << cut;
  }
  // More values than the shape says, or fewer, are the tensor's affair.
  RecvTensorResponse response;
  response.mutable_tensor()->set_dtype(tensorflow::DT_FLOAT);
  response.mutable_tensor()->mutable_tensor_shape()->add_dim()->set_size(int64_t{1} << 60);
  response.mutable_tensor()->set_tensor_content(std::string(100000, 'x'));
  EXPECT_FALSE(Read(response.SerializeAsString()).ok());
}

TEST(RecvTensorReaderTest, NoBytesHarmIt) {
  const std::string whole = Written({Floats(5000)});
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string wire = whole;
    for (int change = 0; change < 3; ++change) {
      wire[random() % std::min<size_t>(wire.size(), 60)] = static_cast<char>(random());
    }
    Read(wire).status().IgnoreError();
  }
}

}  // namespace
}  // namespace warpbeam
