"""What Schemathesis cannot know: how to authenticate, and which records and times a request may name.

References to records and times are the only things that the document cannot say. Everything else that a positive case holds stays as it was
generated.
"""

import base64
import hashlib
import json
import os
import random
import re
import time
from datetime import datetime, timedelta, timezone

import requests
import schemathesis

URL = os.environ["SERVICE_URL"]
API = f"{URL}/api/v1"
USER = {"username": "alice@acme.test", "password": "demo-password-1"}
CLIENT = ("acme-sync", "demo-secret-acme-sync-0123456789abcdef")
CLIENT_ENDPOINTS = ("/auth/token", "/auth/introspect", "/auth/revoke")

chance = random.Random(4)


# Ends its own sessions, which nobody else uses.
OTHER = {**USER, "username": "mia@acme.test"}
# Guesses its own password until it is locked. Its session goes on.
GUESSER = {**USER, "username": "flora@acme.test"}


def open_session(user=USER) -> requests.Response:
    return requests.post(f"{API}/auth/login", json=user, timeout=30)


def log_in(user=USER) -> str:
    body = open_session(user).json()
    return body.get("accessToken") or body["access_token"]


def basic() -> str:
    return "Basic " + base64.b64encode(":".join(CLIENT).encode()).decode()


@schemathesis.auth(refresh_interval=600)
class Credentials:
    """The administrator of the demo tenant; its machine client at the endpoints for clients."""

    def get(self, case, context):
        return log_in()

    def set(self, case, token, context):
        case.headers = case.headers or {}
        path = case.operation.path
        if path.endswith(CLIENT_ENDPOINTS):
            # A client authenticates in one way only.
            names = case.body if isinstance(case.body, dict) else {}
            if case.media_type != "application/json" and not {"client_id", "client_secret"} & names.keys():
                case.headers["Authorization"] = basic()
        elif path.endswith("/auth/logout"):
            # Its own session: the others go on.
            case.headers["Authorization"] = f"Bearer {log_in()}"
        elif path.endswith("/audit-records/stream"):
            # May not read them. The response to one who may does not end.
            case.headers["Authorization"] = f"Bearer {log_in(OTHER)}"
        elif path.endswith(("/account/password", "/account/confirm")):
            case.headers["Authorization"] = f"Bearer {guesser_session.token()}"
        elif "/account/" in path:
            case.headers["Authorization"] = f"Bearer {log_in(OTHER)}"
        elif path.endswith("/auth/refresh"):
            opened = open_session()
            if opened.cookies:
                case.cookies = opened.cookies.get_dict()
            elif isinstance(case.body, dict) and is_positive(case):
                case.body = {"refresh_token": opened.json()["refresh_token"]}
        elif not path.endswith("/auth/login"):
            case.headers["Authorization"] = f"Bearer {token}"


class Session:
    """One login for many requests, renewed before its access token ends."""

    def __init__(self, user=USER):
        self.user = user
        self.current = ""
        self.ends = 0.0

    def token(self) -> str:
        if time.monotonic() > self.ends:
            self.current, self.ends = log_in(self.user), time.monotonic() + 600
        return self.current


session = Session()
guesser_session = Session(GUESSER)


class Records:
    """Records of the tenant, read anew after every change."""

    def __init__(self):
        self.lists = {}

    def of(self, path: str) -> list:
        if path not in self.lists:
            headers = {"Authorization": f"Bearer {session.token()}"}
            response = requests.get(f"{API}{path}", params={"perPage": "100"}, headers=headers, timeout=30)
            self.lists[path] = response.json()
        return self.lists[path]

    def forget(self) -> None:
        self.lists.clear()

    def one_of(self, path: str) -> str:
        return chance.choice(self.of(path))["id"]


records = Records()


def in_a_year() -> str:
    return (datetime.now(timezone.utc) + timedelta(days=365)).isoformat(timespec="seconds").replace("+00:00", "Z")


