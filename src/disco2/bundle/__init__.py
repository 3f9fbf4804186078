"""A trained model as a folder: save, load, verify."""

from disco2.bundle.layout import Manifest
from disco2.bundle.load import load_bundle
from disco2.bundle.manifest import read_manifest
from disco2.bundle.save import check_target, save_bundle

__all__ = ["Manifest", "check_target", "load_bundle", "read_manifest", "save_bundle"]
