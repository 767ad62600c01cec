import type {
  IssueTokenRequest,
  IssueTokenResponse,
} from '../../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import type {
  ExchangeTokenRequest,
  ExchangeTokenResponse,
} from '../../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Call } from '../../access/principal.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';
import type { AuthenticateApplication } from './client-authentication.ts';

type Exchange<Parameter extends 'code' | 'refreshToken' | 'deviceCode'> = (
  request: ExchangeTokenRequest & Readonly<Record<Parameter, string>>,
  application: ClientApplication,
  call: Call,
) => Promise<ExchangeTokenResponse>;

export interface ExchangeTokenDependencies {
  readonly authenticateApplication: AuthenticateApplication;
  readonly exchangeCode: Exchange<'code'>;
  readonly refreshGrant: Exchange<'refreshToken'>;
  readonly pollDevice: Exchange<'deviceCode'>;
  /** Whether a client id is that of an application. */
  readonly isApplication: (clientId: string) => Promise<boolean>;
  /** The grant of service accounts. */
  readonly issueToken: (request: IssueTokenRequest, call: Call) => Promise<IssueTokenResponse>;
  /** Counts a refused code, device code or refresh token of a client. Rejects with TOO_MANY_REQUESTS. */
  readonly countRefusal: (clientId: string, call: Call) => Promise<void>;
  /** Counts a request; with an error, if no tokens were issued. */
  readonly count: (grantType: GrantType, error?: unknown) => void;
}

export type GrantType = 'authorization_code' | 'refresh_token' | 'client_credentials' | typeof DEVICE_CODE;

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';

/** AuthorizationService.ExchangeToken (OAuth 2.1 section 3.2). */
export function createExchangeToken(options: ExchangeTokenDependencies) {
  const { authenticateApplication, exchangeCode, refreshGrant, pollDevice, isApplication, issueToken } = options;
  const { countRefusal, count } = options;

  /** Runs a grant of an application whose client has authenticated. */
  async function ofApplication(
    request: ExchangeTokenRequest,
    call: Call,
    exchange: (application: ClientApplication) => Promise<ExchangeTokenResponse>,
  ): Promise<ExchangeTokenResponse> {
    const application = await authenticateApplication(request, call, { endpoint: 'token' });
    try {
      return await exchange(application);
    } catch (error) {
      if (error instanceof ServiceError && error.reason === 'INVALID_GRANT')
        await countRefusal(application.clientId, call);
      throw error;
    }
  }

  const grants: Readonly<
    Record<GrantType, (request: ExchangeTokenRequest, call: Call) => Promise<ExchangeTokenResponse>>
  > = {
    authorization_code: (request, call) =>
      ofApplication(request, call, (application) => {
        const { code } = request;
        if (!code) throw new ServiceError('INVALID_REQUEST', { detail: 'code is missing' });
        return exchangeCode({ ...request, code }, application, call);
      }),
    refresh_token: (request, call) =>
      ofApplication(request, call, (application) => {
        const { refreshToken } = request;
        if (!refreshToken) throw new ServiceError('INVALID_REQUEST', { detail: 'refresh_token is missing' });
        return refreshGrant({ ...request, refreshToken }, application, call);
      }),
    [DEVICE_CODE]: (request, call) =>
      ofApplication(request, call, (application) => {
        const { deviceCode } = request;
        if (!deviceCode) throw new ServiceError('INVALID_REQUEST', { detail: 'device_code is missing' });
        return pollDevice({ ...request, deviceCode }, application, call);
      }),
    async client_credentials(request, call) {
      const clientId = request.basic?.clientId || request.clientId;
      if (!request.clientAssertion && !(clientId && (await isApplication(clientId)))) return issueToken(request, call);
      await authenticateApplication(request, call, { endpoint: 'token' });
      throw new ServiceError('UNAUTHORIZED_CLIENT', { detail: 'an application has no grant of its own' });
    },
  };

  return async (request: ExchangeTokenRequest, call: Call): Promise<ExchangeTokenResponse> => {
    const { grantType } = request;
    if (!grantType) throw new ServiceError('INVALID_REQUEST', { detail: 'grant_type is missing' });
    if (!Object.hasOwn(grants, grantType))
      throw new ServiceError('UNSUPPORTED_GRANT_TYPE', {
        detail: `grant_type must be authorization_code, refresh_token, client_credentials or ${DEVICE_CODE}`,
      });
    const type = grantType as GrantType;
    try {
      const response = await grants[type](request, call);
      count(type);
      return response;
    } catch (error) {
      count(type, error);
      throw error;
    }
  };
}
