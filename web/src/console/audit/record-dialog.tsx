import type { AuditRecord } from '../../../../client/src/operations.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { textOfEvent } from './columns.tsx';
import { RecordFacts } from './record-facts.tsx';

interface RecordDialogProps {
  readonly record: AuditRecord;
  readonly onClose: () => void;
}

/** A record above its list. */
export function RecordDialog({ record, onClose }: RecordDialogProps) {
  return (
    <Dialog title={textOfEvent(record.event)} onClose={onClose}>
      {/* Its links lead to other lists. */}
      <div onClick={({ target }) => target instanceof HTMLAnchorElement && onClose()}>
        <RecordFacts record={record} />
      </div>
    </Dialog>
  );
}
