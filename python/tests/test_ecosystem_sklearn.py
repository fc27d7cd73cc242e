# SPDX-License-Identifier: Apache-2.0
"""scikit-learn with array_api_dispatch on Koine's arrays, beside the same on NumPy's."""
import os

os.environ["SCIPY_ARRAY_API"] = "1"

import numpy as np
import pytest

import koine as kn

sklearn = pytest.importorskip("sklearn")
from sklearn import (decomposition, discriminant_analysis, kernel_approximation, linear_model, metrics, mixture,  # noqa: E402
                     model_selection, naive_bayes, pipeline, preprocessing)
from sklearn.base import clone  # noqa: E402

X = np.random.default_rng(0).normal(size=(60, 6)).astype(np.float32)
POSITIVE = np.abs(X) + np.float32(0.1)
TRUE, GUESS = (X[:, 0] > 0).astype(np.int64), (X[:, 1] > -0.2).astype(np.int64)
CHANCE = (1 / (1 + np.exp(-X[:, 1]))).astype(np.float32)


@pytest.fixture(autouse=True)
def dispatch():
    with sklearn.config_context(array_api_dispatch=True):
        yield


def check(result, wanted, tolerance=1e-3):
    if isinstance(wanted, tuple):
        for own, other in zip(result, wanted, strict=True):
            check(own, other, tolerance)
    else:
        np.testing.assert_allclose(np.asarray(result), wanted, rtol=tolerance, atol=tolerance)


SCALERS = [preprocessing.StandardScaler(), preprocessing.MinMaxScaler(), preprocessing.MaxAbsScaler(), preprocessing.Normalizer(),
           preprocessing.Binarizer(), preprocessing.PolynomialFeatures(2), preprocessing.KernelCenterer()]


@pytest.mark.parametrize("scaler", SCALERS, ids=lambda scaler: type(scaler).__name__)
def test_scalers(scaler):
    values = X[:6] if isinstance(scaler, preprocessing.KernelCenterer) else X
    result = clone(scaler).fit(kn.asarray(values)).transform(kn.asarray(values))
    assert isinstance(result, kn.Array)
    check(result, clone(scaler).fit(values).transform(values))


@pytest.mark.parametrize("name", ["accuracy_score", "zero_one_loss", "f1_score", "precision_score", "recall_score", "hamming_loss",
                                  "jaccard_score", "confusion_matrix", "multilabel_confusion_matrix", "balanced_accuracy_score",
                                  "cohen_kappa_score"])
def test_metrics_of_classes(name):
    metric = getattr(metrics, name)
    check(metric(kn.asarray(TRUE), kn.asarray(GUESS)), metric(TRUE, GUESS))


@pytest.mark.parametrize("name", ["log_loss", "brier_score_loss", "precision_recall_curve", "det_curve", "average_precision_score"])
def test_metrics_of_chances(name):
    metric = getattr(metrics, name)
    check(metric(kn.asarray(TRUE), kn.asarray(CHANCE)), metric(TRUE, CHANCE))


@pytest.mark.parametrize("name", ["mean_squared_error", "mean_absolute_error", "r2_score", "mean_squared_log_error", "max_error",
                                  "root_mean_squared_error", "explained_variance_score", "mean_absolute_percentage_error",
                                  "mean_tweedie_deviance", "mean_gamma_deviance", "mean_poisson_deviance", "d2_tweedie_score",
                                  "d2_absolute_error_score", "d2_pinball_score", "mean_pinball_loss", "median_absolute_error"])
def test_metrics_of_regressions(name):
    metric, one, other = getattr(metrics, name), POSITIVE[:, 0], POSITIVE[:, 1]
    check(metric(kn.asarray(one), kn.asarray(other)), metric(one, other))


@pytest.mark.parametrize("name", ["cosine_similarity", "cosine_distances", "euclidean_distances", "linear_kernel", "polynomial_kernel",
                                  "rbf_kernel", "sigmoid_kernel", "laplacian_kernel", "manhattan_distances", "chi2_kernel",
                                  "additive_chi2_kernel", "paired_cosine_distances", "paired_euclidean_distances"])
def test_kernels_and_distances(name):
    function, x = getattr(metrics.pairwise, name), kn.asarray(POSITIVE)
    check(function(x, x), function(POSITIVE, POSITIVE), 2e-3)


ESTIMATORS = [naive_bayes.GaussianNB(), linear_model.LogisticRegression(),
              *(mixture.GaussianMixture(2, random_state=0, init_params="random", covariance_type=kind)
                for kind in ("full", "tied", "diag", "spherical")),
              discriminant_analysis.LinearDiscriminantAnalysis(),
              pipeline.make_pipeline(preprocessing.StandardScaler(), naive_bayes.GaussianNB())]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_estimators(estimator):
    x, y = kn.asarray(X), kn.asarray(TRUE)
    result = clone(estimator).fit(x, y).predict(x)
    assert isinstance(result, kn.Array)
    assert (np.asarray(result) == clone(estimator).fit(X, TRUE).predict(X)).mean() > 0.98


def test_encoders():
    for encoder in (preprocessing.LabelEncoder(), preprocessing.LabelBinarizer()):
        check(clone(encoder).fit_transform(kn.asarray(TRUE)), clone(encoder).fit_transform(TRUE))


def test_splits_cross_validation_and_grid_search():
    x, y = kn.asarray(X), kn.asarray(TRUE)
    left, right = model_selection.train_test_split(x, random_state=0)
    assert isinstance(left, kn.Array) and isinstance(right, kn.Array)
    chain = pipeline.make_pipeline(preprocessing.StandardScaler(), naive_bayes.GaussianNB())
    check(model_selection.cross_val_score(chain, x, y, cv=3), model_selection.cross_val_score(chain, X, TRUE, cv=3))
    search = model_selection.GridSearchCV(naive_bayes.GaussianNB(), {"var_smoothing": [1e-9, 1e-1]}, cv=3)
    assert clone(search).fit(x, y).best_params_ == clone(search).fit(X, TRUE).best_params_


# Whose results do not depend on the signs of singular vectors, as those of LinearDiscriminantAnalysis do.
TRANSFORMERS = [decomposition.PCA(2, svd_solver="full"), decomposition.PCA(2, svd_solver="covariance_eigh"),
                kernel_approximation.Nystroem(n_components=4, random_state=0)]


@pytest.mark.parametrize("estimator", TRANSFORMERS, ids=lambda estimator: type(estimator).__name__)
def test_transformers(estimator):
    x = kn.asarray(X)
    result = clone(estimator).fit(x, kn.asarray(TRUE)).transform(x)
    assert isinstance(result, kn.Array)
    check(result, clone(estimator).fit(X, TRUE).transform(X))


def test_ridge():
    x, y, estimator = kn.asarray(X), kn.asarray(X[:, 0] - 2 * X[:, 1]), linear_model.Ridge(solver="svd")
    check(clone(estimator).fit(x, y).predict(x), clone(estimator).fit(X, X[:, 0] - 2 * X[:, 1]).predict(X))
