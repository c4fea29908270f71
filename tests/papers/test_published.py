"""Published data files: found by name in any folder, refused if damaged, downloaded on request."""

import gzip
import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from irassay.errors import InputError
from irassay.papers.published import DataFile, Published, cache_folder, is_original

CONTENT = b"topic,score\n401,0.25\n402,0.5\n" * 50


def published(url: str = "http://127.0.0.1:9/scores.csv", content: bytes = CONTENT) -> DataFile:
    return DataFile("data/scores.csv", url, hashlib.sha256(content).hexdigest(), "scores of somebody, CC BY")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("IRASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@dataclass
class Site:
    """A local web server, and the paths requested from it."""

    files: dict[str, bytes] = field(default_factory=dict)
    requested: list[str] = field(default_factory=list)
    address: str = ""


@pytest.fixture
def site() -> Iterator[Site]:
    served = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.requested.append(self.path)
            content = served.files.get(self.path)
            self.send_response(404 if content is None else 200)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        served.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield served
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("place", ["scores.csv", "data/scores.csv", "a/clone/of/it/data/scores.csv"])
@pytest.mark.parametrize("packed", [False, True])
def test_found_by_name_anywhere_below_the_folder(folder: Path, place: str, packed: bool) -> None:
    target = folder / (place + ".gz" * packed)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(CONTENT, mtime=0) if packed else CONTENT)
    files = Published((folder,))
    assert files.has(published()) and files.content(published()) == CONTENT


def test_another_file_of_that_name_does_not_hide_the_right_one(folder: Path) -> None:
    for name, content in (("a", b"something else"), ("b", CONTENT)):
        (folder / name).mkdir()
        (folder / name / "scores.csv").write_bytes(content)
    assert Published((folder,)).content(published()) == CONTENT


def test_found_in_the_cache(cache: Path) -> None:
    cache.mkdir()
    (cache / "scores.csv").write_bytes(CONTENT)
    assert cache_folder() == cache and Published().content(published()) == CONTENT


def test_a_missing_file_is_reported_with_ways_to_get_it(folder: Path) -> None:
    assert not Published((folder,)).has(published())
    with pytest.raises(
        InputError, match=r"scores\.csv \(scores of somebody, CC BY\) was not found in .*data; give its"
    ):
        Published((folder,)).content(published())
    with pytest.raises(InputError, match=r"because data was not given; .* or use fetch to download it from http://127"):
        Published().content(published())


@pytest.mark.parametrize(
    ("name", "damaged"),
    [
        ("scores.csv", CONTENT[:-1]),
        ("scores.csv", b""),
        ("scores.csv.gz", gzip.compress(CONTENT, mtime=0)[:-9]),  # cut off
        ("scores.csv.gz", gzip.compress(CONTENT, mtime=0)[:12] + b"\xff" * 20 + gzip.compress(CONTENT, mtime=0)[32:]),
    ],
)
def test_a_damaged_file_is_refused(folder: Path, name: str, damaged: bytes) -> None:
    (folder / name).write_bytes(damaged)
    assert Published((folder,)).has(published())  # so it is not reported as missing
    with pytest.raises(
        InputError, match=rf"{name} is not the published scores\.csv .*checksum differs; download it again"
    ):
        Published((folder,)).content(published())


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"data=.*nowhere.* is not a folder"):
        Published((tmp_path / "nowhere",)).content(published())


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_is_downloaded_once(site: Site, cache: Path, packed: bool) -> None:
    site.files["/scores.csv"] = gzip.compress(CONTENT, mtime=0) if packed else CONTENT
    file = published(f"{site.address}/scores.csv")
    assert Published(fetch=True).content(file) == CONTENT
    assert Published(fetch=True).content(file) == CONTENT
    assert Published().content(file) == CONTENT  # now it is in the cache
    assert site.requested == ["/scores.csv"] and list(cache.rglob("scores.csv"))


def test_a_local_file_is_not_downloaded(site: Site, folder: Path) -> None:
    (folder / "scores.csv").write_bytes(CONTENT)
    assert Published((folder,), fetch=True).content(published(f"{site.address}/scores.csv")) == CONTENT
    assert site.requested == []


def test_a_damaged_copy_in_the_cache_is_downloaded_again(site: Site, cache: Path) -> None:
    site.files["/scores.csv"] = CONTENT
    file = published(f"{site.address}/scores.csv")
    Published(fetch=True).content(file)
    next(cache.rglob("scores.csv")).write_bytes(b"half of i")
    assert Published(fetch=True).content(file) == CONTENT


def test_a_changed_file_on_the_site_is_refused(site: Site, cache: Path) -> None:
    site.files["/scores.csv"] = b"moved"
    with pytest.raises(InputError, match="no longer the published file"):
        Published(fetch=True).content(published(f"{site.address}/scores.csv"))
    assert not list(cache.rglob("scores.csv"))


def test_a_file_missing_on_the_site_is_reported(site: Site) -> None:
    with pytest.raises(InputError, match=r"scores\.csv could not be downloaded: the site answered 404; download"):
        Published(fetch=True).content(published(f"{site.address}/scores.csv"))


def test_without_a_connection_the_needed_files_are_listed() -> None:
    one, other = (DataFile(f"data/{n}.csv", f"http://127.0.0.1:9/{n}.csv", "0" * 64, "scores") for n in "ab")
    with pytest.raises(InputError) as error:
        Published(fetch=True, needed_files=(one, other)).content(one)
    assert str(error.value) == (
        "No connection to 127.0.0.1; download these files and give their folder with data: "
        "a.csv (http://127.0.0.1:9/a.csv), b.csv (http://127.0.0.1:9/b.csv)."
    )


UNKNOWN = DataFile(
    "data/scores.csv", "http://127.0.0.1:9/scores.csv", "", "scores", "ce013625030ba8dba906f756967f9e9ca394464a"
)


def test_a_file_without_a_known_checksum_is_accepted_and_recognised_by_its_git_blob(folder: Path) -> None:
    assert Published((folder,)).optional_content(UNKNOWN) == (None, "")
    for content in (b"hello\n", b"other\n"):  # the id is what `git hash-object` prints for the first
        (folder / "scores.csv").write_bytes(content)
        assert Published((folder,)).optional_content(UNKNOWN) == (content, "")
        assert is_original(content, UNKNOWN) == (content == b"hello\n")


def test_a_file_without_a_known_checksum_can_be_downloaded(site: Site, cache: Path) -> None:
    site.files["/scores.csv"] = b"hello\n"
    file = replace(UNKNOWN, url=f"{site.address}/scores.csv")
    assert Published(fetch=True).optional_content(file) == (b"hello\n", "")
    assert Published().optional_content(file) == (b"hello\n", "") and site.requested == ["/scores.csv"]


def test_an_optional_file_that_cannot_be_downloaded_is_only_noted() -> None:
    content, problem = Published(fetch=True).optional_content(UNKNOWN)
    assert content is None and problem.startswith("No connection to 127.0.0.1; download these files")


def test_crlf_line_ends_are_accepted(folder: Path) -> None:
    (folder / "scores.csv").write_bytes(CONTENT.replace(b"\n", b"\r\n"))
    assert Published((folder,)).content(published()) == CONTENT
