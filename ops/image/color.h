// Colours of one pixel: RGB to hue, saturation and value and back.
//
// Hue is a turn in [0, 1), value the greatest channel, saturation what the least one lacks of it.
//
//   Hsv c = ToHsv(r, g, b);   FromHsv(c, rgb);
//
// Thread safety: pure. Errors: none.
#ifndef WARPBEAM_OPS_IMAGE_COLOR_H_
#define WARPBEAM_OPS_IMAGE_COLOR_H_

#include <algorithm>
#include <cmath>

namespace warpbeam {

template <class W>
struct Hsv {
  W h, s, v;
};

template <class W>
W HueOf(W r, W g, W b, W most, W range) {
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
Hsv<W> ToHsv(W r, W g, W b) {
  const W most = std::max({r, g, b});
  const W range = most - std::min({r, g, b});
  return {HueOf(r, g, b, most, range), most > W(0) ? range / most : W(0), most};
}

// How much of the range between least and greatest each channel has at a hue.
template <class W>
void ShareOf(W hue, W* share) {
  const W turn = hue * W(6);
  share[0] = std::clamp(std::abs(turn - W(3)) - W(1), W(0), W(1));
  share[1] = std::clamp(W(2) - std::abs(turn - W(2)), W(0), W(1));
  share[2] = std::clamp(W(2) - std::abs(turn - W(4)), W(0), W(1));
}

template <class W>
void FromHsv(const Hsv<W>& c, W* rgb) {
  ShareOf(c.h, rgb);
  for (int i = 0; i < 3; ++i) rgb[i] = ((W(1) - c.s) + c.s * rgb[i]) * c.v;
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_IMAGE_COLOR_H_
