// Ops of speech programs; values are TensorFlow's.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

std::string Number(int size, uint32_t value) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
  return bytes;
}

// A file of six samples; what a test changes are its fields.
struct Wav {
  std::string riff = "RIFF", wave = "WAVE", format = "fmt ";
  uint32_t format_size = 16, code = 1, channels = 1, rate = 8000, bits = 16;
  uint32_t per_second = 16000, per_frame = 2;
  std::string before_data, after_data;
  uint32_t data_size = 12;

  std::string File() const {
    std::string file = riff + Number(4, 48) + wave + format + Number(4, format_size) +
                       Number(2, code) + Number(2, channels) + Number(4, rate) +
                       Number(4, per_second) + Number(2, per_frame) + Number(2, bits);
    if (format_size > 16) file += std::string(format_size - 16, '\0');
    file += before_data + "data" + Number(4, data_size);
    for (const int sample : {0, 16384, -32768, 32767, 1, -1}) {
      file += Number(2, static_cast<uint32_t>(sample));
    }
    return file + after_data;
  }
};

constexpr float kLoud = .999969482f, kSoft = 3.05175781e-05f;

TEST(DecodeWav, Values) {
  const auto mono = [](const Wav& wav) {
    OpTest("DecodeWav")
        .Scalar<std::string>(wav.File())
        .Expect<float>({6, 1}, {0, .5f, -1, kLoud, kSoft, -kSoft})
        .ExpectScalar<int32_t>(8000);
  };
  Wav wav;
  mono(wav);
  wav.format_size = 18;
  mono(wav);
  wav.before_data = "LIST" + Number(4, 3) + "abc";
  mono(wav);
  wav.after_data = "fact" + Number(4, 200) + "xy";
  mono(wav);
  wav = Wav();
  wav.wave = "WAVEJUNK" + Number(4, 2) + "zz";
  mono(wav);
}

TEST(DecodeWav, DesiredShape) {
  Wav wav;
  wav.channels = 2;
  wav.per_frame = 4;
  wav.per_second = 32000;
  OpTest("DecodeWav")
      .Attr("desired_channels", 3)
      .Attr("desired_samples", 5)
      .Scalar<std::string>(wav.File())
      .Expect<float>({5, 3},
                     {0, .5f, .5f, -1, kLoud, kLoud, kSoft, -kSoft, -kSoft, 0, 0, 0, 0, 0, 0})
      .ExpectScalar<int32_t>(8000);
  OpTest("DecodeWav")
      .Attr("desired_channels", 1)
      .Attr("desired_samples", 2)
      .Scalar<std::string>(wav.File())
      .Expect<float>({2, 1}, {0, -1})
      .ExpectScalar<int32_t>(8000);
  OpTest("DecodeWav")
      .Attr("desired_channels", -2)
      .Scalar<std::string>(wav.File())
      .ExpectError(kInvalid, "desired_channels");
}

TEST(DecodeWav, HostileFiles) {
  const auto refused = [](const std::string& file, const char* message) {
    OpTest("DecodeWav").Scalar<std::string>(file).ExpectError(kInvalid, message);
  };
  const auto changed = [&](void (*change)(Wav*), const char* message) {
    Wav wav;
    change(&wav);
    refused(wav.File(), message);
  };
  changed([](Wav* w) { w->riff = "RIFX"; }, "Expected RIFF but found RIFX");
  changed([](Wav* w) { w->wave = "AVI "; }, "Expected WAVE");
  changed([](Wav* w) { w->format = "junk"; }, "Unexpected field junk");
  changed([](Wav* w) { w->format_size = 40; }, "Expected 16 or 18");
  changed([](Wav* w) { w->format_size = 17; }, "Expected 16 or 18");
  changed([](Wav* w) { w->code = 3; }, "Expected 1 (PCM)");
  changed([](Wav* w) { w->channels = 0; }, "channels");
  changed([](Wav* w) { w->bits = 8; }, "Can only read 16-bit WAV files, but received 8");
  changed([](Wav* w) { w->per_frame = 3; }, "Bad bytes per sample");
  changed([](Wav* w) { w->per_second = 1; }, "Bad bytes per second");
  changed([](Wav* w) { w->rate = 0xffffffff, w->per_second = 0xfffffffe; }, "Bad bytes per second");
  changed([](Wav* w) { w->data_size = 0x7fffffff; }, "Data too short");
  changed([](Wav* w) { w->data_size = 0xffffffff; }, "is too large");
  changed([](Wav* w) { w->data_size = 11; }, "Data too short");
  changed([](Wav* w) { w->after_data = "fa"; }, "Data too short");
  changed([](Wav* w) { w->after_data = "fact"; }, "Data too short");
  changed([](Wav* w) { w->after_data = "data" + Number(4, 2) + "xy"; }, "More than one data chunk");
  changed([](Wav* w) { w->wave = "WAVEJUNK" + Number(4, 0xffffffff); }, "Data too short");
  const std::string file = Wav().File();
  for (size_t size = 0; size < file.size(); ++size) refused(file.substr(0, size), "");
  refused(file.substr(0, 36), "No data chunk");
  OpTest("DecodeWav").Input<std::string>({1}, {file}).ExpectError(kInvalid, "contents");
}

