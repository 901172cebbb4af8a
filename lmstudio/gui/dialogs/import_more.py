"""MoreSettings: normalisation steps, split, duplicates and leaks as forms; what is set out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QSizePolicy, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.data.import_options import ImportOptions
from lmstudio.data.split import SplitRule
from lmstudio.gui import theme
from lmstudio.gui.forms import Form
from lmstudio.gui.widgets import disable, enable, hairline, label
from lmstudio.messages import msg, tr
from lmstudio.text.normalize import NormaliseOptions
from lmstudio.text.normalize_sample import NormalisedSample

STEP_NAMES = {
    "none": msg("as it is"), "keep": msg("as it is"), "half": msg("half width"),
    "simplified": msg("simplified"), "traditional": msg("traditional"),
    "collapse": msg("one for many"), "remove": msg("removed"), "class": msg("all as 0"),
}  # fmt: skip
POLICY_NAMES = {
    "auto": msg("by itself"), "document": msg("by document"),
    "line-blocks": msg("by blocks of lines"), "column": msg("by the part column"),
    "keep": msg("keep, and count"), "drop-exact": msg("drop exact copies"),
    "drop-near": msg("drop near copies too"), "drop": msg("drop from the held-out parts"),
}  # fmt: skip

_CAPTION = 150  # width of the captions, the same in all forms


class MoreSettings(QWidget):
    """Everything is off or automatic until it is changed."""

    steps_changed = Signal()  # a normalisation step
    changed = Signal()  # anything

    def __init__(self, options: ImportOptions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._default = ImportOptions()
        self.steps: Form[NormaliseOptions] = Form(
            options.normalise, self, choice_names=STEP_NAMES, widths=(_CAPTION, 130)
        )
        policy: dict[str, Any] = {"choice_names": POLICY_NAMES, "widths": (_CAPTION, 250)}
        self.split: Form[SplitRule] = Form(options.split, self, only=("by",), **policy)
        self.policy: Form[ImportOptions] = Form(
            options, self, only=("duplicates", "leaks"), **policy
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(theme.px(16), 0, theme.px(8), 0)
        layout.setSpacing(theme.px(8))
        layout.addWidget(label(tr("Normalisation"), bold=True))
        told = tr("Off unless chosen. What is changed is recorded; original positions are kept.")
        layout.addWidget(label(told, size=12, tone="muted", wrap=True))
        layout.addWidget(self.steps)
        layout.addWidget(hairline(self))
        layout.addWidget(label(tr("Parts and copies"), bold=True))
        layout.addWidget(self.split)
        layout.addWidget(self.policy)
        layout.addStretch()
        self.steps.changed.connect(self.steps_changed)
        for form in (self.steps, self.split, self.policy):
            form.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
            form.changed.connect(self.changed)

    def normalise(self) -> NormaliseOptions:
        """The steps as they are set."""
        return self.steps.value()

    def value(self, split: SplitRule) -> ImportOptions:
        """The options as they are set; shares and seed are those of `split`."""
        by = self.split.value().by
        return replace(self.policy.value(), normalise=self.normalise(), split=replace(split, by=by))

    def changes(self) -> int:
        """How many settings are not what an import does by itself."""
        pairs = (
            (self.steps.value(), self._default.normalise, self.steps.names()),
            (self.split.value(), self._default.split, self.split.names()),
            (self.policy.value(), self._default, self.policy.names()),
        )
        return sum(
            getattr(value, name) != getattr(default, name)
            for value, default, names in pairs for name in names
        )  # fmt: skip

    def settings(self) -> int:
        """How many settings there are."""
        return sum(len(form.names()) for form in (self.steps, self.split, self.policy))

    def show_counts(self, found: NormalisedSample) -> None:
        """Beside each step what it does, or would do, to the lines in sight."""
        for step, counts in found.counts.items():
            value = str(getattr(self.normalise(), step))
            self.steps.set_note(step, _count(counts, value))

    def offer_column(self, has_part: bool) -> None:  # noqa: FBT001
        """The split by column is only for tables with one."""
        control = self.split.control("by")
        assert isinstance(control, QComboBox)
        model = control.model()
        assert isinstance(model, QStandardItemModel)
        item = model.item(control.findData("column"))
        item.setEnabled(has_part)
        item.setToolTip("" if has_part else tr("Choose a column as Part first."))

    def switch_off_split(self, reason: str) -> None:
        """Nothing is split, for a reason; "" undoes it."""
        control = self.split.control("by")
        if reason:
            disable(control, reason)
        else:
            enable(control)


def _count(counts: dict[str, int], value: str) -> str:
    """Of a step that is on, what it changes; of one that is off, what it would change most."""
    if value in counts:
        return tr("{count} changed", count=figures.count(counts[value]))
    most: Sequence[int] = sorted(counts.values())
    if not most or not most[-1]:
        return tr("nothing to change")
    return tr("would change {count}", count=figures.count(most[-1]))
