// Image files: there and back, every kind of damage, headers that promise more than there is.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "ops/image/codec/image_decoder.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

Tensor Image(DType dtype, int64_t height, int64_t width, int64_t channels) {
  Tensor image = *Tensor::Allocate(dtype, Shape({height, width, channels}));
  uint8_t* bytes = static_cast<uint8_t*>(image.raw_data());
  for (size_t i = 0; i < image.bytes(); ++i) bytes[i] = static_cast<uint8_t>(i * 37 + i / 7);
  return image;
}

std::string Encode(const char* op, const Tensor& image) {
  const StatusOr<Tensor> file = OpRunner(op).Input(image).RunOne();
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? file->scalar<std::string>() : "";
}

StatusOr<Tensor> Decode(const char* op, const std::string& file) {
  return OpRunner(op).Input(Tensor::Scalar<std::string>(file)).RunOne();
}

uint32_t Crc(const std::string& bytes) {
  uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc ^= static_cast<uint8_t>(c);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
  }
  return ~crc;
}

void PutBigEndian(uint32_t value, size_t at, std::string* file) {
  for (int i = 0; i < 4; ++i) {
    (*file)[at + static_cast<size_t>(i)] = static_cast<char>(value >> (24 - 8 * i));
  }
}

// 2 x 2 pixels of three colours; the image's extents can be anything.
std::string Gif(uint16_t width = 2, uint16_t height = 2) {
  std::string file("GIF89a\2\0\2\0\x81\0\0", 13);
  file.append("\1\2\3\4\5\6\7\x08\x09\x0a\x0b\x0c", 12);
  file.append(",\0\0\0\0", 5);
  file.append(reinterpret_cast<const char*>(&width), 2);
  file.append(reinterpret_cast<const char*>(&height), 2);
  file.push_back('\0');
  // Codes of three bits: clear, 0, 1, 2, 0 (four bits from here on), end.
  file.append("\2\3\x44\x04\x05", 5);
  file.append("\0;", 2);
  return file;
}

std::string Bmp(int32_t width, int32_t height, int16_t bits, size_t bytes) {
  std::string file(54 + bytes, '\0');
  file[0] = 'B';
  file[1] = 'M';
  file[10] = 54;
  memcpy(&file[18], &width, 4);
  memcpy(&file[22], &height, 4);
  memcpy(&file[28], &bits, 2);
  for (size_t i = 0; i < bytes; ++i) file[54 + i] = static_cast<char>(i);
  return file;
}

// Cut off anywhere, or with any bit changed: an error or an image, nothing else.
void ExpectSafe(const char* op, const std::string& file, size_t whole) {
  ASSERT_TRUE(Decode(op, file).ok()) << Decode(op, file).status();
  for (size_t n = 0; n < file.size(); ++n) {
    const Status status = Decode(op, file.substr(0, n)).status();
    if (n < whole) {
      EXPECT_EQ(status.code(), kInvalid) << op << " of " << n << " bytes";
    }
  }
  for (size_t i = 0; i < file.size(); ++i) {
    for (int bit = 0; bit < 8; bit += 3) {
      std::string damaged = file;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      const Status status = Decode(op, damaged).status();
      EXPECT_TRUE(status.ok() || status.code() == kInvalid) << status;
    }
  }
}

TEST(PngTest, ThereAndBack) {
  for (const DType dtype : {DType::kUInt8, DType::kUInt16}) {
    for (int64_t channels = 1; channels <= 4; ++channels) {
      const Tensor image = Image(dtype, 5, 7, channels);
      const std::string file = Encode("EncodePng", image);
      OpTest("DecodePng").Attr("dtype", dtype).Scalar<std::string>(file).Expect(image);
    }
  }
}

