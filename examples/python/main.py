"""A small service that accepts the credentials of the core, a tour of the core's RPCs, and a machine client.

main.py serve, main.py tour, main.py machine.
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "gen"))

import grpc  # noqa: E402
from grpc_health.v1 import health, health_pb2_grpc  # noqa: E402

from authentication import Authentication, principal  # noqa: E402
from authservice.identity.v1.identity_service_pb2_grpc import IdentityServiceStub  # noqa: E402
from core import connect  # noqa: E402
from greeter.v1.greeter_pb2 import GreetEachResponse, GreetResponse  # noqa: E402
from greeter.v1.greeter_pb2_grpc import GreeterServiceServicer, add_GreeterServiceServicer_to_server  # noqa: E402
from machine import machine  # noqa: E402
from tour import tour  # noqa: E402


class Greeter(GreeterServiceServicer):
    def Greet(self, request, context):
        return GreetResponse(text=greeting())

    def GreetEach(self, requests, context):
        for _ in requests:
            yield GreetEachResponse(text=greeting())


def greeting() -> str:
    account = principal.get().account
    return f"Hello, {account.username} of {account.tenant_id}"


def serve(core: grpc.Channel) -> None:
    server = grpc.server(ThreadPoolExecutor(), interceptors=[Authentication(IdentityServiceStub(core))])
    add_GreeterServiceServicer_to_server(Greeter(), server)
    health_pb2_grpc.add_HealthServicer_to_server(health.HealthServicer(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(f"listening on 127.0.0.1:{port}", flush=True)
    server.wait_for_termination()


if __name__ == "__main__":
    commands = {"serve": serve, "tour": tour, "machine": machine}
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        sys.exit("usage: main.py serve | tour | machine")
    with connect(os.environ["CORE_ADDRESS"]) as core:
        commands[sys.argv[1]](core)
