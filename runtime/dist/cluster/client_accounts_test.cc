#include "runtime/dist/cluster/client_accounts.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr Holding kSession = {1, 0, 100};
constexpr Holding kGraph = {0, 1, 0};

ClientLimits Limits() {
  ClientLimits limits;
  limits.max_client_sessions = 2;
  limits.max_sessions = 3;
  limits.max_client_graphs = 1;
  limits.max_graphs = 2;
  limits.max_client_bytes = 3 << 20;
  limits.max_bytes = 4 << 20;
  return limits;
}

class ClientAccountsTest : public ::testing::Test {
 protected:
  // False when it is refused, in these words.
  bool Take(const std::string& client, const Holding& more, const std::string& words = "") {
    auto charge = accounts_->Take(client, more);
    if (charge.ok()) {
      charges_.push_back(*std::move(charge));
      return true;
    }
    EXPECT_TRUE(IsResourceExhausted(charge.status())) << charge.status();
    EXPECT_THAT(std::string(charge.status().message()), HasSubstr(words));
    return false;
  }
  const std::shared_ptr<ClientAccounts> accounts_ = std::make_shared<ClientAccounts>(Limits());
  std::vector<Charge> charges_;
};

TEST_F(ClientAccountsTest, AClientAndAllTogetherHaveLimits) {
  EXPECT_TRUE(Take("a", kSession));
  EXPECT_TRUE(Take("a", kSession));
  EXPECT_FALSE(Take("a", kSession, "the client a may hold 2 sessions, has 2 and asks for 1 more"));
  EXPECT_FALSE(Take("a", kSession, "--max_client_sessions (now 2)"));
  EXPECT_TRUE(Take("b", kSession));
  EXPECT_FALSE(Take("c", kSession, "--max_sessions (now 3)"));
  EXPECT_TRUE(Take("a", kGraph));
  EXPECT_FALSE(Take("a", kGraph, "--max_client_graphs (now 1)"));
  EXPECT_TRUE(Take("b", kGraph));
  EXPECT_FALSE(Take("c", kGraph, "--max_graphs (now 2)"));
  EXPECT_FALSE(Take("a", {0, 0, 3 << 20}, "--max_client_mb (now 3)"));
  EXPECT_TRUE(Take("a", {0, 0, 2 << 20}));
  EXPECT_FALSE(Take("b", {0, 0, 2 << 20}, "--max_mb (now 4)"));
}

TEST_F(ClientAccountsTest, WhatIsRefusedOrGivenBackIsNotHeld) {
  EXPECT_TRUE(Take("a", kSession));
  EXPECT_FALSE(Take("a", {1, 2, 100}));
  EXPECT_EQ(accounts_->held("a").sessions, 1);
  EXPECT_EQ(accounts_->held("a").bytes, 100);
  EXPECT_TRUE(Take("a", kSession));
  Charge moved = std::move(charges_.back());
  charges_.pop_back();
  EXPECT_EQ(accounts_->held("a").sessions, 2);
  moved.Release();
  moved.Release();
  EXPECT_EQ(accounts_->held("a").sessions, 1);
  EXPECT_TRUE(Take("a", kSession));
  charges_.clear();
  EXPECT_EQ(accounts_->held().sessions, 0);
  EXPECT_EQ(accounts_->held().bytes, 0);
}

TEST_F(ClientAccountsTest, WithoutLimitsEverythingFits) {
  ClientLimits none;
  none.max_sessions = none.max_client_sessions = none.max_graphs = none.max_client_graphs = 0;
  none.max_message_bytes = 0;
  const auto accounts = std::make_shared<ClientAccounts>(none);
  EXPECT_TRUE(accounts->Take("a", {1 << 20, 1 << 20, int64_t{1} << 60}).ok());
  EXPECT_TRUE(accounts->CheckMessage(int64_t{1} << 40).ok());
}

TEST_F(ClientAccountsTest, AMessageHasALimit) {
  ClientLimits limits;
  limits.max_message_bytes = 5 << 20;
  const ClientAccounts accounts(limits);
  EXPECT_TRUE(accounts.CheckMessage(5 << 20).ok());
  const Status refused = accounts.CheckMessage((5 << 20) + 1);
  EXPECT_TRUE(IsResourceExhausted(refused));
  EXPECT_THAT(std::string(refused.message()),
              AllOf(HasSubstr("5242881"), HasSubstr("--max_message_mb (now 5)")));
}

TEST_F(ClientAccountsTest, AClientIsAnAddress) {
  EXPECT_EQ(ClientAccounts::ClientOf("ipv4:10.0.0.3:4711"), "10.0.0.3");
  EXPECT_EQ(ClientAccounts::ClientOf("ipv6:%5B::1%5D:4711"), "%5B::1%5D");
  EXPECT_EQ(ClientAccounts::ClientOf("unix:"), "unix:");
  EXPECT_EQ(ClientAccounts::ClientOf(""), "");
}

TEST_F(ClientAccountsTest, TheMachinesLimitsHoldALargeMessage) {
  EXPECT_GT(ClientLimits::OfMachine().max_client_bytes, INT32_MAX);
  EXPECT_GE(ClientLimits::OfMachine().max_bytes, ClientLimits::OfMachine().max_client_bytes);
}

}  // namespace
}  // namespace warpbeam
