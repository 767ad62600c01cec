// The access of applications to an account: the columns of its lists, for its user and for administrators.
import type { ComponentChildren } from 'preact';
import type { Grant, Reply } from '../../../client/src/operations.ts';
import { codeOf } from '../errors.ts';
import { ActError, useAct } from '../ui/act.tsx';
import { confirm } from '../ui/confirm.tsx';
import { Name } from '../ui/name.tsx';
import { notify } from '../ui/notices.tsx';
import type { Column } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { describeUserAgent } from '../user-agent.ts';
import { grantTexts, scopeNames } from './grant-texts.ts';

/** A service without the OpenID provider has no grants. */
export function noneIfOff(error: unknown): Reply<Grant[]> {
  if (codeOf(error) !== 'not-found') throw error;
  return { data: [], status: 200, headers: new Headers() };
}

/**
 * @param act The button that ends the access.
 * @param showsClientId Whether the reader knows client ids.
 */
export function grantColumns(
  act: (grant: Grant) => ComponentChildren,
  showsClientId = false,
): readonly Column<Grant>[] {
  const texts = grantTexts();
  return [
    {
      title: texts.application,
      cell: ({ application }) => <Application {...application} showsClientId={showsClientId} />,
    },
    { title: texts.scopes, cell: (grant) => <Scopes {...grant} /> },
    { title: texts.createdAt, cell: (grant) => <Begin {...grant} /> },
    { title: texts.lastUsedAt, cell: ({ lastUsedAt }) => <Time>{lastUsedAt}</Time> },
    { title: texts.act, isAct: true, cell: act },
  ];
}

function Application({ name, clientId, showsClientId }: Grant['application'] & { readonly showsClientId: boolean }) {
  return (
    <div>
      <Name>{name}</Name>
      {showsClientId && <code class="quiet-text below">{clientId}</code>}
    </div>
  );
}

/** Without the scope openid, too, an application knows whose access it has. */
function Scopes({ scopes, offline }: Grant) {
  const names = scopeNames() as Readonly<Record<string, string>>;
  const known = ['openid', ...scopes.filter((scope) => scope !== 'openid' && scope !== 'offline_access')];
  return (
    <div>
      {known.map((scope) => names[scope] ?? scope).join(', ')}{' '}
      {offline && <span class="badge">{grantTexts().offline}</span>}
    </div>
  );
}

/** When and where the user logged in to the application. */
function Begin({ createdAt, network, userAgent }: Grant) {
  return (
    <div>
      <Time>{createdAt}</Time>
      <span class="quiet-text below" title={userAgent}>
        <Name>{network}</Name>
        {userAgent !== undefined && (
          <>
            {', '}
            <Name>{describeUserAgent(userAgent) ?? userAgent}</Name>
          </>
        )}
      </span>
    </div>
  );
}

interface EndButtonProps {
  readonly grant: Grant;
  /** Ends the access. */
  readonly end: (id: string) => Promise<unknown>;
  readonly onEnd: () => void;
}

/** The button with which a user ends the access. */
export function EndButton({ grant: { id, application }, end, onEnd }: EndButtonProps) {
  const texts = grantTexts();
  const act = useAct(async () => {
    const text = (
      <>
        <p>
          <Name>{application.name}</Name>
        </p>
        <p>{texts.endText}</p>
      </>
    );
    if (!(await confirm({ title: texts.endTitle, text, action: texts.endAct }))) return;
    await end(id).catch((error: unknown) => {
      // It has ended meanwhile.
      if (codeOf(error) !== 'not-found') throw error;
    });
    notify(texts.ended);
    onEnd();
  });
  return (
    <>
      <button
        class="danger small"
        aria-label={texts.endOf(application.name)}
        aria-disabled={act.isBusy}
        onClick={() => act.run()}
      >
        {texts.end}
      </button>
      <ActError act={act} />
    </>
  );
}
