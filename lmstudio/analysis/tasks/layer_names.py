"""The number of a layer -> what it is called in the language in use."""

from lmstudio.messages import tr


def layer_name(layer: int) -> str:
    """Layer 0 is the look-up table."""
    return tr("layer {number}", number=layer) if layer else tr("table")
