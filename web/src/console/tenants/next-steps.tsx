// What comes after a new tenant: its policy, and its first administrator.
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { listUsers } from '../../../../client/src/operations.ts';
import { useQuery } from '../../query.ts';
import { useService } from '../../ui/frame.tsx';
import { useConsole } from '../context.ts';
import { CreateUser, InviteUsers } from '../users/new-users.ts';
import { useRoleNames } from '../users/role-names.ts';
import { tenantTexts } from './texts.ts';

const ADMINISTRATOR = ['TENANT_ADMIN'];

/** Shown until the tenant has a user. */
export function NextSteps({ tenantId }: { readonly tenantId: string }) {
  const { options, session } = useService();
  const { holds } = useConsole();
  const [isInviting, setInviting] = useState(false);
  const { toGive } = useRoleNames();
  const query = useQuery(
    async (signal) =>
      holds('READ_USERS') &&
      (await listUsers(session, { query: { tenantId, perPage: 1 } }, { signal })).data.length === 0,
    [tenantId],
    ['users'],
  );
  const texts = tenantTexts();
  const close = () => setInviting(false);
  return (
    <>
      {query.data === true && (
        <section class="panel">
          <h2>{texts.next}</h2>
          <ol class="steps">
            <li>
              {texts.nextPolicy} <Link href={`/policy?${new URLSearchParams({ tenantId })}`}>{texts.toPolicy}</Link>
            </li>
            <li>
              <p>{texts.nextAdministrator}</p>
              <button class="primary" onClick={() => setInviting(true)}>
                {options.recovery ? texts.inviteFirst : texts.createFirst}
              </button>
            </li>
          </ol>
        </section>
      )}
      {isInviting &&
        (options.recovery ? (
          <InviteUsers roleNames={toGive} roles={ADMINISTRATOR} onClose={close} />
        ) : (
          <CreateUser roleNames={toGive} roles={ADMINISTRATOR} onClose={close} />
        ))}
    </>
  );
}
