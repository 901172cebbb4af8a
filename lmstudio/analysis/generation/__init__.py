"""The beginning of a text and models in; what comes next, token by token, out."""
