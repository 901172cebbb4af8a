"""Settings: what the columns of tables were, by the names in their header."""

from lmstudio.store.settings import Settings


def test_columns_are_remembered_by_header_and_the_oldest_forgotten():
    settings = Settings()
    for number in range(60):
        settings.remember_columns(["id", f"text {number}"], {"text": f"text {number}"})
    settings.remember_columns(["id", "text 20"], {"text": "id"})
    loaded = Settings.load()
    assert len(loaded.columns) == 50
    assert loaded.columns_of(["id", "text 59"]) == {"text": "text 59"}
    assert loaded.columns_of(["id", "text 20"]) == {"text": "id"}
    assert loaded.columns_of(["id", "text 0"]) is None
    assert loaded.columns_of(["text 59", "id"]) is None


def test_roles_that_name_no_column_count_as_absent():
    settings = Settings(columns={'["a", "b"]': {"text": "gone"}, '["c"]': "broken"})
    assert settings.columns_of(["a", "b"]) is None
    assert settings.columns_of(["c"]) is None
