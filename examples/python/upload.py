"""Uploads files as streams of chunks."""


import hashlib
from collections.abc import Iterator

from authservice.business.v1.file_service_pb2 import PrepareFileRequest, UploadFileRequest
from authservice.business.v1.file_service_pb2_grpc import FileServiceStub
from authservice.business.v1.record_pb2 import StagedFile

CHUNK_BYTES = 64 << 10


def upload(files: FileServiceStub, file_name: str, content: bytes, metadata) -> StagedFile:
    """Stores a file in the caller's tenant and returns its name."""
    request = PrepareFileRequest(file_name=file_name, content_type="application/octet-stream", size=len(content))
    file = files.PrepareFile(request, timeout=5, metadata=metadata).file

    def parts() -> Iterator[UploadFileRequest]:
        yield UploadFileRequest(file=file)
        for start in range(0, len(content), CHUNK_BYTES):
            yield UploadFileRequest(chunk=content[start : start + CHUNK_BYTES])

    stored = files.UploadFile(parts(), timeout=60, metadata=metadata)
    if stored.received_sha256 != hashlib.sha256(content).digest():
        raise IOError("other bytes arrived than were sent")
    return stored.file
