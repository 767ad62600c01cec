import type { Deadline } from '../../../platform/clock.ts';
import { DatabaseError } from '../../../platform/db/errors.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { lockNames } from '../../tenancy/claim-username.ts';
import type { Application } from './application.ts';
import { countApplications, insertApplication, isResource, selectClientIds } from './application-store.ts';
import type { ApplicationRules } from './check-application.ts';
import { refusal } from '../../access/refusals.ts';

/** What a new application, or a changed one, is checked against. */
export interface ApplicationChecks {
  readonly database: Database;
  readonly rules: ApplicationRules;
  /** Whether an account, or the service itself, has this username or client id. */
  readonly isNameTaken: (tx: Statements, name: string) => Promise<boolean>;
  /** Returns those of some texts that are client ids of service accounts. */
  readonly selectServiceAccounts: (tx: Statements, texts: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** Of each tenant, and of those for all tenants. */
const MAX_APPLICATIONS = 1_000;

/**
 * Adds an application in a transaction. All are created here. Rejects with CONFLICT if its client id is taken, or if there are too
 * many, and with VALIDATION_ERROR if it has a client id as an audience.
 */
export async function addApplication(
  checks: ApplicationChecks,
  tx: Statements,
  application: Application,
  deadline: Deadline,
): Promise<void> {
  const { id, clientId, tenantId } = application;
  const isGenerated = clientId === id;
  // Creations follow one another, so that they count right. Changes of resources wait for them.
  await lockNames(checks.database, tx, deadline);
  if ((await countApplications(tx, tenantId)) >= MAX_APPLICATIONS)
    throw refusal('tooManyApplications', { maximum: MAX_APPLICATIONS });
  if (await checks.isNameTaken(tx, clientId)) throw refusal('clientIdTaken');
  if (!isGenerated && (await isResource(tx, clientId))) throw refusal('clientIdTaken');
  await assertNoClientIds(checks, tx, application);
  await insertApplication(tx, application).catch((error: unknown) => {
    throw error instanceof DatabaseError && error.kind === 'duplicate' ? refusal('clientIdTaken') : error;
  });
}

/** Throws VALIDATION_ERROR if an audience is a client id, which ID tokens have as their audience. */
export async function assertNoClientIds(
  { selectServiceAccounts }: Pick<ApplicationChecks, 'selectServiceAccounts'>,
  tx: Statements,
  { clientId, resources }: Pick<Application, 'clientId' | 'resources'>,
): Promise<void> {
  if (resources.length === 0) return;
  const applications = await selectClientIds(tx, resources);
  const serviceAccounts = await selectServiceAccounts(tx, resources);
  const violations = resources.flatMap((resource, index) =>
    resource === clientId || applications.has(resource) || serviceAccounts.has(resource)
      ? [{ message: 'must not be a client id', format: 'resource', props: ['resources', `${index}`] }]
      : [],
  );
  if (violations.length > 0) throw new ServiceError('VALIDATION_ERROR', { violations });
}
