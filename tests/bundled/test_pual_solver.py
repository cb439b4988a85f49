"""The systems and ADMM of the PUAL family against generic solvers, against one another, and against the equations."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from pubench_pual import models
from pubench_pual.admm import minimise
from pubench_pual.dual import Dual
from pubench_pual.graph import laplacian, mutual_neighbours
from pubench_pual.inverse import Inverse, kernel_inverse, suits
from pubench_pual.kernels import rbf_gram
from pubench_pual.literal import Literal
from pubench_pual.losses import MEMBERS, hinge_step, make_goal
from pubench_pual.primal import Primal
from pubench_pual.pual import PUAL
from pubench_pual.systems import HingeRows, factorise
from scipy.linalg import LinAlgWarning
from scipy.optimize import minimize, minimize_scalar
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

WEIGHTS = [(0.1, 0.1), (0.3, 0.01), (0.6, 1.0)]


def make_pu(seed, n_labelled=10, n_unlabelled=30, d=3):
    """Centred rows, U before P as systems want them."""
    rng = np.random.default_rng(seed)
    s = (np.arange(n_labelled + n_unlabelled) >= n_unlabelled).astype(np.uint8)
    X = rng.normal(size=(len(s), d)) + np.where(np.arange(len(s)) < n_unlabelled // 2, -0.8, 0.8)[:, None]
    return X - X.mean(axis=0), s


def goal_of(loss, Z, s, C_u=0.3, *, sigma=1.0, mean=True):
    return make_goal(MEMBERS[loss], s, 1.0, C_u, laplacian(mutual_neighbours(Z, 5), sigma), mean=mean)


def least(features, goal, ridge):
    """The minimum, as a quadratic program with slack variables for the hinges, by SLSQP."""
    F = np.column_stack([features, np.ones(len(features))])
    p, hinge = F.shape[1], goal.hinge
    ridges = np.append(np.full(p - 1, ridge), 0.0)
    R = 0.0 if goal.laplacian is None else F.T @ (goal.laplacian @ F)
    H = np.diag(ridges) + 2 * R + 2 * F[~hinge].T @ (goal.weight[~hinge, None] * F[~hinge])
    linear = -2 * (goal.weight * goal.sign)[~hinge] @ F[~hinge]
    signed, cost = goal.sign[hinge, None] * F[hinge], goal.weight[hinge]
    constant = goal.weight[~hinge].sum()

    def value(v):
        theta, slack = v[:p], v[p:]
        return theta @ H @ theta / 2 + linear @ theta + cost @ slack + constant

    jacobian = np.hstack([signed, np.eye(len(cost))])
    start = np.append(np.zeros(p), np.ones(len(cost)))
    done = minimize(
        value,
        start,
        jac=lambda v: np.append(H @ v[:p] + linear, cost),
        bounds=[(None, None)] * p + [(0, None)] * len(cost),
        constraints={"type": "ineq", "fun": lambda v: jacobian @ v - 1, "jac": lambda v: jacobian},
        method="SLSQP",
        options={"maxiter": 2000, "ftol": 1e-14},
    )
    return done.fun


def root_of(K):
    values, vectors = np.linalg.eigh(K)
    return vectors * np.sqrt(np.clip(values, 0.0, None))


def reached(model, goal, ridge, penalty_of_weights, tol=1e-5):
    solution, result = models.run(model, goal, tol, 20_000)
    assert result.converged
    return goal.value(solution.scores) + ridge / 2 * penalty_of_weights(solution.weights)


@pytest.mark.parametrize(("C_u", "ridge"), WEIGHTS)
@pytest.mark.parametrize("loss", MEMBERS)
@pytest.mark.parametrize("seed", range(2))
def test_linear_objectives_reach_the_minimum(seed, loss, C_u, ridge):
    Z, s = make_pu(seed)
    goal = goal_of(loss, Z, s, C_u)
    value = reached(models.linear_model(Z, goal, ridge), goal, ridge, lambda w: w @ w)
    assert value == pytest.approx(least(Z, goal, ridge), rel=1e-4)


@pytest.mark.parametrize("way", ["dual", "inverse"])
@pytest.mark.parametrize(("C_u", "ridge"), WEIGHTS)
@pytest.mark.parametrize("loss", MEMBERS)
def test_kernel_objectives_reach_the_minimum(loss, C_u, ridge, way):
    Z, s = make_pu(1)
    goal = goal_of(loss, Z, s, C_u)
    K = rbf_gram(Z, 0.3)
    system = Dual(K, goal, ridge, 1.0) if way == "dual" else Inverse(kernel_inverse(K), goal, ridge, 1.0)
    value = reached(models.Model(system, lambda a: a, Z), goal, ridge, lambda a: a @ K @ a)
    assert value == pytest.approx(least(root_of(K), goal, ridge), rel=1e-4)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_bsvm_is_the_support_vector_machine_of_scikit_learn(kernel):
    Z, s = make_pu(2, 30, 90)
    ridge, C_u = 0.05, 0.4
    model = PUAL(
        "bsvm",
        kernel=kernel,
        C_u=C_u,
        ridge=ridge,
        intercept="fit",
        tol=1e-7,
        max_iter=50_000,
        scenario="case-control",
    ).fit(Z, s)
    weight = {1: 1 / 30 / ridge, 0: C_u / 90 / ridge}
    gamma = getattr(model, "gamma_", "scale")
    peer = SVC(C=1.0, kernel=kernel, gamma=gamma, class_weight=weight, tol=1e-9).fit(Z, s)
    np.testing.assert_allclose(model.decision_function(Z), peer.decision_function(Z), atol=1e-4)


@pytest.mark.parametrize("loss", MEMBERS)
def test_the_linear_kernel_is_the_linear_form(loss):
    Z, s = make_pu(3)
    goal = goal_of(loss, Z, s)
    first, second = (
        models.run(models.Model(system, lambda w: w), goal, 1e-9, 50_000)[0]
        for system in (Primal(Z, goal, 0.1, 1.0), Dual(Z @ Z.T, goal, 0.1, 1.0))
    )
    np.testing.assert_allclose(Z.T @ second.weights, first.weights, atol=1e-8)
    assert second.intercept == pytest.approx(first.intercept, abs=1e-8)
    np.testing.assert_allclose(second.scores, first.scores, atol=1e-8)


def test_more_features_than_rows_take_the_dual_and_mean_the_same():
    Z, s = make_pu(4, d=60)
    goal = goal_of("pual", Z, s)
    wide = models.linear_model(Z, goal, 0.1)
    assert isinstance(wide.system, Dual)
    solution, _ = models.run(wide, goal, 1e-9, 50_000)
    direct, _ = models.run(models.Model(Primal(Z, goal, 0.1, 1.0), lambda w: w), goal, 1e-9, 50_000)
    np.testing.assert_allclose(wide.coefficients(solution.weights), direct.weights, atol=1e-8)


def systems_at(penalty, loss="pual", ridge=0.2):
    Z, s = make_pu(5)
    goal = goal_of(loss, Z, s)
    K = rbf_gram(Z, 0.3)
    return [
        Primal(Z, goal, ridge, penalty),
        Dual(K, goal, ridge, penalty),
        Inverse(kernel_inverse(K), goal, ridge, penalty),
    ]


@pytest.mark.parametrize("loss", ["pual", "bsvm"])
@pytest.mark.parametrize("penalty", [0.01, 0.5, 40.0])
def test_a_map_moved_to_another_penalty_is_the_map_made_there(loss, penalty):
    for made, other in zip(systems_at(1.0, loss), systems_at(penalty, loss), strict=True):
        moved, there = made.margins().at(penalty), other.margins().at(penalty)
        z = np.random.default_rng(0).normal(size=len(made.margins().offset))
        np.testing.assert_allclose(moved(z), there(z), rtol=1e-6, atol=1e-7)


def test_maps_agree_with_the_models_they_stand_for():
    """The margins at a target are those of the model that a solve with the same pull gives."""
    for system in [*systems_at(0.7), *systems_at(0.7, "bsvm")]:
        margins = system.margins()
        z = np.random.default_rng(1).normal(size=len(margins.offset))
        expected = margins.at(margins.base)(z)
        scores = system.solve(margins.base * z).scores[-len(z) :]
        np.testing.assert_allclose(system._hinge.signed * scores, expected, atol=1e-7)


@pytest.mark.parametrize("loss", ["pual", "bsvm"])
@pytest.mark.parametrize("ridge", [1e-6, 1e-3, 1.0, 1e3])
def test_all_ways_to_the_dual_response_agree(ridge, loss):
    Z, s = make_pu(6)
    dual = Dual(rbf_gram(Z, 0.3), goal_of(loss, Z, s), ridge, 1.0)
    ways = [dual._response(), dual._response_by_kernel(), dual._response_by_curvature()]
    if loss == "bsvm":
        ways.append(dual._response_by_factor())
    for way in ways[1:]:
        np.testing.assert_allclose(way, ways[0], rtol=1e-4, atol=1e-7 * np.abs(ways[0]).max())


def test_the_inverse_is_used_only_where_its_nugget_cannot_be_seen():
    Z, s = make_pu(7)
    goal = goal_of("pual", Z, s)
    assert suits(goal, 1e-2, 1.0)
    assert not suits(goal, 1e-4, 1.0)
    for ridge in (2e-3, 1.0):
        ways = (
            Dual(rbf_gram(Z, 0.3), goal, ridge, 1.0),
            Inverse(kernel_inverse(rbf_gram(Z, 0.3)), goal, ridge, 1.0),
        )
        scores = [models.run(models.Model(way, lambda a: a, Z), goal, 1e-8, 50_000)[0].scores for way in ways]
        np.testing.assert_allclose(*scores, atol=1e-5)


def test_the_step_of_equation_16_is_a_minimum():
    for d in np.linspace(-2, 3, 11):
        for c in (0.1, 1.0, 2.5):
            best = minimize_scalar(
                lambda x, c=c, d=d: c * max(x, 0) + (x - d) ** 2 / 2, bounds=(-5, 5), method="bounded"
            )
            assert hinge_step(np.array([d]), np.array([c]))[0] == pytest.approx(best.x, abs=1e-4)


def test_a_tighter_tolerance_takes_longer_and_comes_closer():
    Z, s = make_pu(8, 40, 120)
    goal = goal_of("pual", Z, s)
    system = Primal(Z, goal, 0.01, 1.0)
    results = [
        minimise(system.margins(), HingeRows(goal).hinge, tol=tol, max_iter=50_000)
        for tol in (1e-2, 1e-5, 1e-9)
    ]
    assert [r.n_iter for r in results] == sorted(r.n_iter for r in results)
    errors = [np.abs(r.pull - results[-1].pull).max() for r in results[:2]]
    assert errors[1] < errors[0] / 10


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("loss", ["pual", "bsvm"])
def test_the_residuals_are_kept_and_fall(loss, kernel):
    model = PUAL(loss, kernel=kernel, ridge=0.1, scenario="case-control").fit(*make_pu(8, 20, 80))
    iteration, *residuals = model.residual_curve_.T
    np.testing.assert_array_equal(iteration, np.arange(10, model.n_iter_ + 1, 10))
    np.testing.assert_array_equal(model.residual_curve_[-1, 1:], model.residuals_)
    # All rows but the last are above the tolerance, or the iterations would have ended there.
    assert (np.max(residuals, axis=0)[:-1] > model.tol).all()
    assert len(iteration) > 1
    assert np.max(residuals, axis=0)[0] > 10 * model.tol


@pytest.mark.parametrize("loss", ["gllc", "blssvm"])
def test_what_is_solved_at_once_has_no_curve(loss):
    model = PUAL(loss, scenario="case-control").fit(*make_pu(8, 20, 80))
    assert (model.n_iter_, model.residual_curve_.shape) == (1, (0, 3))
    np.testing.assert_array_equal(model.residuals_, 0)


def test_a_curve_ends_with_the_last_iteration_even_when_cut_short():
    with pytest.warns(ConvergenceWarning):
        model = PUAL(max_iter=13, scenario="case-control").fit(*make_pu(8, 20, 80))
    np.testing.assert_array_equal(model.residual_curve_[:, 0], [10, 13])


def test_algorithm_2_ends_where_its_printed_updates_do():
    """Equations 21, 28, 29 and 30, written out for P before U as in the paper."""
    Z, s = make_pu(9, 12, 28)
    goal = goal_of("pual", Z, s, 0.1, mean=False)
    K = rbf_gram(Z, 0.3)
    system = Literal(K, goal)
    solution, result = models.run(models.Model(system, lambda a: a, Z), goal, 1e-10, 200_000)
    assert result.converged
    C_p, C_u, mu, P, U = 1.0, 0.1, system._penalty, s == 1, s == 0
    h, u, omega = np.zeros(12), np.zeros(12), np.zeros(40)
    for _ in range(20_000):
        M22, m2 = 2 * C_u * 28 + mu * 12, -2 * C_u * 28 + u.sum() + mu * (1 - h).sum()
        omega[P], omega[U] = u - mu * m2 / M22 + mu * (1 - h), -2 * C_u - 2 * m2 / M22 * C_u
        Q_b = 2 * C_u * (K[U] @ omega).sum() + mu * (K[P] @ omega).sum()
        beta_0 = m2 / M22 - Q_b / M22
        f = K[P] @ omega + beta_0
        h = hinge_step(1 + u / mu - f, np.full(12, C_p / mu))
        u = u + mu * (1 - f - h)
    np.testing.assert_allclose(solution.weights, omega, atol=1e-6)
    assert solution.intercept == pytest.approx(beta_0, abs=1e-6)
    assert mu <= 0.5 / np.linalg.eigvalsh(K[np.ix_(P, P)])[-1] + 1e-12


def test_a_matrix_that_rounding_makes_singular_is_lifted_with_a_warning():
    flat = np.ones((3, 3))
    with pytest.warns(LinAlgWarning, match="ridge = 1e-20 is lost in rounding"):
        lower = factorise(flat.copy, 1e-20)
    np.testing.assert_allclose(np.tril(lower) @ np.tril(lower).T, flat, atol=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="singular beyond rounding"):
            factorise((-flat).copy, 1.0)
