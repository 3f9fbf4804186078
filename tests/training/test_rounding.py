"""Weights on the int8 grid: rounded column by column, beside rounding to the nearest value."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

from disco2.training.fine_tuning import LEVELS, round_weights  # noqa: E402


def layer_and_inputs(seed: int, *, inputs: int = 12) -> tuple[nn.Linear, torch.Tensor]:
    """A layer, and correlated inputs, as those of an encoder are."""
    torch.manual_seed(seed)
    mixture = torch.randn(inputs, inputs) * torch.logspace(0, -2, inputs)[:, None]
    return nn.Linear(inputs, 8), torch.randn(500, inputs) @ mixture


def nearest(weights: torch.Tensor) -> torch.Tensor:
    scale = weights.abs().amax(dim=1, keepdim=True) / LEVELS
    return (weights / scale).round() * scale


@pytest.mark.parametrize("seed", range(5))
def test_outputs_change_less_than_with_the_nearest_values(seed: int) -> None:
    layer, inputs = layer_and_inputs(seed)
    before = layer.weight.detach().clone()
    wanted = inputs @ before.T
    round_weights(nn.Sequential(layer), lambda: layer(inputs))
    error, of_nearest = (
        (inputs @ one.T - wanted).square().sum() for one in (layer.weight.detach(), nearest(before))
    )
    assert 0 < error < 0.7 * of_nearest


@pytest.mark.parametrize("seed", range(5))
def test_rounded_weights_lie_on_the_grid_of_the_old_scale(seed: int) -> None:
    layer, inputs = layer_and_inputs(seed)
    scale = layer.weight.detach().abs().amax(dim=1, keepdim=True) / LEVELS
    round_weights(nn.Sequential(layer), lambda: layer(inputs))
    places = layer.weight.detach() / scale
    assert torch.allclose(places, places.round(), atol=1e-3)
    assert torch.allclose(places.abs().amax(dim=1), torch.full((8,), float(LEVELS)))
    assert torch.allclose(nearest(layer.weight.detach()), layer.weight.detach(), atol=1e-6)


def test_two_inputs_by_hand() -> None:
    """Where both inputs are the same number, the second weight makes up for the first one's error."""
    layer = nn.Linear(3, 1, bias=False)
    layer.weight.data = torch.tensor([[64.0, 10.4, 20.4]])
    inputs = torch.tensor([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]] * 50)
    round_weights(nn.Sequential(layer), lambda: layer(inputs))
    assert layer.weight.tolist()[0][0] == 64
    assert sum(layer.weight.tolist()[0][1:]) == 31  # nearest values: 30, and the sum is 30.8


def test_a_layer_without_inputs_keeps_its_weights() -> None:
    layer, _ = layer_and_inputs(1)
    before = layer.weight.detach().clone()
    round_weights(nn.Sequential(layer), lambda: None)
    assert torch.equal(layer.weight.detach(), before)
