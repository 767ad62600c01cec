import { Type } from '../../type.ts';
import { errorsOf } from '../../contract/contracts.ts';
import { type Endpoint, SECURITY } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { noStore } from '../../http/caching.ts';
import { USER, userOf } from './user.ts';

const CurrentUser = Type.Object(
  {
    ...USER,
    createdAt: Type.String({ format: 'date-time', description: 'ISO 8601 in UTC with milliseconds.' }),
  },
  { title: 'Account', description: 'The account behind the credential.' },
);

/** Endpoint: returns the caller's account. */
export function me(): Endpoint {
  return (app, { identity }, route) =>
    app.route({
      ...route,
      config: {
        ...route.config,
        checksCredential: true,
        failures: [...errorsOf(route.config.rpc!), 'VALIDATION_ERROR'],
      },
      schema: {
        summary: 'Get the current user',
        tags: ['Session'],
        security: SECURITY,
        response: { 200: CurrentUser },
      },
      onRequest: noStore,
      handler: async (request) => {
        const { account } = await identity.getMe({}, callOptions(request));
        if (account?.createdAt === undefined) throw new TypeError('The core sent no account');
        return { ...userOf(account), createdAt: account.createdAt.toISOString() };
      },
    });
}
