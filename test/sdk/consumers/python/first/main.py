from authservice import ClientCredentials, connect
from authservice.identity.v1.identity_service_pb2 import GetMeRequest
from authservice.identity.v1.identity_service_pb2_grpc import IdentityServiceStub

credential = ClientCredentials("acme-sync", "demo-secret-acme-sync-0123456789abcdef")
with connect("dns:///127.0.0.1:50051", credential=credential) as core:
    me = IdentityServiceStub(core).GetMe(GetMeRequest())
    print("account:", me.account.username)