def staged_file(size: int) -> dict:
    body = {"fileName": "a.bin", "contentType": "application/octet-stream", "size": max(size, 1)}
    headers = {"Authorization": f"Bearer {session.token()}"}
    return requests.post(f"{API}/staging/files/prepare", json=body, headers=headers, timeout=30).json()


def name_records(value, tenant: str):
    """Replaces what a body refers to by records that are there."""
    if isinstance(value, list):
        return [name_records(item, tenant) for item in value]
    if not isinstance(value, dict):
        return value
    # No JSON may have these keys, at any depth: OpenAPI cannot say that of values that are ignored.
    named = {name: member for name, member in value.items() if name not in ("__proto__", "constructor")}
    body = {name: name_records(member, tenant) for name, member in named.items()}
    if isinstance(body.get("customerId"), str):
        body["customerId"] = records.one_of("/customers")
    if isinstance(body.get("tenantId"), str):
        body["tenantId"] = tenant
    if isinstance(body.get("items"), list):
        products = [product for product in records.of("/products") if product["currency"] == "EUR"]
        chosen = chance.sample(products, min(len(body["items"]), len(products)))
        body["items"] = [{**item, "productId": product["id"]} for item, product in zip(body["items"], chosen)]
    for name in ("images", "photos"):
        # A staged file is attached once; a list of none is one too.
        if isinstance(body.get(name), list):
            body[name] = []
    for name in ("expiresAt", "accountExpiresAt", "credentialsExpireAt"):
        if isinstance(body.get(name), str):
            body[name] = in_a_year()
    return body


# Roles and permissions that are there. The document says which names are well-formed.
ROLES = ("MANAGER", "SALES", "ACCOUNTANT", "PURCHASER", "FLORIST", "DELIVERY", "TENANT_USER")
ADMINISTRATORS = ("SUPER_ADMIN", "TENANT_ADMIN", "ADMIN", "OWNER")
PERMISSIONS = ("MANAGE_USERS", "READ_ORDERS", "READ_AUDIT", "invoices:read", "invoices:write")


def name_roles(body: dict) -> None:
    """Replaces names of roles and permissions."""
    for name, known in (("roles", ROLES), ("inherits", ROLES), ("permissions", PERMISSIONS)):
        if isinstance(body.get(name), list):
            body[name] = chance.sample(known, min(len(body[name]), len(known)))
    if body.get("name") in (*ROLES, *ADMINISTRATORS):
        body["name"] = "CLERK"


def choose_password(body: dict) -> None:
    """A new user has either a password or an invitation, which needs mail."""
    body.pop("invite", None)
    body.setdefault("password", "a long password of a user")


# Events that are there. The document says which names are well-formed.
EVENTS = ("login.failed", "account.locked")


def name_receiver(body: dict) -> None:
    if isinstance(body.get("events"), list):
        body["events"] = chance.sample(EVENTS, min(len(body["events"]), len(EVENTS)))
    if isinstance(body.get("url"), str):
        body["url"] = "https://example.com/webhooks"


def service_policy() -> dict:
    headers = {"Authorization": f"Bearer {session.token()}"}
    return requests.get(f"{API}/tenants/acme/policy", headers=headers, timeout=30).json()["effective"]


POLICY = service_policy()


def tighten(body: dict) -> None:
    """A tenant's policy is at most as loose as the service's, whose values the document does not know."""
    for name, value in body.items():
        if value is not None:
            body[name] = ["http://localhost:3000"] if name == "allowedOrigins" else POLICY.get(name, 3600)


def service_account_id() -> str:
    form = {"grant_type": "client_credentials"}
    token = requests.post(f"{API}/auth/token", data=form, auth=CLIENT, timeout=30).json()["access_token"]
    headers = {"Authorization": f"Bearer {token}"}
    return requests.get(f"{API}/auth/me", headers=headers, timeout=30).json()["id"]


SERVICE_ACCOUNT = service_account_id()


