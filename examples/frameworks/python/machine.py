"""A machine client that finds the endpoints of the auth service by its issuer alone."""

# snippet:start machine

import os

import requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.discovery import OpenIDProviderMetadata, get_well_known_url


def machine_client(issuer: str, client_id: str, client_secret: str) -> OAuth2Session:
    response = requests.get(get_well_known_url(issuer, external=True), timeout=5)
    response.raise_for_status()
    metadata = OpenIDProviderMetadata(response.json())
    metadata.validate()
    if metadata["issuer"] != issuer:
        raise ValueError(f"the metadata is of another issuer: {metadata['issuer']}")
    # `post`, because Authlib does not encode the client id for Basic.
    return OAuth2Session(
        client_id,
        client_secret,
        token_endpoint=metadata["token_endpoint"],
        token_endpoint_auth_method="client_secret_post",
        grant_type="client_credentials",
        default_timeout=5,
        # Gets the next token this many seconds before the old one expires.
        leeway=30,
    )


# snippet:end

if __name__ == "__main__":
    issuer = os.environ["AUTH_ISSUER"]
    with machine_client(issuer, os.environ["AUTH_CLIENT_ID"], os.environ["AUTH_CLIENT_SECRET"]) as client:
        client.fetch_token()
        print(client.get(f"{issuer}/api/v1/auth/me").json()["username"])
