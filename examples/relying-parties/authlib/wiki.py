"""A web application whose users log in. It knows the issuer, its client id and its secret."""

import os
import secrets

from authlib.integrations.flask_client import OAuth
from authlib.integrations.requests_client import OAuth2Session
from flask import Flask, abort, redirect, request, session, url_for
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from werkzeug.serving import make_server

# snippet:start connect
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


@app.get("/login")
def login():
    return auth.authorize_redirect(url_for("callback", _external=True))


@app.get("/callback")
def callback():
    token = auth.authorize_access_token()
    session["id"] = secrets.token_hex()
    tokens[session["id"]] = token
    return token


@app.get("/logout")
def logout():
    token = tokens.pop(session.pop("id", ""), None)
    if token is None:
        return redirect("/")
    return auth.logout_redirect(url_for("home", _external=True), id_token_hint=token["id_token"])


@app.post("/backchannel-logout")
def backchannel_logout():
    try:
        keys = KeySet.import_key_set(auth.fetch_jwk_set(force=True))
        claims = jwt.decode(request.form["logout_token"], keys, algorithms=["RS256", "ES256"]).claims
        jwt.JWTClaimsRegistry(
            iss={"essential": True, "value": auth.load_server_metadata()["issuer"]},
            aud={"essential": True, "value": auth.client_id},
            exp={"essential": True},
            events={"essential": True},
        ).validate(claims)
    except JoseError:
        abort(400)
    for key, token in list(tokens.items()):
        if token["userinfo"]["sid"] == claims["sid"]:
            del tokens[key]
    return ""


# snippet:end


def current() -> dict:
    return tokens.get(session.get("id")) or abort(401)


def client() -> OAuth2Session:
    return OAuth2Session(auth.client_id, auth.client_secret, token=current())


def endpoint(name: str) -> str:
    return auth.load_server_metadata()[f"{name}_endpoint"]


@app.get("/")
def home():
    return "Wiki"


@app.get("/claims")
def claims():
    return current()["userinfo"]


@app.get("/userinfo")
def userinfo():
    return auth.userinfo(token=current())


@app.get("/refresh")
def refresh():
    token = client().refresh_token(endpoint("token"))
    token["userinfo"] = auth.parse_id_token(token, nonce=None)
    tokens[session["id"]] = token
    return token


@app.get("/introspect/<kind>")
def introspect(kind: str):
    return client().introspect_token(endpoint("introspection"), token=current()[kind], token_type_hint=kind).json()


@app.get("/revoke")
def revoke():
    token = current()["refresh_token"]
    response = client().revoke_token(endpoint("revocation"), token=token, token_type_hint="refresh_token")
    return {"status": response.status_code}


if __name__ == "__main__":
    server = make_server("localhost", int(os.environ["PORT"]), app)
    print(f"listening on http://localhost:{server.port}", flush=True)
    server.serve_forever()
