// The columns of sessions, here and at a user.
import { revokeSession, type Session } from '../../../../client/src/operations.ts';
import { codeOf } from '../../errors.ts';
import { ActError, useAct } from '../../ui/act.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { useService } from '../../ui/frame.tsx';
import type { Column } from '../../ui/table.tsx';
import { Name } from '../../ui/name.tsx';
import { notify } from '../../ui/notices.tsx';
import { Time } from '../../ui/time.tsx';
import { describeUserAgent } from '../../user-agent.ts';
import { sessionTexts } from './texts.ts';

function browserOf({ userAgent }: Session): string {
  return (userAgent && (describeUserAgent(userAgent) ?? userAgent)) || sessionTexts().unknownBrowser;
}

export function browserColumn(): Column<Session> {
  const texts = sessionTexts();
  return {
    title: texts.browser,
    cell: (one) => (
      <span title={one.userAgent}>
        <Name>{browserOf(one)}</Name> {one.current && <span class="quiet-text">({texts.current})</span>}
      </span>
    ),
  };
}

/** The columns beside the first one. */
export function sessionColumns(reload: () => void): readonly Column<Session>[] {
  const texts = sessionTexts();
  return [
    { title: texts.address, cell: ({ clientAddress }) => <Name>{clientAddress}</Name> },
    { title: texts.opened, cell: ({ createdAt }) => <Time>{createdAt}</Time> },
    { title: texts.refreshed, cell: ({ refreshedAt }) => <Time>{refreshedAt}</Time> },
    { title: texts.actions, isAct: true, cell: (one) => <EndSession ended={one} onEnd={reload} /> },
  ];
}

interface EndSessionProps {
  readonly ended: Session;
  readonly onEnd: () => void;
}

function EndSession({ ended, onEnd }: EndSessionProps) {
  const { session } = useService();
  const texts = sessionTexts();
  const end = useAct(async () => {
    if (!(await confirm({ title: texts.endTitle, text: texts.endText, action: texts.endAct }))) return;
    const path = { userId: ended.accountId, sessionId: ended.id };
    await revokeSession(session, { path }).catch((error: unknown) => {
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
        aria-label={texts.endOf(browserOf(ended), ended.clientAddress)}
        aria-disabled={end.isBusy}
        onClick={() => end.run()}
      >
        {texts.end}
      </button>
      <ActError act={end} />
    </>
  );
}
