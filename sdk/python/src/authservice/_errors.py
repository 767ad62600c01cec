"""The details of an error from the core."""

from typing import TypeVar

import grpc
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from grpc_status import rpc_status

from authservice.error.v1.reason_pb2 import REASON_UNSPECIFIED, Reason

_Detail = TypeVar("_Detail", bound=Message)


def reason_of(error: grpc.RpcError) -> Reason:
    """Returns the reason of an error from the core. Branch on it, never on the text.

    It is REASON_UNSPECIFIED for errors of the network or the gRPC library, and for reasons of a newer core.
    """
    name = f"REASON_{info_of(error).reason}"
    return Reason.Value(name) if name in Reason.keys() else REASON_UNSPECIFIED


def info_of(error: grpc.RpcError) -> ErrorInfo:
    """Returns the name of the reason and its facts, for example metadata["requestId"]."""
    return _detail(error, ErrorInfo)


def violations_of(error: grpc.RpcError) -> list[BadRequest.FieldViolation]:
    """Returns the fields of the request that break a rule."""
    return list(_detail(error, BadRequest).field_violations)


def retry_after(error: grpc.RpcError) -> float:
    """Returns how many seconds to wait before the next attempt; 0 if a retry does not help."""
    return _detail(error, RetryInfo).retry_delay.ToTimedelta().total_seconds()


def _detail(error: grpc.RpcError, kind: type[_Detail]) -> _Detail:
    found = kind()
    status = rpc_status.from_call(error) if isinstance(error, grpc.Call) else None
    for detail in status.details if status else ():
        if detail.Unpack(found):
            break
    return found
