#include "runtime/dist/tls.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "runtime/dist/listening.h"

namespace warpbeam {
namespace {

// How often the files are looked at.
constexpr unsigned int kReloadSeconds = 2;

Status CheckPem(const std::string& path, const char* what, const char* label) {
  if (path.empty()) {
    return InvalidArgument("TLS needs a certificate, its key and the authority's certificate; the ",
                           what, " is not given");
  }
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return InvalidArgument("cannot read the ", what, " in '", path, "'");
  if (absl::StrContains(text.str(), label)) return OkStatus();
  return InvalidArgument("'", path, "' is no ", what, " in PEM: it has no \"", label, "\"");
}

std::shared_ptr<grpc::experimental::CertificateProviderInterface> ProviderFor(
    const TlsFiles& files) {
  return std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
      files.key, files.certificate, files.authority, kReloadSeconds);
}

}  // namespace

Status CheckTls(const TlsFiles& files) {
  WB_RETURN_IF_ERROR(CheckPem(files.certificate, "certificate", "-----BEGIN CERTIFICATE-----"));
  WB_RETURN_IF_ERROR(CheckPem(files.key, "private key", "PRIVATE KEY-----"));
  return CheckPem(files.authority, "authority's certificate", "-----BEGIN CERTIFICATE-----");
}

Status CheckTrust(const std::string& host, const TlsFiles& files, bool insecure) {
  if (files.is_set()) return CheckTls(files);
  if (insecure || IsLoopback(host)) return OkStatus();
  return FailedPrecondition(
      "without TLS anybody who reaches ", host,
      " may run graphs here and read what tasks send each other: give the files of --tls_cert, "
      "--tls_key and --tls_ca, or say --insecure where the network can be trusted (TensorFlow's "
      "clients and tasks know no TLS)");
}

std::shared_ptr<grpc::ServerCredentials> ServerCredentialsFor(const TlsFiles& files) {
  if (!files.is_set()) return grpc::InsecureServerCredentials();
  grpc::experimental::TlsServerCredentialsOptions options(ProviderFor(files));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  return grpc::experimental::TlsServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> ChannelCredentialsFor(const TlsFiles& files) {
  if (!files.is_set()) return grpc::InsecureChannelCredentials();
  grpc::experimental::TlsChannelCredentialsOptions options;
  options.set_certificate_provider(ProviderFor(files));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  return grpc::experimental::TlsCredentials(options);
}

}  // namespace warpbeam
