// No suite reads a GPU's memory on one stream while another stream may still write it. This file is
// a part of every program that uses the stand-in's streams.
#include "gtest/gtest.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam {
namespace {

class UnorderedReadsAtTheEnd : public ::testing::Environment {
 public:
  void TearDown() override { EXPECT_EQ(cuda_stand_in::UnorderedReads(), ""); }
};

[[maybe_unused]] ::testing::Environment* const at_the_end =
    ::testing::AddGlobalTestEnvironment(new UnorderedReadsAtTheEnd);

}  // namespace
}  // namespace warpbeam
