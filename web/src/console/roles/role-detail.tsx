import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { deleteRole, getRole } from '../../../../client/src/operations.ts';
import { codeOf } from '../../errors.ts';
import { formatNumber } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { tagOf } from '../../service.ts';
import { Alert } from '../../ui/alert.tsx';
import { ActError, useAct } from '../../ui/act.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { notify } from '../../ui/notices.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { ChangeRole } from './change-role.tsx';
import { kindOf, tenantOf, type VersionedRole } from './role.ts';
import { roleTexts } from './texts.ts';

export function RoleDetail({ name }: { readonly name: string }) {
  const { session } = useService();
  const { tenantId } = useConsole();
  const query = useQuery(
    async (signal): Promise<VersionedRole> => {
      const { data, headers } = await getRole(session, { path: { name }, query: tenantOf({ tenantId }) }, { signal });
      return { role: data, tag: tagOf(headers) };
    },
    [name, tenantId],
  );
  return (
    <ConsoleFrame title={name}>
      <QueryView query={query}>{(versioned) => <RoleFacts versioned={versioned} onChange={query.reload} />}</QueryView>
    </ConsoleFrame>
  );
}

interface RoleProps {
  readonly versioned: VersionedRole;
  readonly onChange: () => void;
}

function RoleFacts({ versioned, onChange }: RoleProps) {
  const { role } = versioned;
  const { linkTo, screens } = useConsole();
  const [isChanging, setChanging] = useState(false);
  const texts = roleTexts();
  const users = linkTo('/users');
  return (
    <div class="record">
      <Facts>
        <Fact label={texts.description}>
          <Name>{role.description}</Name>
        </Fact>
        <Fact label={texts.kind}>{kindOf(role)}</Fact>
        {role.tenantId !== undefined && (
          <Fact label={texts.tenant}>
            <code>{role.tenantId}</code>
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
          <Names names={role.effectivePermissions} />
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
        {screens.some(({ path }) => path === '/users') && (
          <Link class="button" href={`${users}${users.includes('?') ? '&' : '?'}role=${role.name}`}>
            {texts.members}
          </Link>
        )}
        {!role.builtIn && (
          <>
            <button onClick={() => setChanging(true)}>{texts.change}</button>
            <DeleteRole versioned={versioned} />
          </>
        )}
      </p>
      {isChanging && <ChangeRole versioned={versioned} onChange={onChange} onClose={() => setChanging(false)} />}
    </div>
  );
}

function Names({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return <>{roleTexts().none}</>;
  return (
    <ul class="names">
      {names.map((name) => (
        <li key={name}>
          <code>{name}</code>
        </li>
      ))}
    </ul>
  );
}

function DeleteRole({ versioned: { role, tag } }: Pick<RoleProps, 'versioned'>) {
  const { session } = useService();
  const { linkTo } = useConsole();
  const [, navigate] = useLocation();
  const texts = roleTexts();
  const { name, accountCount } = role;
  const remove = useAct(async () => {
    const text = accountCount === 0 ? texts.removeText : texts.removeHeld(formatNumber(accountCount));
    if (!(await confirm({ title: texts.removeTitle(name), text, action: texts.removeAct }))) return;
    await deleteRole(session, { path: { name }, query: tenantOf(role), headers: { 'if-match': tag } });
    notify(texts.removed);
    navigate(linkTo('/roles'));
  });
  return (
    <>
      <button class="danger" aria-disabled={remove.isBusy} onClick={() => remove.run()}>
        {texts.remove}
      </button>
      {codeOf(remove.error) === 'conflict' ? <Alert>{texts.inUse}</Alert> : <ActError act={remove} />}
    </>
  );
}
