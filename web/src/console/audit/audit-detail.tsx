import type { AuditRecord } from '../../../../client/src/operations.ts';
import { formatExact } from '../../format.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Name } from '../../ui/name.tsx';
import { auditTexts } from './texts.ts';

interface AuditDetailProps {
  readonly record: AuditRecord;
  readonly filter: (changes: {
    readonly accountId?: string;
    readonly actorId?: string;
    readonly event?: string;
  }) => void;
  readonly onClose: () => void;
}

/** All members of a record. */
export function AuditDetail({ record, filter, onClose }: AuditDetailProps) {
  const texts = auditTexts();
  const details = Object.entries(record.details);
  const show = (changes: Parameters<typeof filter>[0]) => {
    onClose();
    filter({ event: '', accountId: '', actorId: '', ...changes });
  };
  const { accountId, actorId } = record;
  return (
    <Dialog title={record.event} onClose={onClose}>
      <Facts>
        <Fact label={texts.time}>{formatExact(record.at)}</Fact>
        <Fact label={texts.username}>
          <Name>{record.username}</Name>
        </Fact>
        <Fact label={texts.account}>
          <code>{accountId ?? '–'}</code>
        </Fact>
        {actorId !== undefined && (
          <Fact label={texts.actor}>
            <code>{actorId}</code>
          </Fact>
        )}
        <Fact label={texts.tenant}>
          <code>{record.tenantId ?? '–'}</code>
        </Fact>
        <Fact label={texts.address}>{record.clientAddress || '–'}</Fact>
        <Fact label={texts.request}>
          <code>{record.requestId || '–'}</code> {record.requestId && <CopyButton text={record.requestId} />}
        </Fact>
        <Fact label={texts.record}>
          <code>{record.id}</code>
        </Fact>
      </Facts>
      <h3>{texts.details}</h3>
      {details.length === 0 ? (
        <p class="quiet-text">{texts.noDetails}</p>
      ) : (
        <Facts>
          {details.map(([name, value]) => (
            <Fact key={name} label={name}>
              <Name>{typeof value === 'string' ? value : JSON.stringify(value)}</Name>
            </Fact>
          ))}
        </Facts>
      )}
      <p class="actions">
        {accountId !== undefined && <button onClick={() => show({ accountId })}>{texts.ofAccount}</button>}
        {actorId !== undefined && <button onClick={() => show({ actorId })}>{texts.byActor}</button>}
      </p>
    </Dialog>
  );
}
