# A client of the core by Debian's python3-grpcio and stubs from the protos: python3 client.py ADDRESS [CA.pem]
# Reads {"username", "password", "content" (base64)} from standard input and prints what it saw as JSON.
import base64
import hashlib
import json
import sys

import grpc
from authservice.business.v1 import file_service_pb2, file_service_pb2_grpc, product_service_pb2, product_service_pb2_grpc
from google.rpc import error_details_pb2, status_pb2
from authservice.identity.v1 import identity_service_pb2, identity_service_pb2_grpc
from authservice.session.v1 import session_service_pb2, session_service_pb2_grpc

TIMEOUT_S = 10
CHUNK = 512 * 1024


def error_of(call):
    """What a refused call tells: its status, why, and which fields it blames."""
    try:
        call()
    except grpc.RpcError as error:
        [details] = [value for key, value in error.trailing_metadata() if key == 'grpc-status-details-bin']
        status = status_pb2.Status.FromString(details)
        told = {'code': error.code().name, 'message': error.details(), 'sameCode': status.code == error.code().value[0]}
        for detail in status.details:
            info, request = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
            if detail.Unpack(info):
                told.update(reason=info.reason, domain=info.domain, requestId=info.metadata['requestId'])
            if detail.Unpack(request):
                told['violations'] = [[one.field, one.reason] for one in request.field_violations]
        return told
    raise AssertionError('the call was not refused')


def upload(stub, content, metadata):
    request = file_service_pb2.PrepareFileRequest(file_name='a.bin', content_type='a/b', size=len(content))
    file = stub.PrepareFile(request, metadata=metadata, timeout=TIMEOUT_S).file

    def parts():
        yield file_service_pb2.UploadFileRequest(file=file)
        for at in range(0, len(content), CHUNK):
            yield file_service_pb2.UploadFileRequest(chunk=content[at : at + CHUNK])

    return stub.UploadFile(parts(), metadata=metadata, timeout=TIMEOUT_S)


def download(stub, file, metadata):
    request = file_service_pb2.DownloadFileRequest(file=file)
    start, chunks = None, []
    for response in stub.DownloadFile(request, metadata=metadata, timeout=TIMEOUT_S):
        if response.WhichOneof('part') == 'start':
            start = response.start
        else:
            chunks.append(response.chunk)
    content = b''.join(chunks)
    return {
        'length': start.length,
        'parts': len(chunks),
        'sha256': hashlib.sha256(content).hexdigest(),
        'told': start.content.sha256.hex(),
    }


def main(address, authority=None):
    given = json.load(sys.stdin)
    if authority is None:
        channel = grpc.insecure_channel(address)
    else:
        with open(authority, 'rb') as file:
            channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(file.read()))
    session = session_service_pb2_grpc.SessionServiceStub(channel)
    identity = identity_service_pb2_grpc.IdentityServiceStub(channel)
    products = product_service_pb2_grpc.ProductServiceStub(channel)
    file_stub = file_service_pb2_grpc.FileServiceStub(channel)

    credentials = session_service_pb2.LoginRequest(
        username=given['username'],
        password=given['password'],
        refresh_token_transport=session_service_pb2.REFRESH_TOKEN_TRANSPORT_BODY,
    )
    login = session.Login(credentials, timeout=TIMEOUT_S)
    bearer = [('authorization', f'Bearer {login.access_token}')]
    me = identity.GetMe(identity_service_pb2.GetMeRequest(), metadata=bearer, timeout=TIMEOUT_S)
    listed = products.ListProducts(product_service_pb2.ListProductsRequest(), metadata=bearer, timeout=TIMEOUT_S)
    stored = upload(file_stub, base64.b64decode(given['content']), bearer)

    wrong = session_service_pb2.LoginRequest(
        username=given['username'], password='wrong', refresh_token_transport=session_service_pb2.REFRESH_TOKEN_TRANSPORT_BODY
    )
    bad = file_service_pb2.PrepareFileRequest(file_name='', content_type='a/b', size=-1)
    named = [*bearer, ('x-request-id', 'from-python')]
    result = {
        'expiresIn': login.expires_in,
        'refreshToken': login.HasField('refresh_token'),
        'username': me.account.username,
        'products': [[one.name, one.price] for one in listed.products],
        'download': download(file_stub, stored.file, bearer),
        'wrongPassword': error_of(lambda: session.Login(wrong, timeout=TIMEOUT_S)),
        'noToken': error_of(lambda: products.ListProducts(product_service_pb2.ListProductsRequest(), timeout=TIMEOUT_S)),
        'badRequest': error_of(lambda: file_stub.PrepareFile(bad, metadata=named, timeout=TIMEOUT_S)),
        'tooLarge': error_of(
            lambda: file_stub.UploadFile(
                iter([file_service_pb2.UploadFileRequest(chunk=bytes(5 * 1024 * 1024))]), metadata=bearer, timeout=TIMEOUT_S
            )
        ),
    }
    json.dump(result, sys.stdout)


main(*sys.argv[1:])
