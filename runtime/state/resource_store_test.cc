#include "runtime/state/resource_store.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Code = StatusCode;

struct Kettle final : Resource {
  std::string DebugString() const override { return "a kettle"; }
};
struct Lamp final : Resource {
  std::string DebugString() const override { return "a lamp"; }
};

class ResourceStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(store_.Create("", "v", kettle_).ok());
    ASSERT_TRUE(store_.Create("", "v", lamp_).ok());
  }
  template <typename T>
  static ResourceHandle Handle(const std::string& name) {
    return MakeResourceHandle<T>("", "", name, "T");
  }

  ResourceStore store_;
  const std::shared_ptr<Kettle> kettle_ = std::make_shared<Kettle>();
  const std::shared_ptr<Lamp> lamp_ = std::make_shared<Lamp>();
};

TEST_F(ResourceStoreTest, EachTypeHasItsOwnNames) {
  EXPECT_EQ(*store_.Lookup<Kettle>("", "v"), kettle_);
  EXPECT_EQ(*store_.Lookup<Lamp>("", "v"), lamp_);
  EXPECT_EQ(store_.Create("", "v", std::make_shared<Lamp>()).code(), Code::kAlreadyExists);
  const auto found = store_.LookupOrCreate<Kettle>(
      "", "v", []() -> StatusOr<std::shared_ptr<Kettle>> { return Internal("made anew"); });
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, kettle_);
  EXPECT_EQ(store_.Names(), (std::vector<std::string>{"v", "v"}));
}

TEST_F(ResourceStoreTest, AHandleIsOfUseInItsOwnTask) {
  const auto on = [](const std::string& device) {
    return MakeResourceHandle<Kettle>(device, "", "v", "Kettle");
  };
  const std::string here = "/job:ps/replica:0/task:1/device:CPU:0";
  const std::string there = "/job:ps/replica:0/task:11/device:CPU:0";
  // A store that nobody has told its task does not ask.
  EXPECT_TRUE(store_.Lookup<Kettle>(on(there)).ok());
  store_.ServeTask("/job:ps/replica:0/task:1");
  store_.ServeTask("/job:worker/replica:0/task:3");
  for (const char* own :
       {here.c_str(), "/job:ps/replica:0/task:1", "/job:worker/replica:0/task:3/device:GPU:7", "",
        "/device:CPU:0", "somewhere"}) {
    EXPECT_TRUE(store_.Lookup<Kettle>(on(own)).ok()) << own;
  }
  for (const Status& refused :
       {store_.Lookup<Kettle>(on(there)).status(), store_.Create(on(there), kettle_),
        store_.Delete(on(there)),
        store_
            .LookupOrCreate<Kettle>(
                on(there),
                []() -> StatusOr<std::shared_ptr<Kettle>> { return Internal("made anew"); })
            .status()}) {
    EXPECT_EQ(refused.code(), Code::kInvalidArgument) << refused;
    EXPECT_THAT(std::string(refused.message()),
                AllOf(HasSubstr("localhost/v"), HasSubstr("located in device " + there),
                      HasSubstr("/job:ps/replica:0/task:1:")));
  }
  EXPECT_EQ(*store_.Lookup<Kettle>("", "v"), kettle_);
}

TEST_F(ResourceStoreTest, AHandleIsOfOneType) {
  EXPECT_EQ(*store_.Lookup<Kettle>(Handle<Kettle>("v")), kettle_);
  const Status s = store_.Lookup<Lamp>(Handle<Kettle>("v")).status();
  EXPECT_EQ(s.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(s.message()), HasSubstr("wrong type"));
  const auto make = []() -> StatusOr<std::shared_ptr<Lamp>> { return std::make_shared<Lamp>(); };
  EXPECT_EQ(store_.LookupOrCreate<Lamp>(Handle<Kettle>("w"), make).status().code(),
            Code::kInvalidArgument);
  EXPECT_TRUE(store_.LookupOrCreate<Lamp>(Handle<Lamp>("w"), make).ok());
  const Status only_other = store_.Lookup<Kettle>("", "w").status();
  EXPECT_EQ(only_other.code(), Code::kNotFound);
  EXPECT_THAT(std::string(only_other.message()), HasSubstr("a lamp"));
}

TEST_F(ResourceStoreTest, WhatAHandleNamesIsDeleted) {
  ResourceHandle untyped;
  untyped.name = "v";
  EXPECT_EQ(store_.Delete(untyped).code(), Code::kInvalidArgument);
  const uint64_t before = store_.generation();
  ASSERT_TRUE(store_.Delete(Handle<Kettle>("v")).ok());
  EXPECT_NE(store_.generation(), before);
  EXPECT_EQ(store_.Delete(Handle<Kettle>("v")).code(), Code::kNotFound);
  EXPECT_EQ(*store_.Lookup<Lamp>("", "v"), lamp_);
  ASSERT_TRUE(store_.Delete(untyped).ok());
  EXPECT_TRUE(store_.Names().empty());
}

}  // namespace
}  // namespace warpbeam
