"""Fine-tuned models: what they predict, how well, where they err, and what their layers know."""
