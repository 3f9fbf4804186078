"""Options that belong together, declared once as a dataclass and given to any command."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any, get_type_hints


def takes(choice: type[Any], name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command an option for every field of ``choice``; it gets them as one argument, ``name``.

    Fields of its own come first in the help, inherited ones behind them.
    """
    hints = get_type_hints(choice, include_extras=True)
    keyword = inspect.Parameter.KEYWORD_ONLY
    shared = [
        inspect.Parameter(option.name, keyword, default=option.default, annotation=hints[option.name])
        for option in sorted(fields(choice), key=lambda option: option.name not in choice.__annotations__)
    ]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = [
            parameter.replace(kind=keyword)
            for parameter in inspect.signature(command, eval_str=True).parameters.values()
            if parameter.name != name
        ]

        @functools.wraps(command)
        def with_choice(**values: Any) -> None:
            chosen = choice(**{option.name: values.pop(option.name) for option in shared})
            command(**{name: chosen}, **values)

        parameters = [*shared, *own]
        with_choice.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        with_choice.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return with_choice

    return decorate
