"""The documents tell the truth: tables are those of the code, links and paths lead somewhere, commands are real."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
import yaml

from tests.docs import PARTS, PICTURE, ROOT, generated, rooms_picture
from tests.test_layers import LAYERS

LINES_OF_README = 200
PLANNED = {f"gateway/{room}/" for row in LAYERS for room in row}  # a room of the layout may not be there yet


def pages() -> list[Path]:
    """Every page of the repository, those not yet added included."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    return [path for name in sorted(set(listed.split("\0"))) if name and (path := ROOT / name).is_file()]


PAGES = pages()
# What is said of today; the changelog names what was.
ALL = "\n".join(page.read_text() for page in PAGES if page.name != "CHANGELOG.md")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def prose(text: str) -> str:
    """A page without its blocks of code, where a bracket is no link and a hash no heading.

    >>> prose("a\\n```sh\\n# b\\n```\\nc\\n")
    'a\\nc\\n'
    """
    return re.sub(r"^```.*?^```\n", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(text: str) -> set[str]:
    """What the headings of a page are linked by, as hosts of Git repositories make it.

    >>> sorted(anchors("# Run `one` test\\n## 5. Filters\\n## A-b: c, d\\n## 5. Filters\\n"))
    ['5-filters', '5-filters-1', 'a-b-c-d', 'run-one-test']
    """
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.+?)\s*$", prose(text), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        more = (f"{slug}-{number}" for number in range(1, 1000))
        found.add(slug if slug not in found else next(name for name in more if name not in found))
    return found


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """File and anchor of every link that leads to a place in the repository."""
    text = re.sub(r"`[^`\n]*`", "", prose(page.read_text()))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:", target):
            path, _, anchor = target.partition("#")
            yield (page.parent / path).resolve() if path else page, anchor


@pytest.mark.parametrize("name", PARTS)
def test_generated_parts_are_up_to_date(name: str) -> None:
    assert generated(name) == PARTS[name][0].read_text(), "run `python -m tests.docs`"


def test_the_picture_of_the_rooms_is_that_of_the_layers() -> None:
    assert PICTURE.read_text() == rooms_picture(), "run `python -m tests.docs`"


def is_there(path: Path, anchor: str) -> bool:
    return path.exists() and (not anchor or path.suffix != ".md" or anchor in anchors(path.read_text()))


@pytest.mark.parametrize("document", PAGES, ids=name_of)
def test_every_link_leads_somewhere(document: Path) -> None:
    assert [f"{path.name}#{anchor}" for path, anchor in links(document) if not is_there(path, anchor)] == []


def test_every_page_is_found_from_the_readme() -> None:
    found, next_ones = {ROOT / "README.md"}, [ROOT / "README.md"]
    while next_ones:
        reached = {path for path, _ in links(next_ones.pop()) if path.suffix == ".md" and path.exists()} - found
        found |= reached
        next_ones += reached
    assert [name_of(page) for page in PAGES if page not in found] == []


@pytest.mark.parametrize("document", PAGES, ids=name_of)
def test_paths_that_a_page_names_exist(document: Path) -> None:
    named = re.findall(
        r"`((?:gateway|functions|schema|web|tests|docs|supabase-compat)/[\w./-]*\w/?)`", prose(document.read_text())
    )
    made = ("web/dist", "supabase-compat/dist")  # by a build
    meant = [path for path in named if path not in made and not re.search(r"NAME|NNNN", path)]
    meant = [path for path in meant if path not in PLANNED]
    # A room may be a module.
    assert [path for path in meant if not (ROOT / path).exists() and not (ROOT / f"{path}.py").exists()] == []


def test_every_room_is_in_the_architecture() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    described = {name for row in re.findall(r"^\| (`gateway/.*?) \|", page, re.MULTILINE) for name in row.split("`")}
    rooms = {path.parent.name for path in (ROOT / "gateway").glob("*/__init__.py")}
    assert {room for room in rooms if not {f"gateway/{room}/", f"gateway/{room}"} & described} == set(), (
        "a row is missing"
    )


def test_the_readme_stays_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= LINES_OF_README


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {*re.findall(r"(?:`|\$ )make ([a-z-]+)", ALL), "run", "test"} <= targets


def test_hosted_runs_test_what_everybody_does() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text())
    (job,) = workflow["jobs"].values()
    assert [step["run"] for step in job["steps"] if "run" in step] == ["make test"]
    assert (ROOT / ".ci" / "run").read_text().splitlines()[-1] == "make test"
    oldest = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"].removeprefix(">=")
    assert oldest in job["strategy"]["matrix"]["python"]


@pytest.mark.parametrize(
    "command",
    sorted({
        *re.findall(r"(?:`|\$ )(gateway (?:db|users|gen|keys|mail|leads|alarms|maintenance) [a-z-]+)", ALL),
        *re.findall(r"(?:`|\$ )(gateway (?:dev|serve|worker|status|logs|doctor|explain|audit|record|replay))", ALL),
        *re.findall(r"(?:`|\$ )(functions (?!of|that|in|with|are|may|and)[a-z]+)", ALL),
    }),
)  # fmt: skip
def test_a_documented_command_exists(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program, *words = command.split()
    monkeypatch.setattr(sys, "argv", [program, *words, "--help"])
    with pytest.raises(SystemExit) as end:
        import_module({"gateway": "gateway.cli", "functions": "functions_runner.cli"}[program]).main()
    assert end.value.code == 0, capsys.readouterr().err
    assert f"Usage: {command} [" in capsys.readouterr().out


def test_every_function_folder_is_in_compose() -> None:
    compose = (ROOT / "compose.yaml").read_text()
    functions = [path.parent.name for path in (ROOT / "functions").glob("*/function.toml")]
    assert functions
    for name in functions:
        assert f"\n  {name}:\n" in compose and f"args: {{FUNCTION: {name}}}" in compose
        assert f"FUNCTIONS_{name.upper().replace('-', '_')}_URL: http://{name}:8080" in compose


def test_variables_given_to_the_gateway_in_compose_are_settings() -> None:
    from dataclasses import fields

    from gateway.settings import Settings

    known = {name for row in fields(Settings) for name in row.metadata.get("names", ())}
    for anchor in ("&gateway-environment", "&ha-gateway"):
        block = (ROOT / "compose.yaml").read_text().partition(anchor)[2].partition("depends_on")[0]
        given = re.findall(r"^    ([A-Z_]+):", block, re.MULTILINE)
        assert given and set(given) <= known


@pytest.mark.parametrize(
    "path",
    [*map(name_of, PAGES), "compose.yaml", "Makefile", "gateway/Dockerfile", ".ci/run", ".github/workflows/test.yml"],
)
def test_documents_name_no_machine_path(path: str) -> None:
    assert not re.search(r"/(?:root|home/[a-z]+|Users)/", Path(ROOT, path).read_text())
