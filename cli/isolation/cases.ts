// The cases of all operations. `npm run cli -- isolation` and its test fail if an operation has none.
import { declaredRoutes } from './declared-routes.ts';
import { casesOf } from './derive-cases.ts';
import { EXAMPLES } from './examples/all.ts';
import { PNG } from './png.ts';
import {
  active,
  elsewhere,
  hidden,
  inactive,
  notApplicable,
  probes,
  reference,
  type ProbeCase,
  type RestCases,
  type RestRequest,
  type RpcCases,
} from './probe-case.ts';
import type { Records } from './records.ts';
import { HEALTH_REASON, toStream } from './examples/tenants.ts';
import { WRITTEN_ROUTES } from './written-routes.ts';

export const RPCS: readonly RpcCases[] = EXAMPLES.map(casesOf);

const CASES = new Map(
  RPCS.flatMap(({ definition, cases }) => Object.entries(cases).map(([name, each]) => [definition[name]!.path, each])),
);

const introspection = ({ token }: Pick<Records, 'token'>, { clientId, clientSecret }: Records): RestRequest => ({
  headers: {
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
  },
  content: new TextEncoder().encode(new URLSearchParams({ token }).toString()),
});

const PREPARED = { fileName: 'isolation.png', contentType: 'image/png', size: PNG.length };

function queryToStream(records: Records): RestRequest {
  const { events: _, ...query } = toStream(records);
  return { query };
}

/** Routes that no proto declares, and whose requests contain ids. */
const WITH_IDS: RestCases = {
  'POST /auth/introspect': probes(
    inactive(introspection),
    active((_named, records) => introspection(records, records)),
  ),
  'POST /auth/oauth2/logout-requests/{id}': probes(
    hidden(({ authorizationRequest }) => ({ path: { id: authorizationRequest } })),
  ),
  'GET /audit-records/stream': probes<RestRequest>(elsewhere(queryToStream)),
  'GET /audit-records/export': probes<RestRequest>(elsewhere(queryToStream)),
  'POST /staging/files/prepare': probes(elsewhere(({ tenant }) => ({ body: { ...PREPARED, tenantId: tenant } }))),
  'PUT /files/staging/{date}/{uuid}': probes(
    hidden(({ file }) => ({ path: { ...file }, headers: { 'content-type': 'image/png' }, content: PNG })),
  ),
  'GET /files/staging/{date}/{uuid}': probes(hidden(({ file }) => ({ path: { ...file } }))),
  'DELETE /files/staging/{date}/{uuid}': probes(hidden(({ file }) => ({ path: { ...file } }))),
  'POST /products/upload-image': probes(
    reference(({ product }) => ({ form: { productId: product, file: PNG } })),
    elsewhere(({ tenant }) => ({ form: { tenantId: tenant, file: PNG } })),
  ),
  'GET /products/{productId}/images/{index}': probes(
    hidden(({ product }) => ({ path: { productId: product, index: '0' } })),
  ),
  'GET /orders/{orderId}/production-photos/{index}': probes(
    hidden(({ photographedOrder }) => ({ path: { orderId: photographedOrder, index: '0' } })),
  ),
  'GET /orders/{orderId}/delivery-photos/{index}': probes(
    hidden(({ photographedOrder }) => ({ path: { orderId: photographedOrder, index: '0' } })),
  ),
};

/** A route without ids has the case of its RPC, with an empty request. */
function writtenCase(path: string | undefined): ProbeCase<RestRequest> {
  if (path === undefined) return notApplicable(HEALTH_REASON);
  const { notApplicable: reason, probes: sent } = CASES.get(`/${path}`)!;
  return { notApplicable: reason, probes: sent.map(({ expectation }) => ({ expectation, request: () => ({}) })) };
}

/** The cases of the routes that the protos declare, and of those that are written by hand. */
export const ROUTES: RestCases = {
  ...declaredRoutes(RPCS),
  ...Object.fromEntries(
    Object.entries(WRITTEN_ROUTES).map(([name, path]) => [name, WITH_IDS[name] ?? writtenCase(path)]),
  ),
};
