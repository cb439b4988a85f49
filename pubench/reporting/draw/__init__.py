"""Drawings for the page and for LaTeX: from values to SVG, PDF and PNG; nothing here knows runs or sections."""
