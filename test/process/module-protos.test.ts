// What the protos of a module can contain, over REST and gRPC: maps, streams, tags. Beside the module of docs/extending.md.
import { dirname, join } from 'node:path';
import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { loadSync, type ServiceDefinition } from '@grpc/proto-loader';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { writeModule } from '../support/invoices-module.ts';
import { writeLabelsModule } from '../support/labels-module.ts';
import { bearer, restClient, type RestClient } from '../support/rest-client.ts';
import { endProcesses, PROJECT, SHOP_SETTINGS, startProgram } from '../support/service-process.ts';

const LABELS = {
  texts: { en: 'Rose', de: 'Röslein'.slice(0, 5) },
  numbers: { a: -1, b: Number.MAX_SAFE_INTEGER },
  shades: { a: 'LIGHT', b: 'DARK' },
  sizes: { small: { width: 1 }, toString: { width: 100 } },
  plain: -2_147_483_648,
};

let database: TestDatabase;
let rest: RestClient;
let rpc: string;
let caller: Record<string, string>;
const module = writeLabelsModule();

beforeAll(async () => {
  database = await createTestDatabase('sqlite');
  const settings = {
    ...SHOP_SETTINGS,
    'app.database.url': database.url,
    'app.http.context-path': 'any',
    'app.modules': `${module},${writeModule()}`,
  };
  const addresses = await startProgram('gateway', { settings }).ready();
  rpc = addresses.rpc;
  rest = restClient(addresses.http);
  const { username } = await seedAccount(database.database, { tenantId: 'acme', roles: ['ADMIN'] });
  caller = bearer((await rest.open(username)).accessToken);
}, 60_000);
afterAll(async () => {
  await endProcesses();
  await database?.drop();
});

const echo = (body: object, path = '/api/v1/labels') => rest.postJson(path, body, caller);

describe('maps over REST', () => {
  it('are objects with any keys', async () => {
    expect(await echo(LABELS)).toMatchObject({ status: 200, body: LABELS });
  });

  it('are empty if they are missing', async () => {
    const empty = { numbers: {}, shades: {}, sizes: {}, plain: 0 };
    expect((await echo({ texts: { en: 'Rose' } })).body).toEqual({ texts: { en: 'Rose' }, ...empty });
  });

  it.each<[problem: string, body: object, props: readonly string[]]>([
    ['too many entries', { texts: { a: '', b: '', c: '' } }, ['texts']],
    ['a long key', { texts: { abcdef: '' } }, ['texts']],
    ['a long value', { texts: { a: 'abcdef' } }, ['texts']],
    ['no entry, if the map is required', { texts: {} }, ['texts']],
    ['no map, if it is required', {}, ['texts']],
    ['another type', { texts: { a: 1 } }, ['texts', 'a']],
    ['a list', { texts: ['a'] }, ['texts']],
    ['an unknown name', { texts: { a: '' }, shades: { b: 'RED' } }, ['shades', 'b']],
    ['a number outside its type', { texts: { a: '' }, numbers: { b: 2 ** 53 } }, ['numbers', 'b']],
    ['a message with a violation', { texts: { a: '' }, sizes: { b: { width: 101 } } }, ['sizes', 'b', 'width']],
    ['a message with an unknown member', { texts: { a: '' }, sizes: { b: { width: 1, c: 1 } } }, ['sizes', 'b', 'c']],
    ['a number without bounds, outside its type', { texts: { a: '' }, plain: 2 ** 31 }, ['plain']],
  ])('400 for %s', async (_problem, body, props) => {
    expect(await echo(body)).toMatchObject({ status: 400, body: { violations: [{ props }] } });
  });

  it('400 for keys such as __proto__', async () => {
    const headers = { ...caller, 'content-type': 'application/json' };
    const body = '{"texts": {"a": ""}, "sizes": {"__proto__": {"width": 1}}}';
    expect((await rest.send('POST', '/api/v1/labels', { headers, body })).status).toBe(400);
  });
});

