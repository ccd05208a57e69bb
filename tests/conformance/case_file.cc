#include "tests/conformance/case_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/gzip_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl.h"
#include "tests/conformance/case.pb.h"

namespace warpbeam {
namespace {

namespace fs = std::filesystem;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

constexpr char kCaseEnding[] = ".case";
constexpr char kPackEnding[] = ".cases.gz";

Status AddCase(std::string wire_form, const std::string& file, std::vector<CaseBytes>* cases) {
  conformance::Case parsed;
  if (!parsed.ParseFromString(wire_form) || parsed.name().empty()) {
    return DataLoss(file, ": not a conformance case (it does not parse, or has no name)");
  }
  cases->push_back({parsed.name(), std::move(wire_form)});
  return OkStatus();
}

Status ReadCase(const std::string& path, std::vector<CaseBytes>* cases) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound("cannot open ", path);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return AddCase(std::move(bytes).str(), path, cases);
}

Status ReadPack(const std::string& path, std::vector<CaseBytes>* cases) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound("cannot open ", path);
  google::protobuf::io::IstreamInputStream raw(&file);
  google::protobuf::io::GzipInputStream unzipped(&raw);
  CodedInputStream in(&unzipped);
  uint32_t length;
  while (in.ReadVarint32(&length)) {
    std::string wire_form;
    if (!in.ReadString(&wire_form, static_cast<int>(length))) {
      return DataLoss(path, ": the pack is cut off or damaged");
    }
    WB_RETURN_IF_ERROR(AddCase(std::move(wire_form), path, cases));
  }
  if (unzipped.ZlibErrorCode() < 0) {
    return DataLoss(path, ": the pack is damaged: ",
                    unzipped.ZlibErrorMessage() == nullptr ? "" : unzipped.ZlibErrorMessage());
  }
  return OkStatus();
}

Status ReadFile(const std::string& path, std::vector<CaseBytes>* cases) {
  return absl::EndsWith(path, kPackEnding) ? ReadPack(path, cases) : ReadCase(path, cases);
}

Status ReadFolder(const std::string& path, std::vector<CaseBytes>* cases) {
  std::error_code error;
  fs::recursive_directory_iterator entries(path, fs::directory_options::follow_directory_symlink,
                                           error);
  if (error) return NotFound("cannot list ", path, ": ", error.message());
  for (const fs::directory_entry& entry : entries) {
    const std::string file = entry.path().string();
    if (absl::EndsWith(file, kCaseEnding) || absl::EndsWith(file, kPackEnding)) {
      WB_RETURN_IF_ERROR(ReadFile(file, cases));
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<std::vector<CaseBytes>> LoadCases(const std::vector<std::string>& paths) {
  std::vector<CaseBytes> cases;
  for (const std::string& path : paths) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) return NotFound("no file or folder ", path);
    WB_RETURN_IF_ERROR(fs::is_directory(status) ? ReadFolder(path, &cases)
                                                : ReadFile(path, &cases));
  }
  std::sort(cases.begin(), cases.end(),
            [](const CaseBytes& a, const CaseBytes& b) { return a.name < b.name; });
  const auto twice =
      std::adjacent_find(cases.begin(), cases.end(),
                         [](const CaseBytes& a, const CaseBytes& b) { return a.name == b.name; });
  if (twice != cases.end()) return AlreadyExists("two cases are called ", twice->name);
  return cases;
}

Status WritePack(const std::vector<CaseBytes>& cases, const std::string& path) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!file) return FailedPrecondition("cannot create ", path);
  bool written = true;
  {
    google::protobuf::io::OstreamOutputStream raw(&file);
    google::protobuf::io::GzipOutputStream::Options options;
    options.format = google::protobuf::io::GzipOutputStream::GZIP;
    options.compression_level = 9;
    google::protobuf::io::GzipOutputStream zipped(&raw, options);
    {
      CodedOutputStream out(&zipped);
      for (const CaseBytes& c : cases) {
        out.WriteVarint32(static_cast<uint32_t>(c.wire_form.size()));
        out.WriteString(c.wire_form);
      }
      written = !out.HadError();
    }
    written = zipped.Close() && written;
  }
  file.close();
  if (!written || !file) return FailedPrecondition("cannot write ", path);
  return OkStatus();
}

}  // namespace warpbeam
