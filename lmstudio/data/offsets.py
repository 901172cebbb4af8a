"""An offset in code points to one in UTF-16 units, which is what Qt's text cursors count."""


def utf16_offset(text: str, index: int) -> int:
    """UTF-16 units before code point `index`: in "😀北京", 1 becomes 2."""
    return index + sum(character > "\uffff" for character in text[:index])
