// The RPCs on service accounts and their secrets.
import type {
  CreateClientSecretRequest,
  CreateClientSecretResponse,
  CreateServiceAccountRequest,
  CreateServiceAccountResponse,
  DeleteServiceAccountRequest,
  DeleteServiceAccountResponse,
  DisableServiceAccountRequest,
  DisableServiceAccountResponse,
  EnableServiceAccountRequest,
  ExpireClientSecretRequest,
  ExpireClientSecretResponse,
  GetServiceAccountRequest,
  GetServiceAccountResponse,
  ListClientSecretsRequest,
  ListClientSecretsResponse,
  ListServiceAccountsRequest,
  ListServiceAccountsResponse,
  ServiceAccount,
  UpdateServiceAccountRequest,
  UpdateServiceAccountResponse,
} from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { listPageInfo, listPageOf, SHORT_LIST, sliceOf } from '../../platform/rpc/paging.ts';
import { futureTime } from '../../platform/rpc/request-violations.ts';
import { loadThenCheckReferences, loadThenHandle } from '../../platform/rpc/service.ts';
import type { Call } from '../access/principal.ts';
import {
  ACCOUNT_SECRETS,
  assertRoomForSecret,
  clientSecretMessage,
  expireSecret,
  findSecret,
  issueSecret,
  selectLiveSecrets,
  selectLiveSecretsOfAll,
  type ClientSecret,
  type IssuedSecret,
} from './secrets.ts';
import {
  ACCOUNT_ORDER,
  type AccountAdministration,
  type EndSessions,
  type NewAccount,
} from '../identity/users/account-administration.ts';
import {
  assertCanGrantRoles,
  assertCredentialsUsable,
  checkRoles,
  EVERY_ROLE,
  ROLES_OF_TENANTS,
  tenantOfNewAccount,
} from '../identity/users/account-input.ts';
import { assertCanAdminister, assertNotSelf, getAdminScope, narrowScope } from '../identity/users/administrator.ts';
import type { Account } from '../access/account.ts';
import { createUpdateServiceAccount, type UpdateServiceAccountDependencies } from './update-service-account.ts';

/** The dependencies of the RPCs on service accounts and their secrets. */
export interface ServiceAccountDependencies {
  readonly database: Database;
  readonly administration: AccountAdministration;
  readonly endSessions: EndSessions;
  readonly requireFresh: UpdateServiceAccountDependencies['requireFresh'];
  readonly clock: Clock;
  /** Whether service accounts must belong to a tenant. */
  readonly tenantRequired: boolean;
}

