// Authorization requests of a fake service, for the screens that depend on its answers alone. The logins are those of the real one.
import type { BrowserContext, Route } from 'playwright-core';
import type { GetAuthorizationRequestResponse } from '../../../client/src/operations.ts';

export type Decision = 'ALLOW' | 'DENY' | undefined;

/** An answer to a continuation: the body, none because the network fails, or the status of a refusal. */
export type Answer = object | 'lost' | 400 | 401 | 403 | 404;

export interface FakeRequest extends Partial<Omit<GetAuthorizationRequestResponse, 'application'>> {
  readonly application?: Partial<GetAuthorizationRequestResponse['application']>;
  /** Decides how the request goes on. By default it gets a code at once. */
  readonly answer?: (decision: Decision, accountId: string) => Answer;
}

export interface FakeAuthorization {
  /** Opens a request. A request ends with its redirect. */
  open(id: string, request?: FakeRequest): void;
  /** Ends a request without an answer. */
  expire(id: string): void;
  /** The continuations that came. */
  readonly continued: { readonly id: string; readonly decision: Decision; readonly accountId: string }[];
}

const REASONS = {
  400: 'validation-error',
  401: 'unauthorized',
  403: 'permission-denied',
  404: 'not-found',
} as const;

/** Returns where a request leads with a code. It is on the origin of the service, since a page of the tests loads nothing else. */
export const redirectOf = (origin: string, id: string): string => `${origin}/health/live?code=${id}`;

/** Answers the requests of a browser for authorization requests. */
export async function fakeAuthorization(context: BrowserContext, origin: string): Promise<FakeAuthorization> {
  const requests = new Map<string, FakeRequest>();
  const continued: FakeAuthorization['continued'] = [];

  function answer(id: string, route: Route): Answer {
    const request = requests.get(id);
    if (!request) return 404;
    if (route.request().method() === 'GET') return describe(request);
    const { decision } = route.request().postDataJSON() as { decision?: Decision };
    const accountId = accountOf(route);
    continued.push({ id, decision, accountId });
    const given = request.answer?.(decision, accountId) ?? { redirectTo: redirectOf(origin, id) };
    if (typeof given === 'object' && 'redirectTo' in given) requests.delete(id);
    return given;
  }

  await context.route('**/api/v1/auth/oauth2/requests/*', async (route) => {
    const given = answer(new URL(route.request().url()).pathname.split('/').at(-1)!, route);
    if (given === 'lost') return route.abort();
    if (typeof given === 'object') return route.fulfill({ json: given });
    const errorCode = REASONS[given];
    const problem = {
      type: `urn:service:error:${errorCode}`,
      status: given,
      errorCode,
      title: 'Title',
      detail: 'Detail',
    };
    return route.fulfill({ status: given, json: problem });
  });
  return {
    open: (id, request = {}) => void requests.set(id, request),
    expire: (id) => void requests.delete(id),
    continued,
  };
}

function describe({ application, prompt = [], scopes = ['openid'], loginHint, uiLocales }: FakeRequest) {
  return { application: { name: 'Grafana', firstParty: false, ...application }, prompt, scopes, loginHint, uiLocales };
}

/** The account of the access token of a continuation. */
function accountOf(route: Route): string {
  const [, payload = ''] = (route.request().headers()['authorization'] ?? '').split('.');
  return (JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}') as { readonly sub?: string }).sub ?? '';
}
