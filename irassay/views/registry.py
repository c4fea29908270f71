"""Every view there is; importing a module of views registers them."""

from importlib import import_module

MODULES = (
    "views.agreement_views",
    "views.axioms_views",
    "views.catalogue_views",
    "views.compare_views",
    "views.fitting_views",
    "views.intuitiveness_views",
    "papers.view",
    "views.preference_views",
    "views.satisfaction_views",
    "report.sections",
    "views.systems_views",
    "views.unanimity_views",
)


def registered() -> None:
    """Imports every module of views."""
    for module in MODULES:
        import_module(f"irassay.{module}")
