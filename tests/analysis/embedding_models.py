"""Really trained networks over a tiny text, as the functions of analysis ask them."""

from lmstudio.analysis.asked import Asked
from lmstudio.data.encode import plan_of
from lmstudio.jobs import Job
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.fit_neural import fit
from tests.training.networks import small_text, spec_of


def trained(folder, model, **training) -> Asked:
    """A network after a few steps, over a segmentation of words between spaces."""
    segmentation = small_text(folder / "segmentation")
    spec = spec_of(model, **({"max_steps": 6, "validate_every": 3} | training))
    fit(segmentation, folder / "run", spec, job=Job())
    plan = plan_of(segmentation, SegmentOptions(by="whitespace", sentences="line"), folder)
    return Asked(model, segmentation, folder / "run", spec, plan)
