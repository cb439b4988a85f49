"""Laws of the exact solvers of uPU: each agrees with a closed form, a generic solver, or its own optimality."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from pubench_risk import exact
from pubench_risk.admm import hinge_step
from pubench_risk.exact import Limits, Problem, solve
from pubench_risk.losses import CONVEX, LOSSES, Masses
from scipy import sparse
from scipy.linalg import LinAlgWarning
from scipy.optimize import LinearConstraint, minimize, minimize_scalar
from sklearn.exceptions import ConvergenceWarning

from pubench.risk import pu_risk
from pubench.specs import SCENARIOS

CC, STS = SCENARIOS
FINE = Limits(1e-10, 20_000)


def problem(loss, scenario=CC, l2=0.05, n_p=25, n_u=60, d=4, seed=0):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n_p + n_u, d))
    A[: n_p + n_u // 2, 0] += 1.5
    s = np.repeat(np.array([1, 0], dtype=np.uint8), [n_p, n_u])
    return Problem(A, s, Masses.of(s, 0.45, scenario), loss, l2)


def objective(p, theta, scenario):
    """The unbiased risk of the toolkit plus the ridge."""
    f = p.A @ theta[:-1] + theta[-1]
    risk = pu_risk(f, p.s, prior=0.45, scenario=scenario, loss=p.loss)
    return risk + 0.5 * p.l2 * theta[:-1] @ theta[:-1]


def theta_of(solution):
    return np.append(solution.weights, solution.bias)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("loss", LOSSES)
def test_the_objective_is_the_unbiased_risk_plus_the_ridge(loss, scenario):
    p, theta = problem(loss, scenario), np.random.default_rng(3).normal(size=5)
    value, slope = p.value_and_slope(theta)
    assert value == pytest.approx(objective(p, theta, scenario))
    for i, step in enumerate(1e-6 * np.eye(5)):
        difference = objective(p, theta + step, scenario) - objective(p, theta - step, scenario)
        assert slope[i] == pytest.approx(difference / 2e-6, abs=1e-6)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_squared_loss_solves_the_normal_equations(scenario):
    """(2 A'UA + l2 D) theta = 4 A'v - 2 A'u, written out row by row."""
    p = problem("quadratic", scenario)
    A = np.column_stack([p.A, np.ones(len(p.A))])
    u = np.where(p.s == 1, 1 / 85 if scenario == STS else 0.0, 1 / 85 if scenario == STS else 1 / 60)
    v = np.where(p.s == 1, 0.45 / 25, 0.0)
    matrix = 2 * sum(ui * np.outer(row, row) for ui, row in zip(u, A, strict=True))
    right = sum((4 * vi - 2 * ui) * row for ui, vi, row in zip(u, v, A, strict=True))
    expected = np.linalg.solve(matrix + p.l2 * np.diag([1, 1, 1, 1, 0]), right)
    np.testing.assert_allclose(theta_of(solve(p, FINE)), expected, rtol=1e-9)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("l2", [1e-4, 0.05, 10.0])
def test_the_logistic_loss_agrees_with_a_generic_solver(l2, scenario):
    p = problem("logistic", scenario, l2)
    best = minimize(lambda t: objective(p, t, scenario), np.zeros(5), method="BFGS", options={"gtol": 1e-8})
    theta = theta_of(solve(p, FINE))
    assert objective(p, theta, scenario) <= best.fun + 1e-9
    np.testing.assert_allclose(theta, best.x, rtol=1e-3, atol=1e-4)


def epigraph_minimum(p, scenario):
    """The double hinge as a quadratic program: t_i >= each of the loss's three lines."""
    n = len(p.s)
    A = np.column_stack([p.A, np.ones(n)])
    u, v = p.population, p.pull
    rows, eye = np.vstack([0 * A, A / 2, A]), np.vstack([np.eye(n)] * 3)
    low = np.concatenate([np.zeros(n), np.full(n, 0.5), np.zeros(n)])
    constraint = LinearConstraint(np.hstack([-rows, eye]), low, np.inf)

    def value(z):
        w, t = z[:5], z[5:]
        slope = np.concatenate([np.append(p.l2 * w[:4], 0.0) - A.T @ v, u])
        return 0.5 * p.l2 * w[:4] @ w[:4] + u @ t - v @ (A @ w), slope

    start = np.concatenate([np.zeros(5), np.full(n, 0.5)])
    return minimize(
        value,
        start,
        jac=True,
        method="SLSQP",
        constraints=[constraint],
        options={"maxiter": 500, "ftol": 1e-12},
    ).fun


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("l2", [1e-3, 0.05])
def test_the_double_hinge_agrees_with_a_quadratic_program(l2, scenario):
    p = problem("double-hinge", scenario, l2, n_p=10, n_u=20)
    found = solve(p, Limits(1e-8, 50_000))
    value = objective(p, theta_of(found), scenario)
    assert value == pytest.approx(epigraph_minimum(p, scenario), abs=1e-5)
    assert found.curve[-1] == pytest.approx(value, abs=1e-9)


def test_the_step_of_a_row_minimises_what_it_should():
    for x in np.linspace(-4, 5, 37):
        for t in (0.1, 1.0, 3.0):
            best = minimize_scalar(
                lambda z, x=x, t=t: t * max(z, 0, (1 + z) / 2) + (z - x) ** 2 / 2,
                bounds=(-10, 10),
                method="bounded",
                options={"xatol": 1e-9},
            )
            assert hinge_step(np.array([x]), t)[0] == pytest.approx(best.x, abs=1e-5)


def test_the_sigmoid_loss_ends_at_a_minimum_below_its_start():
    p = problem("sigmoid")
    theta = theta_of(solve(p, FINE))
    value, slope = p.value_and_slope(theta)
    start = theta_of(solve(Problem(p.A, p.s, p.masses, "logistic", p.l2), FINE))
    assert value < p.value_and_slope(start)[0]
    assert np.abs(slope).max() < 1e-4


@pytest.mark.parametrize("loss", CONVEX)
def test_more_columns_than_rows_change_nothing_but_the_way(loss, monkeypatch):
    p = problem(loss, n_p=8, n_u=15, d=40, l2=0.5)
    among_rows = solve(p, Limits(1e-9, 50_000))
    monkeypatch.setattr(exact, "_among_rows", None)  # not to be called
    monkeypatch.setattr(exact, "is_sparse", lambda A: True)
    by_columns = solve(p, Limits(1e-9, 50_000))
    np.testing.assert_allclose(among_rows.weights, by_columns.weights, atol=1e-4)
    assert among_rows.bias == pytest.approx(by_columns.bias, abs=1e-4)


@pytest.mark.parametrize("loss", ["quadratic", "logistic", "sigmoid"])
def test_many_columns_are_solved_by_slopes_to_the_same_end(loss, monkeypatch):
    p = problem(loss)
    factorised = theta_of(solve(p, FINE))
    monkeypatch.setattr(exact, "DIRECT", 3)
    np.testing.assert_allclose(theta_of(solve(p, Limits(1e-14, 5000))), factorised, atol=1e-4)


@pytest.mark.parametrize("loss", LOSSES)
def test_sparse_columns_give_the_same_model(loss):
    p = problem(loss)
    other = Problem(sparse.csr_array(p.A), p.s, p.masses, p.loss, p.l2)
    np.testing.assert_allclose(theta_of(solve(other, FINE)), theta_of(solve(p, FINE)), atol=1e-6)


def test_too_many_columns_for_the_double_hinge_are_named():
    rows = sparse.random_array((20, exact.DIRECT + 1), density=0.01, format="csr", rng=0)
    s = (np.arange(20) < 5).astype(np.uint8)
    with pytest.raises(ValueError, match=r"double-hinge.*3001.*logistic"):
        solve(Problem(rows, s, Masses.of(s, 0.5, CC), "double-hinge", 1.0), FINE)


@pytest.mark.parametrize("loss", ["logistic", "double-hinge"])
def test_running_out_of_iterations_is_told(loss):
    with pytest.warns(ConvergenceWarning, match="max_iter = 2"):
        solve(problem(loss, l2=1e-5), Limits(1e-12, 2))


@pytest.mark.parametrize("loss", LOSSES)
def test_copies_of_columns_with_a_ridge_lost_in_rounding_still_give_numbers(loss):
    p = problem(loss)
    twice = Problem(np.hstack([p.A, p.A, 1e6 * p.A]), p.s, p.masses, loss, 1e-14)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LinAlgWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert np.isfinite(theta_of(solve(twice, Limits(1e-6, 300)))).all()