def list_users() -> dict:
    headers = {"Authorization": f"Bearer {session.token()}"}
    users = requests.get(f"{API}/users", params={"perPage": "100"}, headers=headers, timeout=30).json()
    return {user["username"]: user["id"] for user in users}


USERS = list_users()
# They must go on: nothing disables them, ends their sessions or changes their roles.
WORKING_ACCOUNTS = {USERS[user["username"]] for user in (USER, OTHER, GUESSER)}

PATHS = {"/customers/": "/customers", "/products/": "/products", "/orders/": "/orders"}
PATH_NAMES = ("id", "productId", "orderId")


def name_record_in_path(case) -> None:
    if "/service-accounts/{id}" in case.operation.path:
        case.path_parameters["id"] = SERVICE_ACCOUNT
    collection = next((name for part, name in PATHS.items() if f"/api/v1{part}{{" in case.operation.path), None)
    for name in PATH_NAMES:
        if collection and name in case.path_parameters and chance.random() < 0.8:
            case.path_parameters[name] = records.one_of(collection)


def order_times(query: dict) -> None:
    """A pattern knows neither which days a month has nor which of two times comes first, wherever their clocks stand."""
    end = "until" if "until" in query else "to"
    for name in query.keys() & {"from", end}:
        day = re.sub(r"^(\d{4}-\d\d)-(?:29|3\d)", r"\1-28", query[name])
        query[name] = re.sub(r"[+-]\d\d:?\d\d$", "Z", day) if len(day) > 10 else day
    if query.get("from", "")[:10] >= query.get(end, "~")[:10]:
        query["from"] = query[end][:10]


def is_positive(case) -> bool:
    return all(component.mode.is_positive for component in case.meta.components.values())


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.operation.path.endswith("/auth/login") and isinstance(case.body, dict):
        # Wrong passwords lock an account: not the administrator's.
        if case.body.get("username") == USER["username"]:
            case.body = {**case.body, "username": "sam@acme.test"}
    if is_positive(case):
        name_what_there_is(case)
    if case.method.upper() != "GET":
        records.forget()
    if "/users/{userId}" in case.operation.path and case.path_parameters.get("userId") in WORKING_ACCOUNTS:
        case.path_parameters["userId"] = USERS["sam@acme.test"]


def name_what_there_is(case) -> None:
    if case.path_parameters:
        name_record_in_path(case)
    if case.query:
        order_times(case.query)
        # A cursor comes only from a response.
        case.query.pop("after", None)
    if case.operation.path.endswith("/check-duplicate") and not case.query:
        # OpenAPI has no way to say that one of two parameters is needed.
        case.query = {"phone": "+49 30 1"}
    if case.query and isinstance(case.query.get("role"), str):
        case.query["role"] = chance.choice(ROLES)
    if isinstance(case.body, (dict, list)):
        case.body = name_records(case.body, "acme")
    if isinstance(case.body, dict):
        name_roles(case.body)
        if case.operation.path.endswith("/users"):
            choose_password(case.body)
        if "/webhooks" in case.operation.path:
            name_receiver(case.body)
        if case.operation.path.endswith("/policy"):
            tighten(case.body)
    if case.operation.path.endswith("/upload-image") and isinstance(case.body, dict) and "productId" in case.body:
        case.body["productId"] = records.one_of("/products")
    if case.method.upper() == "PUT" and "/files/staging/" in case.operation.path:
        case.media_type = "application/octet-stream"
        case.body = case.body if isinstance(case.body, bytes) else json.dumps(case.body).encode()
        file = staged_file(len(case.body))
        case.path_parameters = {"date": file["date"], "uuid": file["uuid"]}
    header = next((name for name in case.headers or {} if name.lower() == "content-digest"), None)
    if header:
        # Of the bytes that are sent, or none: a form's are not known yet.
        digest = base64.b64encode(hashlib.sha256(case.body).digest()).decode() if isinstance(case.body, bytes) else None
        case.headers[header] = f"sha-256=:{digest}:"
        if digest is None:
            del case.headers[header]
