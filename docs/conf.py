"""How Sphinx builds the site: ``make docs``."""

from __future__ import annotations

from pygments.lexers.special import TextLexer
from sphinx.highlighting import lexers

import pubench

project = "pubench"
project_copyright = "the pubench developers"
version = release = pubench.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
# scikit-learn writes these into every estimator, with references to its own site.
autodoc_default_options = {"exclude-members": "set_fit_request, set_score_request, set_predict_request"}
autodoc_typehints = "signature"
napoleon_google_docstring = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = f"pubench {version}"
lexers["csv"] = TextLexer()