TEST(EncodeWav, Values) {
  const std::string header = "RIFF" + Number(4, 48) + "WAVEfmt " + Number(4, 16) + Number(2, 1) +
                             Number(2, 2) + Number(4, 16000) + Number(4, 64000) + Number(2, 4) +
                             Number(2, 16) + "data" + Number(4, 16 - 4);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  OpTest("EncodeWav")
      .Input<float>({3, 2}, {0, .5f, -1, 1, 2, -3})
      .Scalar<int32_t>(16000)
      .ExpectScalar<std::string>(header + Number(2, 0) + Number(2, 0x4000) + Number(2, 0x8000) +
                                 Number(2, 0x7fff) + Number(2, 0x7fff) + Number(2, 0x8000));
  const auto got = OpRunner("EncodeWav")
                       .Input(OpTest::Make<float>({3, 1}, {std::nanf(""), kInfinity, .99999f}))
                       .Input(Tensor::Scalar<int32_t>(16000))
                       .RunOne();
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->scalar<std::string>().substr(44),
            Number(2, 0x7fff) + Number(2, 0x7fff) + Number(2, 0x7fff));
}

TEST(EncodeWav, Refusals) {
  const auto refused = [](Tensor audio, Tensor rate, const char* message) {
    OpTest("EncodeWav")
        .Input(std::move(audio))
        .Input(std::move(rate))
        .ExpectError(kInvalid, message);
  };
  const Tensor one = OpTest::Make<float>({1, 1}, {0}), rate = Tensor::Scalar<int32_t>(5);
  refused(OpTest::Make<float>({1, 0}, {}), rate, "num_channels");
  refused(*Tensor::Allocate(DType::kFloat, Shape({0, 70000})), rate, "num_channels");
  refused(one, Tensor::Scalar<int32_t>(0), "sample_rate");
  refused(one, Tensor::Scalar<int32_t>(-5), "sample_rate");
  refused(Tensor::Vector<float>({0}), rate, "2");
  refused(one, Tensor::Vector<int32_t>({5}), "");
}

Tensor Sound() {
  Tensor x = *Tensor::Allocate(DType::kFloat, Shape({20, 2}));
  for (int i = 0; i < 20; ++i) {
    x.data<float>()[2 * i] = static_cast<float>(std::sin(i * .7));
    x.data<float>()[2 * i + 1] = static_cast<float>(i * 7 % 11 / 11.);
  }
  return x;
}

OpTest& Spectrogram(OpTest&& test, Tensor x, int64_t size, int64_t stride, bool squared = false) {
  return test.Attr("window_size", size)
      .Attr("stride", stride)
      .Attr("magnitude_squared", squared)
      .Input(std::move(x))
      .Within(1e-6, 1e-5);
}

TEST(AudioSpectrogram, Values) {
  Spectrogram(OpTest("AudioSpectrogram"), Sound(), 8, 4)
      .Expect<float>(
          {2, 4, 5},
          {.779774845f,     1.95169795f,  .84504199f,   .0288982131f,  .00407542195f, 1.46944261f,
           1.97655952f,     .840231359f,  .0285496954f, .00767990388f, 1.98930836f,   2.00499201f,
           .834620357f,     .0281403568f, .0103969043f, 2.27929902f,   2.02433372f,   .830735564f,
           .0278550535f,    .0119125061f, 2.18181825f,  1.10649252f,   .594139457f,   .730503082f,
           1.05367119e-08f, 1.71718979f,  .789588511f,  .56329f,       .709537327f,   .353553414f,
           1.69190121f,     .789265513f,  .259413958f,  .616760015f,   .853553355f,   2.08082604f,
           .970617056f,     .56329f,      .709537327f,  .353553385f});
  Spectrogram(OpTest("AudioSpectrogram"), Sound(), 2, 9)
      .Expect<float>({2, 3, 2}, {.64421767f, .64421767f, .656986594f, .656986594f, .66956979f,
                                 .66956979f, .636363626f, .636363626f, .363636374f, .363636374f,
                                 .0909090936f, .0909090936f});
  Spectrogram(OpTest("AudioSpectrogram"), Sound(), 21, 1).Expect<float>({2, 0, 17}, {});
  Spectrogram(OpTest("AudioSpectrogram"), Sound(), 2, 9, true)
      .Expect<float>({2, 3, 2}, {.415016413f, .415016413f, .431631386f, .431631386f, .448323697f,
                                 .448323697f, .404958665f, .404958665f, .132231414f, .132231414f,
                                 .00826446340f, .00826446340f});
}

