// What helps against a failed check.
import { Link } from 'wouter-preact';
import { getTenant, type Reply, type Tenant, type User } from '../../../../client/src/operations.ts';
import { useQuery } from '../../query.ts';
import { Acts } from '../act-button.tsx';
import { useService } from '../../ui/frame.tsx';
import { useConsole } from '../context.ts';
import { useTenantActs } from '../tenants/tenant-acts.ts';
import { useUserActs } from '../users/user-acts.tsx';
import type { ExplainedAccount } from './account.tsx';
import type { Check } from './check.ts';
import { explainTexts } from './texts.ts';

type UserAct = Parameters<ReturnType<typeof useUserActs>['offered']>[number];

const OF_USER: Readonly<Record<string, readonly UserAct[]>> = {
  ACCOUNT_DISABLED: ['enable'],
  ACCOUNT_LOCKED: ['unlock'],
  INVITATION_ENDED: ['inviteAgain'],
  INVITATION_OPEN: ['inviteAgain'],
  PASSKEYS_OFF: ['accessCode', 'resetFactors'],
  PASSWORD_EXPIRED: ['sendRecovery', 'temporaryPassword'],
  PASSWORD_MISSING: ['temporaryPassword'],
  TEMPORARY_PASSWORD_ENDED: ['sendRecovery', 'temporaryPassword'],
};
/** Those that the page of the account mends. */
const ON_PAGE = ['ACCOUNT_EXPIRED', 'CLIENT_SECRET_MISSING', 'CLIENT_SECRETS_EXPIRED', 'API_KEY_EXPIRED'];

interface CheckActsProps {
  readonly check: Check;
  readonly account: ExplainedAccount | undefined;
}

export function CheckActs({ check: { code, params }, account }: CheckActsProps) {
  const { holds, linkTo } = useConsole();
  const tenant = params['tenant'];
  if (code === 'TENANT_SUSPENDED' && tenant !== undefined && holds('MANAGE_TENANTS')) return <TenantActs id={tenant} />;
  if (!account) return null;
  const names = OF_USER[code];
  if (account.user && names) return <UserActs user={account.user} names={names} />;
  if (!ON_PAGE.includes(code) && !(names && !account.user)) return null;
  return (
    <p>
      <Link href={linkTo(account.path)}>{account.user ? explainTexts().show : explainTexts().showService}</Link>
    </p>
  );
}

function UserActs({ user, names }: { readonly user: Reply<User>; readonly names: readonly UserAct[] }) {
  const { offered } = useUserActs(user);
  const acts = offered(...names);
  return acts.length === 0 ? null : <Acts acts={acts} />;
}

function TenantActs({ id }: { readonly id: string }) {
  const { session } = useService();
  const { data } = useQuery(
    async (signal) => (await getTenant(session, { path: { tenantId: id } }, { signal })).data,
    [id],
    ['tenants'],
  );
  return data?.status === 'SUSPENDED' ? <ActivateTenant tenant={data} /> : null;
}

function ActivateTenant({ tenant }: { readonly tenant: Tenant }) {
  const { change } = useTenantActs(tenant);
  return <Acts acts={[change]} />;
}
