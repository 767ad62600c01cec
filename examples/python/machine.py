"""A machine client."""

import os
import time
from collections import Counter

import grpc

from authservice.clientcredentials.v1.client_credentials_service_pb2 import IssueTokenRequest
from authservice.clientcredentials.v1.client_credentials_service_pb2_grpc import ClientCredentialsServiceStub
from authservice.identity.v1.identity_service_pb2 import GetMeRequest
from authservice.identity.v1.identity_service_pb2_grpc import IdentityServiceStub
from errors import reason_of, retry_after


def machine(core: grpc.Channel) -> None:
    """Gets a token as a machine client and calls the core with it for CORE_SECONDS.

    The service config retries calls that the network interrupts, so that the stop of one core fails no call.
    """
    client = ClientCredentialsServiceStub(core)
    client_id, secret = os.environ["CORE_CLIENT_ID"], os.environ["CORE_CLIENT_SECRET"]
    token, attempts = issue_token(client, client_id, secret)
    print("token after attempts:", attempts, flush=True)

    identity = IdentityServiceStub(core)
    metadata = (("authorization", f"Bearer {token}"),)
    calls, failures = 0, Counter()
    end = time.monotonic() + float(os.environ["CORE_SECONDS"])
    while calls == 0 or time.monotonic() < end:
        try:
            identity.GetMe(GetMeRequest(), timeout=5, metadata=metadata)
        except grpc.RpcError as error:
            failures[f"{error.code()} {reason_of(error)} {error.details()}"] += 1
        calls += 1
        time.sleep(0.001)
    print("calls:", calls)
    print("failures:", len(failures))
    for text, count in failures.items():
        print(count, text)

    # Get the next token, as a client does before the first one expires.
    _, attempts = issue_token(client, client_id, secret)
    print("next token after attempts:", attempts)


# snippet:start machine


def issue_token(client: ClientCredentialsServiceStub, client_id: str, secret: str) -> tuple[str, int]:
    """Gets an access token for a machine client.

    If the core is busy, it waits as long as the core asks and tries again. A refused attempt has no effect.
    """
    request = IssueTokenRequest(grant_type="client_credentials", client_id=client_id, client_secret=secret)
    for attempts in range(1, 6):
        try:
            return client.IssueToken(request, timeout=5).access_token, attempts
        except grpc.RpcError as error:
            wait = retry_after(error)
            if not wait or attempts == 5:
                raise
            time.sleep(wait)
    raise AssertionError("unreachable")


# snippet:end
