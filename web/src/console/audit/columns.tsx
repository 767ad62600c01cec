// The columns of audit records, in all lists of them.
import { Link } from 'wouter-preact';
import type { AuditRecord } from '../../../../client/src/operations.ts';
import { describeDetails, writtenReason } from '../../events/event-details.ts';
import { eventTexts } from '../../events/event-texts.ts';
import { formatExact, formatMoment } from '../../format.ts';
import { Breakable, Name } from '../../ui/name.tsx';
import type { Column } from '../../ui/table.tsx';
import { auditTexts } from './texts.ts';

/** Returns an event in plain words; its name if there are none. */
export function textOfEvent(event: string): string {
  return (eventTexts() as Readonly<Record<string, string>>)[event] ?? event;
}

/** The event in plain words, and its name, which webhooks and the API use. */
function Event({ event }: Pick<AuditRecord, 'event'>) {
  return (
    <span>
      {textOfEvent(event)}{' '}
      <code class="quiet-text below">
        <Breakable>{event}</Breakable>
      </code>
    </span>
  );
}

/** Returns the columns beside the time. */
export function otherColumns(): readonly Column<AuditRecord>[] {
  const texts = auditTexts();
  return [
    { title: texts.event, cell: Event },
    { title: texts.username, cell: ({ username }) => <Name>{username}</Name> },
    { title: texts.actor, cell: ({ causedBy }) => <Name>{causedBy && (causedBy.username ?? causedBy.id)}</Name> },
    {
      title: texts.details,
      cell: ({ details }) => (
        <Name>{[describeDetails(details), writtenReason(details)].filter(Boolean).join(', ') || undefined}</Name>
      ),
    },
    { title: texts.address, cell: ({ clientAddress }) => clientAddress || '–' },
  ];
}

/** Returns the columns of a list whose rows lead to the records. */
export function eventColumns(linkTo: (path: string) => string): readonly Column<AuditRecord>[] {
  const texts = auditTexts();
  return [
    {
      title: texts.time,
      cell: ({ id, at, event }) => (
        <Link href={linkTo(`/audit/${id}`)} aria-label={texts.open(textOfEvent(event), formatMoment(at))}>
          <time dateTime={at} title={formatExact(at)}>
            {formatMoment(at)}
          </time>
        </Link>
      ),
    },
    ...otherColumns(),
  ];
}