TEST(PngTest, OtherChannelsAndTypes) {
  const Tensor gray = OpTest::Make<uint8_t>({1, 2, 1}, {0, 51});
  const std::string file = Encode("EncodePng", gray);
  OpTest("DecodePng")
      .Attr("channels", int64_t{3})
      .Scalar<std::string>(file)
      .Expect<uint8_t>({1, 2, 3}, {0, 0, 0, 51, 51, 51});
  OpTest("DecodePng")
      .Attr("channels", int64_t{4})
      .Scalar<std::string>(file)
      .Expect<uint8_t>({1, 2, 4}, {0, 0, 0, 255, 51, 51, 51, 255});
  OpTest("DecodePng")
      .Attr("dtype", DType::kUInt16)
      .Scalar<std::string>(file)
      .Expect<uint16_t>({1, 2, 1}, {0, 51 * 257});
  OpTest("DecodeImage")
      .Attr("dtype", DType::kFloat)
      .Scalar<std::string>(file)
      .Expect<float>({1, 2, 1}, {0, .2f});
  OpTest("DecodeGif")
      .Scalar<std::string>(file)
      .Expect<uint8_t>({1, 1, 2, 3}, {0, 0, 0, 51, 51, 51});
}

TEST(PngTest, DamagedAndHostile) {
  const std::string file = Encode("EncodePng", Image(DType::kUInt8, 6, 5, 3));
  ExpectSafe("DecodePng", file, file.size());
  for (const uint32_t extent : {0u, 0x7fffu, 0x7fffffu, 0x7fffffffu, 0xffffffffu}) {
    std::string hostile = file;
    PutBigEndian(extent, 16, &hostile);
    PutBigEndian(extent, 20, &hostile);
    PutBigEndian(Crc(hostile.substr(12, 17)), 29, &hostile);
    EXPECT_EQ(Decode("DecodePng", hostile).status().code(), kInvalid) << extent;
  }
  for (const char* op : {"DecodePng", "DecodeJpeg", "DecodeGif", "DecodeBmp", "DecodeImage"}) {
    OpTest(op).Scalar<std::string>("").ExpectError(kInvalid, "empty");
    OpTest(op).Scalar<std::string>("not an image").ExpectError(kInvalid, "Unknown image");
    OpTest(op).Input<std::string>({1}, {file}).ExpectError(kInvalid);
  }
  OpTest("DecodePng").Attr("channels", int64_t{2}).Scalar<std::string>(file).ExpectError(kInvalid);
  OpTest("DecodeBmp").Scalar<std::string>(file).ExpectError(kInvalid, "DecodeImage");
}

TEST(PngTest, EncodesBatchesAndRefusesOthers) {
  const Tensor batch = OpTest::Make<uint8_t>({2, 1, 1, 1}, {3, 4});
  const StatusOr<Tensor> files = OpRunner("EncodePng").Input(batch).RunOne();
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_EQ(files->shape(), Shape({2}));
  OpTest("DecodePng")
      .Scalar<std::string>(files->data<std::string>()[1])
      .Expect<uint8_t>({1, 1, 1}, {4});
  OpTest("EncodePng").Input(Image(DType::kUInt8, 1, 1, 5)).ExpectError(kInvalid, "channels");
  OpTest("EncodePng").Input<uint8_t>({1, 1}, {0}).ExpectError(kInvalid);
  OpTest("EncodePng")
      .Attr("compression", int64_t{10})
      .Input(Image(DType::kUInt8, 1, 1, 1))
      .ExpectError(kInvalid, "[-1,9]");
}

TEST(JpegTest, FlatColoursComeBack) {
  Tensor image = Image(DType::kUInt8, 17, 33, 3);
  memset(image.raw_data(), 90, image.bytes());
  for (const char* op : {"DecodeJpeg", "DecodeImage", "DecodePng"}) {
    OpTest(op).Scalar<std::string>(Encode("EncodeJpeg", image)).Expect(image);
  }
  OpTest("ExtractJpegShape")
      .Scalar<std::string>(Encode("EncodeJpeg", image))
      .Expect<int32_t>({3}, {17, 33, 3});
  const StatusOr<Tensor> half = OpRunner("DecodeJpeg")
                                    .Attr("ratio", int64_t{2})
                                    .Input(Tensor::Scalar(Encode("EncodeJpeg", image)))
                                    .RunOne();
  ASSERT_TRUE(half.ok()) << half.status();
  EXPECT_EQ(half->shape(), Shape({9, 17, 3}));
}

