// The commands on applications that log in users.
import {
  ApplicationServiceService,
  ApplicationType,
  type Application,
} from '../../proto/gen/authservice/oauth/v1/application_service.ts';
import { enumNames } from '../../src/platform/formats/enum-names.ts';
import type { Client } from '../../src/platform/rpc/types.ts';
import type { Command, Values } from '../command.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { APPLICATION_OPTIONS, fieldsOf, ID_TOKEN_ALGORITHMS, maskOf, USERNAME_FORMS } from './application-fields.ts';
import { applicationId, listCommand, REASON } from './lists.ts';

export const APPLICATION_TYPES = enumNames(ApplicationType, 'APPLICATION_TYPE_');

const APPLICATION = { '<application>': 'the client id or the id of the application' };
const SHOWN_ONCE = 'keep the secret now; it is not shown again';

export const APPLICATION_COMMANDS: readonly Command[] = [
  listCommand({
    name: 'application list',
    summary: 'list the applications that log in users',
    options: {
      '--tenant <id>': 'the tenant, for a SUPER_ADMIN',
      '--query <text>': 'part of the client id or name',
      '--disabled': 'only disabled ones',
    },
    columns: ['clientId', 'name', 'type', 'tenantId', 'disabled', 'id'],
    read(core, values) {
      const filter = { tenantId: values.text('tenant'), query: values.text('query') };
      const disabled = values.flag('disabled') || undefined;
      return (page) => core.client(ApplicationServiceService).listApplications({ page, ...filter, disabled });
    },
    items: ({ applications }) => applications.map(applicationRecord),
  }),
  {
    name: 'application show',
    summary: 'show an application',
    arguments: APPLICATION,
    run: onApplication(async (applications, id) => {
      const { application } = await applications.getApplication({ applicationId: id });
      return { value: applicationRecord(application!) };
    }),
  },
  {
    name: 'application create',
    summary: 'create an application; the secret of a web application is shown once',
    arguments: { '<name>': 'its name on the pages of login and consent' },
    options: {
      '--type <application-type>': 'WEB: on a server, SPA: in a browser, NATIVE: on a device (default: WEB)',
      '--client-id <text>': 'letters, digits and -._~ (default: generated)',
      '--tenant <id>': 'the tenant, for a SUPER_ADMIN (default: all tenants that share applications)',
      ...APPLICATION_OPTIONS,
      ...REASON,
    },
    async run({ values, core }) {
      const { createApplication } = (await core()).client(ApplicationServiceService);
      const { application, clientSecret } = await createApplication({
        tenantId: values.text('tenant'),
        clientId: values.text('clientId'),
        type: APPLICATION_TYPES.valueOf(values.choice('type', APPLICATION_TYPES.names) ?? 'WEB'),
        application: fieldsOf(values),
        reason: values.text('reason'),
      });
      const value = applicationRecord(application!);
      return clientSecret === undefined ? { value } : { value: { ...value, clientSecret }, note: SHOWN_ONCE };
    },
  },
  {
    name: 'application update',
    summary: 'change an application',
    arguments: APPLICATION,
    options: { '--name <text>': 'its name on the pages of login and consent', ...APPLICATION_OPTIONS, ...REASON },
    notes: 'An option replaces what the application has. "" removes it, or returns to the default.',
    run: onApplication(async (applications, id, values) => {
      const updateMask = maskOf(values);
      if (updateMask.length === 0) throw new CommandFailure('give at least one option to change', EXIT.usage);
      const reason = values.text('reason');
      const request = { applicationId: id, application: fieldsOf(values), updateMask, reason };
      return { value: applicationRecord((await applications.updateApplication(request)).application!) };
    }),
  },
  {
    name: 'application delete',
    summary: 'delete an application and end all its access',
    arguments: APPLICATION,
    options: REASON,
    ends: (values) => `deletes application ${values.required('application')} and ends all its access`,
    run: onApplication(async (applications, id, values) => {
      await applications.deleteApplication({ applicationId: id, reason: values.text('reason') });
      return { value: { id, deleted: true }, text: `deleted ${id}` };
    }),
  },
  {
    ...setDisabled('application disable', 'refuse all logins and tokens of an application', true),
    ends: (values) => `refuses all logins and tokens of application ${values.required('application')}`,
  },
  setDisabled('application enable', 'enable a disabled application', false),
  listCommand({
    name: 'application secret list',
    summary: 'list the secrets of an application',
    arguments: APPLICATION,
    columns: ['id', 'createdAt', 'expiresAt', 'lastUsedAt'],
    async read(core, values) {
      const id = await applicationId(core, values.required('application'));
      return (page) => core.client(ApplicationServiceService).listApplicationSecrets({ applicationId: id, page });
    },
    items: ({ secrets }) => secrets,
  }),
  {
    name: 'application secret create',
    summary: 'create a second secret, which is shown once',
    arguments: APPLICATION,
    options: { '--expires <time>': 'when it ends: ISO 8601, or 30d from now', ...REASON },
    run: onApplication(async (applications, id, values) => {
      const request = { applicationId: id, expiresAt: values.time('expires'), reason: values.text('reason') };
      const { secret, clientSecret } = await applications.createApplicationSecret(request);
      return { value: { ...secret, clientSecret }, note: SHOWN_ONCE };
    }),
  },
  {
    name: 'application secret expire',
    summary: 'end a secret',
    arguments: { ...APPLICATION, '<secret>': 'the id of the secret' },
    options: { '--at <time>': 'when it ends: ISO 8601, or 7d from now (default: now)', ...REASON },
    ends: (values) =>
      `ends secret ${values.required('secret')} of application ${values.required('application')} ${values.text('at') ?? 'now'}`,
    run: onApplication(async (applications, id, values) => {
      const secret = { secretId: values.required('secret'), expiresAt: values.time('at') };
      const request = { applicationId: id, ...secret, reason: values.text('reason') };
      return { value: (await applications.expireApplicationSecret(request)).secret };
    }),
  },
];

type Result = Awaited<ReturnType<Command['run']>>;
type Work = (applications: Client<typeof ApplicationServiceService>, id: string, values: Values) => Promise<Result>;

/** Returns the work of a command on the application of its argument. */
function onApplication(work: Work): Command['run'] {
  return async ({ core, values }) => {
    const opened = await core();
    const id = await applicationId(opened, values.required('application'));
    return work(opened.client(ApplicationServiceService), id, values);
  };
}

function setDisabled(name: string, summary: string, disabled: boolean): Command {
  const run = onApplication(async (applications, id, values) => {
    const application = { ...fieldsOf(values), disabled };
    const request = { applicationId: id, application, updateMask: ['disabled'], reason: values.text('reason') };
    return { value: applicationRecord((await applications.updateApplication(request)).application!) };
  });
  return { name, summary, arguments: APPLICATION, options: REASON, run };
}

/** A logo is too long to be shown. */
function applicationRecord({ version: _version, logo, jwks, ...application }: Application) {
  return {
    ...application,
    type: APPLICATION_TYPES.nameOf(application.type),
    idTokenAlgorithm: ID_TOKEN_ALGORITHMS.nameOf(application.idTokenAlgorithm),
    usernameForm: USERNAME_FORMS.nameOf(application.usernameForm),
    ...(jwks !== undefined && { jwks: JSON.parse(jwks) as unknown }),
    ...(logo !== undefined && { hasLogo: true }),
  };
}
