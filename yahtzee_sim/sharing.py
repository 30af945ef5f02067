"""What processes of one machine share: its cores, and memory that the other side maps.

Nothing is left behind when a process dies. Where the system has no such files, `create` says so
and everyone works in memory of their own. Knows nothing of Yahtzee.
"""

from __future__ import annotations

import mmap
import os
import secrets
import weakref
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Handle(NamedTuple):
    """Where another process finds the memory, and a token that proves it is the right one."""

    path: str
    token: bytes


def create(size: int) -> tuple[NDArray[np.uint8], Handle] | None:
    """`size` bytes of zeros that others can map while the array lives; None if that cannot be."""
    if not hasattr(os, "memfd_create"):
        return None
    token = secrets.token_bytes(16)
    try:
        memory = os.memfd_create("yahtzee-sim")
        try:
            os.truncate(memory, size + len(token))
            os.pwrite(memory, token, size)
            array = np.frombuffer(mmap.mmap(memory, size), dtype=np.uint8)
        except BaseException:
            os.close(memory)
            raise
    except OSError:
        return None
    weakref.finalize(array, os.close, memory)
    return array, Handle(f"/proc/{os.getpid()}/fd/{memory}", token)


def attach(handle: Handle, size: int) -> NDArray[np.uint8] | None:
    """Another process's memory; None if it is not there, or not the right one."""
    try:
        memory = os.open(handle.path, os.O_RDWR)
    except OSError:
        return None
    try:
        if os.fstat(memory).st_size != size + len(handle.token):
            return None
        if os.pread(memory, len(handle.token), size) != handle.token:
            return None
        return np.frombuffer(mmap.mmap(memory, size), dtype=np.uint8)
    except OSError:
        return None
    finally:
        os.close(memory)
