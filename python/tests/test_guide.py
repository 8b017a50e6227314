"""Links of the guide and the README lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs/src").glob("*.md"))]


def without_code(text):
    return re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)


def anchors(page):
    """Headings as the guide's builder names them."""
    found = set()
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for heading in re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower().strip()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text())):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        other = (page.parent / path).resolve() if path else page
        assert other.exists(), f"{page.name}: {target}"
        if anchor and other.suffix == ".md":
            assert anchor in anchors(other), f"{page.name}: {target}"


def test_every_page_is_in_the_summary():
    summary = (ROOT / "docs/src/SUMMARY.md").read_text()
    for page in PAGES[1:]:
        assert page.name == "SUMMARY.md" or f"({page.name})" in summary, page.name


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120
