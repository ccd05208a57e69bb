// What most tests include: tools/pch/system.h and GoogleTest, parsed once instead of a hundred
// times. Like that header it is put before the first line of a source by the build, and no file
// includes it. Tests are compiled with it at -O1 (.bazelrc), which is why it is precompiled by
// itself.
#ifndef WARPBEAM_TOOLS_PCH_SYSTEM_AND_GTEST_H_
#define WARPBEAM_TOOLS_PCH_SYSTEM_AND_GTEST_H_

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/pch/system.h"

#endif  // WARPBEAM_TOOLS_PCH_SYSTEM_AND_GTEST_H_
