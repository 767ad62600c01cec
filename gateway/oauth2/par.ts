import type { FastifyReply, FastifyRequest } from 'fastify';
import { declared, descriptionOf, methodOf } from '../auth/declared.ts';
import { basicAuthentication } from '../auth/m2m/basic-authentication.ts';
import { acceptAnyBody, bodyOf } from '../auth/m2m/client-endpoint.ts';
import { requireForm } from '../auth/m2m/client-request.ts';
import { decodeUtf8 } from '../auth/m2m/form-parser.ts';
import type { Endpoint } from '../endpoint.ts';
import { noStore } from '../http/caching.ts';
import { callOptions } from '../http/call-options.ts';
import { Type } from '../type.ts';

const { input, output } = methodOf('AuthorizationService', 'PushAuthorizationRequest');

const PushAuthorizationRequestForm = Type.Object(
  {},
  {
    additionalProperties: Type.String(),
    title: 'PushAuthorizationRequestForm',
    description: descriptionOf(input, 'parameters'),
  },
);

const PushAuthorizationRequestResponse = Type.Object(
  {
    request_uri: Type.String(declared(output, 'request_uri')),
    expires_in: Type.Integer(declared(output, 'expires_in')),
  },
  { title: 'PushAuthorizationRequestResponse', description: descriptionOf(output) },
);

/** Endpoint: stores an authorization request of a client (RFC 9126). The core parses the form. */
export const pushAuthorizationRequest: Endpoint = (app, { authorization }, route) =>
  acceptAnyBody(app, (scope) =>
    scope.route({
      ...route,
      schema: {
        summary: 'Push an authorization request',
        tags: ['OpenID provider'],
        security: [{}, { clientBasic: [] }],
        body: { content: { 'application/x-www-form-urlencoded': { schema: PushAuthorizationRequestForm } } },
        response: { 201: PushAuthorizationRequestResponse },
      },
      // The schema only documents the body.
      validatorCompiler: () => () => true,
      onRequest: noStore,
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        const call = callOptions(request);
        const basic = basicAuthentication(call.authorization ?? []);
        requireForm(request, { formOnly: true });
        const parameters = decodeUtf8(bodyOf(request), 'The form');
        const message = { parameters, ...(basic && { basic }) };
        const { requestUri, expiresIn } = await authorization.pushAuthorizationRequest(message, call);
        return reply.code(201).send({ request_uri: requestUri, expires_in: expiresIn });
      },
    }),
  );
