"""Every view there is; importing a module of views registers them."""

from importlib import import_module

MODULES = (
    "agreement_views",
    "axioms_views",
    "catalogue_views",
    "compare_views",
    "fitting_views",
    "intuitiveness_views",
    "papers_views",
    "preference_views",
    "satisfaction_views",
    "sections",
    "systems_views",
    "unanimity_views",
)


def registered() -> None:
    """Imports every module of views."""
    for module in MODULES:
        import_module(f"irassay.report.{module}")
