# SPDX-License-Identifier: Apache-2.0
"""Draws the spectrogram of a recorded voice: which frequencies are in it when, by Fourier transforms of overlapping frames.

    python examples/python/spectrogram.py [--out spectrogram.png]      needs koine, numpy, matplotlib"""
import argparse
import pathlib

import matplotlib.pyplot as plt
import numpy as np

import koine as kn

DATA = pathlib.Path(__file__).parent.parent / "pictures" / "data"
RATE, LENGTH, HOP = 8012, 512, 64  # samples a second, of a frame, between two frames


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="spectrogram.png")
    options = parser.parse_args()

    sound = kn.asarray(np.load(DATA / "voice.npy").astype(np.float32) / 32768)
    # A row of positions for each frame; the Hann window fades a frame in and out.
    offsets = kn.arange(LENGTH)
    positions = kn.arange(0, sound.shape[0] - LENGTH + 1, HOP)[:, None] + offsets
    window = 0.5 - 0.5 * kn.cos(offsets * (2 * np.pi / LENGTH))
    power = kn.abs(kn.fft.rfft(sound[positions] * window)) ** 2
    decibels = np.asarray(10 * kn.log10(power / kn.max(power) + 1e-12))
    frame, bin = divmod(int(kn.argmax(power)), power.shape[1])
    print(f"{power.device}: {power.shape[0]} frames; the strongest frequency is {bin * RATE / LENGTH:.0f} Hz, "
          f"at {(frame * HOP + LENGTH / 2) / RATE:.2f} s")

    figure, axis = plt.subplots(figsize=(9, 3.4))
    picture = axis.imshow(decibels.T, origin="lower", aspect="auto", vmin=-80, cmap="inferno",
                          extent=(0, sound.shape[0] / RATE, 0, RATE / 2000))
    axis.set(xlabel="seconds", ylabel="kHz")
    figure.colorbar(picture, label="dB")
    figure.tight_layout()
    figure.savefig(options.out, dpi=60)


if __name__ == "__main__":
    main()
