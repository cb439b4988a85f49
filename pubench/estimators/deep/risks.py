r"""PU risks of a batch, for automatic differentiation; the weights are those of :func:`pubench.risk.signed_weights`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from pubench.estimators.deep.imports import nn, torch
from pubench.risk import Loss, SignedWeights

__all__ = ["Batch", "pu_loss", "torch_losses"]

Tensor: TypeAlias = "torch.Tensor"


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Rows of P and of U, ready for a network.

    Attributes
    ----------
    X_p, X_u : tensors of shape (n_p, ...) and (n_u, ...)
        At least one row each.
    weights : SignedWeights or None
        What each row weighs in the risk: over the batch the weights add up to what they add up to over all rows. None
        where the classifier has no prior.
    step, steps : int
        The number of the epoch, from 1, and the number of epochs.
    """

    X_p: Tensor
    X_u: Tensor
    weights: SignedWeights | None
    step: int
    steps: int

    @property
    def X(self) -> Tensor:  # noqa: N802 - as everywhere else
        """The rows of P, then those of U."""
        return torch.cat([self.X_p, self.X_u])

    def split(self, scores: Tensor) -> tuple[Tensor, Tensor]:
        """Split scores of :attr:`X` into those of P and of U, shape (n_p,) and (n_u,)."""
        flat = scores.reshape(-1)
        return flat[: len(self.X_p)], flat[len(self.X_p) :]


def torch_losses(scores: Tensor, loss: Loss) -> tuple[Tensor, Tensor]:
    """Return the loss of each score if its row were positive, and if it were negative; see pubench.risk.loss_pair."""
    return _margin_loss(scores, loss), _margin_loss(-scores, loss)


def _margin_loss(m: Tensor, loss: Loss) -> Tensor:
    match loss:
        case "logistic":
            return nn.functional.softplus(-m)
        case "sigmoid":
            return torch.sigmoid(-m)
        case "quadratic":
            return torch.square(1.0 - m)
        case "savage":
            return 4.0 * torch.square(torch.sigmoid(-m))
        case "double-hinge":
            return torch.maximum(-m, torch.clamp((1.0 - m) / 2.0, min=0.0))
        case _:
            raise ValueError(f"the {loss} loss has no slope; choose another")


def pu_loss(
    scores: Tensor,
    batch: Batch,
    *,
    loss: Loss = "logistic",
    non_negative: bool = True,
    beta: float = 0.0,
    gamma: float = 1.0,
) -> Tensor:
    r"""Return what a step on a PU risk differentiates: the unbiased risk, or nnPU's (Kiryo et al., 2017, Algorithm 1).

    With r the part that estimates the risk on negatives, this is :math:`\sum_P w(+1|P)\, \ell(f) + r`; where
    ``non_negative`` and :math:`r < -\beta`, it is :math:`-\gamma r`: a step back.

    Parameters
    ----------
    scores : tensor of shape (n,) or (n, 1)
        Of ``batch.X``.
    batch : Batch
    loss : str
        One of :data:`pubench.risk.LOSSES`, but for the zero-one loss.
    non_negative : bool
    beta, gamma : float
    """
    if batch.weights is None:
        raise ValueError("a PU risk needs prior and scenario; set both")
    weights = batch.weights
    in_p, in_u = batch.split(scores)
    as_positive, as_negative = torch_losses(in_p, loss)
    positive = weights.positive_P * as_positive.sum()
    negative = weights.negative_P * as_negative.sum() + weights.negative_U * torch_losses(in_u, loss)[1].sum()
    if non_negative and negative.item() < -beta:
        return -gamma * negative
    return positive + negative
