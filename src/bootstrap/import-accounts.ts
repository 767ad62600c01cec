// Imports users of another system in batches, with their password hashes. Existing accounts are not changed, so that an
// interrupted import can run again.
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { AuditContext, AuditLog } from '../audit/audit-log.ts';
import { UNLIMITED, type Clock } from '../clock.ts';
import { newId } from '../db/ids.ts';
import type { Database, Statements } from '../db/types.ts';
import { insertAccounts, selectTenantsOfUsernames, type NewAccountRow } from '../identity/account-store.ts';
import { ACCEPTED_HASHES, isAcceptedHash } from '../identity/authentication/password-hash-formats.ts';
import { canonicalUsername } from '../identity/login-name.ts';
import { findUnclaimable } from '../tenancy/claim-username.ts';
import { tenantExists } from '../tenancy/tenant-store.ts';
import { Email, HeldRoles, Identifier, Name, Time } from './plan.ts';

const ImportedUser = Type.Object(
  {
    username: Identifier,
    tenantId: Type.String({ minLength: 1, maxLength: 63 }),
    name: Type.Optional(Name),
    email: Type.Optional(Email),
    roles: HeldRoles,
    passwordHash: Type.Optional(
      Type.Refine(
        Type.String(),
        (text: string) => isAcceptedHash(text),
        () => `must be ${ACCEPTED_HASHES}`,
      ),
    ),
    disabled: Type.Optional(Type.Boolean()),
    accountExpiresAt: Type.Optional(Time),
    credentialsExpireAt: Type.Optional(Time),
  },
  { additionalProperties: false },
);
type ImportedUser = Static<typeof ImportedUser>;

const FORMAT = Compile(ImportedUser);

/** A row of an import file. */
export interface ImportRow {
  /** Its line in the file, from 1. */
  readonly line: number;
  readonly value: unknown;
}

export interface BatchResult {
  readonly created: number;
  /** Usernames that the same tenant has already. */
  readonly existing: number;
  readonly rejected: readonly Rejection[];
}

export interface Rejection {
  readonly line: number;
  /** The problem, without values. */
  readonly message: string;
}

/** Imports a batch of rows in one transaction. With `dryRun`, checks it only. */
export type ImportBatch = (rows: readonly ImportRow[], options: { readonly dryRun: boolean }) => Promise<BatchResult>;

/** A valid row. */
interface Candidate extends NewAccountRow {
  readonly line: number;
  readonly username: string;
  readonly tenantId: string;
}

export function createImportBatch(options: {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly context: Omit<AuditContext, 'deadline' | 'requestId'>;
  /** Recorded in the details of each audit record. */
  readonly actor: string;
}): ImportBatch {
  const { database, audit, clock, context, actor } = options;
  const knownTenants = new Map<string, boolean>();

  async function isKnownTenant(id: string): Promise<boolean> {
    const known = knownTenants.get(id) ?? (await tenantExists(database, id));
    knownTenants.set(id, known);
    return known;
  }

  return async (rows, { dryRun }) => {
    const rejected: Rejection[] = [];
    const candidates = new Map<string, Candidate>();
    let existing = 0;
    for (const row of rows) {
      const candidate = toCandidate(row, clock());
      if ('message' in candidate) rejected.push(candidate);
      else if (!(await isKnownTenant(candidate.tenantId)))
        rejected.push({ line: row.line, message: 'tenantId: no such tenant' });
      else if (candidates.has(candidate.username)) existing += 1;
      else candidates.set(candidate.username, candidate);
    }
    const call = { ...context, requestId: newId(), deadline: UNLIMITED };
    const created = await audit.commit(call, async (tx, record) => {
      const fresh = await withoutTaken(tx, candidates);
      if (dryRun) return fresh.length;
      for (const [tenantId, accounts] of Map.groupBy(fresh, (candidate) => candidate.tenantId))
        await insertAccounts(tx, tenantId, accounts);
      for (const { account, tenantId, username } of fresh) {
        const details = { roles: account.roles.join(), actor, imported: 1 };
        record({ event: 'account.created', tenantId, accountId: account.id, username, details });
      }
      return fresh.length;
    });
    return { created, existing, rejected };

    async function withoutTaken(tx: Statements, all: ReadonlyMap<string, Candidate>): Promise<Candidate[]> {
      if (all.size === 0) return [];
      const free = new Map(all);
      for (const { line, username } of await findUnclaimable(database, tx, [...all.values()])) {
        free.delete(username);
        rejected.push({ line, message: 'username: lies under a login domain of another tenant' });
      }
      for (const [username, tenantId] of await selectTenantsOfUsernames(tx, [...all.keys()])) {
        const taken = free.get(username);
        if (!free.delete(username)) continue;
        if (taken!.tenantId === tenantId) existing += 1;
        else rejected.push({ line: taken!.line, message: 'username: exists in another tenant' });
      }
      return [...free.values()];
    }
  };
}

function toCandidate({ line, value }: ImportRow, now: number): Candidate | Rejection {
  if (!FORMAT.Check(value)) return { line, message: problemOf(value) };
  const { tenantId, roles, passwordHash, email, disabled = false, ...user } = value;
  const username = canonicalUsername(user.username)!;
  return {
    line,
    username,
    tenantId,
    passwordHash,
    account: {
      id: newId(),
      tenantId,
      username,
      name: user.name ?? username,
      email,
      interactive: true,
      roles,
      disabled,
      accountExpiresAt: timeOf(user.accountExpiresAt),
      credentialsExpireAt: timeOf(user.credentialsExpireAt),
      loginFailedCount: 0,
      lockedUntil: undefined,
      createdAt: now,
    },
  };
}

function problemOf(value: unknown): string {
  const [error] = FORMAT.Errors(value);
  if (error === undefined) return 'invalid';
  const { instancePath, message } = error;
  return `${instancePath.slice(1) || 'row'}: ${message}`;
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
