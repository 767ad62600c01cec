import { Link } from 'wouter-preact';
import type { AuditRecord } from '../../../../client/src/operations.ts';
import { formatExact } from '../../format.ts';
import { pagePath } from '../../service.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Name } from '../../ui/name.tsx';
import { useConsole } from '../context.ts';
import { TenantName } from '../tenant-name.tsx';
import { auditTexts } from './texts.ts';

/** Returns the address of a record, for others who may see it. */
export const addressOf = (id: string): string => location.origin + pagePath(`/console/audit/${id}`);

/** Events of machines. */
const OF_MACHINES = /^(?:client|client-secret|api-key)\./;

/** All members of a record, and where they lead. */
export function RecordFacts({ record }: { readonly record: AuditRecord }) {
  const { canOpen, linkTo } = useConsole();
  const texts = auditTexts();
  const { id, event, at, username, accountId, causedBy, tenantId, clientAddress, sessionId, requestId } = record;
  const details = Object.entries(record.details);
  const screen = OF_MACHINES.test(event) ? '/service-accounts' : '/users';
  return (
    <>
      <Facts>
        <Fact label={texts.event}>
          <code>{event}</code>
        </Fact>
        <Fact label={texts.time}>{formatExact(at)}</Fact>
        <Fact label={texts.account}>
          <Name>{username ?? accountId}</Name>{' '}
          {accountId !== undefined && canOpen(screen) && event !== 'account.deleted' && (
            <Link href={linkTo(`${screen}/${accountId}`)}>{texts.showAccount}</Link>
          )}
        </Fact>
        {causedBy !== undefined && (
          <Fact label={texts.actor}>
            <Name>{causedBy.username ?? causedBy.id}</Name>
          </Fact>
        )}
        <Fact label={texts.tenant}>
          <TenantName id={tenantId} />
        </Fact>
        <Fact label={texts.address}>
          {clientAddress || '–'}{' '}
          {clientAddress && <Link href={linkTo('/audit', { address: clientAddress })}>{texts.ofAddress}</Link>}
        </Fact>
        {sessionId !== undefined && (
          <Fact label={texts.session}>
            {canOpen('/sessions') ? (
              <Link href={linkTo(`/sessions/${sessionId}`)}>{texts.showSession}</Link>
            ) : (
              <code>{sessionId}</code>
            )}
          </Fact>
        )}
        <Fact label={texts.request}>
          <code>{requestId || '–'}</code>{' '}
          {requestId && <Link href={linkTo('/audit', { requestId })}>{texts.ofRequest}</Link>}
        </Fact>
        <Fact label={texts.record}>
          <code>{id}</code>
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
        <CopyButton text={addressOf(id)} label={texts.copyAddress} />
        {accountId !== undefined && (
          <Link class="button" href={linkTo('/audit', { account: accountId })}>
            {texts.ofAccount}
          </Link>
        )}
        {causedBy !== undefined && (
          <Link class="button" href={linkTo('/audit', { causedBy: causedBy.id })}>
            {texts.byActor}
          </Link>
        )}
      </p>
    </>
  );
}
