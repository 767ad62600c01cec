"""A machine client."""

import os
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import grpc

from authservice.clientcredentials.v1.client_credentials_service_pb2 import IssueTokenRequest
from authservice.clientcredentials.v1.client_credentials_service_pb2_grpc import ClientCredentialsServiceStub
from authservice.identity.v1.identity_service_pb2 import GetMeRequest
from authservice.identity.v1.identity_service_pb2_grpc import IdentityServiceStub
from errors import is_lost, reason_of, retry_after
from tokens import Tokens


class MachineClient:
    def __init__(self, core: grpc.Channel, client_id: str, secret: str):
        self._client = ClientCredentialsServiceStub(core)
        self._request = IssueTokenRequest(grant_type="client_credentials", client_id=client_id, client_secret=secret)
        self.attempts = 0

    def issue_token(self) -> tuple[str, float]:
        """Gets an access token and its lifetime.

        If the core is busy, it waits as long as the core asks and tries again. A refused attempt has no effect.
        """
        for self.attempts in range(1, 6):
            try:
                answer = self._client.IssueToken(self._request, timeout=5)
                return answer.access_token, answer.expires_in
            except grpc.RpcError as error:
                wait = retry_after(error)
                if not wait or self.attempts == 5:
                    raise
                time.sleep(wait)
        raise AssertionError("unreachable")


def machine(core: grpc.Channel) -> None:
    """Calls the core as a machine client for CORE_SECONDS, with CORE_CALLERS callers that share one token.

    The stop of one core fails no call: the service config retries calls without a response, and get_me those whose response had
    begun.
    """
    client = MachineClient(core, os.environ["CORE_CLIENT_ID"], os.environ["CORE_CLIENT_SECRET"])
    tokens = Tokens(client.issue_token)
    tokens.get()
    print("token after attempts:", client.attempts, flush=True)

    identity = IdentityServiceStub(core)
    end = time.monotonic() + float(os.environ["CORE_SECONDS"])

    def get_me(is_repeated: bool = False) -> None:
        metadata = tokens.metadata()
        try:
            identity.GetMe(GetMeRequest(), timeout=5, metadata=metadata)
        except grpc.RpcError as error:
            if is_repeated or not is_lost(error):
                raise
            get_me(is_repeated=True)

    def call(_: int) -> tuple[int, Counter]:
        calls, failures = 0, Counter()
        while calls == 0 or time.monotonic() < end:
            try:
                get_me()
            except grpc.RpcError as error:
                failures[f"{error.code()} {reason_of(error)} {error.details()}"] += 1
            calls += 1
            time.sleep(0.001)
        return calls, failures

    callers = int(os.environ.get("CORE_CALLERS", "1"))
    with ThreadPoolExecutor(callers) as pool:
        outcomes = list(pool.map(call, range(callers)))
    failures = sum((failures for _, failures in outcomes), Counter())
    print("calls:", sum(calls for calls, _ in outcomes))
    print("failures:", len(failures))
    for text, count in failures.items():
        print(count, text)

    tokens.renew_once()
    print("next token after attempts:", client.attempts)
