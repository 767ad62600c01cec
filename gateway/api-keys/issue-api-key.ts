import Type from 'typebox';
import { documented } from '../contract/documented.ts';
import { IDENTIFIER } from '../openapi/text-patterns.ts';
import { noStore } from '../auth/no-store.ts';
import { coreFirst } from '../core-first.ts';
import type { Endpoint } from '../endpoint.ts';
import { instantOf } from '../http/instant.ts';
import { callOptions } from '../http/call-options.ts';
import { BEARER_ONLY } from '../security.ts';
import { AccountParams, FAILURES } from './api-key.ts';

const IssueApiKeyRequest = Type.Object(
  {
    label: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '\\S',
      ...documented({ pattern: IDENTIFIER }),
      description: 'What the key is for, 1-100 characters, not all of them blank.',
    }),
    expiresAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'When the key ends, in the future. Without it the key has no end.',
      }),
    ),
  },
  { additionalProperties: false, description: 'A key to be issued.' },
);

const IssueApiKeyResponse = Type.Object(
  {
    keyId: Type.String({ description: 'Id of the key, for its revocation.' }),
    apiKey: Type.String({ description: 'The key itself, for the header X-Api-Key. It is shown this once.' }),
    label: Type.String(),
  },
  { title: 'IssueApiKeyResponse', description: 'The key was issued.' },
);

/** Issues an API key to a service account. */
export function issueApiKey(): Endpoint {
  return (app, { apiKey: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: FAILURES },
      schema: {
        summary: 'Issue an API key',
        tags: ['API keys'],
        security: BEARER_ONLY,
        params: AccountParams,
        body: IssueApiKeyRequest,
        response: { 201: IssueApiKeyResponse },
      },
      onRequest: noStore,
      errorHandler: coreFirst(({ params }, options) =>
        service.issueApiKey(
          { serviceAccountId: (params as AccountParams).id, label: '', expiresAt: undefined },
          options,
        ),
      ),
      handler: async (request, reply) => {
        const { label, expiresAt } = request.body;
        const { key, apiKey } = await service.issueApiKey(
          { serviceAccountId: request.params.id, label, expiresAt: instantOf(expiresAt, 'expiresAt') },
          callOptions(request),
        );
        if (key === undefined) throw new TypeError('The core sent no key');
        reply.code(201);
        return { keyId: key.keyId, apiKey, label: key.label };
      },
    });
}
