// The schemas of all routes. The service does not check them against the schema of schemas when it compiles them.
import { Ajv } from 'ajv';
import Fastify from 'fastify';
import { pino } from 'pino';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { describe, expect, it } from 'vitest';
import { connectClients } from '../../gateway/clients.ts';
import { registerRoutes } from '../../gateway/routes.ts';
import { DOCUMENTED } from '../../gateway/schema/documented.ts';
import { lazyCompilers } from '../../gateway/schema/lazy-schemas.ts';
import { gatewaySettings } from '../support/gateways.ts';
import { mailFolder } from '../support/mails.ts';

const PARTS = ['body', 'querystring', 'params', 'headers'] as const;

/** Returns the schemas of a part of the request: one, or one for each media type. */
function partsOf(part: unknown): readonly (readonly [string, object])[] {
  if (part === undefined) return [];
  const { content } = part as { content?: Record<string, { schema: object }> };
  return content ? Object.entries(content).map(([type, { schema }]) => [type, schema]) : [['', part as object]];
}

/** Returns the schemas of requests with their places. */
async function schemasOf(profile: string): Promise<Map<string, object>> {
  const settings = gatewaySettings({ ...mailFolder().settings, 'app.security.auth-profile': profile });
  const app = Fastify({ schemaController: { compilersFactory: lazyCompilers() } });
  const found = new Map<string, object>();
  app.addHook('onRoute', ({ method, url, schema = {} }) => {
    for (const part of PARTS)
      for (const [type, each] of partsOf(schema[part])) found.set(`${String(method)} ${url} ${part} ${type}`, each);
  });
  // No route is called.
  const clients = connectClients(() => ({}) as never);
  registerRoutes(app.withTypeProvider<TypeBoxTypeProvider>(), { settings, clients, log: pino({ level: 'silent' }) });
  await app.ready();
  await app.close();
  return found;
}

describe.each(['A', 'B'])('the schemas of the requests of Profile %s', (profile) => {
  it('are valid', async () => {
    const ajv = new Ajv({ keywords: [DOCUMENTED], allErrors: true });
    const schemas = await schemasOf(profile);
    expect(schemas.size).toBeGreaterThan(100);
    const faults = [...schemas].flatMap(([place, schema]) =>
      ajv.validateSchema(schema) === true ? [] : [`${place}: ${ajv.errorsText(ajv.errors)}`],
    );
    expect(faults).toEqual([]);
    expect(ajv.validateSchema({ type: 'string', maxLength: -1 })).toBe(false);
  });

  it('accept an empty search text, which counts as absent', async () => {
    const ajv = new Ajv({ keywords: [DOCUMENTED], validateFormats: false });
    const lists = [...(await schemasOf(profile))].flatMap(([place, schema]) =>
      place.includes(' querystring ')
        ? ['query', 'q'].flatMap((name) => {
            const { properties = {} } = schema as { properties?: object };
            return Object.hasOwn(properties, name) ? [{ place, name, schema }] : [];
          })
        : [],
    );
    expect(lists.length).toBeGreaterThan(6);
    for (const { place, name, schema } of lists)
      expect([place, name, ajv.validate(schema, { [name]: '' })]).toEqual([place, name, true]);
  });
});
