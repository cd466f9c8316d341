"""What follows from declarations for readers and machines: JSON schemas of tables, and tables for the documentation."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from serpenoid.core.declare import Description, quantity_of, required
from serpenoid.core.family import Family
from serpenoid.core.quantities import Quantity, brief


def _noted(quantity: Quantity, schema: dict[str, Any], unit: str) -> dict[str, Any]:
    """A schema with unit and meaning."""
    text = ", ".join(part for part in (quantity.meaning, unit) if part)
    return {**schema, "description": text} if text else schema


def schema_of(of: Any) -> dict[str, Any]:
    """JSON schema of the table of a description, or of a family of them."""
    if isinstance(of, Family):
        members = [schema_of(cls) for cls in of.values()]
        return {"oneOf": members} if members else {"type": "object"}
    properties: dict[str, Any] = {}
    needed: list[Any] = []
    either: list[Any] = []
    if of.TAG:
        properties[of.TAG] = {"const": of.NAME}
        needed.append(of.TAG)
    for item in fields(of):
        quantity = quantity_of(item)
        properties[item.name] = _noted(quantity, quantity.schema(), quantity.unit)
        if quantity.angle:
            properties[f"{item.name}_deg"] = _noted(quantity, _in_degrees(quantity.schema()), "deg")
        if required(item) and quantity.angle:
            either.append({"anyOf": [{"required": [item.name]}, {"required": [f"{item.name}_deg"]}]})
        elif required(item):
            needed.append(item.name)
    result: dict[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": needed,
    }
    if either:
        result["allOf"] = either
    if issubclass(of, Description) and of.__doc__:
        result["description"] = of.__doc__.strip().splitlines()[0]
    return result


def _in_degrees(schema: Any) -> Any:
    """The schema of an angle without its bounds, which are in radians."""
    if isinstance(schema, list):
        return [_in_degrees(x) for x in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        k: _in_degrees(v)
        for k, v in schema.items()
        if k not in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
    }


def table_of(cls: Any) -> str:
    """Markdown table of a description's fields: key, what is allowed, default, meaning."""
    rows = ["| key | allowed | default | meaning |", "|---|---|---|---|"]
    for item in fields(cls):
        quantity = quantity_of(item)
        default = item.default_factory() if item.default_factory is not MISSING else item.default
        text = (
            ""
            if default is MISSING
            else "-"
            if default is None
            else brief(default)
            if isinstance(default, float)
            else repr(default)
        )
        name = f"`{item.name}`" + (f", `{item.name}_deg`" if quantity.angle else "")
        rows.append(f"| {name} | {quantity.allowed} | {text} | {quantity.meaning} |")
    return "\n".join(rows)
