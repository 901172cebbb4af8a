"""Figures in the cells of heat maps can be read, however strong the colour below them is."""

import numpy as np
import pytest

from lmstudio.gui.panels.tasks.report_card import _round_end
from lmstudio.gui.widgets.heat import contrast, deep_colour, heat_colour, ink_on


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("colour_of", [heat_colour, deep_colour])
def test_the_ink_of_a_cell_is_the_one_that_stands_out(mode, colour_of):
    least = -1.0 if colour_of is heat_colour else 0.0
    for share in np.linspace(least, 1, 41):
        ground = colour_of(float(share), mode)
        assert contrast(ink_on(ground), ground) >= 4


@pytest.mark.parametrize(("most", "end"), [(1, 2), (9, 10), (91, 100), (404, 600), (809, 1000)])
def test_a_scale_of_counts_ends_at_a_round_number_whose_half_is_whole(most, end):
    assert _round_end(most) == end
    assert end % 2 == 0
