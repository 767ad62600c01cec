// Logins with passkeys, alone and as the second factor. Both profiles have these endpoints.
import { ownDescriptors } from '../../src/platform/rpc/contract/descriptors.ts';
import { requireField } from '../clients.ts';
import type { Endpoint } from '../endpoint.ts';
import { noStore } from '../http/caching.ts';
import { callOptions } from '../http/call-options.ts';
import { ignoreTypeOfEmptyBody } from '../http/json-body.ts';
import { Type } from '../type.ts';
import { declared, descriptionOf, jsonObject, methodOf, parseObject } from './declared.ts';
import { CHALLENGE } from './second-factor.ts';
import type { LoginStyle, SessionEndpoints } from './session-endpoints.ts';

const SECOND_FACTOR = methodOf('SessionService', 'CreateSecondFactorPasskeyOptions');
const OPTIONS = methodOf('SessionService', 'CreatePasskeyLoginOptions');
const LOGIN = methodOf('SessionService', 'LoginWithPasskey');

/** The endpoints of passkeys. */
export function passkeyEndpoints(
  style: LoginStyle,
): Pick<SessionEndpoints, 'secondFactorPasskeyOptions' | 'passkeyLoginOptions' | 'passkeyLogin'> {
  return {
    secondFactorPasskeyOptions: secondFactorPasskeyOptions(style),
    passkeyLoginOptions: passkeyLoginOptions(style),
    passkeyLogin: passkeyLogin(style),
  };
}

const PASSKEY_CHALLENGE = Type.String({
  ...declared(LOGIN.input, 'challenge'),
  minLength: 1,
  maxLength: ownDescriptors().ruleNamed('authservice.session.v1.LoginWithPasskeyRequest.challenge').max,
});

const SecondFactorOptions = Type.Object(
  { options: jsonObject(SECOND_FACTOR.output, 'options') },
  { title: 'CreateSecondFactorPasskeyOptionsResponse', description: descriptionOf(SECOND_FACTOR.output) },
);

/** Endpoint: returns the options to answer the challenge of a login with a passkey. */
function secondFactorPasskeyOptions({ originOf }: LoginStyle): Endpoint {
  return (app, { session }, route) =>
    app.route({
      ...route,
      schema: {
        summary: 'Create the options of a passkey as the second factor',
        tags: ['Session'],
        body: Type.Object(
          { challenge: CHALLENGE },
          { description: descriptionOf(SECOND_FACTOR.input), additionalProperties: false },
        ),
        response: { 200: SecondFactorOptions },
      },
      onRequest: noStore,
      handler: async (request) => {
        const { refreshTokenTransport, browserOrigin } = originOf(request);
        const { options } = await session.createSecondFactorPasskeyOptions(
          { challenge: request.body.challenge, refreshTokenTransport, browserOrigin },
          callOptions(request),
        );
        return { options: parseObject(options) };
      },
    });
}

const LoginOptions = Type.Object(
  {
    challenge: Type.String(declared(OPTIONS.output, 'challenge')),
    options: jsonObject(OPTIONS.output, 'options'),
  },
  { title: 'CreatePasskeyLoginOptionsResponse', description: descriptionOf(OPTIONS.output) },
);

/** Endpoint: returns the challenge and the options of a login with a passkey alone. */
function passkeyLoginOptions({ originOf }: LoginStyle): Endpoint {
  return (app, { session }, route) =>
    app.route({
      ...route,
      schema: {
        summary: 'Create the options of a login with a passkey',
        tags: ['Session'],
        response: { 200: LoginOptions },
      },
      onRequest: [noStore, ignoreTypeOfEmptyBody],
      handler: async (request) => {
        const { browserOrigin } = originOf(request);
        const { challenge, options } = await session.createPasskeyLoginOptions({ browserOrigin }, callOptions(request));
        return { challenge, options: parseObject(options) };
      },
    });
}

/** Endpoint: creates a session for a passkey. */
function passkeyLogin({ rememberMe, ...style }: LoginStyle): Endpoint {
  const PasskeyLogin = Type.Object(
    {
      challenge: PASSKEY_CHALLENGE,
      passkey: jsonObject(LOGIN.input, 'passkey'),
      [rememberMe]: Type.Optional(Type.Boolean(declared(LOGIN.input, 'remember_me'))),
    },
    { description: descriptionOf(LOGIN.input), additionalProperties: false },
  );
  const LoggedIn = Type.Object(style.members, {
    title: 'LoginWithPasskeyResponse',
    description: descriptionOf(LOGIN.output),
    headers: style.headers,
  });
  return (app, { session }, route) =>
    app.route({
      ...route,
      schema: {
        summary: 'Log in with a passkey',
        tags: ['Session'],
        body: PasskeyLogin,
        response: { 200: LoggedIn },
      },
      onRequest: noStore,
      handler: async (request, reply) => {
        const body = request.body as { readonly challenge: string; readonly passkey: object };
        const { login } = await session.loginWithPasskey(
          {
            challenge: body.challenge,
            passkey: JSON.stringify(body.passkey),
            rememberMe: (body as Readonly<Record<string, unknown>>)[rememberMe] === true,
            ...style.originOf(request),
          },
          callOptions(request),
        );
        return { ...style.respond(requireField(login, 'session'), request, reply) };
      },
    });
}
