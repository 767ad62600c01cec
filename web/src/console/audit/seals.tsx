// The state of the seals of the audit trail, and its signed head as a file.
import { useEffect } from 'preact/hooks';
import { getAuditHead } from '../../../../client/src/operations.ts';
import { download } from '../../download.ts';
import { formatNumber, formatRelative } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { ActError, useAct } from '../../ui/act.tsx';
import { useService } from '../../ui/frame.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { useConsole } from '../context.ts';
import { auditTexts } from './texts.ts';

const RELOAD_MS = 30_000;
/** Records are sealed within a few seconds. */
const USUAL_MS = 10_000;

export function Seals() {
  const { session } = useService();
  const { tenantId } = useConsole();
  const texts = auditTexts();
  const load = (signal?: AbortSignal) => getAuditHead(session, { query: { tenantId } }, signal ? { signal } : {});
  const query = useQuery(load, [tenantId]);
  useEffect(() => {
    // A hidden tab would extend the session for ever.
    const timer = setInterval(() => document.hidden || query.reload(), RELOAD_MS);
    return () => clearInterval(timer);
  }, []);
  const save = useAct(async () => {
    const { data } = await load();
    download(`audit-head-${tenantId ?? 'all'}-${data.number}.jws`, `${data.jws}\n`);
  });
  const { data: reply, error } = query;
  if (reply === undefined) return error === undefined ? null : <p class="quiet-text">{texts.noSeals}</p>;
  const { number, sealedAt, unsealedSince } = reply.data;
  // By the clock of the service.
  const now = Date.parse(reply.headers.get('date') ?? '') || Date.now();
  const isBehind = unsealedSince !== undefined && now - Date.parse(unsealedSince) > USUAL_MS;
  return (
    <section class="seals" aria-label={texts.seals}>
      <p>
        {isBehind ? (
          <Status kind="bad">{texts.behind(formatRelative(unsealedSince, now))}</Status>
        ) : (
          <Status kind="good">{number === 0 ? texts.nothingSealed : texts.allSealed}</Status>
        )}
      </p>
      {number > 0 && (
        <>
          <p class="quiet-text">
            {texts.lastSeal(formatNumber(number))} <Time>{sealedAt}</Time>
          </p>
          <button class="small" aria-disabled={save.isBusy} title={texts.headHint} onClick={() => save.run()}>
            {texts.saveHead}
          </button>
        </>
      )}
      <ActError act={save} />
    </section>
  );
}
