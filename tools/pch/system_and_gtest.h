// tools/pch/system.h for tests: with GoogleTest.
#ifndef WARPBEAM_TOOLS_PCH_SYSTEM_AND_GTEST_H_
#define WARPBEAM_TOOLS_PCH_SYSTEM_AND_GTEST_H_

#include "tools/pch/system.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#endif  // WARPBEAM_TOOLS_PCH_SYSTEM_AND_GTEST_H_
