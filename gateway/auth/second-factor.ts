// The second step of a login: answering its challenge, and creating the factor that it requires. Both profiles have these endpoints;
// they differ in the names of members and in the response of a login.
import { FactorMethod } from '../../proto/gen/authservice/session/v1/login_challenge.ts';
import type { CompleteLoginRequest } from '../../proto/gen/authservice/session/v1/session_service.ts';
import { ownDescriptors } from '../../src/platform/rpc/contract/descriptors.ts';
import { requireField } from '../clients.ts';
import { textSchema } from '../contract/value-schemas.ts';
import type { Endpoint } from '../endpoint.ts';
import { noStore } from '../http/caching.ts';
import { callOptions } from '../http/call-options.ts';
import { optionalField, Type } from '../type.ts';
import { declared, descriptionOf, jsonObject, methodOf, parseObject } from './declared.ts';
import type { LoginStyle } from './session-endpoints.ts';

const COMPLETE = methodOf('SessionService', 'CompleteLogin');
const ENROL = methodOf('SessionService', 'StartEnrolment');

const { ruleNamed } = ownDescriptors();
const ruleOf = (field: string) => ruleNamed(`authservice.session.v1.CompleteLoginRequest.${field}`);

/** The challenge of a login. */
export const CHALLENGE = Type.String({
  ...declared(COMPLETE.input, 'challenge'),
  minLength: 1,
  maxLength: ruleOf('challenge').max,
});

/** A second factor of a request, by the member that gives it. */
type Proof = NonNullable<CompleteLoginRequest['proof']>;

/** Endpoint: answers the challenge of a login. */
export function completeLogin({ recoveryCode, recoveryCodes, accessCode, ...style }: LoginStyle): Endpoint {
  const CompleteLogin = Type.Object(
    {
      challenge: CHALLENGE,
      totp: Type.Optional(Type.String({ ...declared(COMPLETE.input, 'totp'), ...textSchema(ruleOf('totp')) })),
      [recoveryCode]: Type.Optional(
        Type.String({
          ...declared(COMPLETE.input, 'recovery_code'),
          minLength: 1,
          maxLength: ruleOf('recovery_code').max,
        }),
      ),
      passkey: Type.Optional(jsonObject(COMPLETE.input, 'passkey')),
      [accessCode]: Type.Optional(
        Type.String({ ...declared(COMPLETE.input, 'access_code'), minLength: 1, maxLength: ruleOf('access_code').max }),
      ),
    },
    {
      description: `${descriptionOf(COMPLETE.input)} Exactly one factor.`,
      additionalProperties: false,
      // The challenge and one factor.
      minProperties: 2,
      maxProperties: 2,
    },
  );
  const Completed = Type.Object(
    {
      ...style.members,
      [recoveryCodes]: optionalField(Type.Array(Type.String(), declared(COMPLETE.output, 'recovery_codes'))),
    },
    { title: 'CompleteLoginResponse', description: descriptionOf(COMPLETE.output), headers: style.headers },
  );
  const proofs: Readonly<Record<string, (value: unknown) => Proof>> = {
    totp: (value) => ({ $case: 'totp', value: value as string }),
    [recoveryCode]: (value) => ({ $case: 'recoveryCode', value: value as string }),
    passkey: (value) => ({ $case: 'passkey', value: JSON.stringify(value) }),
    [accessCode]: (value) => ({ $case: 'accessCode', value: value as string }),
  };
  const proofOf = (body: Readonly<Record<string, unknown>>): Proof | undefined => {
    const [name] = Object.keys(proofs).filter((one) => one in body);
    return name === undefined ? undefined : proofs[name]!(body[name]);
  };

  return (app, { session }, route) =>
    app.route({
      ...route,
      schema: {
        summary: 'Complete the login',
        tags: ['Session'],
        body: CompleteLogin,
        response: { 200: Completed },
      },
      onRequest: noStore,
      handler: async (request, reply) => {
        const body = request.body as Readonly<Record<string, unknown>>;
        const { login, recoveryCodes: codes } = await session.completeLogin(
          { challenge: body['challenge'] as string, proof: proofOf(body), ...style.originOf(request) },
          callOptions(request),
        );
        const response = style.respond(requireField(login, 'session'), request, reply);
        return { ...response, ...(codes.length > 0 && { [recoveryCodes]: codes }) };
      },
    });
}

/** The methods that a login can enrol, by their names in REST. */
const ENROLLED = { totp: FactorMethod.FACTOR_METHOD_TOTP, passkey: FactorMethod.FACTOR_METHOD_PASSKEY };
type EnrolledName = keyof typeof ENROLLED;

const EnrolmentRequest = Type.Object(
  {
    challenge: CHALLENGE,
    method: Type.Enum(Object.keys(ENROLLED) as EnrolledName[], declared(ENROL.input, 'method')),
  },
  { description: descriptionOf(ENROL.input), additionalProperties: false },
);

const EnrolmentResponse = Type.Object(
  {
    secret: optionalField(Type.String(declared(ENROL.output, 'secret'))),
    uri: optionalField(Type.String(declared(ENROL.output, 'uri'))),
    options: optionalField(jsonObject(ENROL.output, 'options')),
  },
  { title: 'StartEnrolmentResponse', description: descriptionOf(ENROL.output) },
);

/** Endpoint: starts to create the factor that a login requires. */
export function startEnrolment({ originOf }: Pick<LoginStyle, 'originOf'>): Endpoint {
  return (app, { session }, route) =>
    app.route({
      ...route,
      schema: {
        summary: 'Start to create the second factor',
        tags: ['Session'],
        body: EnrolmentRequest,
        response: { 200: EnrolmentResponse },
      },
      onRequest: noStore,
      handler: async (request) => {
        const { challenge, method } = request.body;
        const { refreshTokenTransport, browserOrigin } = originOf(request);
        const { options, ...totp } = await session.startEnrolment(
          { challenge, method: ENROLLED[method], refreshTokenTransport, browserOrigin },
          callOptions(request),
        );
        return { ...totp, ...(options !== undefined && { options: parseObject(options) }) };
      },
    });
}
