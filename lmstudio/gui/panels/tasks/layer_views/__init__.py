"""The four views of what layers know: probes, weights of layers, size, perplexity."""
