import { useState } from 'preact/hooks';
import {
  disableUser,
  enableUser,
  listUsers,
  revokeUserSessions,
  unlockUser,
  type User,
} from '../../../../client/src/operations.ts';
import { formatNumber } from '../../format.ts';
import type { Act } from '../act-button.tsx';
import { reasonOf } from '../reason.tsx';
import { useService } from '../../ui/frame.tsx';
import { Breakable, Name } from '../../ui/name.tsx';
import { Time } from '../../ui/time.tsx';
import { useConsole } from '../context.ts';
import { nameColumn, ResourceList, withEach } from '../resource-list.tsx';
import { TenantName } from '../tenant-name.tsx';
import { userActTexts } from './act-texts.ts';
import { CreateUser, InviteUsers } from './new-users.ts';
import { useRoleNames } from './role-names.ts';
import { userTexts } from './texts.ts';
import { UserState } from './user-state.tsx';

const STATES = ['ENABLED', 'LOCKED', 'INVITED', 'EXPIRED', 'DISABLED'] as const;

export function UserList() {
  const { options } = useService();
  const { choosesTenant, holds, tenantId, linkTo } = useConsole();
  const [isInviting, setInviting] = useState(false);
  const roles = useRoleNames();
  const actsOnSeveral = useActsOnSeveral();
  const texts = userTexts();
  const tenant = { title: texts.tenant, cell: ({ tenantId: own }: User) => <TenantName id={own} /> };
  const manages = holds('MANAGE_USERS');
  return (
    <>
      <ResourceList
        title={texts.title}
        load={(session, { q, role, state, sort, place, tenantId: of }, signal) => {
          const filters = { query: q, role, state: state as User['state'], sort };
          return listUsers(session, { query: { ...filters, tenantId: of, ...place } }, { signal });
        }}
        search={texts.search}
        filters={[
          { name: 'role', label: texts.role, options: roles.all.map((name) => [name, name]) },
          { name: 'state', label: texts.state, options: STATES.map((state) => [state, texts[state]]) },
          {
            name: 'sort',
            label: texts.sort,
            none: texts.newest,
            options: [
              ['username', texts.byUsername],
              ['-lastLoginAt', texts.lastLoginFirst],
              ['lastLoginAt', texts.longestAway],
              ['createdAt', texts.oldest],
            ],
          },
        ]}
        columns={[
          nameColumn(texts.name, linkTo, ({ id, name }: User) => ({ path: `/users/${id}`, name })),
          { title: texts.username, cell: ({ username }) => <Name>{username}</Name> },
          ...(choosesTenant && tenantId === undefined ? [tenant] : []),
          { title: texts.roles, cell: ({ heldRoles }) => <Breakable>{heldRoles.join(', ')}</Breakable> },
          { title: texts.state, cell: (user) => <UserState user={user} /> },
          {
            title: texts.lastLogin,
            cell: ({ lastLoginAt }) => (lastLoginAt ? <Time>{lastLoginAt}</Time> : texts.never),
          },
          { title: texts.factors, cell: ({ factors }) => namesOf(factors) },
        ]}
        keyOf={({ id }) => id}
        shows={['users', 'factors']}
        empty={texts.empty}
        {...(manages && { several: { nameOf: ({ name }: User) => name, acts: actsOnSeveral } })}
        {...(manages && {
          create: {
            label: texts.create,
            form: (close: () => void) => <CreateUser roleNames={roles.toGive} onClose={close} />,
          },
        })}
        actions={
          manages && options.recovery && <button onClick={() => setInviting(true)}>{texts.inviteSeveral}</button>
        }
      />
      {isInviting && <InviteUsers roleNames={roles.toGive} onClose={() => setInviting(false)} />}
    </>
  );
}

/** Returns the kinds of second factors as a text. */
function namesOf(factors: readonly string[]): string {
  const texts = userTexts();
  const names: Readonly<Record<string, string>> = { totp: texts.totp, passkey: texts.passkey };
  return factors.flatMap((kind) => names[kind] ?? []).join(', ') || texts.noFactors;
}

/** Returns what can be done with several users at once. */
function useActsOnSeveral(): (users: readonly User[]) => readonly Act[] {
  const { session } = useService();
  const { holds } = useConsole();
  const texts = userTexts();
  const acts = userActTexts();
  const nameOf = ({ name }: User) => name;
  return (users) => {
    const count = formatNumber(users.length);
    const disable: Act = {
      label: acts.disable,
      isDanger: true,
      question: {
        title: texts.disableSeveral(count),
        text: acts.disableText,
        action: texts.disableSeveralAct,
        hasReason: true,
      },
      changes: ['users', 'sessions'],
      run: async (values) =>
        texts.disabledSeveral(
          await withEach(users, nameOf, ({ id }) =>
            disableUser(session, { path: { userId: id }, body: reasonOf(values) }),
          ),
        ),
    };
    const enable: Act = {
      label: acts.enable,
      changes: ['users'],
      run: async () =>
        texts.enabledSeveral(
          await withEach(users, nameOf, ({ id }) => enableUser(session, { path: { userId: id }, body: {} })),
        ),
    };
    const unlock: Act = {
      label: acts.unlock,
      changes: ['users'],
      run: async () =>
        texts.unlockedSeveral(
          await withEach(users, nameOf, ({ id }) => unlockUser(session, { path: { userId: id }, body: {} })),
        ),
    };
    const endSessions: Act = {
      label: acts.endSessions,
      isDanger: true,
      question: {
        title: texts.endSessionsOfSeveral(count),
        text: acts.endSessionsText,
        action: acts.endSessions,
        hasReason: true,
      },
      changes: ['sessions'],
      run: async (values) =>
        texts.endedOfSeveral(
          await withEach(users, nameOf, ({ id }) =>
            revokeUserSessions(session, { path: { userId: id }, query: reasonOf(values) }),
          ),
        ),
    };
    return [
      ...(users.some(({ state }) => state === 'LOCKED') ? [unlock] : []),
      ...(users.some(({ disabled }) => disabled) ? [enable] : []),
      ...(users.some(({ disabled }) => !disabled) ? [disable] : []),
      ...(holds('MANAGE_SESSIONS') ? [endSessions] : []),
    ];
  };
}
