"""The details of an error from the core."""


from typing import TypeVar

import grpc
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from grpc_status import rpc_status

Detail = TypeVar("Detail", bound=Message)


def reason_of(error: grpc.RpcError) -> str:
    """Returns the reason of an error from the core; empty for errors of the network or the gRPC library."""
    return _detail(error, ErrorInfo).reason


def violations_of(error: grpc.RpcError) -> list[BadRequest.FieldViolation]:
    """Returns the fields of the request that break a rule."""
    return list(_detail(error, BadRequest).field_violations)


def retry_after(error: grpc.RpcError) -> float:
    """Returns how many seconds to wait before the next attempt; 0 if a retry does not help."""
    return _detail(error, RetryInfo).retry_delay.ToTimedelta().total_seconds()


def is_lost(error: grpc.RpcError) -> bool:
    """Whether the connection failed before the whole response arrived.

    The core may have processed the call: repeat it only if it changes nothing.
    """
    return error.code() == grpc.StatusCode.UNAVAILABLE and not reason_of(error)


def _detail(error: grpc.RpcError, kind: type[Detail]) -> Detail:
    found = kind()
    status = rpc_status.from_call(error)
    for detail in status.details if status else ():
        if detail.Unpack(found):
            break
    return found
