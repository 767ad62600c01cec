"""A web application with Django whose users log in. It knows the issuer, its client id and its secret."""

import os
import secrets
from urllib.parse import urlencode

import django
import requests
from django.conf import settings

# snippet:start settings
ISSUER = os.environ["AUTH_ISSUER"]
METADATA = requests.get(f"{ISSUER}/.well-known/openid-configuration", timeout=10).json()

OIDC = {
    "OIDC_RP_CLIENT_ID": os.environ["AUTH_CLIENT_ID"],
    "OIDC_RP_CLIENT_SECRET": os.environ["AUTH_CLIENT_SECRET"],
    "OIDC_RP_SIGN_ALGO": "RS256",
    "OIDC_RP_SCOPES": "openid profile email groups",
    "OIDC_USE_PKCE": True,
    "OIDC_OP_AUTHORIZATION_ENDPOINT": METADATA["authorization_endpoint"],
    "OIDC_OP_TOKEN_ENDPOINT": METADATA["token_endpoint"],
    "OIDC_OP_USER_ENDPOINT": METADATA["userinfo_endpoint"],
    "OIDC_OP_JWKS_ENDPOINT": METADATA["jwks_uri"],
    # Keeps the ID token for the logout.
    "OIDC_STORE_ID_TOKEN": True,
    "OIDC_OP_LOGOUT_URL_METHOD": "wiki.provider_logout",
    # With the middleware SessionRefresh: asks again, without a page, whether the session of the provider is open.
    "OIDC_RENEW_ID_TOKEN_EXPIRY_SECONDS": int(os.environ.get("RENEW_AFTER_SECONDS", "600")),
    "LOGIN_REDIRECT_URL": "/",
    "LOGOUT_REDIRECT_URL": "/goodbye",
}


def provider_logout(request):
    """Returns where the browser goes to end its session at the provider."""
    hint = request.session["oidc_id_token"]
    parameters = {"id_token_hint": hint, "post_logout_redirect_uri": request.build_absolute_uri("/goodbye")}
    return f"{METADATA['end_session_endpoint']}?{urlencode(parameters)}"


# snippet:end

settings.configure(
    SECRET_KEY=secrets.token_hex(),
    ALLOWED_HOSTS=["localhost"],
    ROOT_URLCONF="wiki",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "wiki.db"}},
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "mozilla_django_oidc",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "mozilla_django_oidc.middleware.SessionRefresh",
    ],
    AUTHENTICATION_BACKENDS=["wiki.BySubject"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}],
    USE_TZ=True,
    **OIDC,
)
django.setup()

from django.http import HttpResponse, JsonResponse  # noqa: E402
from django.middleware.csrf import get_token  # noqa: E402
from django.urls import include, path  # noqa: E402
from mozilla_django_oidc.auth import OIDCAuthenticationBackend  # noqa: E402


# snippet:start backend
class BySubject(OIDCAuthenticationBackend):
    """Finds users by `sub`, which never changes. The default finds them by their address."""

    def filter_users_by_claims(self, claims):
        return self.UserModel.objects.filter(username=claims["sub"])

    def create_user(self, claims):
        return self.update_user(self.UserModel(username=claims["sub"]), claims)

    def update_user(self, user, claims):
        user.email, user.first_name = claims.get("email", ""), claims.get("name", "")
        user.save()
        return user


# snippet:end


def home(request):
    if not request.user.is_authenticated:
        return HttpResponse("Wiki")
    token = get_token(request)
    form = '<form method="post" action="/oidc/logout/"><input type="hidden" name="csrfmiddlewaretoken" value="%s">'
    return HttpResponse(form % token + "<button>Leave</button></form>")


def claims(request):
    """Who is logged in, for the test."""
    user = request.user
    if not user.is_authenticated:
        return JsonResponse({}, status=401)
    return JsonResponse({"sub": user.username, "email": user.email, "name": user.first_name})


def renewed(request):
    """Shows that the ID token is another one, for the test."""
    return JsonResponse({"token": request.session.get("oidc_id_token", "")[-40:]})


urlpatterns = [
    path("oidc/", include("mozilla_django_oidc.urls")),
    path("claims", claims),
    path("renewed", renewed),
    path("goodbye", lambda request: HttpResponse("You are logged out.")),
    path("", home),
]

