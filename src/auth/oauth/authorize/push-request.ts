// Requests that are stored before a browser brings them: by their client (RFC 9126), or by a browser's POST.
import type {
  PushAuthorizationRequestRequest,
  PushAuthorizationRequestResponse,
  StoreAuthorizationRequestRequest,
  StoreAuthorizationRequestResponse,
  StoreLogoutRequestRequest,
  StoreLogoutRequestResponse,
} from '../../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { networkOf } from '../../../platform/formats/network.ts';
import type { Call } from '../../access/principal.ts';
import type { AuthenticateApplication } from '../tokens/client-authentication.ts';
import { POSTED, REQUEST_URI_PREFIX, type RequestValidator } from './validate-request.ts';
import { createParameters, formatParameters, parseParameters, withoutParameters } from './parameters.ts';
import { newRequestId, REQUEST_LIFETIME_MS, type RequestKind, type RequestStore } from './request-store.ts';
import { tooManyRequests } from './authorize.ts';

export interface PushRequestDependencies {
  readonly requests: Pick<RequestStore, 'insert'>;
  readonly validator: RequestValidator;
  readonly authenticateApplication: AuthenticateApplication;
  readonly clock: Clock;
}

/** The parameters of client authentication, which are not part of the request. */
const OF_CLIENT: readonly string[] = ['client_secret', 'client_assertion', 'client_assertion_type'];

const NO_APPLICATION = { tenantId: undefined, id: '00000000-0000-0000-0000-000000000000' };

/** AuthorizationService: the RPCs that store a request. */
export function pushHandlers(options: PushRequestDependencies) {
  const { requests, validator, authenticateApplication, clock } = options;

  async function store(
    kind: RequestKind,
    parameters: string,
    application: { readonly tenantId: string | undefined; readonly id: string },
    call: Call,
  ): Promise<string> {
    const { text, hash } = newRequestId();
    const requestedAt = clock();
    const request = {
      hash,
      kind,
      applicationTenant: application.tenantId,
      applicationId: application.id,
      pushedHash: undefined,
      parameters,
      network: networkOf(call.clientAddress),
      requestedAt,
      expiresAt: requestedAt + REQUEST_LIFETIME_MS[kind],
    };
    if (!(await requests.insert(request, call.deadline))) throw tooManyRequests();
    return text;
  }

  const storePosted = async ({ parameters }: { readonly parameters: string }, call: Call) => ({
    parameters: formatParameters([[POSTED, await store('POSTED', parameters, NO_APPLICATION, call)]]),
  });

  return {
    async pushAuthorizationRequest(
      { parameters: text, basic }: PushAuthorizationRequestRequest,
      call: Call,
    ): Promise<PushAuthorizationRequestResponse> {
      const parameters = createParameters(parseParameters(text));
      if (parameters.malformed.length > 0)
        throw new ServiceError('INVALID_REQUEST', { detail: 'a parameter is malformed' });
      if (parameters.doubled.some((name) => name === 'client_id' || OF_CLIENT.includes(name)))
        throw new ServiceError('INVALID_REQUEST', { detail: 'a parameter was sent twice' });
      const application = await authenticateApplication(
        {
          clientId: parameters.get('client_id'),
          clientSecret: parameters.get('client_secret'),
          clientAssertion: parameters.get('client_assertion'),
          clientAssertionType: parameters.get('client_assertion_type'),
          basic,
        },
        call,
        { endpoint: 'par' },
      );
      const own = withoutParameters(text, ['client_id', ...OF_CLIENT]);
      const stored = `${own}&${formatParameters([['client_id', application.clientId]])}`;
      const { decision } = await validator.ofPushed(stored);
      if (decision.kind === 'page')
        throw new ServiceError('INVALID_REQUEST', { detail: 'redirect_uri is not one of the application' });
      if (decision.kind === 'error') throw new ServiceError(decision.error, { detail: decision.description });
      const id = await store('PUSHED', stored, application, call);
      return { requestUri: REQUEST_URI_PREFIX + id, expiresIn: REQUEST_LIFETIME_MS.PUSHED / 1000 };
    },

    storeAuthorizationRequest: (
      request: StoreAuthorizationRequestRequest,
      call: Call,
    ): Promise<StoreAuthorizationRequestResponse> => storePosted(request, call),

    storeLogoutRequest: (request: StoreLogoutRequestRequest, call: Call): Promise<StoreLogoutRequestResponse> =>
      storePosted(request, call),
  };
}
