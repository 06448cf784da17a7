"""Requests to the web page: good ones, made from its OpenAPI description, and changes of them.

Each is text with lines that end in "\\n", without what says how long it is; `page` completes it.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from urllib.parse import quote, quote_from_bytes, urlencode

from motifsearch.web.app import make_app
from tests.fuzz.case import CORPUS, Files, corpus
from tests.fuzz.mutations import TOKENS, mutated

_KNOWN = tomllib.loads(Path(__file__).with_name("page.toml").read_text(encoding="utf-8"))
_GOOD, _BESIDE = _KNOWN["good"], _KNOWN["beside"]
_ODD: dict[str, list[bytes]] = {kind: [text.encode() for text in odd] for kind, odd in _KNOWN["odd"].items()}

_FORM, _PARTS = "application/x-www-form-urlencoded", b"multipart/form-data"

# A value in an address, in a form, or in a part of a form; and a name there.
_VALUE = re.compile(
    rb"(?<==)[^&\s\"]*(?=[&\s]|$)|(?<=\w/)(?<!tion/)(?<!data/)[^/?\s.]+|(?<=\r\n\r\n)[^\r]+|(?<=name=\")[^\"]*"
)
_NAME = re.compile(rb"(?<=[?&\n])[^=&:\s]+(?==)|(?<= name=\")[^\"]*")


def seeds(base: Path) -> list[Files]:
    """Return those of the corpus, good ones, alternately for HTML and for JSON, and these with changes."""
    good = list(_good_requests())
    odd = [changed(Random(number), text, text) for number, text in enumerate(good)]
    return corpus("requests", base) + [{"input": text} for text in (*good, *odd)]


def changed(random: Random, text: bytes, other: bytes) -> bytes:
    """Return a request after one to three random changes; `other` is one to take parts from."""
    for change in random.choices(list(_CHANGES), list(_CHANGES.values()), k=random.randint(1, 3)):
        text = change(random, text)
    return text if random.random() < 0.95 else mutated(random, text, other)


def _good_requests() -> Iterator[bytes]:
    """Yield requests with the parameters that are needed, and with each good value of each parameter."""
    described = make_app().openapi()
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            fields = {
                each["name"]: (each["in"], each.get("required")) for each in operation.get("parameters", ())
            }
            for kind, body in operation.get("requestBody", {}).get("content", {}).items():
                schema = described["components"]["schemas"][body["schema"]["$ref"].rpartition("/")[2]]
                fields |= {name: (kind, name in schema.get("required", ())) for name in schema["properties"]}
            keys = {name: f"{path} {name}" if f"{path} {name}" in _GOOD else name for name in fields}
            good = {name: _GOOD[key] for name, key in keys.items()}
            least = {name: good[name][0] for name, (_, is_needed) in fields.items() if is_needed}
            more = [
                {name: value} | _BESIDE.get(key, {}) for name, key in keys.items() for value in _GOOD[key]
            ]
            places = {name: place for name, (place, _) in fields.items()}
            for number, values in enumerate(({}, {}, *more)):
                line = f"{method.upper()} {path}{'.json' if number % 2 else ''}"
                yield _request(line, places, least | values)
    yield from (b"GET " + target for target in _ODD["targets"])


def _request(line: str, places: Mapping[str, str], values: Mapping[str, str]) -> bytes:
    """Return a request; `places` says where each value is: in the path, the query, or which kind of form."""
    inside = defaultdict[str, dict[str, str]](dict)
    for name, value in values.items():
        inside[places[name]][name] = value
    line = line.format_map({name: quote(value) for name, value in inside.pop("path", {}).items()})
    if "query" in inside:
        line += f"?{urlencode(inside.pop('query'))}"
    if _FORM in inside:
        return f"{line}\nContent-Type: {_FORM}\n\n{urlencode(inside[_FORM])}".encode()
    parts = b"".join(_part(name, value) for form in inside.values() for name, value in form.items())
    return line.encode() + (
        b"\nContent-Type: %s; boundary=b\n\n%s--b--\r\n" % (_PARTS, parts) if parts else b""
    )


def _part(name: str, value: str) -> bytes:
    """Return a part of a form: a value, or the file of that name in the corpus."""
    has_file = name == "file"
    content = (CORPUS / "games" / value).read_bytes() if has_file else value.encode()
    named = f'name="{name}"' + (f'; filename="{value}"' if has_file else "")
    return f"--b\r\nContent-Disposition: form-data; {named}\r\n\r\n".encode() + content + b"\r\n"


# --- Changes


def _change_value(random: Random, text: bytes) -> bytes:
    odd = random.choice(random.choice((_ODD["values"], TOKENS)))
    is_escaped = _PARTS not in text and random.random() < 0.9
    return _replaced(_VALUE, random, text, quote_from_bytes(odd, "").encode() if is_escaped else odd)


def _change_name(random: Random, text: bytes) -> bytes:
    return _replaced(_NAME, random, text, quote_from_bytes(random.choice(_ODD["values"]), "").encode())


def _replaced(pattern: re.Pattern[bytes], random: Random, text: bytes, by: bytes) -> bytes:
    """Return a request in which one match, if there is any, is replaced."""
    places = [match.span() for match in pattern.finditer(text)]
    start, end = random.choice(places or [(0, 0)])
    return text[:start] + by * bool(places) + text[end:]


def _escape_names(random: Random, text: bytes) -> bytes:
    return _NAME.sub(lambda name: b"".join(b"%%%02x" % byte for byte in name.group()), text)


def _repeat(random: Random, text: bytes) -> bytes:
    """Give a parameter again, or one that is unknown."""
    names: list[bytes] = [*_NAME.findall(text), b"unknown"]
    added = random.choice(names) + b"=" + quote_from_bytes(random.choice(_ODD["values"])).encode()
    line, end, rest = text.partition(b"\n")
    if rest and random.random() < 0.5:
        return text + (b"&" + added) * random.choice((1, 300))
    return line + (b"&" if b"?" in line else b"?") + added + end + rest


def _add_header(random: Random, text: bytes) -> bytes:
    line, _, rest = text.partition(b"\n")
    return b"\n".join((line, random.choice(_ODD["headers"]), rest or b"\n"))


def _change_method(random: Random, text: bytes) -> bytes:
    return random.choice(_ODD["methods"]) + b" " + text.partition(b" ")[2]


def _ask_for_json(random: Random, text: bytes) -> bytes:
    return re.sub(rb"(?=[?\n]|$)", b".json", text, count=1)


# How often each happens.
_CHANGES: dict[Callable[[Random, bytes], bytes], int] = {
    _change_value: 20,
    _change_name: 1,
    _escape_names: 1,
    _repeat: 3,
    _add_header: 6,
    _change_method: 2,
    _ask_for_json: 2,
}
