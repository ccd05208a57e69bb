#include "runtime/dist/tls.h"

#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/worker.pb.h"
#include "runtime/dist/cluster/task_name.h"
#include "runtime/dist/grpc_peers.h"
#include "runtime/dist/grpc_server.h"
#include "runtime/dist/remote_session.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

// Made for tests: "task" and "second_task" are of one authority, "stranger" is of another. All are
// for localhost.
TlsFiles FilesOf(const std::string& name, const std::string& authority = "authority") {
  const std::string folder = "runtime/dist/testdata/tls/";
  return {folder + name + ".crt", folder + name + ".key", folder + authority + ".crt"};
}

class TlsTest : public ::testing::Test {
 protected:
  void Serve(const TlsFiles& tls) {
    MasterOptions options;
    options.session.job = "ps";
    options.close_timeout_ms = 1000;
    auto master = Master::Create(options);
    ASSERT_TRUE(master.ok()) << master.status();
    master_ = *std::move(master);
    GrpcServerOptions listen;
    listen.tls = tls;
    auto server = GrpcServer::Start(listen, master_.get());
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  Status Ask(const TlsFiles& tls, int64_t timeout_ms) {
    const auto cluster =
        ClusterSpec::Create({{"ps", {absl::StrCat("localhost:", server_->port())}}});
    WB_RETURN_IF_ERROR(cluster.status());
    const auto peers = NewGrpcPeers(*cluster, tls);
    WB_ASSIGN_OR_RETURN(const auto peer, peers->Find(TaskName("ps", 0)));
    tensorflow::GetStatusResponse response;
    WB_RETURN_IF_ERROR(peer->GetStatus({}, timeout_ms, &response));
    EXPECT_GT(response.lane().port(), 0);  // encrypted, where this is
    return OkStatus();
  }

  std::unique_ptr<Master> master_;
  std::unique_ptr<GrpcServer> server_;
};

TEST_F(TlsTest, TasksOfOneAuthorityHearEachOther) {
  Serve(FilesOf("task"));
  const Status status = Ask(FilesOf("second_task"), 20000);
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(TlsTest, NobodyElseIsHeard) {
  Serve(FilesOf("task"));
  // Without TLS; of another authority; and by a task that trusts another authority.
  for (const TlsFiles& tls :
       {TlsFiles(), FilesOf("stranger"), FilesOf("second_task", "stranger_authority")}) {
    const Status status = Ask(tls, 700);
    EXPECT_FALSE(status.ok());
  }
  EXPECT_TRUE(Ask(FilesOf("second_task"), 20000).ok());
}

TEST_F(TlsTest, AServerWithoutTlsIsNotTakenForOneThatHasIt) {
  Serve(TlsFiles());
  EXPECT_FALSE(Ask(FilesOf("second_task"), 700).ok());
  EXPECT_TRUE(Ask(TlsFiles(), 20000).ok());
}

// A new certificate, of another authority, in the place of the files: from then on the tasks of
// that one are heard.
TEST_F(TlsTest, FilesThatChangeAreReadAgain) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / "tls_files";
  fs::create_directories(folder);
  const TlsFiles own = {folder / "own.crt", folder / "own.key", folder / "ca.crt"};
  const auto put = [&](const TlsFiles& files) {
    const auto over = fs::copy_options::overwrite_existing;
    fs::copy_file(files.certificate, own.certificate, over);
    fs::copy_file(files.key, own.key, over);
    fs::copy_file(files.authority, own.authority, over);
  };
  put(FilesOf("task"));
  Serve(own);
  ASSERT_TRUE(Ask(FilesOf("second_task"), 20000).ok());
  put(FilesOf("stranger", "stranger_authority"));
  Status status;
  for (int i = 0; i < 60; ++i) {
    status = Ask(FilesOf("stranger", "stranger_authority"), 500);
    if (status.ok()) break;
  }
  EXPECT_TRUE(status.ok()) << status;
}

TEST(TlsFilesTest, WhatIsMissingOrSomethingElseIsNamed) {
  EXPECT_TRUE(CheckTls(FilesOf("task")).ok());
  TlsFiles files = FilesOf("task");
  files.key = "";
  EXPECT_THAT(std::string(CheckTls(files).message()), HasSubstr("private key is not given"));
  files.key = "/nowhere.key";
  EXPECT_THAT(std::string(CheckTls(files).message()), HasSubstr("/nowhere.key"));
  files.key = files.certificate;
  EXPECT_THAT(std::string(CheckTls(files).message()), HasSubstr("is no private key in PEM"));
}

TEST(TlsFilesTest, BeyondTheLoopbackNobodyListensInTheClearUnawares) {
  EXPECT_TRUE(CheckTrust("localhost", {}, false).ok());
  EXPECT_TRUE(CheckTrust("127.0.0.1", {}, false).ok());
  const Status refused = CheckTrust("0.0.0.0", {}, false);
  EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("--insecure"));
  EXPECT_TRUE(CheckTrust("0.0.0.0", {}, true).ok());
  EXPECT_TRUE(CheckTrust("0.0.0.0", FilesOf("task"), false).ok());
}

TEST_F(TlsTest, ASessionShowsItsCertificate) {
  Serve(FilesOf("task"));
  RemoteSessionOptions options;
  options.address = absl::StrCat("localhost:", server_->port());
  options.connect_timeout_ms = 700;
  EXPECT_FALSE(NewRemoteSession(options, std::make_shared<Graph>()).ok());
  options.connect_timeout_ms = 20000;
  options.tls = FilesOf("second_task");
  const auto session = NewRemoteSession(options, std::make_shared<Graph>());
  EXPECT_TRUE(session.ok()) << session.status();
  options.tls.key = "/nowhere.key";
  EXPECT_EQ(NewRemoteSession(options, std::make_shared<Graph>()).status().code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
