// Every operation of REST with every status of its responses. Those of declared routes, and most of the written ones, follow from the
// protos, so a new route needs no line here.
import { routeName } from '../../cli/isolation/declared-routes.ts';
import { accessRuleOf } from '../../cli/isolation/derive-cases.ts';
import { WRITTEN_ROUTES } from '../../cli/isolation/written-routes.ts';
import { Credential } from '../../proto/gen/authservice/access/v1/access.ts';
import { Reason } from '../../proto/gen/authservice/error/v1/reason.ts';
import { Caching } from '../../proto/gen/authservice/rest/v1/rest.ts';
import { CATALOGUE, type FailureName } from '../../src/platform/problem/catalogue.ts';
import { IS_SHOP_SERVED, SHOP_PACKAGE } from './shop-served.ts';
import { ownDescriptors, type DescMethod, type HttpRule } from '../../src/platform/rpc/contract/descriptors.ts';

const ANYWHERE = ['400', '408', '431', '500', '501'];
const WITH_BODY = ['413', '415'];
// All that is tenant data: a credential and its permission are asked for.
const WITH_CREDENTIAL = ['401', '403'];
// The core may be away.
const OF_RPC = ['503'];

/** What does not follow for a written route. */
interface Deviation {
  readonly success?: string;
  readonly more?: readonly string[];
  readonly except?: readonly string[];
}

const DONE: Deviation = { success: '204' };
const CREATED: Deviation = { success: '201' };
// Parts of a file, and a file that the client has.
const CONTENT: Deviation = { more: ['206', '304'] };
// The body is a form or JSON. An unknown one is an error of OAuth (RFC 6749 section 5.2).
const OF_OAUTH: Deviation = { except: ['415'] };

// A redirect, or a page. A query that is too long has a status of its own.
const OF_BROWSER: Deviation = { success: '303', more: ['414'], except: ['431'] };

const DEVIATIONS: Readonly<Record<string, Deviation>> = {
  'GET /auth/me': { except: ['403'] },
  'POST /auth/token': OF_OAUTH,
  'POST /auth/introspect': OF_OAUTH,
  'POST /auth/revoke': OF_OAUTH,
  'GET /auth/oauth2/authorize': OF_BROWSER,
  'POST /auth/oauth2/authorize': OF_BROWSER,
  'GET /auth/oauth2/end-session': { ...OF_BROWSER, more: ['200', '414'] },
  'POST /auth/oauth2/end-session': OF_BROWSER,
  'POST /auth/oauth2/par': { ...CREATED, ...OF_OAUTH },
  'POST /auth/oauth2/device': OF_OAUTH,
  'POST /auth/oauth2/token': OF_OAUTH,
  'POST /auth/oauth2/userinfo': OF_OAUTH,
  'POST /auth/recovery': { success: '202' },
  'POST /auth/recovery/confirm': DONE,
  'POST /auth/email/confirm': DONE,
  'POST /auth/email/stop': DONE,
  'POST /auth/invitation/confirm': DONE,
  'POST /staging/files/prepare': CREATED,
  'POST /products/upload-image': CREATED,
  'GET /files/staging/{date}/{uuid}': CONTENT,
  'DELETE /files/staging/{date}/{uuid}': DONE,
  'GET /products/{productId}/images/{index}': CONTENT,
  'GET /orders/{orderId}/production-photos/{index}': CONTENT,
  'GET /orders/{orderId}/delivery-photos/{index}': CONTENT,
};

const { methods, optionOf } = ownDescriptors();

/** The statuses of all declared routes of this run, by their protos. */
export const DECLARED: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  methods.filter(isServed).flatMap((method) => {
    const http = optionOf(method, 'google.api.http');
    return http
      ? [http, ...http.additionalBindings].map((binding) => declared(method, http.responseBody, binding))
      : [];
  }),
);

const WRITTEN = Object.entries(WRITTEN_ROUTES).flatMap(([name, rpc]) => {
  const method = methods.find(({ parent, name: own }) => `${parent.typeName}/${own}` === rpc);
  return method === undefined || isServed(method) ? [written(name, method)] : [];
});

/** All operations that the services of this run have. */
export const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  ...DECLARED,
  ...Object.fromEntries(WRITTEN),
};

function isServed({ parent }: DescMethod): boolean {
  return IS_SHOP_SERVED || parent.file.proto.package !== SHOP_PACKAGE;
}

function declared(method: DescMethod, responseBody: string, binding: HttpRule): [name: string, statuses: string[]] {
  const isRead = binding.pattern.case === 'get';
  const shown = method.output.fields.find(({ name }) => name === responseBody);
  const operation = optionOf(method, 'authservice.rest.v1.operation')!;
  const success = String(operation.status || 200);
  // A list has no version.
  const record = shown?.fieldKind === 'list' ? undefined : (shown?.message ?? method.output);
  const isConditional = isRead && operation.caching === Caching.CACHING_REVALIDATE;
  const unchanged = isConditional && record?.fields.some(({ name }) => name === 'version') ? ['304'] : [];
  const name = pathOf(routeName(method, binding));
  return [name, sorted([...statusesOf(method, isRead), success, ...unchanged])];
}

function written(name: string, method: DescMethod | undefined): [name: string, statuses: string[]] {
  const { success = '200', more = [], except = [] } = DEVIATIONS[name] ?? {};
  const statuses = method ? statusesOf(method, name.startsWith('GET ')) : ANYWHERE;
  return [pathOf(name), sorted([...statuses, success, ...more]).filter((status) => !except.includes(status))];
}

/** The statuses of the failures of an RPC. */
function statusesOf(method: DescMethod, isRead: boolean): string[] {
  const errors = (optionOf(method, 'authservice.error.v1.error') ?? []).map(({ reason }) => statusOf(reason));
  const needsCredential = accessRuleOf(method)?.credential === Credential.CREDENTIAL_REQUIRED;
  return [...ANYWHERE, ...OF_RPC, ...(isRead ? [] : WITH_BODY), ...(needsCredential ? WITH_CREDENTIAL : []), ...errors];
}

function sorted(statuses: readonly string[]): string[] {
  return [...new Set(statuses)].toSorted();
}

/** `GET /users` is `GET /api/v1/users`; `GET /health/live` is at the root. */
function pathOf(name: string): string {
  return name.replace(/ (?!\/health\/|\/\.well-known\/)/, ' /api/v1');
}

function statusOf(reason: Reason): string {
  const [name] = Object.entries(Reason).find(([, number]) => number === reason)!;
  return String(CATALOGUE[name.replace('REASON_', '') as FailureName].status);
}
