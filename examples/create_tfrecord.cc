// Writes the MNIST digits as a TFRecord file of Example messages: size, label and image_raw.
//
//   bazel run //examples:create_tfrecord -- --data_dir=$PWD/examples/data
//   --output=$PWD/output.tfrecord
#include <cstdio>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "examples/idx.h"
#include "examples/session_flags.h"
#include "frontend/record/example.h"
#include "frontend/record/tf_record.h"
#include "graph/types/errors.h"

ABSL_FLAG(std::string, data_dir, "./MNIST_data", "folder of the four IDX files");
ABSL_FLAG(std::string, split, "train", "train or test");
ABSL_FLAG(std::string, output, "./output.tfrecord", "the file to write");

namespace wb = warpbeam::frontend;
using wb::train::BytesFeature;
using wb::train::Int64Feature;

namespace {

// The standard file is "train-images-idx3-ubyte.gz"; for the test digits MNIST itself says "t10k".
warpbeam::StatusOr<warpbeam::examples::Digits> ReadSplit(const std::string& split) {
  const std::string dir = absl::GetFlag(FLAGS_data_dir);
  if (split != "train" && split != "test") {
    return warpbeam::InvalidArgument("--split is train or test, not '", split, "'");
  }
  const auto read = [&](const std::string& stem) {
    return warpbeam::examples::ReadDigits(absl::StrCat(dir, "/", stem, "-images-idx3-ubyte.gz"),
                                          absl::StrCat(dir, "/", stem, "-labels-idx1-ubyte.gz"));
  };
  auto digits = read(split);
  if (!digits.ok() && split == "test") {
    auto original = read("t10k");
    if (original.ok()) return original;
  }
  return digits;
}

wb::Status CreateTFRecord() {
  WB_ASSIGN_OR_RETURN(const warpbeam::examples::Digits mnist,
                      ReadSplit(absl::GetFlag(FLAGS_split)));
  const int64_t size = mnist.pixels_per_image();
  const int64_t num_examples = mnist.size();

  // The TFRecord file.
  const std::string filename = absl::GetFlag(FLAGS_output);
  wb::io::TFRecordWriter writer(filename);
  for (int64_t i = 0; i < num_examples; ++i) {
    // The image's pixels as a string of bytes.
    const auto first = mnist.images.values.begin() + i * size;
    const std::string image_raw(first, first + size);
    // An Example holds all there is to know of one digit.
    const wb::train::Example example({
        {"size", Int64Feature({size})},
        {"label", Int64Feature({mnist.labels[i]})},
        {"image_raw", BytesFeature({image_raw})},
    });
    WB_RETURN_IF_ERROR(writer.Write(example.SerializeToString()));
  }
  WB_RETURN_IF_ERROR(writer.Close());
  std::printf("%lld examples in %s\n", static_cast<long long>(num_examples), filename.c_str());
  return warpbeam::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  warpbeam::examples::ParseFlags(
      "Writes MNIST digits into a TFRecord file.\n\n"
      "  bazel run //examples:create_tfrecord -- --data_dir=$PWD/examples/data "
      "--output=/tmp/train.tfrecord",
      argc, argv);
  return warpbeam::examples::ExitCode(CreateTFRecord());
}
