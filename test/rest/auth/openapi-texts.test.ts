// The OpenAPI document has the rules of texts that the core checks.
import { beforeAll, expect, it } from 'vitest';
import { AUDIT_EVENTS } from '../../../src/auth/audit/trail/audit-events.ts';
import { EMAIL, NEW_PASSWORD, TEXT } from '../../../src/platform/rpc/contract/text-patterns.ts';
import { deploy } from '../../support/deployment.ts';

interface Schema {
  readonly $ref?: string;
  readonly properties: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}
let paths: Record<string, Record<string, { requestBody: { content: Record<string, { schema: Schema }> } }>>;
let schemas: Record<string, Schema>;

beforeAll(async () => {
  const settings = { 'app.mail.url': 'smtp://localhost:1', 'app.public-url': 'https://auth.example.com' };
  const deployment = await deploy({ engine: 'sqlite', transport: 'local', settings });
  const document = (await deployment.app.inject('/openapi.json')).json();
  ({ paths } = document);
  ({ schemas } = document.components);
  await deployment.close();
});

const resolve = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : schemas[schema.$ref.split('/').at(-1)!]!;

function member(method: string, path: string, name: string): Schema {
  const { schema } = paths[`/api/v1${path}`]![method]!.requestBody.content['application/json']!;
  return resolve(resolve(schema).properties[name]!);
}

const TOKEN = { pattern: '^[!-~]{1,200}$' };
const PASSWORD = { minLength: 12, maxLength: 1024, format: 'password', pattern: NEW_PASSWORD };

it.each([
  ['post', '/auth/recovery', 'username', { minLength: 1, maxLength: 254, pattern: TEXT }],
  ['post', '/auth/recovery/confirm', 'token', TOKEN],
  ['post', '/auth/recovery/confirm', 'newPassword', PASSWORD],
  ['post', '/auth/invitation/confirm', 'password', PASSWORD],
  ['post', '/auth/email/confirm', 'token', TOKEN],
  ['put', '/account/email', 'email', { minLength: 3, maxLength: 320, pattern: EMAIL }],
])('%s %s: %s', (method, path, name, keywords) => {
  expect(member(method, path, name)).toMatchObject(keywords);
});

it.each([
  ['post', '/webhooks'],
  ['patch', '/webhooks/{id}'],
])('%s %s: events are an enum', (method, path) => {
  expect(resolve(member(method, path, 'events').items!)).toMatchObject({
    type: 'string',
    enum: expect.arrayContaining([...AUDIT_EVENTS, 'refusals.counted', 'audit.sealed']),
  });
});
