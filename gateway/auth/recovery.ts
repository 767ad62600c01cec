// Recovery by mail. The profiles differ in the names of members and in the format of errors.
import { callOptions } from '../http/call-options.ts';
import type { Endpoint } from '../endpoint.ts';
import { noStore } from '../http/caching.ts';
import { documented } from '../schema/documented.ts';
import { noBody, Type } from '../type.ts';
import { declared, descriptionOf, methodOf } from './declared.ts';
import { CREDENTIALS } from './session-endpoints.ts';

const REQUEST = methodOf('RecoveryService', 'RequestRecovery');
const CONFIRM = methodOf('RecoveryService', 'ConfirmRecovery');
const MAX_TOKEN = 200;

const RequestRecoveryRequest = Type.Object(
  { username: CREDENTIALS.username },
  { description: descriptionOf(REQUEST.input) },
);

/** Endpoint: requests a mail with a link. */
export const requestRecovery: Endpoint = (app, { recovery }, route) =>
  app.route({
    ...route,
    schema: {
      summary: 'Request a new password by mail',
      tags: ['Recovery'],
      body: RequestRecoveryRequest,
      response: { 202: noBody(descriptionOf(REQUEST.output)) },
    },
    onRequest: noStore,
    handler: async (request, reply) => {
      await recovery.requestRecovery({ username: request.body.username }, callOptions(request));
      return reply.code(202).send();
    },
  });

const token = Type.String({ ...declared(CONFIRM.input, 'token'), ...documented({ maxLength: MAX_TOKEN }) });
const newPassword = Type.String({
  ...declared(CONFIRM.input, 'new_password'),
  ...documented({ minLength: 12, maxLength: 1024 }),
});

/** Endpoint: sets a new password with the token of a mail. */
export const confirmRecovery =
  (member: 'newPassword' | 'new_password'): Endpoint =>
  (app, { recovery }, route) =>
    app.route({
      ...route,
      schema: {
        summary: 'Choose a new password with a token',
        tags: ['Recovery'],
        body: Type.Object({ token, [member]: newPassword }, { description: descriptionOf(CONFIRM.input) }),
        response: { 204: noBody(descriptionOf(CONFIRM.output)) },
      },
      onRequest: noStore,
      handler: async (request, reply) => {
        const body = request.body as Readonly<Record<string, string>>;
        await recovery.confirmRecovery({ token: body['token']!, newPassword: body[member]! }, callOptions(request));
        return reply.code(204).send();
      },
    });