TEST(JpegTest, CropIsAPartOfTheWhole) {
  const std::string file = Encode("EncodeJpeg", Image(DType::kUInt8, 40, 50, 1));
  const StatusOr<Tensor> whole = Decode("DecodeJpeg", file);
  ASSERT_TRUE(whole.ok()) << whole.status();
  Tensor part = *Tensor::Allocate(DType::kUInt8, Shape({3, 4, 1}));
  for (int64_t y = 0; y < 3; ++y) {
    memcpy(part.data<uint8_t>() + 4 * y, whole->data<uint8_t>() + (y + 21) * 50 + 35, 4);
  }
  OpTest("DecodeAndCropJpeg")
      .Scalar<std::string>(file)
      .Input<int32_t>({4}, {21, 35, 3, 4})
      .Expect(part);
  for (const int32_t height : {0, -1, 20, 0x7fffffff}) {
    OpTest("DecodeAndCropJpeg")
        .Scalar<std::string>(file)
        .Input<int32_t>({4}, {21, 35, height, 4})
        .ExpectError(kInvalid);
  }
}

TEST(JpegTest, DamagedAndHostile) {
  const std::string file = Encode("EncodeJpeg", Image(DType::kUInt8, 9, 10, 1));
  // Without the marker of its end an image is whole.
  ExpectSafe("DecodeJpeg", file, file.size() - 4);
  const size_t frame = file.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  std::string hostile = file;
  hostile.replace(frame + 5, 4, "\xfd\xe8\xfd\xe8");
  OpTest("DecodeJpeg").Scalar<std::string>(hostile).ExpectError(kInvalid, "size");
  hostile.replace(frame + 5, 4, "\x40\x01\x40\x01");
  OpTest("DecodeJpeg").Scalar<std::string>(hostile).ExpectError(kInvalid, "few bytes");
  OpTest("DecodeJpeg").Attr("ratio", int64_t{3}).Scalar<std::string>(file).ExpectError(kInvalid);
  OpTest("DecodeJpeg").Attr("channels", int64_t{4}).Scalar<std::string>(file).ExpectError(kInvalid);
  OpTest("DecodeJpeg")
      .Attr("dct_method", "FLOAT")
      .Scalar<std::string>(file)
      .ExpectError(kInvalid, "dct_method");
  OpTest("ExtractJpegShape").Scalar<std::string>(file.substr(0, 40)).ExpectError(kInvalid);
}

TEST(JpegTest, WhatIsCutOff) {
  const std::string file = Encode("EncodeJpeg", Image(DType::kUInt8, 64, 64, 1));
  const Tensor cut = Tensor::Scalar<std::string>(file.substr(0, file.size() * 3 / 4));
  OpTest("DecodeJpeg").Input(cut).ExpectError(kInvalid);
  OpTest("DecodeJpeg").Attr("acceptable_fraction", .99f).Input(cut).ExpectError(kInvalid);
  const StatusOr<Tensor> part =
      OpRunner("DecodeJpeg").Attr("acceptable_fraction", .3f).Input(cut).RunOne();
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_EQ(part->flat<uint8_t>().back(), 0);
  EXPECT_TRUE(OpRunner("DecodeJpeg").Attr("try_recover_truncated", true).Input(cut).RunOne().ok());
}

TEST(JpegTest, EncoderRefuses) {
  OpTest("EncodeJpeg").Input(Image(DType::kUInt8, 2, 2, 2)).ExpectError(kInvalid, "channels");
  OpTest("EncodeJpeg")
      .Attr("format", "rgb")
      .Input(Image(DType::kUInt8, 2, 2, 1))
      .ExpectError(kInvalid, "rgb");
  OpTest("EncodeJpeg")
      .Attr("quality", int64_t{101})
      .Input(Image(DType::kUInt8, 2, 2, 1))
      .ExpectError(kInvalid, "quality");
  OpTest("EncodeJpegVariableQuality")
      .Input(Image(DType::kUInt8, 2, 2, 1))
      .Scalar<int32_t>(-1)
      .ExpectError(kInvalid, "quality");
}

