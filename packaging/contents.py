"""A folder or file in, how many megabytes it takes and what takes them out."""

from pathlib import Path

MB = 1_000_000
SHOWN = 12


def size(path: Path) -> int:
    """Bytes of a file, or of all files below a folder; a link counts as nothing."""
    if path.is_symlink():
        return 0
    if path.is_dir():
        return sum(size(part) for part in path.iterdir())
    return path.stat().st_size


def megabytes(path: Path) -> int:
    """The same, rounded up."""
    return -(-size(path) // MB)


def largest(folder: Path, *, depth: int = 3) -> list[tuple[str, int]]:
    """(path, bytes) of the largest parts: of a folder that is mostly one part, that part."""
    parts = []
    for part in folder.iterdir():
        inside = sorted(((size(child), child) for child in part.iterdir()), reverse=True) if (
            part.is_dir() and not part.is_symlink() and depth
        ) else []  # fmt: skip
        whole = size(part)
        if inside and inside[0][0] > whole // 2:
            parts += [(f"{part.name}/{name}", count) for name, count in
                      largest(part, depth=depth - 1)]  # fmt: skip
        else:
            parts.append((part.name, whole))
    return sorted(parts, key=lambda entry: -entry[1])


def table(folder: Path) -> str:
    """What dominates, in MB."""
    rows = [(folder.name, size(folder)), *largest(folder)[:SHOWN]]
    return "\n".join(f"{count / MB:8.1f} MB  {name}" for name, count in rows)
