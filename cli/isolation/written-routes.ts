// The routes that no proto declares, because the gateway serves them in a way of its own. Each one calls one RPC.
const IDENTITY = 'authservice.identity.v1';
const SESSION = 'authservice.session.v1.SessionService';
const CLIENTS = 'authservice.clientcredentials.v1.ClientCredentialsService';
const OAUTH = 'authservice.oauth.v1.AuthorizationService';
const FILES = 'authservice.business.v1.FileService';

/** RPCs by method and path. `GET /auth/me` is below `/api/v1`, `GET /health/live` is at the root, and calls none. */
export const WRITTEN_ROUTES: Readonly<Record<string, string | undefined>> = {
  'GET /auth/options': `${SESSION}/GetLoginOptions`,
  'POST /auth/login': `${SESSION}/Login`,
  'POST /auth/second-factor': `${SESSION}/CompleteLogin`,
  'POST /auth/password-change': `${SESSION}/ChangeTemporaryPassword`,
  'POST /auth/second-factor/enrolment': `${SESSION}/StartEnrolment`,
  'POST /auth/second-factor/passkey-options': `${SESSION}/CreateSecondFactorPasskeyOptions`,
  'POST /auth/passkey/options': `${SESSION}/CreatePasskeyLoginOptions`,
  'POST /auth/passkey': `${SESSION}/LoginWithPasskey`,
  'POST /auth/refresh': `${SESSION}/Refresh`,
  'POST /auth/recovery': `${IDENTITY}.RecoveryService/RequestRecovery`,
  'POST /auth/recovery/confirm': `${IDENTITY}.RecoveryService/ConfirmRecovery`,
  'POST /auth/email/confirm': `${IDENTITY}.EmailService/ConfirmEmail`,
  'POST /auth/email/stop': `${IDENTITY}.EmailService/StopEmailChange`,
  'POST /auth/invitation/confirm': `${IDENTITY}.InvitationService/ConfirmInvitation`,
  'GET /auth/me': `${IDENTITY}.IdentityService/GetMe`,
  'GET /auth/verify': `${IDENTITY}.IdentityService/VerifyAccess`,
  'GET /auth/revocations': `${SESSION}/StreamRevocations`,
  'POST /auth/logout': `${SESSION}/Logout`,
  'POST /auth/token': `${CLIENTS}/IssueToken`,
  'POST /auth/revoke': `${CLIENTS}/RevokeToken`,
  'GET /.well-known/oauth-authorization-server': `${SESSION}/GetAuthorizationServerMetadata`,
  'GET /.well-known/openid-configuration': `${SESSION}/GetAuthorizationServerMetadata`,
  'GET /.well-known/jwks.json': 'authservice.key.v1.KeyService/GetJsonWebKeySet',
  'POST /auth/introspect': `${CLIENTS}/IntrospectToken`,
  'GET /auth/oauth2/authorize': `${OAUTH}/Authorize`,
  'POST /auth/oauth2/authorize': `${OAUTH}/StoreAuthorizationRequest`,
  'POST /auth/oauth2/par': `${OAUTH}/PushAuthorizationRequest`,
  'POST /auth/oauth2/token': `${OAUTH}/ExchangeToken`,
  'GET /auth/oauth2/userinfo': `${OAUTH}/GetUserInfo`,
  'POST /auth/oauth2/userinfo': `${OAUTH}/GetUserInfo`,
  'GET /audit-records/stream': 'authservice.audit.v1.AuditService/StreamAuditRecords',
  'POST /staging/files/prepare': `${FILES}/PrepareFile`,
  'PUT /files/staging/{date}/{uuid}': `${FILES}/UploadFile`,
  'GET /files/staging/{date}/{uuid}': `${FILES}/DownloadFile`,
  'DELETE /files/staging/{date}/{uuid}': `${FILES}/DeleteFile`,
  'POST /products/upload-image': `${FILES}/UploadProductImage`,
  'GET /products/{productId}/images/{index}': `${FILES}/DownloadProductImage`,
  'GET /orders/{orderId}/production-photos/{index}': `${FILES}/DownloadOrderPhoto`,
  'GET /orders/{orderId}/delivery-photos/{index}': `${FILES}/DownloadOrderPhoto`,
  'GET /health/live': undefined,
  'GET /health/ready': 'grpc.health.v1.Health/Check',
};
