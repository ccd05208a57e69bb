#include "runtime/kernel/capability_set.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(CapabilitySetTest, WordsAndSetsGoBothWays) {
  for (const char* text :
       {"none", "read", "write", "file", "network", "read,network", "write,network", "all"}) {
    const auto set = CapabilitySet::Parse(text);
    ASSERT_TRUE(set.ok()) << set.status();
    EXPECT_EQ(set->ToString(), text);
  }
  const CapabilitySet file = {Capability::kReadFile, Capability::kWriteFile};
  EXPECT_EQ(*CapabilitySet::Parse("read,write"), file);
  EXPECT_EQ(*CapabilitySet::Parse("file,network"), CapabilitySet::All());
  EXPECT_EQ(*CapabilitySet::Parse(""), CapabilitySet());
  const Status unknown = CapabilitySet::Parse("read,files").status();
  EXPECT_EQ(unknown.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(unknown.message()), AllOf(HasSubstr("'files'"), HasSubstr("network")));
}

TEST(CapabilitySetTest, WhatIsNotAllowedIsRefused) {
  OpSchema op;
  EXPECT_TRUE(CapabilitySet().Check(op).ok());
  op.capability = Capability::kWriteFile;
  EXPECT_TRUE(CapabilitySet::All().Check(op).ok());
  const Status refused = CapabilitySet({Capability::kReadFile}).Check(op);
  EXPECT_EQ(refused.code(), StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(refused.message()),
              AllOf(HasSubstr("needs 'write'"), HasSubstr("allows: read"), HasSubstr("--allow")));
}

}  // namespace
}  // namespace warpbeam
