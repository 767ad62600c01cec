"""Calls the core as a user, from the login to the logout, and prints the responses."""

import itertools
import os

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from authservice.business.v1.file_service_pb2 import DeleteFileRequest
from authservice.business.v1.file_service_pb2_grpc import FileServiceStub
from authservice.business.v1.product_service_pb2 import ListProductsRequest, Product
from authservice.business.v1.product_service_pb2_grpc import ProductServiceStub
from authservice.identity.v1.identity_service_pb2 import GetMeRequest
from authservice.identity.v1.identity_service_pb2_grpc import IdentityServiceStub
from authservice.paging.v1.paging_pb2 import PageRequest
from authservice.session.v1.session_service_pb2_grpc import SessionServiceStub
from errors import reason_of, violations_of
from session import Session
from upload import upload


def tour(core: grpc.Channel) -> None:
    sessions = SessionServiceStub(core)
    files = FileServiceStub(core)

    check = health_pb2_grpc.HealthStub(core).Check(health_pb2.HealthCheckRequest(), timeout=5)
    print("health:", health_pb2.HealthCheckResponse.ServingStatus.Name(check.status))

    username = os.environ["CORE_USERNAME"]
    print("wrong password:", refusal(lambda: Session(sessions, username, "wrong")))
    session = Session(sessions, username, os.environ["CORE_PASSWORD"])
    print(f"login: {session.account.username} of {session.account.tenant_id} for {session.expires_in} s")

    print("products:", len(list_products(core, session)))

    content = bytes(300_000)
    file = upload(files, "notes.bin", content, session.metadata())
    print("upload:", len(content), "bytes")
    files.DeleteFile(DeleteFileRequest(file=file), timeout=5, metadata=session.metadata())
    print("empty upload:", refusal(lambda: upload(files, "empty.bin", b"", session.metadata())))

    before = session.tokens.get()
    # The token renews itself. This shows it earlier.
    print("refresh: new token", str(session.tokens.renew_once() != before).lower())

    session.logout()
    identity = IdentityServiceStub(core)
    print("after the logout:", refusal(lambda: identity.GetMe(GetMeRequest(), timeout=5, metadata=session.metadata())))


def list_products(core: grpc.Channel, session: Session) -> list[Product]:
    """Returns the products of all pages. The order is one that new products do not change: they come last."""
    client = ProductServiceStub(core)
    products: list[Product] = []
    for page in itertools.count(1):
        request = ListProductsRequest(page=PageRequest(page=page, per_page=100), sort="createdAt")
        answer = client.ListProducts(request, timeout=5, metadata=session.metadata())
        products.extend(answer.products)
        if not answer.products or page * answer.page.per_page >= answer.page.total:
            break
    return products


def refusal(call) -> str:
    try:
        call()
    except grpc.RpcError as error:
        return " ".join([reason_of(error), *(violation.field for violation in violations_of(error))])
    return "accepted"
