// Reads an authorization request and validates it: where its parameters come from, for which application, and whether it is valid.
import type { Clock } from '../../../platform/clock.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';
import { decideRequest, type IdTokenHint, type RequestDecision } from './decide-request.ts';
import { createParameters, parseParameters, type Parameters } from './parameters.ts';
import type { RequestStore, StoredRequest } from './request-store.ts';

export const REQUEST_URI_PREFIX = 'urn:ietf:params:oauth:request_uri:';
/** The parameter by which a browser comes back with a request that it has sent by POST. */
export const POSTED = 'posted';

/** Reads an ID token that this service has issued. It may have expired. Returns undefined for any other text. */
export type ReadIdTokenHint = (token: string) => Promise<{ readonly sub: string; readonly aud: string } | undefined>;

export interface RequestValidatorDependencies {
  readonly requests: Pick<RequestStore, 'findOpen'>;
  /** Finds an application that is served. */
  readonly findByClientId: (clientId: string) => Promise<ClientApplication | undefined>;
  readonly readHint: ReadIdTokenHint;
  readonly clock: Clock;
}

/** A request with its application, and the stored request that it was taken from. */
export interface ValidatedRequest {
  readonly decision: RequestDecision;
  readonly application: ClientApplication | undefined;
  /** As they are to be stored. */
  readonly parameters: string;
  readonly pushed: StoredRequest | undefined;
}

export type RequestValidator = ReturnType<typeof createRequestValidator>;

export function createRequestValidator({ requests, findByClientId, readHint, clock }: RequestValidatorDependencies) {
  const unreadable = (parameters: string): ValidatedRequest => ({
    decision: { kind: 'page', unknown: 'reference' },
    application: undefined,
    parameters,
    pushed: undefined,
  });

  async function validate(
    text: string,
    pushed: StoredRequest | undefined,
    isPushed = pushed !== undefined,
  ): Promise<ValidatedRequest> {
    const parameters = createParameters(parseParameters(text));
    const clientId = parameters.get('client_id');
    const application = clientId === undefined ? undefined : await findByClientId(clientId);
    if (pushed && application?.id !== pushed.applicationId) return unreadable(text);
    const hint = application && (await hintOf(parameters, application));
    return {
      decision: decideRequest({ parameters, application, isPushed, hint }),
      application,
      parameters: text,
      pushed,
    };
  }

  async function hintOf(
    parameters: Parameters,
    { clientId }: ClientApplication,
  ): Promise<IdTokenHint | null | undefined> {
    const token = parameters.get('id_token_hint');
    if (token === undefined) return undefined;
    const hint = await readHint(token);
    return hint?.aud === clientId ? { sub: hint.sub } : null;
  }

  /** Validates the parameters that a browser has brought: the request itself, or a reference to a pushed one. */
  async function validateBrought(text: string, parameters: Parameters): Promise<ValidatedRequest> {
    const uri = parameters.get('request_uri');
    if (uri === undefined || !uri.startsWith(REQUEST_URI_PREFIX) || parameters.isDoubled('request_uri'))
      return validate(text, undefined);
    const stored = await requests.findOpen(uri.slice(REQUEST_URI_PREFIX.length), clock());
    if (stored?.kind !== 'PUSHED' || parameters.isDoubled('client_id')) return unreadable(text);
    const validated = await validate(stored.parameters, stored);
    return validated.application?.clientId === parameters.get('client_id') ? validated : unreadable(text);
  }

  return {
    /** Validates the query of a browser. It can refer to a request that the browser has sent by POST. */
    async ofQuery(text: string): Promise<ValidatedRequest> {
      const parameters = createParameters(parseParameters(text));
      const posted = parameters.get(POSTED);
      // Beside a client id, it is an unknown parameter.
      if (posted === undefined || parameters.get('client_id') !== undefined) return validateBrought(text, parameters);
      const stored = await requests.findOpen(posted, clock());
      if (stored?.kind !== 'POSTED') return unreadable(text);
      return validateBrought(stored.parameters, createParameters(parseParameters(stored.parameters)));
    },

    /** Validates the request of an authenticated client. */
    ofPushed: (text: string): Promise<ValidatedRequest> => validate(text, undefined, true),

    /** Validates a request of the page again: its application may have changed. */
    ofStored: (stored: StoredRequest): Promise<ValidatedRequest> =>
      validate(stored.parameters, stored, stored.pushedHash !== undefined),
  };
}
