"""How often a task took its worker with it, and what follows."""

from __future__ import annotations

from disco2.engines.engine import Died, Notice, Outcome, Task


class Deaths:
    """Counts the deaths of workers by the task they were on; a task that is done is forgotten."""

    def __init__(self, *, attempts: int, notice: Notice, died: Died) -> None:
        self._attempts = attempts
        self._notice = notice
        self._died = died
        self._of_task: dict[str, list[str]] = {}

    def add(self, task: Task, how: str) -> Outcome | None:
        """Tell of a death. The outcome, if that was the last attempt."""
        deaths = self._of_task.setdefault(task.key, [])
        deaths.append(how)
        over = len(deaths) >= self._attempts
        again = (
            "which is given up" if over else f"which is tried again ({len(deaths) + 1} of {self._attempts})"
        )
        self._notice(f"a worker ended {how} during task {task.key}, {again}")
        self._died(task, how)
        if not over:
            return None
        self.forget(task)
        return Outcome(task, died=_summary(deaths))

    def forget(self, task: Task) -> None:
        self._of_task.pop(task.key, None)


def _summary(deaths: list[str]) -> str:
    """Each way once, with its number."""
    numbers = {how: deaths.count(how) for how in deaths}
    return ", ".join(how if number == 1 else f"{how} ({number} times)" for how, number in numbers.items())
