// The newest audit records, and those that occur. It pauses while somebody reads.
import { useEffect, useRef, useState } from 'preact/hooks';
import { followAuditRecords, type AuditRecord } from '../../../../client/src/operations.ts';
import type { Page } from '../../../../client/src/index.ts';
import { textOf } from '../../errors.ts';
import { formatNumber } from '../../format.ts';
import type { Query } from '../../query.ts';
import { commonTexts } from '../../texts/common.ts';
import { Alert } from '../../ui/alert.tsx';
import { useService } from '../../ui/frame.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Status } from '../../ui/status.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { countNew, createLiveRecords, mergeRows, MOST_ROWS, type LiveRecords } from './live-records.ts';
import { auditTexts } from './texts.ts';

interface LiveListProps {
  /** The first page of the list. */
  readonly query: Query<Page<AuditRecord>>;
  /** The filters of the list. */
  readonly filters: NonNullable<NonNullable<Parameters<typeof followAuditRecords>[1]>['query']>;
  readonly columns: readonly Column<AuditRecord>[];
  /** Whether a record is open. */
  readonly isReading: boolean;
}

export function LiveList({ query, filters, columns, isReading }: LiveListProps) {
  const [attempt, setAttempt] = useState(0);
  // Other filters are another stream.
  const key = JSON.stringify([filters, attempt]);
  return <Followed key={key} {...{ query, filters, columns, isReading }} onRetry={() => setAttempt(attempt + 1)} />;
}

function Followed({ query, filters, columns, isReading, onRetry }: LiveListProps & { readonly onRetry: () => void }) {
  const { session } = useService();
  const [live] = useState(() =>
    createLiveRecords((options) => followAuditRecords(session, { query: filters, ...options })),
  );
  useEffect(() => {
    // A hidden tab would extend the session for ever.
    const follow = () => live.setRunning(!document.hidden);
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      live.setRunning(false);
    };
  }, [live]);
  const { beginnings, error, shown } = live.state.value;
  // The list is loaded after the beginning of the stream, so that no record is between them.
  useEffect(() => {
    if (beginnings > 0) query.reload();
  }, [beginnings]);
  const texts = auditTexts();
  return (
    <>
      <LiveBar live={live} listed={query.data?.items ?? []} isReading={isReading} />
      {error !== undefined && query.error === undefined && (
        <Alert>
          <p>{textOf(error)}</p>
          <button onClick={onRetry}>{commonTexts().retry}</button>
        </Alert>
      )}
      <QueryView query={query}>
        {({ items }) => {
          const rows = mergeRows(shown, items);
          if (rows.length === 0)
            return (
              <div class="state">
                <p>{texts.noneYet}</p>
              </div>
            );
          return (
            <>
              <Table caption={texts.title} columns={columns} items={rows} keyOf={({ id }) => id} />
              <div class="pager">
                <p>{texts.newest(formatNumber(MOST_ROWS))}</p>
              </div>
            </>
          );
        }}
      </QueryView>
    </>
  );
}

interface LiveBarProps {
  readonly live: LiveRecords;
  readonly listed: readonly AuditRecord[];
  readonly isReading: boolean;
}

const KINDS = { connecting: 'warn', open: 'good', lost: 'bad' } as const;

/** The state of the stream. It stays in view, because it says how many records wait. */
function LiveBar({ live, listed, isReading }: LiveBarProps) {
  const top = useRef<HTMLDivElement>(null);
  const isScrolled = useIsAbove(top);
  const [isStopped, setStopped] = useState(false);
  const isPaused = isStopped || isScrolled || isReading;
  useEffect(() => live.setPaused(isPaused), [live, isPaused]);
  const { connection, waiting } = live.state.value;
  const count = countNew(waiting, listed);
  const texts = auditTexts();
  const textOfConnection = { connecting: texts.connecting, open: texts.live, lost: texts.lost };
  const show = () => {
    live.show();
    top.current?.scrollIntoView({ block: 'start' });
  };
  return (
    <>
      <div class="live-top" ref={top} />
      <div class="live-bar">
        <Status kind={isPaused && connection === 'open' ? 'warn' : KINDS[connection]}>
          {isPaused && connection === 'open' ? texts.paused : textOfConnection[connection]}
        </Status>
        <button class="small" aria-pressed={isStopped} onClick={() => setStopped(!isStopped)}>
          {texts.pause}
        </button>
        {count > 0 && (
          <button class="small" onClick={show}>
            {texts.show(count >= MOST_ROWS ? `${formatNumber(MOST_ROWS)}+` : formatNumber(count))}
          </button>
        )}
        <Announcement live={live} />
      </div>
    </>
  );
}

/** Returns whether an element has left the window at its upper end. */
function useIsAbove(element: { readonly current: HTMLElement | null }): boolean {
  const [isAbove, setAbove] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => {
      setAbove(!entry!.isIntersecting && entry!.boundingClientRect.top < 0);
    });
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return isAbove;
}

const ANNOUNCED_MS = 5_000;

/** Says to screen readers how many records have arrived, at most every few seconds. */
function Announcement({ live }: Pick<LiveBarProps, 'live'>) {
  const [text, setText] = useState('');
  useEffect(() => {
    let announced = 0;
    const timer = setInterval(() => {
      const { arrived } = live.state.peek();
      setText(arrived > announced ? auditTexts().arrived(formatNumber(arrived - announced)) : '');
      announced = arrived;
    }, ANNOUNCED_MS);
    return () => clearInterval(timer);
  }, [live]);
  return (
    <p class="hidden-text" role="status">
      {text}
    </p>
  );
}
