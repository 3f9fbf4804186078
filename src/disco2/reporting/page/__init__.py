"""One self-contained HTML page with all that experiments found: no script, nothing from elsewhere."""

from disco2.reporting.page.report import report_page

__all__ = ["report_page"]
