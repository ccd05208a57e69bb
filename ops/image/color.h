// Colours of one pixel: RGB to hue, saturation and value and back, and what ops change of them; for
// the host and for GPUs.
//
// Hue is a turn in [0, 1), value the greatest channel, saturation what the least one lacks of it.
//
//   Hsv<float> c = ToHsv(r, g, b);                 // in namespace warpbeam::WB_PASS
//   FromHsv(c, rgb);
//   TurnHue{0.5f}(rgb, turned);
//
// Thread safety: pure. Errors: none.
#ifndef WARPBEAM_OPS_IMAGE_COLOR_H_
#define WARPBEAM_OPS_IMAGE_COLOR_H_

#include "ops/launch/math.h"
#include "ops/launch/pass.h"

namespace warpbeam::WB_PASS {

template <class W>
struct Hsv {
  W h, s, v;
};

// Of three channels; where they are no numbers, as std::max and std::min have it.
template <class W>
WB_HD W MostOf(W r, W g, W b) {
  const W most = r < g ? g : r;
  return most < b ? b : most;
}
template <class W>
WB_HD W LeastOf(W r, W g, W b) {
  const W least = g < r ? g : r;
  return b < least ? b : least;
}
template <class W>
WB_HD W BetweenZeroAndOne(W x) {
  return x < W(0) ? W(0) : W(1) < x ? W(1) : x;
}

template <class W>
WB_HD W HueOf(W r, W g, W b, W most, W range) {
  if (!(range > W(0))) return W(0);
  const W norm = W(1) / (W(6) * range);
  W hue;
  if (r == most) {
    hue = norm * (g - b);
  } else if (g == most) {
    hue = norm * (b - r) + W(2) / W(6);
  } else {
    hue = norm * (r - g) + W(4) / W(6);
  }
  return hue < W(0) ? hue + W(1) : hue;
}

template <class W>
WB_HD Hsv<W> ToHsv(W r, W g, W b) {
  const W most = MostOf(r, g, b);
  const W range = most - LeastOf(r, g, b);
  return {HueOf(r, g, b, most, range), most > W(0) ? range / most : W(0), most};
}

// How much of the range between least and greatest each channel has at a hue.
template <class W>
WB_HD void ShareOf(W hue, W* share) {
  const W turn = hue * W(6);
  share[0] = BetweenZeroAndOne(Abs(turn - W(3)) - W(1));
  share[1] = BetweenZeroAndOne(W(2) - Abs(turn - W(2)));
  share[2] = BetweenZeroAndOne(W(2) - Abs(turn - W(4)));
}

template <class W>
WB_HD void FromHsv(const Hsv<W>& c, W* rgb) {
  ShareOf(c.h, rgb);
  for (int i = 0; i < 3; ++i) rgb[i] = ((W(1) - c.s) + c.s * rgb[i]) * c.v;
}

// Keeps the least and the greatest channel, so that negative colours stay whole.
struct TurnHue {
  static constexpr const char* kAmount = "delta";
  float amount;
  WB_HD void operator()(const float* in, float* out) const {
    const float most = MostOf(in[0], in[1], in[2]);
    const float least = LeastOf(in[0], in[1], in[2]);
    float hue = HueOf(in[0], in[1], in[2], most, most - least) + amount;
    hue -= Floor(hue);
    ShareOf(hue, out);
    for (int c = 0; c < 3; ++c) out[c] = least + (most - least) * out[c];
  }
};

struct ScaleSaturation {
  static constexpr const char* kAmount = "scale";
  float amount;
  WB_HD void operator()(const float* in, float* out) const {
    Hsv<float> color = ToHsv(in[0], in[1], in[2]);
    color.s = BetweenZeroAndOne(color.s * amount);
    FromHsv(color, out);
  }
};

template <class W, bool kToHsv>
struct ChangeColorSpace {
  WB_HD void operator()(const W* in, W* out) const {
    if (kToHsv) {
      const Hsv<W> c = ToHsv(in[0], in[1], in[2]);
      out[0] = c.h;
      out[1] = c.s;
      out[2] = c.v;
    } else {
      FromHsv(Hsv<W>{in[0], in[1], in[2]}, out);
    }
  }
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_IMAGE_COLOR_H_
