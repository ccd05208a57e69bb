#include "runtime/dist/grpc_channel.h"

#include <grpcpp/grpcpp.h>

#include "runtime/dist/tls.h"
#include "runtime/dist/transfer_sizes.h"

namespace warpbeam {
namespace {

// How soon a lost connection is tried again.
constexpr int kFirstRetryMs = 100;
constexpr int kLastRetryMs = 1000;
// How long making a connection may take, where the network is slow.
constexpr int kConnectMs = 2500;
// Servers end connections that ask more often than every five minutes.
constexpr int kClientAskMs = 320000;
constexpr int kAnswerMs = 20000;

}  // namespace

std::shared_ptr<grpc::Channel> ConnectTo(const std::string& address, const TlsFiles& tls,
                                         bool is_own) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  for (const auto& [name, value] : kTransferSizes) arguments.SetInt(name, value);
  if (is_own) arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstRetryMs);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kLastRetryMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kClientAskMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kAnswerMs);
  // A step may be silent for as long as it takes.
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // Tasks are where the cluster says, whatever proxy the environment names.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return grpc::CreateCustomChannel(address, ChannelCredentialsFor(tls), arguments);
}

}  // namespace warpbeam
