"""Numbers and times as they are shown: plain values in, short text in the language in use out."""

import math

from lmstudio import messages
from lmstudio.messages import tr

DASH = "—"
_LONGEST = 1e15  # what is larger is written with a power of ten


def count(number: float | None) -> str:
    """A whole number, its thousands set apart: a thin space in Chinese, a comma in English."""
    if number is None:
        return DASH
    return _set_apart(f"{number:,.0f}")


def decimal(number: float | None, places: int = 2) -> str:
    """A number with `places` decimals; a dash if there is none, "∞" or "-∞" if it is infinite."""
    if number is None or math.isnan(number):
        return DASH
    if math.isinf(number):
        return "∞" if number > 0 else "-∞"
    if abs(number) >= _LONGEST:
        return f"{number:.4g}"
    if 0 < abs(number) < 10**-places:
        return f"< {10**-places:.{places}f}"
    return _set_apart(f"{number:,.{places}f}" if number else f"{0:.{places}f}")  # never -0.00


def signed(number: float, places: int = 4) -> str:
    """A change with its sign; none where all that is shown of it is 0."""
    shown = f"{number:+.{places}f}"
    return shown if float(shown) else shown[1:]


def _set_apart(digits: str) -> str:
    """Thousands as the language in use writes them."""
    return digits.replace(",", "\u2009") if messages.language().startswith("zh") else digits


def short(number: float) -> str:
    """A count in three figures: 812, 5.51 M, 18.4 k; an axis from 1 to 10 k has one of 1 k."""
    rounded = float(f"{number:.3g}")
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(rounded) >= limit:
            return f"{rounded / limit:g} {unit}"
    return count(number)


def percent(share: float | None, places: int = 0) -> str:
    """A share between 0 and 1 in percent."""
    return DASH if share is None else f"{share * 100:.{places}f} %"


def round_percent(share: float) -> str:
    """A round share on a scale: "20 %", "2.5 %"."""
    return f"{share * 100:.4g} %"


def size(octets: float) -> str:
    """Bytes in the unit that leaves one to three figures before the point."""
    for unit in ("B", "kB", "MB", "GB"):
        if octets < 1000 or unit == "GB":
            break
        octets /= 1000
    return f"{octets:.0f} {unit}" if unit in ("B", "kB") else f"{octets:.1f} {unit}"


def duration(seconds: float | None) -> str:
    """A time: "8 s", "4 min 10 s", "2 h 05 min"."""
    if seconds is None or not math.isfinite(seconds):
        return DASH
    if seconds < 1:
        return tr("< 1 s")
    whole = round(seconds)
    if whole < 60:
        return tr("{s} s", s=whole)
    if whole < 3600:
        return tr("{m} min {s} s", m=whole // 60, s=f"{whole % 60:02d}")
    return tr("{h} h {m} min", h=whole // 3600, m=f"{whole % 3600 // 60:02d}")


def brief(milliseconds: int) -> str:
    """How long an answer took: "213 ms", "2.5 s", "19 s"."""
    if milliseconds < 1000:  # noqa: PLR2004
        return tr("{ms} ms", ms=milliseconds)
    if milliseconds < 10_000:  # noqa: PLR2004 - beyond, nobody counts in tenths
        return tr("{s} s", s=f"{milliseconds / 1000:.1f}")
    return duration(milliseconds / 1000)


def whole_duration(seconds: float) -> str:
    """A round time without its zeros: "10 s", "1 min", "10 h"."""
    if seconds < 60:
        return tr("{s} s", s=round(seconds))
    if seconds < 3600:
        return tr("{m} min", m=round(seconds / 60))
    return tr("{h} h", h=round(seconds / 3600))
