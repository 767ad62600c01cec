"""Uploads and downloads of files as streams of chunks."""

import hashlib
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from authservice.business.v1.file_service_pb2 import (
    ByteRange,
    DownloadFileRequest,
    FileContent,
    PrepareFileRequest,
    UploadFileRequest,
)
from authservice.business.v1.file_service_pb2_grpc import FileServiceStub
from authservice.business.v1.record_pb2 import StagedFile

# The core refuses smaller chunks, apart from the last one.
CHUNK_BYTES = 64 << 10


def upload(
    files: FileServiceStub,
    file_name: str,
    content: bytes | BinaryIO,
    content_type: str = "application/octet-stream",
) -> StagedFile:
    """Stores a file in the caller's tenant and returns its name. The content is bytes, or a file that can be read and sought."""
    source = io.BytesIO(content) if isinstance(content, bytes) else content
    begin = source.tell()
    size = source.seek(0, os.SEEK_END) - begin
    source.seek(begin)
    file = files.PrepareFile(PrepareFileRequest(file_name=file_name, content_type=content_type, size=size)).file
    digest = hashlib.sha256()

    def parts() -> Iterator[UploadFileRequest]:
        yield UploadFileRequest(file=file)
        while chunk := source.read(CHUNK_BYTES):
            digest.update(chunk)
            yield UploadFileRequest(chunk=chunk)

    stored = files.UploadFile(parts())
    if stored.received_sha256 != digest.digest():
        raise OSError("upload: other bytes arrived than were sent")
    return stored.file


@dataclass(frozen=True)
class Download:
    """A download that has begun."""

    content: FileContent
    """Of the whole file."""
    chunks: Iterator[bytes]
    """The bytes. A download of the whole file ends with an OSError if their digest is wrong."""


def download(files: FileServiceStub, file: StagedFile, byte_range: ByteRange | None = None) -> Download:
    """Reads a file of the caller's tenant, or a range of it."""
    stream = files.DownloadFile(DownloadFileRequest(file=file, range=byte_range))
    content = next(stream).start.content

    def chunks() -> Iterator[bytes]:
        digest = hashlib.sha256()
        try:
            for part in stream:
                digest.update(part.chunk)
                yield part.chunk
        finally:
            # Ends the call of a reader that stops early.
            stream.cancel()
        if byte_range is None and digest.digest() != content.sha256:
            raise OSError("download: other bytes arrived than are stored")

    return Download(content, chunks())
