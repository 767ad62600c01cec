// The columns of sessions, here and at a user.
import { Link } from 'wouter-preact';
import { revokeSession, type Session } from '../../../../client/src/operations.ts';
import { codeOf } from '../../errors.ts';
import { ActButton, type Act } from '../act-button.tsx';
import { reasonOf } from '../reason.tsx';
import { useService } from '../../ui/frame.tsx';
import type { Column } from '../../ui/table.tsx';
import { Name } from '../../ui/name.tsx';
import { Time } from '../../ui/time.tsx';
import { describeUserAgent } from '../../user-agent.ts';
import type { Console } from '../context.ts';
import { sessionTexts } from './texts.ts';

export function browserOf({ userAgent }: Pick<Session, 'userAgent'>): string {
  return (userAgent && (describeUserAgent(userAgent) ?? userAgent)) || sessionTexts().unknownBrowser;
}

/** Names a session, and leads to it if the administrator may open it. */
export function browserColumn({ holds, linkTo }: Pick<Console, 'holds' | 'linkTo'>): Column<Session> {
  const texts = sessionTexts();
  return {
    title: texts.browser,
    cell: (one) => (
      <span title={one.userAgent}>
        {holds('MANAGE_SESSIONS') ? (
          <Link href={linkTo(`/sessions/${one.id}`)}>
            <Name>{browserOf(one)}</Name>
          </Link>
        ) : (
          <Name>{browserOf(one)}</Name>
        )}{' '}
        {one.current && <span class="quiet-text">({texts.current})</span>}
      </span>
    ),
  };
}

/** The columns beside the first one. */
export function sessionColumns(canEnd: boolean): readonly Column<Session>[] {
  const texts = sessionTexts();
  return [
    { title: texts.address, cell: ({ clientAddress }) => <Name>{clientAddress}</Name> },
    { title: texts.opened, cell: ({ createdAt }) => <Time>{createdAt}</Time> },
    { title: texts.refreshed, cell: ({ refreshedAt }) => <Time>{refreshedAt}</Time> },
    ...(canEnd ? [{ title: texts.actions, isAct: true, cell: (one: Session) => <EndSession ended={one} /> }] : []),
  ];
}

/** Returns the act that ends a session. */
export function useEndSession(ended: Session): Act {
  const { session } = useService();
  const texts = sessionTexts();
  return {
    label: texts.end,
    name: texts.endOf(browserOf(ended), ended.clientAddress),
    isDanger: true,
    question: { title: texts.endTitle, text: texts.endText, action: texts.endAct, hasReason: true },
    changes: ['sessions'],
    run: async (values) => {
      const parameters = { path: { userId: ended.accountId, sessionId: ended.id }, query: reasonOf(values) };
      try {
        await revokeSession(session, parameters);
        return texts.ended;
      } catch (error) {
        if (codeOf(error) !== 'not-found') throw error;
        return texts.hadEnded;
      }
    },
  };
}

function EndSession({ ended }: { readonly ended: Session }) {
  return <ActButton {...useEndSession(ended)} isSmall />;
}
