"""A trained model as a folder: save, load, verify."""

from disco2.bundle.folder import check_target, load_bundle, save_bundle
from disco2.bundle.manifest import Manifest, read_manifest

__all__ = ["Manifest", "check_target", "load_bundle", "read_manifest", "save_bundle"]
