#include "runtime/dist/cluster/client_accounts.h"

#include <unistd.h>

#include <algorithm>

#include "graph/types/errors.h"
#include "graph/types/shown_name.h"

namespace warpbeam {
namespace {

// A server takes no less than one large message, however small its machine is.
constexpr int64_t kLeastBytes = int64_t{4} << 30;

void Add(const Holding& more, int64_t times, Holding* to) {
  to->sessions += times * more.sessions;
  to->graphs += times * more.graphs;
  to->bytes += times * more.bytes;
}

bool IsNothing(const Holding& holding) {
  return holding.sessions == 0 && holding.graphs == 0 && holding.bytes == 0;
}

// `unit`: what the limit counts; of bytes its flag gives MB.
Status CheckOne(absl::string_view who, absl::string_view unit, absl::string_view flag, int64_t has,
                int64_t more, int64_t limit) {
  if (limit <= 0 || more <= 0 || has + more <= limit) return OkStatus();
  const bool is_bytes = unit == "bytes";
  return ResourceExhausted(who, " may hold ", limit, " ", unit, ", has ", has, " and asks for ",
                           more,
                           " more: close sessions that are not used, or serve with a larger --",
                           flag, " (now ", is_bytes ? limit >> 20 : limit, ")");
}

}  // namespace

ClientLimits ClientLimits::OfMachine() {
  ClientLimits limits;
  const int64_t memory = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGE_SIZE);
  limits.max_bytes = std::max(memory / 2, kLeastBytes);
  limits.max_client_bytes = std::max(memory / 4, kLeastBytes);
  return limits;
}

Charge& Charge::operator=(Charge&& other) noexcept {
  if (this == &other) return *this;
  Release();
  accounts_ = std::move(other.accounts_);
  other.accounts_ = nullptr;
  client_ = std::move(other.client_);
  holding_ = other.holding_;
  return *this;
}

void Charge::Release() {
  if (accounts_ != nullptr) accounts_->GiveBack(client_, holding_);
  accounts_ = nullptr;
}

std::string ClientAccounts::ClientOf(const std::string& peer) {
  const size_t kind = peer.find(':');
  const size_t port = peer.rfind(':');
  if (kind == std::string::npos || port <= kind) return peer;
  return peer.substr(kind + 1, port - kind - 1);
}

Status ClientAccounts::CheckMessage(int64_t bytes) const {
  if (limits_.max_message_bytes <= 0 || bytes <= limits_.max_message_bytes) return OkStatus();
  return ResourceExhausted(
      "a request may have ", limits_.max_message_bytes, " bytes, and this has ", bytes,
      ": serve with a larger --max_message_mb (now ", limits_.max_message_bytes >> 20, ")");
}

Status ClientAccounts::Check(const std::string& client, const Holding& has,
                             const Holding& more) const {
  const ClientLimits& l = limits_;
  const std::string who = absl::StrCat("the client ", ShownName(client));
  constexpr char kAll[] = "the server's clients together";
  WB_RETURN_IF_ERROR(CheckOne(who, "sessions", "max_client_sessions", has.sessions, more.sessions,
                              l.max_client_sessions));
  WB_RETURN_IF_ERROR(
      CheckOne(kAll, "sessions", "max_sessions", all_.sessions, more.sessions, l.max_sessions));
  WB_RETURN_IF_ERROR(
      CheckOne(who, "graphs", "max_client_graphs", has.graphs, more.graphs, l.max_client_graphs));
  WB_RETURN_IF_ERROR(
      CheckOne(kAll, "graphs", "max_graphs", all_.graphs, more.graphs, l.max_graphs));
  WB_RETURN_IF_ERROR(
      CheckOne(who, "bytes", "max_client_mb", has.bytes, more.bytes, l.max_client_bytes));
  return CheckOne(kAll, "bytes", "max_mb", all_.bytes, more.bytes, l.max_bytes);
}

StatusOr<Charge> ClientAccounts::Take(const std::string& client, const Holding& more) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto known = clients_.find(client);
  const Holding has = known == clients_.end() ? Holding() : known->second;
  WB_RETURN_IF_ERROR(Check(client, has, more));
  Add(more, 1, &clients_[client]);
  Add(more, 1, &all_);
  return Charge(shared_from_this(), client, more);
}

void ClientAccounts::GiveBack(const std::string& client, const Holding& holding) {
  std::lock_guard<std::mutex> lock(mutex_);
  Add(holding, -1, &all_);
  const auto known = clients_.find(client);
  Add(holding, -1, &known->second);
  if (IsNothing(known->second)) clients_.erase(known);
}

Holding ClientAccounts::held(const std::string& client) const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (client.empty()) return all_;
  const auto known = clients_.find(client);
  return known == clients_.end() ? Holding() : known->second;
}

}  // namespace warpbeam
