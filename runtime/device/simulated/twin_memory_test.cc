#include "runtime/device/simulated/twin_memory.h"

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

TEST(TwinMemoryTest, AddressesOfBothMappingsTranslate) {
  auto memory = TwinMemory::Create("gpu:0", 1 << 20);
  ASSERT_TRUE(memory.ok()) << memory.status();
  const BufferRef buffer = (*memory)->Allocate(64);
  char* const writable = static_cast<char*>((*memory)->ToWritable(buffer->data()));
  EXPECT_NE(writable, buffer->data());
  writable[0] = 7;
  EXPECT_EQ((*memory)->ToGuarded(writable), buffer->data());
  int on_host = 0;
  EXPECT_EQ((*memory)->ToWritable(&on_host), &on_host);
}

// Whether the address lies in a mapping of the process that begins before it.
bool LiesInside(const void* p) {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR, &begin, &end) != 2) continue;
    const auto address = reinterpret_cast<uintptr_t>(p);
    if (begin < address && address < end) return true;
  }
  return false;
}

// The address behind the memory counts as its own, so that nothing else may begin there: a host's
// buffer that did was written somewhere else.
TEST(TwinMemoryTest, NothingElseBeginsWhereItEnds) {
  const size_t size = size_t{1} << 20;
  auto memory = TwinMemory::Create("gpu:0", static_cast<int64_t>(size));
  ASSERT_TRUE(memory.ok()) << memory.status();
  const BufferRef all = (*memory)->Allocate(size);
  ASSERT_TRUE(all);
  char* const end = static_cast<char*>(all->data()) + size;
  EXPECT_TRUE(LiesInside(end));
  EXPECT_TRUE(LiesInside((*memory)->ToWritable(end)));
}

}  // namespace
}  // namespace warpbeam
