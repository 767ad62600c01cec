"""The connection to the core."""


import os
from pathlib import Path

import grpc

# The largest responses exceed the gRPC default of 4 MiB. docs/reference/rpcs.md lists their sizes.
MAX_ANSWER_BYTES = 32 << 20


def connect(address: str) -> grpc.Channel:
    """Opens the one connection pool of this process to the core."""
    options = [
        # The service config enables round_robin over all addresses and retries of read-only calls.
        ("grpc.service_config", Path("service-config.json").read_text()),
        ("grpc.max_receive_message_length", MAX_ANSWER_BYTES),
    ]
    # The name in the core's certificate. It is necessary with TLS and a list of addresses: ipv4:10.0.0.1:50051,10.0.0.2:50051.
    if name := os.environ.get("CORE_NAME"):
        options.append(("grpc.ssl_target_name_override", name))
    ca = os.environ.get("CORE_CA")
    if not ca:
        return grpc.insecure_channel(address, options)
    cert, key = os.environ.get("CORE_CERT"), os.environ.get("CORE_KEY")
    credentials = grpc.ssl_channel_credentials(
        root_certificates=Path(ca).read_bytes(),
        # mTLS with a certificate, TLS without.
        private_key=Path(key).read_bytes() if key else None,
        certificate_chain=Path(cert).read_bytes() if cert else None,
    )
    return grpc.secure_channel(address, credentials, options)
