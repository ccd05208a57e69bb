// No suite writes a GPU's memory on one stream while another stream may still read or write it, nor
// reads what another may still write, nodes of steps included. This file is a part of every program
// that uses the stand-in's streams; so it also says who is told when a test changes the GPUs.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/device/cuda/cuda_device.h"
#include "runtime/kernel/launch_observer.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam {
namespace {

class ToTheStandIn final : public LaunchObserver {
 public:
  void Launched(Stream& stream, absl::string_view node, Span<const Use> uses) override {
    std::vector<cuda_stand_in::MemoryUse> all;
    for (const Use& use : uses) all.push_back({use.at, use.bytes, use.writes});
    if (void* const on = stream.native_handle(); on != nullptr) {
      cuda_stand_in::NoteUses(on, std::string(node), all);
    }
  }
};

class OrderAtTheEnd : public ::testing::Environment {
 public:
  void SetUp() override {
    LaunchObserver::Set(&nodes_);
    cuda_stand_in::OnChange(&LookForCudaGpusAgain);
  }
  void TearDown() override {
    LaunchObserver::Set(nullptr);
    EXPECT_EQ(cuda_stand_in::UnorderedUses(), "");
  }

 private:
  ToTheStandIn nodes_;
};

[[maybe_unused]] ::testing::Environment* const at_the_end =
    ::testing::AddGlobalTestEnvironment(new OrderAtTheEnd);

}  // namespace
}  // namespace warpbeam
