// The names of tenants. The service gives their ids.
import { useQuery } from '../query.ts';
import { Link } from 'wouter-preact';
import { getTenant } from '../../../client/src/operations.ts';
import { useService } from '../ui/frame.tsx';
import { Name } from '../ui/name.tsx';
import { useConsole } from './context.ts';

/** A tenant that was asked for, so that lists ask once. */
const known = new Map<string, Promise<string>>();

/** Returns the name of a tenant; its id until it is known, and to those who may not see tenants. */
export function useTenantName(id: string | undefined): string | undefined {
  const { session } = useService();
  const { account, holds } = useConsole();
  const { data } = useQuery(
    async () => {
      if (id === undefined || !holds('MANAGE_TENANTS')) return undefined;
      const name = known.get(id) ?? getTenant(session, { path: { tenantId: id } }).then(({ data: { name } }) => name);
      known.set(id, name);
      name.catch(() => known.delete(id));
      return { id, name: await name };
    },
    [id],
    ['tenants'],
  );
  if (id === account.tenantId) return account.tenantName ?? id;
  return data?.id === id ? data?.name : id;
}

/** The name of a tenant. It leads to the tenant for those who may see it. */
export function TenantName({ id }: { readonly id: string | undefined }) {
  const { canOpen } = useConsole();
  const name = useTenantName(id);
  if (id === undefined || !canOpen('/tenants')) return <Name>{name}</Name>;
  return (
    <Link href={`/tenants/${id}?${new URLSearchParams({ tenantId: id })}`} title={id}>
      <Name>{name}</Name>
    </Link>
  );
}
