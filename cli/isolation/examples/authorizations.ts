// Examples of authorization requests, of their tokens and of grants.
import {
  AuthorizationDecision,
  AuthorizationServiceService,
} from '../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import { RefreshTokenTransport } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import { examplesOf } from '../example.ts';
import { disclosed, hidden, unserved, WHOLE_PAGE } from '../probe-case.ts';
import type { Records } from '../records.ts';
import { TOKEN } from './values.ts';

const COOKIE = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE;
const BY_CLIENT = "takes a client's id and its secret";
const ofRequest = ({ authorizationRequest }: Records) => ({ requestId: authorizationRequest });
const deny = (records: Records) => ({
  ...ofRequest(records),
  decision: AuthorizationDecision.AUTHORIZATION_DECISION_DENY,
});
const allow = (records: Records) => ({
  ...ofRequest(records),
  decision: AuthorizationDecision.AUTHORIZATION_DECISION_ALLOW,
});
const confirmLogout = (records: Records) => ({
  ...ofRequest(records),
  refreshTokens: [TOKEN],
  refreshTokenTransport: COOKIE,
});
const ofDevice = ({ deviceUserCode }: Records) => ({ userCode: deviceUserCode });
const denyDevice = (records: Records) => ({
  ...ofDevice(records),
  decision: AuthorizationDecision.AUTHORIZATION_DECISION_DENY,
});
const ofUser = ({ administrator }: Records) => ({ userId: administrator });
const ofGrant = ({ grant }: Records) => ({ grantId: grant });

export const AUTHORIZATIONS = examplesOf(AuthorizationServiceService, {
  authorize: {
    request: () => ({ parameters: 'response_type=code', refreshTokens: [TOKEN] }),
    notApplicable: "takes the refresh tokens of the caller's own browser",
  },
  storeAuthorizationRequest: {
    request: () => ({ parameters: 'response_type=code' }),
    notApplicable: 'stores a request without reading any record',
  },
  pushAuthorizationRequest: {
    request: ({ clientId, clientSecret }) => ({
      parameters: new URLSearchParams({ client_id: clientId, client_secret: clientSecret }).toString(),
    }),
    notApplicable: BY_CLIENT,
  },
  getAuthorizationRequest: { request: ofRequest, probes: [disclosed(ofRequest)] },
  continueAuthorization: { request: deny, probes: [unserved(allow)] },
  exchangeToken: {
    request: ({ clientId, clientSecret }) => ({ grantType: 'client_credentials', clientId, clientSecret }),
    notApplicable: BY_CLIENT,
  },
  endSession: {
    request: () => ({ parameters: '', refreshTokens: [TOKEN], refreshTokenTransport: COOKIE }),
    notApplicable: "takes the refresh tokens of the caller's own browser",
  },
  storeLogoutRequest: {
    request: () => ({ parameters: 'state=s' }),
    notApplicable: 'stores a request without reading any record',
  },
  // The request of a login, which is not one of a logout.
  confirmLogout: { request: confirmLogout, probes: [hidden(confirmLogout)] },
  getUserInfo: { request: ({ token }) => ({ accessTokens: [token] }), notApplicable: 'takes an access token' },
  listMyGrants: () => WHOLE_PAGE,
  revokeMyGrant: ofGrant,
  listUserGrants: ofUser,
  revokeUserGrant: (records) => ({ ...ofUser(records), ...ofGrant(records) }),
  authorizeDevice: {
    request: ({ clientId, clientSecret }) => ({ clientId, clientSecret }),
    notApplicable: BY_CLIENT,
  },
  getDeviceRequest: { request: ofDevice, probes: [disclosed(ofDevice)] },
  decideDeviceRequest: { request: denyDevice, probes: [unserved(denyDevice)] },
});
