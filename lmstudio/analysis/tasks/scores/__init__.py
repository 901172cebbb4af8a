"""What is right and what a model says to the figures that papers print."""
