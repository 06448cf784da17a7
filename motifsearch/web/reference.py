"""What a program can ask for: a page made of the OpenAPI description, which is at `/openapi.json`."""

from __future__ import annotations

from typing import Any, NamedTuple

from fastapi import APIRouter, Request
from starlette.responses import Response

from motifsearch.web.site import page

router = APIRouter()


class Parameter(NamedTuple):
    """A value that a request takes, and what it may be."""

    name: str
    place: str
    kind: str
    about: str


class Operation(NamedTuple):
    """A request that can be made."""

    method: str
    path: str
    about: str
    parameters: list[Parameter]


@router.get("/docs", include_in_schema=False)
def show_docs(request: Request) -> Response:
    """Show what can be asked for."""
    described = request.app.openapi()
    found = [
        Operation(method.upper(), path, operation["description"], _parameters(operation, described))
        for path, operations in described["paths"].items()
        for method, operation in operations.items()
    ]
    return page(request, "docs.html", title="For programs", operations=found, data=lambda: described)


def _parameters(operation: dict[str, Any], described: dict[str, Any]) -> list[Parameter]:
    found = [
        Parameter(one["name"], one["in"], _kind(one["schema"], described), one.get("description", ""))
        for one in operation.get("parameters", ())
    ]
    for body in operation.get("requestBody", {}).get("content", {}).values():
        schema = _resolved(body["schema"], described)
        found += [
            Parameter(name, "form", _kind(each, described), each.get("description", ""))
            for name, each in schema.get("properties", {}).items()
        ]
    return found


def _kind(schema: dict[str, Any], described: dict[str, Any]) -> str:
    """Return in a few words which values a schema allows."""
    whole = _resolved(schema, described)
    if "enum" in whole:
        return " | ".join(map(str, whole["enum"]))
    if "anyOf" in whole:
        kinds = (_kind(each, described) for each in whole["anyOf"] if each.get("type") != "null")
        return " | ".join(kind for kind in kinds if kind)
    if whole.get("type") == "array":
        return f"{_kind(whole['items'], described)}, repeated"
    return str(whole.get("type", ""))


def _resolved(schema: dict[str, Any], described: dict[str, Any]) -> dict[str, Any]:
    """Return the schema that one refers to, or itself."""
    if "$ref" not in schema:
        return schema
    name = schema["$ref"].rpartition("/")[2]
    found: dict[str, Any] = described["components"]["schemas"][name]
    return found
