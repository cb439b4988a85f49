"""How Sphinx builds the site: ``make docs``."""

from __future__ import annotations

import re
import shutil
import sys
import xml.etree.ElementTree as ET
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from docutils.nodes import Node, SkipNode
from latex2mathml.converter import convert
from pygments.lexers.special import TextLexer
from sphinx.highlighting import lexers
from sphinx.util.docutils import SphinxDirective

import pubench

sys.path.insert(0, str(Path(__file__).parent))
from method_facts import papers, table, variants

if TYPE_CHECKING:
    from docutils.nodes import math, math_block
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

project = "pubench"
project_copyright = "the pubench developers"
version = release = pubench.__version__

# Optional packages: what needs one is documented without it.
autodoc_mock_imports = [name for name in ("torch", "elapid") if find_spec(name) is None]
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
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_title = f"pubench {version}"
lexers["csv"] = TextLexer()
html_math_renderer = "mathml"
MATHML, BAR = "{http://www.w3.org/1998/Math/MathML}", "\u2015"
ET.register_namespace("", MATHML[1:-1])

_TITLED = re.compile(r'^```(\w+) title="([\w.-]+)"$', re.MULTILINE)
REPORTS = Path(__file__).parents[1] / "reports"


def setup(app: Sphinx) -> None:
    """Register the directives of method pages; write equations as MathML, which needs no script from elsewhere."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.add_directive("parameters", Parameters)
    app.add_directive("papers", Papers)
    app.connect("source-read", captions)
    app.connect("build-finished", copy_reports)


class Parameters(SphinxDirective):
    """Writes what the algorithms that it names fix and search, and every parameter."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[Node]:
        """Return the nodes."""
        names = self.arguments[0].split()
        rows = table(names)
        return self.parse_text_to_nodes(
            variants(names) + (f"\n\n```{{eval-rst}}\n{rows}\n```\n" if rows else "")
        )


class Papers(SphinxDirective):
    """Writes the papers of the algorithms that it names."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[Node]:
        """Return the nodes."""
        return self.parse_text_to_nodes(papers(self.arguments[0].split()))


def captions(app: Sphinx, docname: str, source: list[str]) -> None:
    """Show the name of the file that a block of code is saved as."""
    source[0] = _TITLED.sub(r"```{code-block} \1\n:caption: \2", source[0])


def copy_reports(app: Sphinx, exception: Exception | None) -> None:
    """Copy the committed reports, to which reports.md links: each is one page that loads nothing else."""
    for page in REPORTS.glob("*/report.html") if exception is None else ():
        target = Path(app.outdir, "reports", page.parent.name, page.name)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(page, target)


def inline(writer: HTML5Translator, node: math) -> None:
    """Write an equation within a line."""
    writer.body.append(mathml(node.astext(), "inline"))
    raise SkipNode


def block(writer: HTML5Translator, node: math_block) -> None:
    """Write an equation on a line of its own."""
    writer.body.append(f"<p>{mathml(node.astext(), 'block')}</p>")
    raise SkipNode


def mathml(source: str, display: str) -> str:
    """Convert an equation; bars become borders, because few browsers have a font that stretches them."""
    root = ET.fromstring(convert(source, display=display))
    for over in root.iter(f"{MATHML}mover"):
        if over[1].text == BAR:
            over.remove(over[1])
            over.tag, over.attrib = f"{MATHML}mrow", {"style": "border-top: thin solid; padding-top: 0.1em"}
    return ET.tostring(root, encoding="unicode")
