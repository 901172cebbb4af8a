"""The workspace: SQLite for facts and metrics, files for bulk. It knows nothing of models."""