TEST(AudioSpectrogram, Refusals) {
  for (const auto& [size, stride] : std::vector<std::pair<int64_t, int64_t>>{
           {1, 1}, {0, 1}, {-5, 1}, {8, 0}, {8, -1}, {int64_t{1} << 40, 1}}) {
    Spectrogram(OpTest("AudioSpectrogram"), Sound(), size, stride).ExpectError(kInvalid);
  }
  Spectrogram(OpTest("AudioSpectrogram"), Tensor::Vector<float>({1, 2}), 8, 1)
      .ExpectError(kInvalid);
}

Tensor Spectrum() {
  Tensor x = *Tensor::Allocate(DType::kFloat, Shape({2, 2, 65}));
  for (int i = 0; i < 260; ++i) x.data<float>()[i] = static_cast<float>(i * 29 % 37 / 5.);
  return x;
}

OpTest& Coefficients(OpTest&& test, Tensor x, int32_t rate, int64_t filters, int64_t count,
                     float lower = 20, float upper = 4000) {
  return test.Attr("filterbank_channel_count", filters)
      .Attr("dct_coefficient_count", count)
      .Attr("lower_frequency_limit", lower)
      .Attr("upper_frequency_limit", upper)
      .Input(std::move(x))
      .Scalar<int32_t>(rate)
      .Within(1e-5, 1e-5);
}

TEST(Mfcc, Values) {
  Coefficients(OpTest("Mfcc"), Spectrum(), 8000, 10, 4, 100, 3000)
      .Expect<float>({2, 2, 4}, {8.50899887f, -1.29535079f, -.156288892f, -.223838478f, 8.35018253f,
                                 -1.49568689f, -.161113158f, -.126155257f, 8.35551357f,
                                 -1.45610106f, -.145032406f, -.394699037f, 8.60663891f,
                                 -1.21085417f, .0678964704f, -.145366788f});
  const Tensor first = *Spectrum().Rows(0, 1).Reshaped(Shape({1, 2, 65}));
  const Tensor silence = OpTest::Make<float>({1, 1, 3}, {0, 0, 0});
  Coefficients(OpTest("Mfcc"), silence, 8000, 5, 1, 20, 3999)
      .Expect<float>({1, 1, 1}, {-87.3769608f});
  // The spectrum does not reach up to the limit.
  Coefficients(OpTest("Mfcc"), first, 4000, 5, 3).Expect<float>({1, 2, 3}, {0, 0, 0, 0, 0, 0});
  Coefficients(OpTest("Mfcc"), first, 16000, 5, 3, 20, std::numeric_limits<float>::infinity())
      .Expect<float>({1, 2, 3}, {0, 0, 0, 0, 0, 0});
}

TEST(Mfcc, Refusals) {
  const auto refused = [](Tensor x, int32_t rate, int64_t filters, int64_t count, float lower = 20,
                          float upper = 4000) {
    Coefficients(OpTest("Mfcc"), std::move(x), rate, filters, count, lower, upper)
        .ExpectError(kInvalid);
  };
  const Tensor x = Spectrum();
  refused(x, 16000, 40, 0);
  refused(x, 16000, 40, 41);
  refused(x, 16000, 0, 0);
  refused(x, 16000, int64_t{1} << 31, 1 << 20);
  refused(x, 16000, 40, 13, 20, 10);
  refused(x, 16000, 40, 13, -1);
  refused(x, 16000, 40, 13, std::nanf(""));
  refused(x, 0, 40, 13);
  refused(x, -8, 40, 13);
  refused(OpTest::Make<float>({1, 1, 1}, {1}), 16000, 40, 13);
  refused(Tensor::Vector<float>({1, 2}), 16000, 40, 13);
}

}  // namespace
}  // namespace warpbeam
