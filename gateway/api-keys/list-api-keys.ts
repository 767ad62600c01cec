import Type from 'typebox';
import type { ApiKey } from '../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import { coreFirst } from '../core-first.ts';
import type { Endpoint } from '../endpoint.ts';
import { callOptions } from '../http/call-options.ts';
import { PAGE_HEADERS, PAGE_PARAMETERS, pageRequest, writePage } from '../paging.ts';
import { SECURITY } from '../security.ts';
import { AccountParams, FAILURES } from './api-key.ts';

const Time = (description: string) => Type.String({ format: 'date-time', description });
/** Left out of the answer where it is undefined. */
const OptionalTime = (description: string) => Type.Optional(Type.Unsafe<string | undefined>(Time(description)));

const ApiKeyList = Type.Array(
  Type.Object(
    {
      keyId: Type.String({ description: 'Id of the key, for its revocation.' }),
      label: Type.String({ description: 'What the key is for.' }),
      prefix: Type.String({ description: 'How the key begins.' }),
      createdAt: Time('When it was issued.'),
      createdBy: Type.String({ description: 'Account id of who issued it.' }),
      lastUsedAt: OptionalTime('When it was last used, to about ten seconds. Absent where it never was.'),
      expiresAt: OptionalTime('When it ends. Absent where it has no end.'),
    },
    { title: 'ApiKey' },
  ),
  { description: 'Keys that are not revoked, the newest first.', headers: PAGE_HEADERS },
);

/** Lists what is known of a service account's API keys. */
export function listApiKeys(): Endpoint {
  return (app, { apiKey: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: FAILURES },
      schema: {
        summary: 'List API keys',
        tags: ['API keys'],
        security: SECURITY,
        params: AccountParams,
        querystring: Type.Object(PAGE_PARAMETERS, { additionalProperties: false }),
        response: { 200: ApiKeyList },
      },
      errorHandler: coreFirst(({ params }, options) =>
        service.listApiKeys({ serviceAccountId: (params as AccountParams).id, page: undefined }, options),
      ),
      handler: async (request, reply) => {
        const { keys, page } = await service.listApiKeys(
          { serviceAccountId: request.params.id, page: pageRequest(request.query) },
          callOptions(request),
        );
        reply.header('cache-control', 'no-store');
        writePage(request, reply, page);
        return keys.map(apiKeyBody);
      },
    });
}

function apiKeyBody({ createdAt, lastUsedAt, expiresAt, ...key }: ApiKey) {
  if (createdAt === undefined) throw new TypeError('The core sent a key without its date');
  return {
    ...key,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString(),
    expiresAt: expiresAt?.toISOString(),
  };
}
