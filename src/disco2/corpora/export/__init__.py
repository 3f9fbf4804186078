"""Predictions as the shared tasks take them."""

from disco2.corpora.export.exported import Exported
from disco2.corpora.export.predictions import FORMS, NO_LABELS, export_predictions

__all__ = ["FORMS", "NO_LABELS", "Exported", "export_predictions"]
