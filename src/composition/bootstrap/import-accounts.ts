// Imports users of another system in batches, with their password hashes. Existing accounts are not changed, so that an
// interrupted import can run again.
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { AuditContext, AuditLog } from '../../auth/audit/trail/audit-log.ts';
import { UNLIMITED, type Clock } from '../../platform/clock.ts';
import { DatabaseError } from '../../platform/db/errors.ts';
import { newId } from '../../platform/db/ids.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import type { Invitations } from '../../auth/identity/invitation/invitations.ts';
import { insertAccounts, selectTenantsOfUsernames, type NewAccountRow } from '../../auth/identity/account-store.ts';
import {
  ACCEPTED_HASHES,
  describeSlowHash,
  isAcceptedHash,
  memoryOfHash,
} from '../../auth/identity/authentication/password-hash-formats.ts';
import { findIneligibility } from '../../auth/identity/authentication/eligibility.ts';
import { selectNamesOfApplications } from '../../auth/oauth/applications/application-store.ts';
import { findUnclaimable } from '../../auth/tenancy/claim-username.ts';
import type { Tenant } from '../../auth/tenancy/tenant.ts';
import { findTenant } from '../../auth/tenancy/tenant-store.ts';
import { Identifier, PROFILE, STATE } from './plan.ts';
import { newAccount, userAccount } from './planned-accounts.ts';
import { isBuiltInRole } from '../../auth/access/roles/built-in-roles.ts';
import { findExcess } from '../../auth/access/roles/role-limits.ts';
import type { Violation } from '../../platform/errors.ts';
import { createDefinitions, type Definitions } from '../../auth/access/roles/definitions.ts';
import { holdDefinitions } from '../../auth/tenancy/lock-tenant.ts';
import { NOT_A_ROLE } from './plan.ts';

const COLUMNS = {
  username: Identifier,
  tenantId: Type.String({ minLength: 1, maxLength: 63 }),
  ...PROFILE,
  passwordHash: Type.Optional(
    Type.Refine(
      Type.String(),
      (text: string) => isAcceptedHash(text),
      () => `must be ${ACCEPTED_HASHES}`,
    ),
  ),
  invite: Type.Optional(Type.Boolean()),
  ...STATE,
};

/** The names of the columns of an import file. */
export const IMPORT_COLUMNS: readonly string[] = Object.keys(COLUMNS);

const ImportedUser = Type.Refine(
  Type.Object(COLUMNS, { additionalProperties: false }),
  ({ invite = false, email, passwordHash, disabled = false }) =>
    !invite || (email !== undefined && passwordHash === undefined && !disabled),
  () => '`invite: true` needs an email, no passwordHash, and a user that is not disabled',
);

const FORMAT = Compile(ImportedUser);

/** A row of an import file. */
export interface ImportRow {
  /** Its line in the file, from 1. */
  readonly line: number;
  readonly value: unknown;
  /** Why the line cannot be read. It has no value then. */
  readonly problem?: string | undefined;
}

export interface BatchResult {
  readonly created: number;
  /** Usernames that the same tenant has already. */
  readonly existing: number;
  readonly rejected: readonly RowProblem[];
  /** Created accounts whose password hash is slow to verify. */
  readonly slow: readonly RowProblem[];
}

/** The problem of a row, without its values. */
export interface RowProblem {
  readonly line: number;
  readonly message: string;
}

/** Imports a batch of rows in one transaction. With `dryRun`, checks it only. */
export type ImportBatch = (rows: readonly ImportRow[], options: { readonly dryRun: boolean }) => Promise<BatchResult>;

/** A valid row. */
interface Candidate extends NewAccountRow {
  readonly line: number;
  readonly username: string;
  readonly tenantId: string;
  readonly isInvited: boolean;
}

export function createImportBatch(options: {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly context: Omit<AuditContext, 'deadline' | 'requestId'>;
  /** Recorded in the details of each audit record. */
  readonly actor: string;
  /** Hashes that need more memory are rejected. */
  readonly maxHashMemoryBytes: number;
  /** Undefined if the service sends no mails. */
  readonly invitations: Invitations | undefined;
}): ImportBatch {
  const { database, audit, clock, context, actor, maxHashMemoryBytes, invitations } = options;
  const tenants = new Map<string, Tenant | undefined>();

  async function readTenant(id: string): Promise<Tenant | undefined> {
    if (!tenants.has(id)) tenants.set(id, await findTenant(database, id));
    return tenants.get(id);
  }

  /** Returns why a row cannot be imported; undefined if it can. */
  async function findProblem({ tenantId, account, isInvited }: Candidate): Promise<string | undefined> {
    if (isInvited && !invitations) return NO_MAIL;
    const tenant = await readTenant(tenantId);
    if (!tenant) return 'tenantId: no such tenant';
    const ineligible =
      isInvited && findIneligibility('refresh-token', { account, tenantStatus: tenant.status }, clock());
    return ineligible ? `invite: the user cannot log in: ${ineligible.detail}` : undefined;
  }

  return async (rows, { dryRun }) => {
    const invalid: RowProblem[] = [];
    const candidates: Candidate[] = [];
    for (const row of rows) {
      const candidate = toCandidate(row, clock(), maxHashMemoryBytes);
      if ('message' in candidate) {
        invalid.push(candidate);
        continue;
      }
      const message = await findProblem(candidate);
      if (message === undefined) candidates.push(candidate);
      else invalid.push({ line: row.line, message });
    }
    const call = { ...context, requestId: newId(), deadline: UNLIMITED };
    try {
      return await audit.commit(call, async (tx, record) => {
        const { fresh, existing, rejected } = await assess(database, tx, candidates);
        const result = {
          created: fresh.length,
          existing,
          rejected: [...invalid, ...rejected],
          slow: fresh.flatMap(slowHash),
        };
        if (dryRun) return result;
        const expiry = invitations?.newExpiry();
        const created = fresh.map((candidate) =>
          candidate.isInvited ? withInvitation(candidate, expiry!) : candidate,
        );
        for (const [tenantId, accounts] of Map.groupBy(created, (candidate) => candidate.tenantId))
          await insertAccounts(tx, tenantId, accounts);
        for (const { account, tenantId, username, isInvited } of created) {
          const details = { roles: account.roles.join(), actor, imported: 1 };
          const of = { tenantId, accountId: account.id, username };
          record({ event: 'account.created', ...of, details });
          if (!isInvited) continue;
          await invitations!.send(tx, account, { to: account.email!, expiresAt: expiry! });
          record({ event: 'account.invited', ...of, details: { actor, imported: 1 } });
        }
        return result;
      });
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.kind !== 'duplicate') throw error;
      throw new Error(CONCURRENT_CREATION, { cause: error });
    }
  };
}

