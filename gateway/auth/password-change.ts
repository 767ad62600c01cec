// The step of a login that replaces a temporary password. Both profiles have it.
import { ownDescriptors } from '../../src/platform/rpc/contract/descriptors.ts';
import { requireField } from '../clients.ts';
import { textSchema } from '../contract/value-schemas.ts';
import type { Endpoint } from '../endpoint.ts';
import { noStore } from '../http/caching.ts';
import { callOptions } from '../http/call-options.ts';
import { Type } from '../type.ts';
import { declared, descriptionOf, methodOf } from './declared.ts';
import { CHALLENGE } from './second-factor.ts';
import type { LoginStyle } from './session-endpoints.ts';

const CHANGE = methodOf('SessionService', 'ChangeTemporaryPassword');
const RULE = ownDescriptors().ruleNamed('authservice.session.v1.ChangeTemporaryPasswordRequest.new_password');

/** Endpoint: replaces the temporary password of a login. */
export function changeTemporaryPassword({ newPassword, ...style }: LoginStyle): Endpoint {
  const PasswordChange = Type.Object(
    {
      challenge: CHALLENGE,
      [newPassword]: Type.String({ ...declared(CHANGE.input, 'new_password'), ...textSchema(RULE) }),
    },
    { description: descriptionOf(CHANGE.input), additionalProperties: false },
  );
  const LoggedIn = Type.Object(style.members, {
    title: 'ChangeTemporaryPasswordResponse',
    description: descriptionOf(CHANGE.output),
    headers: style.headers,
  });
  return (app, { session }, route) =>
    app.route({
      ...route,
      schema: {
        summary: 'Replace a temporary password and log in',
        tags: ['Session'],
        body: PasswordChange,
        response: { 200: LoggedIn },
      },
      onRequest: noStore,
      handler: async (request, reply) => {
        const body = request.body as Readonly<Record<string, unknown>>;
        const { login } = await session.changeTemporaryPassword(
          {
            challenge: body['challenge'] as string,
            newPassword: body[newPassword] as string,
            ...style.originOf(request),
          },
          callOptions(request),
        );
        return { ...style.respond(requireField(login, 'session'), request, reply) };
      },
    });
}
