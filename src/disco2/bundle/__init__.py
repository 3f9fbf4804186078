"""A trained model as a folder: save, load, verify."""

from disco2.bundle.folder import Manifest, check_target, load_bundle, read_manifest, save_bundle

__all__ = ["Manifest", "check_target", "load_bundle", "read_manifest", "save_bundle"]
