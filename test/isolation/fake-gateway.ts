// A gateway with one product in each of two tenants, which can leak on demand.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { httpClient, type Http } from '../../cli/isolation/http.ts';
import type { By } from '../../cli/isolation/operation.ts';
import type { PartialRecords, TenantRecords } from '../../cli/isolation/records.ts';
import type { OpenApi } from '../../cli/isolation/routes.ts';

export interface FakeRequest {
  readonly by: By;
  readonly method: string;
  /** The product in the path. */
  readonly id: string | undefined;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: any; // Whatever was sent.
  /** Whether the product is the other tenant's. */
  readonly isForeign: boolean;
}

export interface FakeResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Changes what an honest gateway answers; undefined leaves it as it is. */
export type Defect = (request: FakeRequest, honest: FakeResponse) => FakeResponse | undefined;

const TEXT = { type: 'string' };
const STAGED = { type: 'object', properties: { date: TEXT, uuid: TEXT } };
const BODY = {
  content: {
    'application/json': {
      schema: { type: 'object', properties: { id: {}, tenantId: TEXT, images: { type: 'array', items: STAGED } } },
    },
  },
};
const ID = [{ in: 'path', name: 'id' }];

/** What the fake has, as it describes it. */
export const DOCUMENT: OpenApi = {
  paths: {
    '/shop/api/v1/products': { get: {}, post: { requestBody: BODY } },
    '/shop/api/v1/products/{id}': { get: { parameters: ID }, patch: { parameters: ID, requestBody: BODY } },
  },
};

const uuid = (digit: string) => `01a1ff24-0000-7000-8000-${digit.repeat(12)}`;

const recordsOf = (tenant: string, digit: string): PartialRecords => ({
  tenant,
  token: `token-of-${tenant}`,
  clientId: `client-of-${tenant}`,
  clientSecret: `secret-of-${tenant}`,
  product: uuid(digit),
  file: { date: '2026-01-31', uuid: uuid(digit) },
  mark: `isolation-of-${tenant}`,
});

export const SIDES: TenantRecords = { own: recordsOf('acme', 'a'), foreign: recordsOf('globex', 'b') };

export const problem = (status: number, errorCode: string, more: object = {}): FakeResponse => ({
  status,
  body: { errorCode, status, ...more },
});

export interface FakeGateway {
  readonly http: Readonly<Record<By, Http>>;
  /** Makes the gateway leak from now on, or not any more. */
  leakBy(defect: Defect | undefined): void;
  close(): void;
}

export async function startFakeGateway(): Promise<FakeGateway> {
  let defect: Defect | undefined;
  const server = createServer((message, response) => {
    void read(message).then((request) => {
      const honest = respond(request);
      const { status, body, headers } = defect?.(request, honest) ?? honest;
      const text = body === undefined ? '' : JSON.stringify(body);
      response.writeHead(status, { 'content-length': Buffer.byteLength(text), ...headers }).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = (by: By) => httpClient({ url, headers: { authorization: by }, ignoredHeaders: ['x-ray'] });
  return {
    http: { own: client('own'), other: client('other') },
    leakBy: (next) => (defect = next),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function read(message: IncomingMessage): Promise<FakeRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const { pathname, searchParams } = new URL(message.url!, 'http://localhost');
  const id = /products\/(.+)$/.exec(pathname)?.[1];
  return {
    by: message.headers.authorization as By,
    method: message.method!,
    id,
    query: searchParams,
    headers: message.headers,
    body: text === '' ? undefined : JSON.parse(text),
    isForeign: id === SIDES.foreign.product,
  };
}

export const productOf = ({ tenant, product }: PartialRecords) => ({ id: product, tenantId: tenant });

/** What keeps the tenants apart. */
function respond({ by, method, id, query, body }: FakeRequest): FakeResponse {
  const mine = by === 'own' ? SIDES.own : SIDES.foreign;
  const headers = { 'x-ray': String(Math.random()) };
  if (id !== undefined && id !== mine.product) return { ...problem(404, 'not-found', { instance: id }), headers };
  if (body?.unknownToEverybody !== undefined) return problem(400, 'validation-error');
  if (body?.images !== undefined) return problem(400, 'validation-error', { violations: [{ format: 'reference' }] });
  if (body?.tenantId !== undefined && body.tenantId !== mine.tenant) return problem(403, 'tenant-mismatch');
  if (id !== undefined) return { status: 200, body: productOf(mine) };
  if (method === 'POST') return { status: 201, body: productOf(mine) };
  const wanted = query.get('q') ?? query.get('category') ?? mine.mark;
  return { status: 200, body: wanted === mine.mark ? [productOf(mine)] : [] };
}
