// SPDX-License-Identifier: Apache-2.0
// The spectrogram of a recorded voice: which frequencies are in it when, by Fourier transforms of overlapping frames.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <numbers>

#include "picture.hpp"

int main(int count, char** arguments) try {
  constexpr std::int64_t rate = 8012, length = 512, hop = 64;  // samples a second, of a frame, between two frames
  const kn::Array sound = kn::load_npy(KOINE_EXAMPLE_DIR "/data/voice.npy").astype(kn::float32) / 32768;

  // A row of positions for each frame; the Hann window fades a frame in and out.
  const kn::Array starts = kn::arange(0, sound.shape(0) - length + 1, hop), offsets = kn::arange(length);
  const kn::Array window = 0.5 - 0.5 * kn::cos(offsets * (2 * std::numbers::pi / length));
  const kn::Array frames = sound(kn::expand_dims(starts, 1) + offsets) * window;
  const kn::Array power = kn::square(kn::abs(kn::fft::rfft(frames)));
  kn::eval(frames, power);

  // Parseval: a frame has as much energy as its spectrum, of which rfft leaves out what is there a second time.
  const kn::Array weights = kn::where(kn::arange(length / 2 + 1) % (length / 2) == 0, 1.0F, 2.0F);
  const auto energy = kn::sum(kn::square(frames)).item<double>();
  const auto spectrum = kn::sum(power * weights).item<double>() / length;
  check(std::abs(spectrum - energy) < 1e-5 * energy, "the spectrum has the energy of the sound");

  const auto loudest = kn::argmax(power).item<std::int64_t>(), bins = power.shape(1);
  const std::int64_t bin = loudest % bins, middle = loudest / bins * hop + length / 2;
  std::printf("%ld frames; the strongest frequency is %.0f Hz, at %.2f s\n", static_cast<long>(power.shape(0)),
              static_cast<double>(bin * rate) / length, static_cast<double>(middle) / rate);

  // 80 decibels from black to white, low frequencies below.
  const kn::Array decibels = 10 * kn::log10(power / kn::max(power) + 1e-12);
  write_png(count > 1 ? arguments[1] : "spectrogram.png", heat(kn::flip(decibels.T(), {.axis = 0}) / 80 + 1));
} catch (const std::exception& error) {
  std::fprintf(stderr, "spectrogram: %s\n", error.what());
  return 1;
}
