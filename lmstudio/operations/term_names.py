"""What is kept by a plain word -> what it is called: parts of networks, ways to read a text."""

from lmstudio.messages import msg

GATES = {
    "input": msg("Input gate"), "forget": msg("Forget gate"), "output": msg("Output gate"),
    "candidate": msg("Candidate"), "cell": msg("Cell"), "reset": msg("Reset gate"),
    "update": msg("Update gate"),
}  # fmt: skip
STAGES = {
    "input": msg("Into the layer"), "attention": msg("Added by attention"),
    "middle": msg("Between"), "mlp": msg("Added by the linear layers"),
    "output": msg("Out of the layer"),
}  # fmt: skip
"""What is measured of a transformer's layer, in the order it happens."""
TERMS = {
    "token": msg("Token vector"), "position": msg("Position"), "segment": msg("Segment A"),
    "sum": msg("Sum"), "norm": msg("Norm"),
    "projected": msg("Projected"),
}  # fmt: skip
"""What a transformer reads of a token: the terms, their sum, and what BERT makes of it."""
POSITIONS = {
    "learned": msg("Learned positions"),
    "sinusoidal": msg("Positions of this model: sinusoidal"),
    "none": msg("This model knows of no positions"),
}
"""How a transformer knows where a token stands."""
SIDES = {"before": msg("from the left"), "behind": msg("from the right"), "both": msg("both")}
"""What an ELMo predicts from."""
POOLINGS = {
    "mean": msg("mean of the words"), "max": msg("largest of the words"),
    "first-last": msg("mean of first and last layer"), "cls": msg("[CLS]"),
}  # fmt: skip
"""What the ways of pooling are called, the usual one first."""
