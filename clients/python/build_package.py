"""Builds the wheel of this package, as PEP 517 defines it, using only the standard library.

The same files always produce the same bytes.
"""

import base64
import hashlib
import zipfile
from pathlib import Path
from typing import Any, Dict, Optional

import understudy

HERE = Path(__file__).parent
INFO = f"understudy-{understudy.__version__}.dist-info"

METADATA = f"""\
Metadata-Version: 2.1
Name: understudy
Version: {understudy.__version__}
Summary: Test against Understudy: a server per test run, a tenant per test
Requires-Python: >=3.9
Classifier: Framework :: Pytest
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

"""

WHEEL = """\
Wheel-Version: 1.0
Generator: understudy
Root-Is-Purelib: true
Tag: py3-none-any
"""

# pytest loads the plugin as soon as the package is installed.
ENTRY_POINTS = """\
[pytest11]
understudy = understudy.pytest_plugin
"""


def build_wheel(
    wheel_directory: str, config_settings: Optional[Dict[str, Any]] = None, metadata_directory: Optional[str] = None
) -> str:
    """Writes the wheel into the directory, and returns its name."""
    files = {f"understudy/{path.name}": path.read_bytes() for path in (HERE / "understudy").iterdir() if path.is_file()}
    files[f"{INFO}/METADATA"] = METADATA.encode() + (HERE / "README.md").read_bytes()
    files[f"{INFO}/WHEEL"] = WHEEL.encode()
    files[f"{INFO}/entry_points.txt"] = ENTRY_POINTS.encode()
    files[f"{INFO}/RECORD"] = "".join(
        f"{name},sha256={_digest(content)},{len(content)}\n" for name, content in sorted(files.items())
    ).encode() + f"{INFO}/RECORD,,\n".encode()
    name = f"understudy-{understudy.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path in sorted(files):
            member = zipfile.ZipInfo(path)  # with the constant time 1980-01-01
            member.external_attr = 0o644 << 16
            wheel.writestr(member, files[path], zipfile.ZIP_DEFLATED)
    return name


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
