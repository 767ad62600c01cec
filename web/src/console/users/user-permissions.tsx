import { Link } from 'wouter-preact';
import { listUserPermissions, type User } from '../../../../client/src/operations.ts';
import { useQuery } from '../../query.ts';
import { useService } from '../../ui/frame.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Table } from '../../ui/table.tsx';
import { useConsole } from '../context.ts';
import { permissionText } from '../roles/permission-texts.ts';
import { userTexts } from './texts.ts';

/** What the user may do now, and the roles that permit it. */
export function UserPermissions({ user: { id } }: { readonly user: User }) {
  const { session } = useService();
  const { canOpen, linkTo } = useConsole();
  const query = useQuery(
    async (signal) => (await listUserPermissions(session, { path: { userId: id } }, { signal })).data,
    [id],
    ['users', 'roles'],
  );
  const texts = userTexts();
  return (
    <section>
      <h2>{texts.permissions}</h2>
      <QueryView query={query}>
        {(permissions) =>
          permissions.length === 0 ? (
            <p class="quiet-text">{texts.noPermissions}</p>
          ) : (
            <details>
              <summary>{texts.permissionCount(String(permissions.length))}</summary>
              <Table
                caption={texts.permissions}
                items={permissions}
                keyOf={({ permission }) => permission}
                columns={[
                  { title: texts.permission, cell: ({ permission }) => <code>{permission}</code> },
                  { title: texts.allows, cell: ({ permission }) => permissionText(permission) ?? '–' },
                  {
                    title: texts.byRole,
                    cell: ({ roles }) =>
                      roles.map((role, index) => (
                        <span key={role}>
                          {index > 0 && ', '}
                          {canOpen('/roles') ? <Link href={linkTo(`/roles/${role}`)}>{role}</Link> : role}
                        </span>
                      )),
                  },
                ]}
              />
            </details>
          )
        }
      </QueryView>
    </section>
  );
}