/** ClientCredentialsService: the RPCs on service accounts and their secrets. */
export function serviceAccountHandlers(options: ServiceAccountDependencies) {
  const { database, administration, endSessions, requireFresh, clock, tenantRequired } = options;
  const prepareUpdate = createUpdateServiceAccount({ definitions: administration.definitions, requireFresh });

  /** Finds the account of a request within the caller's scope. Throws NOT_FOUND. */
  const findAccount = ({ serviceAccountId }: { readonly serviceAccountId: string }, call: Call) =>
    administration.findServiceAccount(call.principal!, serviceAccountId);

  const selectSecrets = (account: Account) => selectLiveSecrets(database, ACCOUNT_SECRETS, account, clock());

  const setDisabled = (disabled: boolean) =>
    loadThenHandle(
      findAccount,
      async (
        _request: DisableServiceAccountRequest | EnableServiceAccountRequest,
        call,
        account,
      ): Promise<DisableServiceAccountResponse> => {
        const changed = await administration.setDisabled(call, account, disabled);
        return { serviceAccount: serviceAccountMessage(changed, await selectSecrets(changed)) };
      },
    );

  return {
    createServiceAccount: loadThenCheckReferences(
      async () => {},
      async (
        request: CreateServiceAccountRequest,
        call: Call,
        _found,
        violations,
      ): Promise<CreateServiceAccountResponse> => {
        const principal = call.principal!;
        const isTenantless = getAdminScope(principal).everyTenant && request.tenantId === undefined;
        if (isTenantless && tenantRequired) {
          violations.add({ message: 'must name a tenant', format: 'required', props: ['tenantId'] });
        }
        const holdable = isTenantless ? EVERY_ROLE : ROLES_OF_TENANTS;
        await checkRoles(violations, administration.definitions, principal, request, holdable);
        violations.assertNone();
        const tenantId = await tenantOfNewAccount(principal, request.tenantId, administration.tenantExists);
        assertCanGrantRoles(principal, request.roles);
        const { resourceServer = false } = request;
        assertCanAdminister(principal, { resourceServer });

        const draft = {
          username: request.clientId,
          name: request.name,
          email: undefined,
          interactive: false,
          roles: request.roles,
          resourceServer,
          accountExpiresAt: undefined,
          credentialsExpireAt: undefined,
          tenantId,
        };
        let issued!: IssuedSecret;
        const account = await administration.create(call, draft, undefined, async (created) => {
          issued = await addSecret(created, clock());
        });
        return { serviceAccount: serviceAccountMessage(account, [issued.secret]), clientSecret: issued.value };
      },
    ),

    getServiceAccount: loadThenHandle(
      findAccount,
      async (_request: GetServiceAccountRequest, _call, account): Promise<GetServiceAccountResponse> => ({
        serviceAccount: serviceAccountMessage(account, await selectSecrets(account)),
      }),
    ),

    async listServiceAccounts(request: ListServiceAccountsRequest, call: Call): Promise<ListServiceAccountsResponse> {
      const page = listPageOf(request, call, ACCOUNT_ORDER);
      const scope = narrowScope(call.principal!, request.tenantId);
      const filter = { interactive: false, query: request.query, disabled: request.disabled };

      const found = await administration.list(scope, filter, page);
      const secrets = Map.groupBy(
        await selectLiveSecretsOfAll(database, ACCOUNT_SECRETS, found.items, clock()),
        ({ ownerId }) => ownerId,
      );
      const messages = found.items.map((account) => serviceAccountMessage(account, secrets.get(account.id) ?? []));
      return { serviceAccounts: messages, page: listPageInfo(page, found) };
    },

    updateServiceAccount: loadThenCheckReferences(
      findAccount,
      async (
        request: UpdateServiceAccountRequest,
        call,
        account,
        violations,
      ): Promise<UpdateServiceAccountResponse> => {
        const work = await prepareUpdate(request, call, account, violations);
        const changed = await administration.change(call, account, work);
        return { serviceAccount: serviceAccountMessage(changed, await selectSecrets(changed)) };
      },
    ),

    /** Its secrets and API keys are deleted with it. Its audit records stay. */
    deleteServiceAccount: loadThenHandle(
      findAccount,
      async (_request: DeleteServiceAccountRequest, call, account): Promise<DeleteServiceAccountResponse> => {
        assertNotSelf(call, account, 'delete');
        await administration.change(call, account, async (locked) => {
          const sessionsEnded = await endSessions(locked.tx, account, call.deadline, locked.record);
          await locked.remove();
          locked.record('account.deleted', { sessionsEnded });
        });
        return {};
      },
    ),

    disableServiceAccount: setDisabled(true),
    enableServiceAccount: setDisabled(false),

    listClientSecrets: loadThenHandle(
      findAccount,
      async (request: ListClientSecretsRequest, call, account): Promise<ListClientSecretsResponse> => {
        const page = listPageOf(request, call, SHORT_LIST);
        // A service account has very few secrets, so all are read.
        const shown = sliceOf(await selectSecrets(account), page);
        return { secrets: shown.items.map(clientSecretMessage), page: listPageInfo(page, shown) };
      },
    ),

    createClientSecret: loadThenCheckReferences(
      findAccount,
      async (request: CreateClientSecretRequest, call, account, violations): Promise<CreateClientSecretResponse> => {
        const expiresAt = futureTime(violations, 'expiresAt', request.expiresAt, clock());
        violations.assertNone();
        assertCredentialsUsable(account, tenantRequired);

        let issued!: IssuedSecret;
        // The account's row is locked, so that concurrent calls count one after the other.
        await administration.change(call, account, async (locked) => {
          await assertRoomForSecret(locked.tx, ACCOUNT_SECRETS, account, locked.now);
          issued = await addSecret(locked, locked.now, expiresAt);
        });
        return { secret: clientSecretMessage(issued.secret), clientSecret: issued.value };
      },
    ),

    /** Throws NOT_FOUND if the secret has already expired. */
    expireClientSecret: loadThenCheckReferences(
      async (request: ExpireClientSecretRequest, call: Call) => {
        const account = await findAccount(request, call);
        return { account, secret: findSecret(await selectSecrets(account), request.secretId) };
      },
      async ({ secretId, ...request }, call, { account, secret }, violations): Promise<ExpireClientSecretResponse> => {
        const requested = futureTime(violations, 'expiresAt', request.expiresAt, clock());
        violations.assertNone();

        const expiresAt = requested ?? clock();
        await administration.change(call, account, async ({ tx, now, record }) => {
          await expireSecret(tx, ACCOUNT_SECRETS, account, { id: secretId, expiresAt, now });
          record('client-secret.expiry-set', { secretId, expiresAt: new Date(expiresAt).toISOString() });
        });
        return { secret: clientSecretMessage({ ...secret, expiresAt }) };
      },
    ),
  };
}

async function addSecret({ tx, account, record }: NewAccount, createdAt: number, expiresAt?: number) {
  const issued = await issueSecret(tx, ACCOUNT_SECRETS, account, { createdAt, expiresAt });
  record('client-secret.created', { secretId: issued.secret.id });
  return issued;
}

/** Converts a service account and its live secrets to proto messages. */
function serviceAccountMessage(account: Account, secrets: readonly ClientSecret[]): ServiceAccount {
  const { id, username, name, tenantId, roles, disabled, resourceServer, createdAt } = account;
  return {
    id,
    clientId: username,
    name,
    ...(tenantId !== undefined && { tenantId }),
    roles: [...roles],
    disabled,
    ...(resourceServer && { resourceServer }),
    createdAt: new Date(createdAt),
    secrets: secrets.map(clientSecretMessage),
  };
}
