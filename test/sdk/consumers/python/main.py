import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import grpc

from authservice import ClientCredentials, Reason, connect, download, read_all, reason_of, upload, violations_of
from authservice.business.v1.file_service_pb2 import DeleteFileRequest
from authservice.business.v1.file_service_pb2_grpc import FileServiceStub
from authservice.business.v1.product_service_pb2 import ListProductsRequest
from authservice.business.v1.product_service_pb2_grpc import ProductServiceStub
from authservice.identity.v1.identity_service_pb2 import GetMeRequest
from authservice.identity.v1.identity_service_pb2_grpc import IdentityServiceStub

ADDRESS = os.environ["CORE_ADDRESS"]


def tour(core: grpc.Channel) -> None:
    print("account:", IdentityServiceStub(core).GetMe(GetMeRequest()).account.username)

    # snippet:start pages
    products = ProductServiceStub(core)

    def read(page):
        response = products.ListProducts(ListProductsRequest(page=page, sort="createdAt"))
        return response.products, response.page

    print("products:", len({product.sku for product in read_all(read)}))
    # snippet:end

    # snippet:start files
    files = FileServiceStub(core)
    content = b"\7" * 300_000
    file = upload(files, "notes.bin", content)
    found = download(files, file)
    received = b"".join(found.chunks)
    # snippet:end
    print("download:", found.content.file_name, len(received) if received == content else "other bytes")
    files.DeleteFile(DeleteFileRequest(file=file))
    print("empty upload:", refusal(lambda: upload(files, "notes.bin", b"")))
    print("deleted file:", refusal(lambda: download(files, file)))

    with connect(ADDRESS, timeout=0.001) as hasty:
        print("deadline:", refusal(lambda: IdentityServiceStub(hasty).GetMe(GetMeRequest())))


def refusal(call) -> str:
    try:
        call()
    except grpc.RpcError as error:
        # snippet:start errors
        reason = reason_of(error)
        name = Reason.Name(reason).removeprefix("REASON_") if reason else error.code().name
        return " ".join([name, *(violation.field for violation in violations_of(error))])
        # snippet:end
    return "accepted"


def machine(core: grpc.Channel) -> None:
    identity = IdentityServiceStub(core)

    def call(_: int) -> tuple[int, int]:
        calls = failures = 0
        end = float("inf")
        while time.monotonic() < end:
            try:
                identity.GetMe(GetMeRequest())
            except grpc.RpcError:
                failures += 1
            calls += 1
            # The first call also connects.
            end = min(end, time.monotonic() + float(os.environ["CORE_SECONDS"]))
            time.sleep(0.001)
        return calls, failures

    callers = int(os.environ["CORE_CALLERS"])
    with ThreadPoolExecutor(callers) as pool:
        outcomes = list(pool.map(call, range(callers)))
    print("calls:", sum(calls for calls, _ in outcomes))
    print("failures:", sum(failures for _, failures in outcomes))


# snippet:start connect
credential = ClientCredentials(os.environ["CORE_CLIENT_ID"], os.environ["CORE_CLIENT_SECRET"])
with connect(ADDRESS, credential=credential) as core:
    {"tour": tour, "machine": machine}[sys.argv[1]](core)
# snippet:end
