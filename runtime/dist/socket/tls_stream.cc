#include "runtime/dist/socket/tls_stream.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace warpbeam {
namespace {

// OpenSSL counts in int.
constexpr size_t kMostBytes = size_t{1} << 20;

struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using Context = std::unique_ptr<SSL_CTX, FreeContext>;

// What OpenSSL's functions of this thread have said last.
std::string Said() {
  std::string text;
  for (unsigned long code = ERR_get_error(); code != 0; code = ERR_get_error()) {
    char line[256];
    ERR_error_string_n(code, line, sizeof(line));
    absl::StrAppend(&text, text.empty() ? "" : "; ", line);
  }
  return text.empty() ? "the connection was closed" : text;
}

int WriteTo(BIO* bio, const char* from, int bytes) {
  BIO_clear_retry_flags(bio);
  const auto descriptor = static_cast<int>(reinterpret_cast<intptr_t>(BIO_get_data(bio)));
  // OpenSSL's own writes raise SIGPIPE where the other side has gone.
  const ssize_t sent = send(descriptor, from, static_cast<size_t>(bytes), MSG_NOSIGNAL);
  if (sent < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int ReadFrom(BIO* bio, char* to, int bytes) {
  BIO_clear_retry_flags(bio);
  const auto descriptor = static_cast<int>(reinterpret_cast<intptr_t>(BIO_get_data(bio)));
  const ssize_t read = recv(descriptor, to, static_cast<size_t>(bytes), 0);
  if (read < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  return static_cast<int>(read);
}

long Control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

const BIO_METHOD* DescriptorMethod() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* const made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "descriptor");
    BIO_meth_set_write(made, WriteTo);
    BIO_meth_set_read(made, ReadFrom);
    BIO_meth_set_ctrl(made, Control);
    return made;
  }();
  return method;
}

StatusOr<Context> ContextFor(const TlsFiles& tls) {
  ERR_clear_error();
  Context context(SSL_CTX_new(TLS_method()));
  if (context == nullptr) return InvalidArgument("TLS: ", Said());
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Connections are few and long; a session that could go on later would only be one more secret.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context.get(), 0);
  if (SSL_CTX_use_certificate_chain_file(context.get(), tls.certificate.c_str()) != 1) {
    return InvalidArgument("TLS: the certificate in '", tls.certificate, "': ", Said());
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), tls.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return InvalidArgument("TLS: the private key in '", tls.key, "': ", Said());
  }
  if (SSL_CTX_load_verify_locations(context.get(), tls.authority.c_str(), nullptr) != 1) {
    return InvalidArgument("TLS: the authority's certificate in '", tls.authority, "': ", Said());
  }
  return context;
}

// The certificate must be for `host`, a name or an address.
void ExpectHost(SSL* ssl, const std::string& host) {
  X509_VERIFY_PARAM* const expected = SSL_get0_param(ssl);
  char address[sizeof(in6_addr)];
  const bool is_number = inet_pton(AF_INET, host.c_str(), address) == 1 ||
                         inet_pton(AF_INET6, host.c_str(), address) == 1;
  if (is_number) {
    X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str());
  } else {
    X509_VERIFY_PARAM_set1_host(expected, host.data(), host.size());
  }
}

}  // namespace

StatusOr<std::unique_ptr<TlsStream>> TlsStream::Create(int descriptor, const TlsFiles& tls,
                                                       const std::string& host) {
  WB_ASSIGN_OR_RETURN(const Context context, ContextFor(tls));
  SSL* const ssl = SSL_new(context.get());
  BIO* const bio = BIO_new(DescriptorMethod());
  if (ssl == nullptr || bio == nullptr) {
    SSL_free(ssl);
    BIO_free(bio);
    return ResourceExhausted("TLS: ", Said());
  }
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<intptr_t>(descriptor)));
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl, bio, bio);
  if (host.empty()) {
    SSL_set_accept_state(ssl);
  } else {
    SSL_set_connect_state(ssl);
    SSL_set_tlsext_host_name(ssl, host.c_str());
    ExpectHost(ssl, host);
  }
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  return std::unique_ptr<TlsStream>(new TlsStream(descriptor, ssl));
}

TlsStream::~TlsStream() { SSL_free(ssl_); }

Status TlsStream::WhyNot(int result, const char* doing) {
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      return OkStatus();
    case SSL_ERROR_ZERO_RETURN:
      return Unavailable("the connection was closed");
    default:
      return Unavailable("TLS, ", doing, ": ", Said());
  }
}

Status TlsStream::ShakeHands(int timeout_ms) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(timeout_ms);
  while (true) {
    bool reads = true;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ERR_clear_error();
      const int result = SSL_do_handshake(ssl_);
      if (result == 1) return OkStatus();
      WB_RETURN_IF_ERROR(WhyNot(result, "showing who we are"));
      reads = SSL_want_read(ssl_) != 0;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return DeadlineExceeded("TLS: the other side says nothing");
    pollfd waits = {descriptor_, static_cast<short>(reads ? POLLIN : POLLOUT), 0};
    poll(&waits, 1, static_cast<int>(left.count()));
  }
}

StatusOr<size_t> TlsStream::ReadNow(void* to, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  ERR_clear_error();
  size_t done = 0;
  // A record at a time, until there is no more.
  while (done < bytes) {
    const size_t most = std::min(bytes - done, kMostBytes);
    const int result = SSL_read(ssl_, static_cast<char*>(to) + done, static_cast<int>(most));
    if (result > 0) {
      done += static_cast<size_t>(result);
      continue;
    }
    const Status why = WhyNot(result, "reading");
    if (!why.ok() && done == 0) return why;
    break;
  }
  return done;
}

StatusOr<size_t> TlsStream::WriteNow(const void* from, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  ERR_clear_error();
  size_t done = 0;
  while (done < bytes) {
    const size_t most = std::min(bytes - done, kMostBytes);
    const int result =
        SSL_write(ssl_, static_cast<const char*>(from) + done, static_cast<int>(most));
    if (result > 0) {
      done += static_cast<size_t>(result);
      continue;
    }
    const Status why = WhyNot(result, "writing");
    if (!why.ok() && done == 0) return why;
    break;
  }
  return done;
}

}  // namespace warpbeam
