import type { FastifyReply, FastifyRequest } from 'fastify';
import { declared, descriptionOf, methodOf } from '../auth/declared.ts';
import { acceptAnyBody, bodyOf } from '../auth/m2m/client-endpoint.ts';
import { requireForm } from '../auth/m2m/client-request.ts';
import { parseForm } from '../auth/m2m/form-parser.ts';
import type { Endpoint } from '../endpoint.ts';
import { noStore } from '../http/caching.ts';
import { callOptions } from '../http/call-options.ts';
import { Type } from '../type.ts';

const { input, output } = methodOf('AuthorizationService', 'GetUserInfo');

/** As many as the core needs to refuse several. */
const MAX_TOKENS = 2;
/** The most characters of a token that the core accepts. Longer ones are not tokens of this service. */
const MAX_TOKEN_LENGTH = 8_192;

const GetUserInfoForm = Type.Object(
  { access_token: Type.Optional(Type.String(declared(input, 'access_tokens'))) },
  { additionalProperties: Type.String(), title: 'GetUserInfoForm', description: descriptionOf(input) },
);

const GetUserInfoResponse = Type.Unsafe<unknown>(
  Type.Object(
    { sub: Type.String({ description: 'Id of the account.', examples: ['0190a000-0000-7000-8000-000000000001'] }) },
    { additionalProperties: true, title: 'GetUserInfoResponse', description: descriptionOf(output) },
  ),
);

/** Endpoint: returns the claims about the user of an application's access token (OpenID Connect Core section 5.3). */
export const userInfo: Endpoint = (app, { authorization }, route) =>
  acceptAnyBody(app, (scope) =>
    scope.route({
      ...route,
      schema: {
        ...(route.method === 'POST'
          ? {
              operationId: 'postUserInfo',
              summary: 'Get claims about the user by a form',
              body: { content: { 'application/x-www-form-urlencoded': { schema: GetUserInfoForm } } },
            }
          : { summary: 'Get claims about the user' }),
        tags: ['OpenID provider'],
        security: [{ bearer: [] }],
        response: { 200: GetUserInfoResponse },
      },
      // The schema only documents the body.
      validatorCompiler: () => () => true,
      onRequest: noStore,
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        const call = callOptions(request);
        const tokens = [...(call.authorization ?? []).map(bearerToken), formToken(request)].filter(Boolean) as string[];
        const accessTokens = tokens.slice(0, MAX_TOKENS).map((token) => token.slice(0, MAX_TOKEN_LENGTH));
        const { json } = await authorization.getUserInfo({ accessTokens }, call);
        return reply.type('application/json').send(Buffer.from(json));
      },
    }),
  );

function bearerToken(header: string): string | undefined {
  return /^bearer +(.*)$/is.exec(header)?.[1];
}

/** The token of a form (RFC 6750 section 2.2). */
function formToken(request: FastifyRequest): string | undefined {
  const body = bodyOf(request);
  if (body.length === 0) return undefined;
  requireForm(request, { formOnly: true });
  return parseForm(body).get('access_token');
}