describe('gRPC', () => {
  const methods = loadSync('label_service.proto', {
    includeDirs: [join(dirname(module), 'protos'), join(PROJECT, 'proto'), join(PROJECT, 'third_party')],
    longs: Number,
    enums: String,
  })['labels.v1.LabelService'] as ServiceDefinition;
  let client: Client;
  let metadata: Metadata;
  beforeAll(() => {
    client = new Client(rpc, credentials.createInsecure());
    metadata = new Metadata();
    metadata.set('authorization', caller['authorization']!);
  });
  afterAll(() => client?.close());

  const call = (message: object) => {
    const { path, requestSerialize: to, responseDeserialize: from } = methods['EchoLabels']!;
    return new Promise<unknown>((resolve, reject) => {
      client.makeUnaryRequest(path, to, from, message, metadata, (error, response) =>
        error ? reject(error) : resolve(response),
      );
    });
  };

  it('carries maps', async () => {
    const message = { ...LABELS, shades: { a: 'SHADE_LIGHT', b: 'SHADE_DARK' } };
    expect(await call(message)).toEqual(message);
    for (const texts of [{}, { abcdef: '' }, { a: 'abcdef' }, { a: '', b: '', c: '' }])
      await expect(call({ texts })).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  });

  const count = (last: number) =>
    new Promise<unknown[]>((resolve, reject) => {
      const { path, requestSerialize: to, responseDeserialize: from } = methods['CountTo']!;
      const numbers: unknown[] = [];
      client
        .makeServerStreamRequest(path, to, from, { last }, metadata)
        .on('data', ({ number }: { number: number }) => numbers.push(number))
        .on('error', reject)
        .on('end', () => resolve(numbers));
    });

  it('streams responses', async () => {
    expect(await count(3)).toEqual([1, 2, 3]);
    await expect(count(11)).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  });

  const add = (numbers: readonly number[], as: Metadata) =>
    new Promise<unknown>((resolve, reject) => {
      const { path, requestSerialize: to, responseDeserialize: from } = methods['AddNumbers']!;
      const done = (error: ServiceError | null, response?: unknown) => (error ? reject(error) : resolve(response));
      const stream = client.makeClientStreamRequest(path, to, from, as, done);
      for (const number of numbers) stream.write({ number });
      stream.end();
    });

  it('streams requests, and checks each message', async () => {
    expect(await add([1, 2, 3], metadata)).toEqual({ sum: 6 });
    await expect(add([1, 11], metadata)).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
    await expect(add([1], new Metadata())).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
  });
});

describe('app.http.context-path=any', () => {
  it('routes paths of modules behind any leading path', async () => {
    expect((await echo(LABELS, '/shop/api/v1/labels')).status).toBe(200);
    expect((await rest.send('GET', '/a/b/api/v1/invoices/none', { headers: caller })).status).toBe(404);
    expect((await rest.send('GET', '/a/b/api/v1/invoices/none')).status).toBe(401);
    expect((await rest.send('GET', '/shop/api/v1/users', { headers: caller })).status).toBe(404);
  });
});

it('describes maps and tags in the OpenAPI document', async () => {
  const response = await rest.send('GET', '/openapi.json');
  expect(response.status).toBe(200);
  const { tags, paths, components } = response.body;
  expect(tags).toEqual(
    expect.arrayContaining([
      { name: 'Labels', description: 'Labels of things.' },
      { name: 'Invoices', description: 'Invoices of a tenant.' },
    ]),
  );
  expect(paths['/api/v1/labels'].post.tags).toEqual(['Labels']);
  expect(components.schemas.EchoLabelsRequest.properties).toMatchObject({
    texts: { type: 'object', minProperties: 1, maxProperties: 2, additionalProperties: { type: 'string' } },
    numbers: { additionalProperties: { type: 'integer' } },
    shades: { additionalProperties: { type: 'string', enum: ['LIGHT', 'DARK'] } },
    sizes: { additionalProperties: { $ref: '#/components/schemas/SizeInput' } },
  });
  expect(components.schemas.Size.properties.width).toMatchObject({ type: 'integer' });
});
