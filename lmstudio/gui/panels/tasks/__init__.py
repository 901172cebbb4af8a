"""The panels of the room Fine-tune."""
