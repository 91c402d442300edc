"""Files that are written whole or not at all."""

import os
import tempfile
from pathlib import Path

from pgm_rnn.errors import OutputError


def write(path: Path, data: bytes) -> None:
    """Write beside `path` first, so that no reader meets half a file, whatever ends the program.

    Raises OutputError, which leaves what was there before.
    """
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:40]}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)  # as a plain `open` would have made it
        os.replace(temporary, path)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise OutputError(f"cannot write {str(path)!r}: {error.strerror or error}") from None
