"""A gRPC client of the authentication service: a thin layer on the generated code."""

from authservice._channel import Tls, connect
from authservice._credentials import ApiKey, BearerToken, ClientCredentials, Tokens
from authservice._errors import info_of, reason_of, retry_after, violations_of
from authservice._files import Download, download, upload
from authservice._pages import read_all
from authservice.error.v1.reason_pb2 import Reason

__all__ = [
    "ApiKey",
    "BearerToken",
    "ClientCredentials",
    "Download",
    "Reason",
    "Tls",
    "Tokens",
    "connect",
    "download",
    "info_of",
    "read_all",
    "reason_of",
    "retry_after",
    "upload",
    "violations_of",
]
