"""How `make docs` builds the site: Sphinx with MyST; pages with code are executed by myst-nb, and cached."""

import os
import sys
from pathlib import Path

from sphinx.application import Sphinx

import irassay

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_extensions"), str(HERE.parent)]
# For the pages' own processes: the irassay of this environment, at the width of a terminal.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:2])
os.environ["COLUMNS"] = "80"
# Their kernels do not load the user's own settings, and do not warn that they talk to this machine without encryption.
os.environ["IPYTHONDIR"] = str(HERE / "_build" / "ipython")
KERNEL = HERE / "_build" / "ipython" / "profile_default" / "ipython_kernel_config.py"
KERNEL.parent.mkdir(parents=True, exist_ok=True)
KERNEL.write_text("c.IPKernelApp.log_level = 40\n", encoding="utf-8")

from package_digest import package_digest  # noqa: E402  its folder is in the path only now

project = "irassay"
author = "The irassay developers"
version = release = irassay.__version__
language = "en"

extensions = [
    "myst_nb", "sphinx_design", "sphinx_copybutton", "mathml", "generated_pages", "shell_cells", "choice_pages",
    "example_report", "typography",
]  # fmt: skip
exclude_patterns = ["_build", "_extensions", "generated/parts", "**/.ipynb_checkpoints"]
nitpicky = True
suppress_warnings = ["mystnb.unknown_mime_type"]  # charts come as Vega-Lite and as a picture; pages show the picture

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist", "attrs_inline", "attrs_block"]
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_cache_path = str(
    HERE / "_build" / ".jupyter_cache" / package_digest()[:16]
)  # pages run again if the package changed
nb_execution_raise_on_error = True
nb_execution_timeout = 600  # seconds for a cell; ranx compiles for minutes on a busy machine
nb_execution_show_tb = True
nb_merge_streams = True
nb_execution_in_temp = True  # a page writes its files into a folder of its own
copybutton_prompt_text = "$ "
copybutton_line_continuation_character = "\\"
copybutton_here_doc_delimiter = "END"

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "irassay"
html_static_path = ["_static"]
templates_path = ["_templates"]
html_css_files = ["site.css"]
html_js_files = ["search_words.js"]
html_show_sourcelink = False
html_sidebars = {"get-started": [], "questions": []}  # they have no pages below them
html_theme_options = {
    "navbar_align": "left",
    "show_toc_level": 2,
    "header_links_before_dropdown": 9,
    "footer_start": ["copyright"],
    "footer_end": [],
}


def setup(app: Sphinx) -> None:
    """Has every page written, even if few changed: the search has the index entries of written pages only."""
    app.connect("env-updated", lambda app, env: env.all_docs)
