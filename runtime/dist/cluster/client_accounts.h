// ClientAccounts: what the clients of a server hold there, and how much they may.
//
//   auto accounts = std::make_shared<ClientAccounts>(limits);
//   WB_ASSIGN_OR_RETURN(Charge charge, accounts->Take("10.0.0.3", {/*sessions=*/1, 0, bytes}));
//   session->charge = std::move(charge);        // given back with it
//
// A client is an address without its port: programs of one machine share what one may hold, for
// whoever opens another connection would else begin anew.
//
// Ownership: charges share the accounts. Thread safety: any thread; a charge as a value. Errors:
// RESOURCE_EXHAUSTED, with the limit, its value, what there is, and the flag that sets it.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_CLIENT_ACCOUNTS_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_CLIENT_ACCOUNTS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "graph/types/status_or.h"

namespace warpbeam {

// Of a server; 0: no limit. `warpbeam serve` has a flag of the name of each, with MB for bytes.
struct ClientLimits {
  // With bytes that fit the machine.
  static ClientLimits OfMachine();

  // The largest request. One of more than twice as much is refused before it is in memory, in
  // gRPC's words.
  int64_t max_message_bytes = INT32_MAX;
  // Sessions of clients, and those that other tasks have opened here.
  int64_t max_sessions = 10000;
  int64_t max_client_sessions = 1000;
  // Graphs that other tasks have registered, and callables.
  int64_t max_graphs = 100000;
  int64_t max_client_graphs = 20000;
  // Definitions of graphs, as they came, and requests that are being answered with what they feed.
  int64_t max_bytes = 0;
  int64_t max_client_bytes = 0;
};

// What is held, or asked for.
struct Holding {
  int64_t sessions = 0;
  int64_t graphs = 0;
  int64_t bytes = 0;
};

class ClientAccounts;

// Something that a client holds, until this ends.
class Charge {
 public:
  Charge() = default;
  Charge(std::shared_ptr<ClientAccounts> accounts, std::string client, Holding holding)
      : accounts_(std::move(accounts)), client_(std::move(client)), holding_(holding) {}
  ~Charge() { Release(); }
  Charge(Charge&& other) noexcept { *this = std::move(other); }
  Charge& operator=(Charge&& other) noexcept;

  void Release();

 private:
  std::shared_ptr<ClientAccounts> accounts_;  // null: nothing
  std::string client_;
  Holding holding_;
};

class ClientAccounts : public std::enable_shared_from_this<ClientAccounts> {
 public:
  explicit ClientAccounts(const ClientLimits& limits) : limits_(limits) {}

  // "ipv4:10.0.0.3:4711", as gRPC names who calls: the address without the port.
  static std::string ClientOf(const std::string& peer);
  StatusOr<Charge> Take(const std::string& client, const Holding& more);
  Status CheckMessage(int64_t bytes) const;
  const ClientLimits& limits() const { return limits_; }
  // All that is held; of one client where it is named.
  Holding held(const std::string& client = "") const;

 private:
  friend class Charge;
  void GiveBack(const std::string& client, const Holding& holding);
  Status Check(const std::string& client, const Holding& has, const Holding& more) const;

  const ClientLimits limits_;
  mutable std::mutex mutex_;  // of what follows
  Holding all_;
  std::map<std::string, Holding> clients_;  // those that hold anything
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_CLIENT_ACCOUNTS_H_
