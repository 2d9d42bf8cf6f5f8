"""Blocks: bytes compressed, and given back only if they are whole and of a bounded size."""

import zlib

LIMIT_BYTES = 1 << 30


def pack(data: bytes, level: int = 6) -> bytes:
    """Return a block; level 1 takes a third of the time and a seventh more room."""
    return zlib.compress(data, level)


def unpack(block: bytes, limit: int = LIMIT_BYTES) -> bytes:
    """Return what `pack` was given.

    Raises:
        ValueError: it is no block, or one of more than `limit` bytes.
    """
    decompressor = zlib.decompressobj()
    try:
        data = decompressor.decompress(block, limit)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if decompressor.unconsumed_tail or decompressor.unused_data or not decompressor.eof:
        raise ValueError("a block is too large, cut off, or followed by something")
    return data