const NO_MAIL = 'invite: needs mail: set app.mail.url';

function withInvitation(candidate: Candidate, invitationExpiresAt: number): Candidate {
  return { ...candidate, account: { ...candidate.account, invitationExpiresAt } };
}

const CONCURRENT_CREATION =
  'another process created one of these usernames at the same time; run the import again, it skips existing users';

interface Assessment {
  /** To be created. */
  readonly fresh: readonly Candidate[];
  readonly existing: number;
  readonly rejected: readonly RowProblem[];
}

/** Decides for each row as if the rows before it were stored, so that the size of a batch does not matter. */
async function assess(database: Database, tx: Statements, all: readonly Candidate[]): Promise<Assessment> {
  if (all.length === 0) return { fresh: [], existing: 0, rejected: [] };
  const unclaimable = new Set(await findUnclaimable(database, tx, all));
  const definitions = await holdDefinitionsOf(database, tx, all);
  const names = [...new Set(all.map(({ username }) => username))];
  const reserved = await selectNamesOfApplications(tx, names);
  const tenants = new Map(await selectTenantsOfUsernames(tx, names));
  const fresh: Candidate[] = [];
  const rejected: RowProblem[] = [];
  let existing = 0;
  for (const candidate of all) {
    const { line, username, tenantId, account } = candidate;
    if (unclaimable.has(candidate)) {
      rejected.push({ line, message: 'username: lies under a login domain of another tenant' });
    } else if (reserved.has(username)) {
      rejected.push({ line, message: 'username: is the client id of an application' });
    } else if (!tenants.has(username)) {
      const unknown = account.roles.findIndex(
        (role) => !isBuiltInRole(role) && !definitions.get(tenantId)!.roles.has(role),
      );
      if (unknown !== -1) {
        rejected.push({ line, message: `roles/${unknown}: ${NOT_A_ROLE}` });
        continue;
      }
      const [excess] = excessOf(definitions.get(tenantId), account.roles);
      if (excess) {
        rejected.push({ line, message: `roles: ${excess.message}` });
        continue;
      }
      tenants.set(username, tenantId);
      fresh.push(candidate);
    } else if (tenants.get(username) === tenantId) existing += 1;
    else rejected.push({ line, message: 'username: exists in another tenant' });
  }
  return { fresh, existing, rejected };
}

/** Built-in roles alone exceed no limit. */
function excessOf(definitions: Definitions | undefined, roles: readonly string[]): Violation[] {
  return definitions === undefined ? [] : findExcess(definitions.rightsOf(roles));
}

/** Returns the definitions of the tenants whose own roles the rows name. They do not change until the transaction ends. */
async function holdDefinitionsOf(
  database: Database,
  tx: Statements,
  all: readonly Candidate[],
): Promise<ReadonlyMap<string, Definitions>> {
  const definitions = createDefinitions(database);
  const withOwnRoles = all.filter(({ account }) => !account.roles.every(isBuiltInRole));
  const held = new Map<string, Definitions>();
  // Always in the same order, so that two imports never deadlock.
  for (const tenantId of [...new Set(withOwnRoles.map((candidate) => candidate.tenantId))].toSorted()) {
    await holdDefinitions(database, tx, tenantId);
    held.set(tenantId, await definitions.load({ tenantId, version: null }, tx));
  }
  return held;
}

function toCandidate(
  { line, value, problem }: ImportRow,
  now: number,
  maxHashMemoryBytes: number,
): Candidate | RowProblem {
  if (problem !== undefined) return { line, message: problem };
  if (!FORMAT.Check(value)) return { line, message: problemOf(value) };
  const { tenantId, passwordHash, invite: isInvited = false } = value;
  if (passwordHash !== undefined && memoryOfHash(passwordHash) > maxHashMemoryBytes)
    return { line, message: `passwordHash: needs more memory than ${HASH_MEMORY_SETTING} gives each process` };
  const account = newAccount(userAccount(value, tenantId), now);
  return { line, username: account.username, tenantId, isInvited, passwordHash, account: { ...account, tenantId } };
}

const HASH_MEMORY_SETTING = 'app.security.password.max-hash-memory-bytes';

function slowHash({ line, passwordHash }: Candidate): RowProblem[] {
  const slow = passwordHash === undefined ? undefined : describeSlowHash(passwordHash);
  return slow === undefined ? [] : [{ line, message: `passwordHash: ${slow} for each login until the first success` }];
}

function problemOf(value: unknown): string {
  const [error] = FORMAT.Errors(value);
  if (error === undefined) return 'invalid';
  const place = error.instancePath.slice(1) || 'row';
  if (error.keyword === 'enum') return `${place}: must be one of ${error.params.allowedValues.join(', ')}`;
  return `${place}: ${error.message}`;
}
