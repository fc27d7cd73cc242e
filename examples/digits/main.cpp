// SPDX-License-Identifier: Apache-2.0
// Trains a small network to read handwritten digits on whatever device there is, and draws what it read.
#include <CLI/CLI.hpp>
#include <chrono>
#include <iomanip>
#include <iostream>

#include "network.hpp"
#include "picture.hpp"
#include "progress.hpp"

namespace {

/// Every fifth image is held out for the test, which leaves 1,437 to learn from.
kn::Array held_out(const kn::Array& x) { return x(kn::slice(kn::none, kn::none, 5)); }

kn::Array the_rest(const kn::Array& x) {
  std::vector<kn::Array> parts;
  for (int start = 1; start < 5; ++start) parts.push_back(x(kn::slice(start, kn::none, 5)));
  return kn::concat(parts);
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

int main(int argc, char** argv) try {
  int epochs = 40;
  std::uint64_t seed = 1;
  std::string data = KOINE_EXAMPLE_DIR "/data", out = "digits.png";
  CLI::App app{"Trains a two-layer perceptron on handwritten digits. KOINE_DEVICE chooses the device."};
  app.add_option("--epochs", epochs, "Times to go through the images")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option("--seed", seed, "Seed of the weights and of the noise")->capture_default_str();
  app.add_option("--data", data, "Folder of images.npy and labels.npy")->capture_default_str();
  app.add_option("--out", out, "Picture to write")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  std::cout << "device: " << kn::default_device() << std::endl;
  const kn::Array all_images = kn::load_npy(data + "/images.npy"), all_labels = kn::load_npy(data + "/labels.npy");
  const kn::Array pixels = kn::reshape(all_images, {-1, 64}).astype(kn::float32) / 16.0;
  const kn::Array images = the_rest(pixels), labels = the_rest(all_labels);
  const kn::Array test_images = held_out(pixels), test_labels = held_out(all_labels);
  kn::eval(images, labels, test_images, test_labels);

  constexpr std::int64_t batch = 64;
  const std::int64_t batches = images.shape(0) / batch;  // what is left over sits the training out
  kn::random::Generator random(seed);
  Network network(random, 64, 256, 10);
  const auto accuracy = [&] {
    return kn::mean((network.predict(test_images) == test_labels).astype(kn::float32)).item<double>();
  };

  Progress progress(epochs);
  const double start = seconds();
  double first_epoch = 0;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const double rate = 0.1 * (epochs - epoch) / epochs;
    for (std::int64_t k = 0; k < batches; ++k) {
      // Rows k, k + batches, k + 2 batches, ...: each batch has something of everybody's hand. A little noise keeps
      // the network from learning single images by heart.
      const auto rows = kn::slice(k, batch * batches, batches);
      network.train(images(rows) + random.normal({batch, 64}, {.scale = 0.2}), labels(rows), rate);
    }
    progress.show(epoch + 1, accuracy());
    if (epoch == 0) first_epoch = seconds() - start;
  }
  const double time = seconds() - start;
  progress.finish();

  const std::vector<std::int64_t> read = network.predict(test_images).to_vector<std::int64_t>();
  const std::vector<std::int64_t> meant = test_labels.to_vector<std::int64_t>();
  draw_digits(out, held_out(all_images).to_vector<std::uint8_t>(), read, meant);

  const double trained = static_cast<double>(batch * batches);
  std::cout << std::fixed << std::setprecision(1) << "accuracy: " << 100 * accuracy() << " % of " << read.size()
            << " held-out images\n"
            << "time: " << time << " s for " << epochs << " epochs, " << first_epoch
            << " s of it the first, which compiles\n";
  if (epochs > 1) {
    std::cout << "speed: " << std::setprecision(0) << trained * (epochs - 1) / (time - first_epoch)
              << " images per second after that\n";
  }
  std::cout << "picture: " << out << '\n';
  return 0;
} catch (const std::exception& error) {
  std::cerr << "digits: " << error.what() << '\n';
  return 1;
}
