// Commands that export and erase the data of a tenant or a user.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { IdentityServiceService } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import { SessionServiceService } from '../../proto/gen/authservice/session/v1/session_service.ts';
import { AuditServiceService } from '../../proto/gen/authservice/audit/v1/audit_service.ts';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import type { Command, Input } from '../command.ts';
import { connectCore } from '../core/connect.ts';
import type { Core } from '../core/core.ts';
import { EXIT } from '../failure.ts';
import { loadLocalSettings } from '../local-settings.ts';
import { readAll, userId } from './lists.ts';
import { auditRecord, userRecord } from './records.ts';
import { sessionRecord } from './sessions.ts';

/** Loaded late, like the database in every command. */
const load = () => import('../../src/composition/erase-locally.ts');

export const DATA_COMMANDS: readonly Command[] = [
  {
    name: 'user export',
    summary: 'print all data about a user: the account, open sessions, audit records',
    arguments: { '<user>': 'the username or id' },
    notes: 'Prints one JSON object.',
    run: exportUser,
  },
  {
    name: 'user erase',
    summary: 'delete a user, its sessions, and its username and addresses in the audit trail',
    uses: 'settings',
    arguments: { '<user>': 'the username or id; the id also after the user was deleted' },
    notes: 'Works on the database of the settings. The service may run meanwhile.',
    ends: (values) => `deletes user ${values.required('user')} and its traces in the audit trail`,
    confirmedBy: 'user',
    run: eraseUser,
  },
  {
    name: 'tenant export',
    summary: 'write all rows of a tenant to a new file, as JSON lines',
    uses: 'settings',
    arguments: { '<tenant>': 'the id of the tenant', '<file>': 'a file that does not exist yet' },
    notes: 'Without hashes of passwords and secrets. The content of files is in app.files.store.',
    run: exportTenant,
  },
  {
    name: 'tenant erase',
    summary: 'delete a suspended tenant with all its accounts, business data, files and audit records',
    uses: 'settings',
    arguments: { '<tenant>': 'the id of the tenant' },
    notes: 'Works on the database of the settings. The cleanup of the service deletes the content of the files.',
    ends: (values) =>
      `deletes tenant ${values.required('tenant')} with all its accounts, data, files and audit records`,
    confirmedBy: 'tenant',
    async run(input) {
      const tenant = input.values.required('tenant');
      const rows = await (await load()).eraseTenant(tenant, loadLocalSettings(input));
      return { value: { tenant, rows }, text: `tenant ${tenant} erased, ${rows} rows deleted` };
    },
  },
];

async function exportUser({ values, core, terminal }: Input): Promise<number> {
  const opened = await core();
  const id = await userId(opened, values.required('user'));
  const { user } = await opened.client(IdentityServiceService).getUser({ userId: id });
  const { listUserSessions } = opened.client(SessionServiceService);
  const { listAuditRecords } = opened.client(AuditServiceService);
  const sessions = await readAll(
    (page) => listUserSessions({ userId: id, page }),
    (response) => response.sessions.map(sessionRecord),
  );
  const auditRecords = await readAll(
    (page) => listAuditRecords({ events: [], accountId: id, from: undefined, until: undefined, page }),
    ({ records }) => records.map(auditRecord),
  );
  const document = { user: userRecord(user!), sessions, auditRecords };
  terminal.out(`${JSON.stringify(document, undefined, 2)}\n`);
  return EXIT.done;
}

async function eraseUser(input: Input) {
  const user = input.values.required('user');
  const core = await connectCore({ ...input, values: input.values.with({ local: true }) });
  let erased: { readonly id: string; readonly tenantId: string | undefined };
  try {
    erased = await deleteUser(core, user);
  } finally {
    await core.close();
  }
  const records = await (await load()).eraseUserTraces(erased, loadLocalSettings(input));
  return { value: { id: erased.id, records }, text: `user ${erased.id} erased, also in ${records} audit records` };
}

/** Deletes a user, unless an earlier run has. */
async function deleteUser(core: Core, name: string) {
  const id = await userId(core, name);
  const identity = core.client(IdentityServiceService);
  try {
    const { user } = await identity.getUser({ userId: id });
    await identity.deleteUser({ userId: id });
    return { id, tenantId: user!.account!.tenantId };
  } catch (error) {
    if (!(error instanceof RpcError) || error.status.reason !== 'NOT_FOUND') throw error;
    return { id, tenantId: undefined };
  }
}

async function exportTenant(input: Input) {
  const tenant = input.values.required('tenant');
  const file = input.values.requiredPath('file');
  const output = openSync(file, 'wx', 0o600);
  try {
    const write = (row: unknown) => void writeSync(output, `${JSON.stringify(row)}\n`);
    const rows = await (await load()).exportTenant(tenant, loadLocalSettings(input), write);
    return { value: { tenant, file, rows }, text: `${rows} rows of tenant ${tenant} written to ${file}` };
  } catch (error) {
    rmSync(file);
    throw error;
  } finally {
    closeSync(output);
  }
}
