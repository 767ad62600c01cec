import {
  listMySessions,
  revokeMyOtherSessions,
  revokeMySession,
  type Session,
} from '../../../client/src/operations.ts';
import { codeOf } from '../errors.ts';
import { formatDateTime, formatNumber } from '../format.ts';
import { useList } from '../list.ts';
import { ActError, useAct } from '../ui/act.tsx';
import { confirm } from '../ui/confirm.tsx';
import { useService } from '../ui/frame.tsx';
import { ListView, type Column } from '../ui/list-view.tsx';
import { Name } from '../ui/name.tsx';
import { notify } from '../ui/notices.tsx';
import { describeUserAgent } from '../user-agent.ts';
import { AccountScreen } from './account-screen.tsx';
import { accountTexts } from './texts.ts';

/** Where the user is logged in. */
export function SessionsScreen() {
  const { session } = useService();
  const texts = accountTexts();
  const list = useList([], ({ place }, signal) => listMySessions(session, { query: place }, { signal }));
  const endOthers = useAct(async () => {
    const question = { title: texts.endOthers, text: texts.endOthersText, action: texts.endOthers };
    if (!(await confirm(question))) return;
    const { data } = await revokeMyOtherSessions(session);
    notify(texts.othersEnded(formatNumber(data.revoked)));
    list.query.reload();
  });
  const columns: readonly Column<Session>[] = [
    { title: texts.browser, cell: (one) => <Browser session={one} /> },
    { title: texts.address, cell: ({ clientAddress }) => <Name>{clientAddress}</Name> },
    { title: texts.openedAt, cell: ({ createdAt }) => formatDateTime(createdAt) },
    { title: texts.refreshedAt, cell: ({ refreshedAt }) => formatDateTime(refreshedAt) },
    {
      title: texts.act,
      isAct: true,
      cell: (one) => !one.current && <EndButton session={one} onEnd={list.query.reload} />,
    },
  ];
  const hasOthers = (list.query.data?.totalCount ?? 0) > 1;
  return (
    <AccountScreen
      title={texts.sessions}
      actions={
        hasOthers && (
          <button class="danger" aria-disabled={endOthers.isBusy} onClick={() => endOthers.run()}>
            {texts.endOthers}
          </button>
        )
      }
    >
      <p class="quiet-text">{texts.sessionsText}</p>
      <ActError act={endOthers} />
      <ListView list={list} caption={texts.sessions} columns={columns} keyOf={({ id }) => id} />
    </AccountScreen>
  );
}

function browserOf({ userAgent }: Session): string {
  return (userAgent && (describeUserAgent(userAgent) ?? userAgent)) || accountTexts().unknownBrowser;
}

function Browser({ session }: { readonly session: Session }) {
  return (
    <>
      <span title={session.userAgent}>
        <Name>{browserOf(session)}</Name>
      </span>{' '}
      {session.current && <span class="badge good">{accountTexts().current}</span>}
    </>
  );
}

function EndButton({ session: { id, clientAddress, ...others }, onEnd }: EndButtonProps) {
  const { session } = useService();
  const texts = accountTexts();
  const browser = browserOf({ id, clientAddress, ...others });
  const end = useAct(async () => {
    const text = (
      <>
        <p>
          <Name>{browser}</Name>, <Name>{clientAddress}</Name>
        </p>
        <p>{texts.endText}</p>
      </>
    );
    if (!(await confirm({ title: texts.endTitle, text, action: texts.end }))) return;
    await revokeMySession(session, { path: { sessionId: id } }).catch((error: unknown) => {
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
        aria-label={texts.endOf(browser, clientAddress)}
        aria-disabled={end.isBusy}
        onClick={() => end.run()}
      >
        {texts.end}
      </button>
      <ActError act={end} />
    </>
  );
}

interface EndButtonProps {
  readonly session: Session;
  readonly onEnd: () => void;
}