TEST(GifTest, Frames) {
  const Tensor pixels = OpTest::Make<uint8_t>({1, 2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3});
  OpTest("DecodeGif").Scalar<std::string>(Gif()).Expect(pixels);
  OpTest("DecodeImage").Scalar<std::string>(Gif()).Expect(pixels);
  OpTest("DecodePng").Scalar<std::string>(Gif()).Expect(*pixels.Reshaped(Shape({2, 2, 3})));
  OpTest("DecodeImage")
      .Attr("expand_animations", false)
      .Scalar<std::string>(Gif())
      .Expect(*pixels.Reshaped(Shape({2, 2, 3})));
}

TEST(GifTest, DamagedAndHostile) {
  ExpectSafe("DecodeGif", Gif(), Gif().size() - 4);
  OpTest("DecodeGif").Scalar<std::string>(Gif(65535, 65535)).ExpectError(kInvalid);
  OpTest("DecodeGif").Scalar<std::string>(Gif(20000, 20000)).ExpectError(kInvalid, "cannot hold");
}

TEST(BmpTest, OnlyThreeOrFourChannelsAreWritten) {
  const std::string file = Bmp(1, 1, 24, 4);
  std::string pixels(4, '\0');
  const auto allocate = [&](const ImageSize&) -> StatusOr<void*> { return pixels.data(); };
  EXPECT_TRUE(DecodeBmp(file, 4, allocate).ok());
  for (const int channels : {-1, 1, 2, 5}) {
    EXPECT_EQ(DecodeBmp(file, channels, allocate).code(), kInvalid) << channels;
  }
}

TEST(BmpTest, RowsFromBelowOrFromAbove) {
  const std::string up = Bmp(1, 2, 24, 8), down = Bmp(1, -2, 24, 8);
  OpTest("DecodeBmp").Scalar<std::string>(up).Expect<uint8_t>({2, 1, 3}, {6, 5, 4, 2, 1, 0});
  OpTest("DecodeBmp").Scalar<std::string>(down).Expect<uint8_t>({2, 1, 3}, {2, 1, 0, 6, 5, 4});
  OpTest("DecodeBmp")
      .Scalar<std::string>(Bmp(1, 1, 32, 4))
      .Expect<uint8_t>({1, 1, 4}, {2, 1, 0, 3});
  OpTest("DecodePng").Scalar<std::string>(up).ExpectError(kInvalid, "BMP");
}

// TensorFlow's pixels.
TEST(BmpTest, ChannelsOtherThanTheFiles) {
  for (const char* op : {"DecodeBmp", "DecodeImage"}) {
    const auto decode = [&](int16_t bits, int64_t channels, std::initializer_list<uint8_t> pixels) {
      OpTest(op)
          .Attr("channels", channels)
          .Scalar<std::string>(Bmp(2, 1, bits, 8))
          .Expect<uint8_t>({1, 2, static_cast<int64_t>(pixels.size()) / 2}, pixels);
    };
    decode(8, 0, {0, 1});
    decode(8, 3, {0, 0, 0, 1, 1, 1});
    decode(8, 4, {0, 0, 0, 255, 1, 1, 1, 255});
    decode(24, 3, {2, 1, 0, 5, 4, 3});
    decode(24, 4, {2, 1, 0, 255, 5, 4, 3, 255});
    decode(32, 3, {2, 1, 0, 6, 5, 4});
    decode(32, 4, {2, 1, 0, 3, 6, 5, 4, 7});
    for (const int16_t bits : {8, 24, 32}) {
      OpTest(op)
          .Attr("channels", int64_t{1})
          .Scalar<std::string>(Bmp(2, 1, bits, 8))
          .ExpectError(kInvalid, "channels");
    }
  }
}

TEST(BmpTest, DamagedAndHostile) {
  ExpectSafe("DecodeBmp", Bmp(2, 2, 24, 16), 54 + 16);
  for (const int32_t extent : {0, -1, 0x7fff, 0x7fffffff, -0x7fffffff - 1}) {
    OpTest("DecodeBmp").Scalar<std::string>(Bmp(extent, extent, 24, 16)).ExpectError(kInvalid);
  }
  OpTest("DecodeBmp").Scalar<std::string>(Bmp(1, 1, 16, 16)).ExpectError(kInvalid, "channels");
}

}  // namespace
}  // namespace warpbeam
