import { Type } from '../type.ts';
import type { Endpoint } from '../endpoint.ts';
import { callOptions } from '../http/call-options.ts';
import { createStaticBody, keepLatestBody, sendStaticBody } from '../http/static-body.ts';

const JsonWebKeySet = Type.Object(
  {
    keys: Type.Array(
      Type.Object(
        { kty: Type.String(), kid: Type.Optional(Type.String()) },
        { title: 'JsonWebKey', additionalProperties: true },
      ),
    ),
  },
  { title: 'JsonWebKeySet', description: 'The keys that verify access tokens (RFC 7517 section 5).' },
);

/** Endpoint: returns the public keys that verify access tokens (RFC 7517 section 5). */
export function jsonWebKeySet(): Endpoint {
  const bodyOf = keepLatestBody((json) =>
    createStaticBody(json, 'application/json; charset=utf-8', { 'cache-control': 'public, max-age=300' }),
  );
  return (app, { session }, route) =>
    app.route({
      ...route,
      schema: { summary: 'Get the public keys', tags: ['Keys'], response: { 200: JsonWebKeySet } },
      handler: async (request, reply) => {
        const { json } = await session.getJsonWebKeySet({}, callOptions(request));
        return sendStaticBody(request, reply, await bodyOf(json));
      },
    });
}
