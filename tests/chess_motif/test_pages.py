"""HTML pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from chess_motif.pages import render


def test_templates_are_found_wherever_their_packages_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "__init__.py").touch()
    page = '{% extends "chess_motif/pages/base.html" %}{% block title %}{{ name }}{% endblock %}'
    (tmp_path / "elsewhere" / "page.html").write_text(page)
    monkeypatch.syspath_prepend(tmp_path)
    assert "<title>&lt;b&gt;</title>" in render("elsewhere/page.html", name="<b>")
