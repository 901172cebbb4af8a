"""ROOMS: the one table of what the rail and the tabs show. A new panel is a line here."""

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lmstudio.messages import msg

if TYPE_CHECKING:
    from lmstudio.gui.panels.panel import Panel


@dataclass(frozen=True)
class PanelEntry:
    """A tab. Its class is imported when the panel is first shown."""

    key: str
    title: str  # a catalogue sentence
    place: str  # "module:Class" in gui.panels

    def panel_class(self) -> "type[Panel]":
        """The class at `place`."""
        module, _, name = self.place.partition(":")
        found: type[Panel] = getattr(importlib.import_module(f"lmstudio.gui.panels.{module}"), name)
        return found


@dataclass(frozen=True)
class Room:
    """An entry of the rail and the panels in it."""

    key: str
    title: str  # a catalogue sentence
    icon: str
    panels: tuple[PanelEntry, ...]
    foot: bool = False  # stands at the foot of the rail


ROOMS: tuple[Room, ...] = (
    Room("start", msg("Start"), "home", (
        PanelEntry("welcome", msg("Start"), "start.welcome:WelcomePanel"),
    )),
    Room("corpora", msg("Corpora"), "corpus", (
        PanelEntry("corpora", msg("Corpora"), "corpora.corpora:CorporaPanel"),
        PanelEntry("segment", msg("Segment"), "segment.segment:SegmentPanel"),
        PanelEntry("scores", msg("Scores"), "scores.scores:ScoresPanel"),
        PanelEntry("tokens", msg("Token preview"), "tokens.tokens:TokensPanel"),
        PanelEntry("concordance", msg("Concordance"), "browse.concordance:ConcordancePanel"),
        PanelEntry("statistics", msg("Statistics"), "browse.statistics:StatisticsPanel"),
    )),
    Room("train", msg("Train"), "train", (
        PanelEntry("new_run", msg("New run"), "train.new_run:NewRunPanel"),
        PanelEntry("queue", msg("Queue"), "train.queue:QueuePanel"),
    )),
    Room("compare", msg("Compare"), "compare", (
        PanelEntry("curves", msg("Curves"), "compare.curves:CurvesPanel"),
        PanelEntry("head_to_head", msg("Head to head"), "compare.head_to_head:HeadToHeadPanel"),
        PanelEntry("scaling", msg("Scaling"), "compare.scaling:ScalingPanel"),
        PanelEntry("reach", msg("Reach"), "compare.reach:ReachPanel"),
        PanelEntry("replay", msg("Replay"), "compare.replay:ReplayPanel"),
    )),
    Room("explore", msg("Explore"), "explore", (
        PanelEntry("sentence", msg("Sentence"), "explore.sentence:SentencePanel"),
        PanelEntry("smoothing", msg("Smoothing"), "explore.smoothing:SmoothingPanel"),
        PanelEntry("masks", msg("Masks"), "explore.masks:MasksPanel"),
        PanelEntry("generation", msg("Generation"), "explore.generation:GenerationPanel"),
        PanelEntry("embeddings", msg("Embeddings"), "explore.embeddings:EmbeddingsPanel"),
        PanelEntry("polysemy", msg("Polysemy"), "explore.polysemy:PolysemyPanel"),
        PanelEntry(
            "sentence_similarity", msg("Sentence similarity"),
            "explore.sentence_similarity:SentenceSimilarityPanel",
        ),
        PanelEntry("attention", msg("Attention"), "explore.attention:AttentionPanel"),
        PanelEntry("layers", msg("Layers and gates"), "explore.layers:LayersPanel"),
        PanelEntry("findings", msg("Findings"), "explore.findings:FindingsPanel"),
    )),
    Room("tasks", msg("Fine-tune"), "tasks", (
        PanelEntry("tasks", msg("Tasks"), "tasks.tasks:TasksPanel"),
        PanelEntry("task_results", msg("Results"), "tasks.results:ResultsPanel"),
        PanelEntry("task_errors", msg("Mistakes"), "tasks.errors:ErrorsPanel"),
        PanelEntry("task_layers", msg("What layers know"),
                   "tasks.layers_of_tasks:LayersOfTasksPanel"),
        PanelEntry("try_it", msg("Try it"), "tasks.try_it:TryItPanel"),
    )),
    Room("settings", msg("Settings"), "settings", (
        PanelEntry("settings", msg("Settings"), "settings.settings:SettingsPanel"),
        PanelEntry("disk", msg("Disk"), "settings.disk:DiskPanel"),
        PanelEntry("trash", msg("Trash"), "settings.trash:TrashPanel"),
        PanelEntry("help", msg("Help"), "settings.help:HelpPanel"),
    ), foot=True),
)  # fmt: skip


def find(panel: str) -> tuple[Room, PanelEntry]:
    """The room and the entry of a panel."""
    return next((room, entry) for room in ROOMS for entry in room.panels if entry.key == panel)
