// Endpoints that take the tokens of mails, and the request for a recovery. The profiles differ in the names of members and in the
// format of errors.
import type { TSchema } from 'typebox';
import type { DescMethod } from '../../src/platform/rpc/contract/descriptors.ts';
import type { CallOptions } from '../../src/platform/rpc/types.ts';
import type { Clients } from '../clients.ts';
import { callOptions } from '../http/call-options.ts';
import type { Endpoint } from '../endpoint.ts';
import { noStore } from '../http/caching.ts';
import { noBody, Type } from '../type.ts';
import { declaredText, descriptionOf, methodOf } from './declared.ts';

const REQUEST = methodOf('RecoveryService', 'RequestRecovery');
const CONFIRM = methodOf('RecoveryService', 'ConfirmRecovery');
const CONFIRM_EMAIL = methodOf('EmailService', 'ConfirmEmail');
const STOP_EMAIL = methodOf('EmailService', 'StopEmailChange');
const ACCEPT = methodOf('InvitationService', 'ConfirmInvitation');

const RequestRecoveryRequest = Type.Object(
  { username: declaredText(REQUEST.input, 'username') },
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

/** Endpoint: sets a new password with the token of a mail. */
export const confirmRecovery = (member: 'newPassword' | 'new_password'): Endpoint =>
  confirmation(CONFIRM, 'Choose a new password with a token', {
    tag: 'Recovery',
    members: { [member]: declaredText(CONFIRM.input, 'new_password') },
    call: ({ recovery }, body, options) =>
      recovery.confirmRecovery({ token: body['token']!, newPassword: body[member]! }, options),
  });

/** Endpoint: confirms an e-mail address with the token of a mail. */
export const confirmEmail: Endpoint = confirmation(CONFIRM_EMAIL, 'Confirm an e-mail address with a token', {
  tag: 'E-mail addresses',
  members: {},
  call: ({ email }, body, options) => email.confirmEmail({ token: body['token']! }, options),
});

/** Endpoint: stops a change of an e-mail address with the token of a mail. */
export const stopEmailChange: Endpoint = confirmation(STOP_EMAIL, 'Stop a change of an e-mail address with a token', {
  tag: 'E-mail addresses',
  members: {},
  call: ({ email }, body, options) => email.stopEmailChange({ token: body['token']! }, options),
});

/** Endpoint: sets the first password with the token of a mail. */
export const confirmInvitation: Endpoint = confirmation(ACCEPT, 'Accept an invitation with a token', {
  tag: 'Invitations',
  members: { password: declaredText(ACCEPT.input, 'password') },
  call: ({ invitation }, body, options) =>
    invitation.confirmInvitation({ token: body['token']!, password: body['password']! }, options),
});

interface Confirmation {
  readonly tag: string;
  /** The members of the body besides the token. */
  readonly members: Readonly<Record<string, TSchema>>;
  readonly call: (clients: Clients, body: Readonly<Record<string, string>>, options: CallOptions) => Promise<unknown>;
}

/** Creates an endpoint that takes the token of a mail. Nothing else identifies the account. */
function confirmation(rpc: DescMethod, summary: string, { tag, members, call }: Confirmation): Endpoint {
  const body = Type.Object(
    { token: declaredText(rpc.input, 'token'), ...members },
    { description: descriptionOf(rpc.input) },
  );
  return (app, clients, route) =>
    app.route({
      ...route,
      schema: { summary, tags: [tag], body, response: { 204: noBody(descriptionOf(rpc.output)) } },
      onRequest: noStore,
      handler: async (request, reply) => {
        await call(clients, request.body, callOptions(request));
        return reply.code(204).send();
      },
    });
}
