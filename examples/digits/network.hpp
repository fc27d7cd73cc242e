// SPDX-License-Identifier: Apache-2.0
// A two-layer perceptron and its training step, backpropagation written out.
#pragma once

#include <cmath>
#include <koine/koine.hpp>

namespace kn = koine;

/// A dense layer, trained by gradient descent with momentum.
class Layer {
 public:
  Layer(kn::random::Generator& random, std::int64_t inputs, std::int64_t outputs)
      : weights_(random.normal({inputs, outputs}, {.scale = std::sqrt(2.0 / static_cast<double>(inputs))})),
        bias_(kn::zeros({outputs})),
        weights_speed_(kn::zeros({inputs, outputs})),
        bias_speed_(kn::zeros({outputs})) {}

  kn::Array forward(const kn::Array& x) const { return kn::matmul(x, weights_) + bias_; }

  /// The gradient by the layer's input, from the gradient by its output.
  kn::Array backward(const kn::Array& gradient) const { return kn::matmul(gradient, weights_.T()); }

  /// One step downhill, given the input and the gradient by the output.
  void learn(const kn::Array& x, const kn::Array& gradient, double rate) {
    weights_speed_ = 0.9 * weights_speed_ - rate * kn::matmul(x.T(), gradient);
    bias_speed_ = 0.9 * bias_speed_ - rate * kn::sum(gradient, {.axis = 0});
    weights_ = weights_ + weights_speed_;
    bias_ = bias_ + bias_speed_;
    kn::eval(weights_, bias_, weights_speed_, bias_speed_);
  }

 private:
  kn::Array weights_, bias_, weights_speed_, bias_speed_;
};

class Network {
 public:
  Network(kn::random::Generator& random, std::int64_t inputs, std::int64_t hidden, std::int64_t classes)
      : first_(random, inputs, hidden), second_(random, hidden, classes), classes_(kn::arange(classes)) {}

  /// The most likely class of each row of x.
  kn::Array predict(const kn::Array& x) const {
    return kn::argmax(second_.forward(kn::maximum(first_.forward(x), 0)), {.axis = 1});
  }

  /// One step on a batch; `labels` are the classes of its rows.
  void train(const kn::Array& x, const kn::Array& labels, double rate) {
    const kn::Array hidden = kn::maximum(first_.forward(x), 0);
    const kn::Array scores = second_.forward(hidden);

    // Softmax and cross-entropy have one gradient together: the likelihoods less the truth.
    const kn::Array likely = kn::exp(scores - kn::max(scores, {.axis = 1, .keepdims = true}));
    const kn::Array truth = (kn::expand_dims(labels, 1) == classes_).astype(kn::float32);
    const kn::Array error =
        (likely / kn::sum(likely, {.axis = 1, .keepdims = true}) - truth) / static_cast<double>(x.shape(0));
    const kn::Array hidden_error = kn::where(hidden > 0, second_.backward(error), 0.0);

    second_.learn(hidden, error, rate);
    first_.learn(x, hidden_error, rate);
  }

 private:
  Layer first_, second_;
  kn::Array classes_;
};
