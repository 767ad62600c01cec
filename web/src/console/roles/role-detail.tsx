import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { deleteRole, getRole, type Reply, type Role } from '../../../../client/src/operations.ts';
import { formatNumber } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { tagOf } from '../../service.ts';
import { ActButton } from '../act-button.tsx';
import { reasonOf } from '../reason.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { TenantName } from '../tenant-name.tsx';
import { lazyDialog } from '../lazy.tsx';
import { permissionText } from './permission-texts.ts';
import { describeRole } from './role-descriptions.ts';
import { kindOf, tenantOf } from './role.ts';
import { roleTexts } from './texts.ts';

const ChangeRole = lazyDialog(async () => (await import('./change-role.tsx')).ChangeRole);

export function RoleDetail({ name }: { readonly name: string }) {
  const { session } = useService();
  const { tenantId } = useConsole();
  const query = useQuery(
    (signal) => getRole(session, { path: { name }, query: tenantOf({ tenantId }) }, { signal }),
    [name, tenantId],
    ['roles'],
  );
  return (
    <ConsoleFrame title={name}>
      <QueryView query={query}>{(versioned) => <RoleFacts versioned={versioned} />}</QueryView>
    </ConsoleFrame>
  );
}

interface RoleProps {
  readonly versioned: Reply<Role>;
}

function RoleFacts({ versioned }: RoleProps) {
  const role = versioned.data;
  const { canOpen, holds, linkTo } = useConsole();
  const [isChanging, setChanging] = useState(false);
  const texts = roleTexts();
  return (
    <div class="record">
      <Facts>
        <Fact label={texts.description}>
          <Name>{describeRole(role.name, role.description)}</Name>
        </Fact>
        <Fact label={texts.kind}>{kindOf(role)}</Fact>
        {role.tenantId !== undefined && (
          <Fact label={texts.tenant}>
            <TenantName id={role.tenantId} />
          </Fact>
        )}
        <Fact label={texts.accounts}>{formatNumber(role.accountCount)}</Fact>
        <Fact label={texts.permissions}>
          <Names names={role.permissions} />
        </Fact>
        <Fact label={texts.inherits}>
          <Names names={role.inherits} />
        </Fact>
        <Fact label={texts.effective}>
          <Names names={role.effectivePermissions} isDescribed />
        </Fact>
        {!role.builtIn && (
          <>
            <Fact label={texts.created}>
              <Time>{role.createdAt}</Time>
            </Fact>
            <Fact label={texts.updated}>
              <Time>{role.updatedAt}</Time>
            </Fact>
          </>
        )}
      </Facts>
      {role.builtIn && <p class="quiet-text">{texts.readOnly}</p>}
      <p class="actions">
        {canOpen('/users') && (
          <Link class="button" href={linkTo('/users', { role: role.name })}>
            {texts.members}
          </Link>
        )}
        {!role.builtIn && holds('MANAGE_ROLES') && (
          <>
            <button onClick={() => setChanging(true)}>{texts.change}</button>
            <DeleteRole versioned={versioned} />
          </>
        )}
      </p>
      {isChanging && <ChangeRole versioned={versioned} onClose={() => setChanging(false)} />}
    </div>
  );
}

interface NamesProps {
  readonly names: readonly string[];
  /** Whether each permission has its sentence. */
  readonly isDescribed?: boolean;
}

function Names({ names, isDescribed = false }: NamesProps) {
  if (names.length === 0) return <>{roleTexts().none}</>;
  return (
    <ul class={isDescribed ? 'lines' : 'names'}>
      {names.map((name) => (
        <li key={name}>
          <code>{name}</code> {isDescribed && <span class="quiet-text">{permissionText(name)}</span>}
        </li>
      ))}
    </ul>
  );
}

function DeleteRole({ versioned: { data: role, headers } }: RoleProps) {
  const { session } = useService();
  const { linkTo } = useConsole();
  const [, navigate] = useLocation();
  const texts = roleTexts();
  const { name, accountCount } = role;
  return (
    <ActButton
      label={texts.remove}
      isDanger
      question={{
        title: texts.removeTitle(name),
        text: accountCount === 0 ? texts.removeText : texts.removeHeld(formatNumber(accountCount)),
        action: texts.removeAct,
        hasReason: true,
      }}
      changes={['roles']}
      run={async (values) => {
        const query = { ...tenantOf(role), ...reasonOf(values) };
        const parameters = { path: { name }, query, headers: { 'if-match': tagOf(headers) } };
        await deleteRole(session, parameters);
        navigate(linkTo('/roles'));
        return texts.removed;
      }}
    />
  );
}
