import { declared, descriptionOf, methodOf } from '../auth/declared.ts';
import { clientEndpoint } from '../auth/m2m/client-endpoint.ts';
import { FURTHER_PARAMETERS, parametersOf } from '../auth/m2m/client-parameters.ts';
import { Type } from '../type.ts';

const AUTHORIZE = methodOf('AuthorizationService', 'AuthorizeDevice');
const { input, output } = AUTHORIZE;

const AuthorizeDeviceForm = Type.Object(
  Object.fromEntries(
    Object.values(parametersOf(input)).map((name) => [name, Type.Optional(Type.String(declared(input, name)))]),
  ),
  { ...FURTHER_PARAMETERS, title: 'AuthorizeDeviceForm', description: descriptionOf(input) },
);

const text = (name: string) => Type.String(declared(output, name));
const seconds = (name: string) => Type.Integer(declared(output, name));

const AuthorizeDeviceResponse = Type.Object(
  {
    device_code: text('device_code'),
    user_code: text('user_code'),
    verification_uri: text('verification_uri'),
    verification_uri_complete: text('verification_uri_complete'),
    expires_in: seconds('expires_in'),
    interval: seconds('interval'),
  },
  { title: 'AuthorizeDeviceResponse', description: descriptionOf(output) },
);

/** Endpoint: starts the authorization of a device (RFC 8628 section 3.1). */
export const authorizeDevice = clientEndpoint({
  rpc: AUTHORIZE,
  body: AuthorizeDeviceForm,
  jsonBody: 'none',
  tag: 'OpenID provider',
  summary: 'Authorize a device',
  response: AuthorizeDeviceResponse,
  async handle({ authorization }, request, options) {
    const device = await authorization.authorizeDevice(request, options);
    return {
      device_code: device.deviceCode,
      user_code: device.userCode,
      verification_uri: device.verificationUri,
      verification_uri_complete: device.verificationUriComplete,
      expires_in: device.expiresIn,
      interval: device.interval,
    };
  },
});
