"""The connection to the core."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import grpc

from authservice._credentials import Credential, with_credential

# The largest responses exceed the gRPC default of 4 MiB.
MAX_RESPONSE_BYTES = 32 << 20


@dataclass(frozen=True)
class Tls:
    """PEM files. Without ca, the authorities of gRPC are trusted. With cert and key, the client presents a certificate."""

    ca: bytes | None = None
    cert: bytes | None = None
    key: bytes | None = None


def connect(
    target: str,
    *,
    tls: Tls | None = None,
    server_name: str | None = None,
    credential: Credential | None = None,
    timeout: float | None = None,
    options: Sequence[tuple[str, object]] = (),
) -> grpc.Channel:
    """Connects to cores: dns:///core.internal:50051, ipv4:10.0.0.1:50051,10.0.0.2:50051 or unix:/run/core.sock.

    The calls are distributed over all addresses. Calls that change nothing are repeated if a connection fails. A process needs one
    channel.

    tls: without it, the connection is plain text, for loopback and Unix sockets.
    server_name: the name in the core's certificate. A list of addresses needs it.
    credential: what each call sends: ClientCredentials, ApiKey or BearerToken.
    timeout: the deadline of calls that are not streams, in seconds. Default: 5.
    """
    arguments = [
        ("grpc.service_config", _service_config(timeout)),
        ("grpc.max_receive_message_length", MAX_RESPONSE_BYTES),
        *options,
    ]
    if server_name:
        arguments.append(("grpc.ssl_target_name_override", server_name))
    if tls is None:
        channel = grpc.insecure_channel(target, arguments)
    else:
        credentials = grpc.ssl_channel_credentials(tls.ca, private_key=tls.key, certificate_chain=tls.cert)
        channel = grpc.secure_channel(target, credentials, arguments)
    return with_credential(channel, credential) if credential else channel


def _service_config(timeout: float | None) -> str:
    text = files("authservice").joinpath("service-config.json").read_text()
    if timeout is None:
        return text
    config = json.loads(text)
    for entry in config["methodConfig"]:
        if entry["timeout"] == "5s":
            entry["timeout"] = f"{timeout:.3f}s"
    return json.dumps(config)
