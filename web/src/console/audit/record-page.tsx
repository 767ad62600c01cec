// An audit record at its own address, which can be sent to others.
import { getAuditRecord } from '../../../../client/src/operations.ts';
import { useQuery } from '../../query.ts';
import { useService } from '../../ui/frame.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { textOfEvent } from './columns.tsx';
import { RecordFacts } from './record-facts.tsx';
import { auditTexts } from './texts.ts';

export function RecordPage({ id }: { readonly id: string }) {
  const { session } = useService();
  const query = useQuery(
    async (signal) => (await getAuditRecord(session, { path: { auditRecordId: id } }, { signal })).data,
    [id],
  );
  return (
    <ConsoleFrame title={query.data ? textOfEvent(query.data.event) : auditTexts().record}>
      <QueryView query={query}>
        {(record) => (
          <div class="record">
            <RecordFacts record={record} />
          </div>
        )}
      </QueryView>
    </ConsoleFrame>
  );
}
