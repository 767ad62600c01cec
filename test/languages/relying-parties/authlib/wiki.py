"""A web application whose users log in. It knows the issuer, its client id and its secret."""

import os
import secrets

from authlib.integrations.flask_client import OAuth
from authlib.integrations.requests_client import OAuth2Session
from flask import Flask, session, url_for
from werkzeug.serving import make_server

app = Flask(__name__)
app.secret_key = secrets.token_hex()
auth = OAuth(app).register(
    "auth",
    client_id=os.environ["AUTH_CLIENT_ID"],
    client_secret=os.environ["AUTH_CLIENT_SECRET"],
    server_metadata_url=f"{os.environ['AUTH_ISSUER']}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile email", "code_challenge_method": "S256"},
)
# Too large for a cookie.
tokens = {}


def client() -> OAuth2Session:
    return OAuth2Session(auth.client_id, auth.client_secret, token=tokens[session["id"]])


def endpoint(name: str) -> str:
    return auth.load_server_metadata()[f"{name}_endpoint"]


@app.get("/login")
def login():
    return auth.authorize_redirect(url_for("callback", _external=True))


@app.get("/callback")
def callback():
    token = auth.authorize_access_token()
    session["id"] = secrets.token_hex()
    tokens[session["id"]] = token
    return token


@app.get("/userinfo")
def userinfo():
    return auth.userinfo(token=tokens[session["id"]])


@app.get("/refresh")
def refresh():
    token = client().refresh_token(endpoint("token"))
    tokens[session["id"]] = token
    return {**token, "userinfo": auth.parse_id_token(token, nonce=None)}


@app.get("/introspect/<kind>")
def introspect(kind: str):
    token = tokens[session["id"]][kind]
    return client().introspect_token(endpoint("introspection"), token=token, token_type_hint=kind).json()


@app.get("/revoke")
def revoke():
    token = tokens[session["id"]]["refresh_token"]
    response = client().revoke_token(endpoint("revocation"), token=token, token_type_hint="refresh_token")
    return {"status": response.status_code}


if __name__ == "__main__":
    server = make_server("localhost", int(os.environ["PORT"]), app)
    print(f"listening on http://localhost:{server.port}", flush=True)
    server.serve_forever()
