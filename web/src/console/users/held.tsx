// What a user holds beside the account: what ends with it, and what others use and goes on.
import { Link } from 'wouter-preact';
import {
  listAuditRecords,
  listUserGrants,
  listUserSessions,
  type AuditRecord,
  type User,
} from '../../../../client/src/operations.ts';
import { readPage } from '../../../../client/src/index.ts';
import { noneIfOff } from '../../authorization/grants.tsx';
import { formatNumber } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useConsole } from '../context.ts';
import { userTexts } from './texts.ts';

/** Where the records of what somebody has created lead. It goes on without that user. */
const SCREENS = {
  'client-secret.created': '/service-accounts',
  'api-key.issued': '/service-accounts',
  'webhook.created': '/webhooks',
  'application.created': '/applications',
} as const;
const MOST = 100;

interface Creation {
  readonly path: string;
  readonly event: keyof typeof SCREENS;
  readonly name: string;
}

/** Returns what a record says was created. The secrets of an application are found with the application. */
function creationOf({ event: name, accountId, username, details }: AuditRecord): Creation | undefined {
  const { webhook, host, application, clientId } = details as { readonly [name: string]: string | undefined };
  const id = webhook ?? application ?? accountId;
  const event = name as keyof typeof SCREENS;
  if (id === undefined) return undefined;
  return {
    path: `${application === undefined ? SCREENS[event] : '/applications'}/${id}`,
    event,
    name: host ?? clientId ?? username ?? id,
  };
}

export function Held({ user: { id } }: { readonly user: User }) {
  const { session } = useService();
  const { holds, linkTo } = useConsole();
  const texts = userTexts();
  const query = useQuery(
    async (signal) => {
      const path = { userId: id };
      const [sessions, grants, records] = await Promise.all([
        listUserSessions(session, { path, query: { perPage: 1 } }, { signal }),
        holds('MANAGE_SESSIONS')
          ? listUserGrants(session, { path, query: { perPage: 1 } }, { signal }).catch(noneIfOff)
          : undefined,
        holds('READ_AUDIT')
          ? listAuditRecords(
              session,
              { query: { causedBy: id, events: Object.keys(SCREENS), perPage: MOST } },
              { signal },
            )
          : undefined,
      ]);
      const created = (records?.data ?? []).map(creationOf).filter((creation) => creation !== undefined);
      return {
        sessions: readPage(sessions).totalCount,
        grants: grants === undefined ? 0 : readPage(grants).totalCount,
        created: [...new Map(created.map((creation) => [creation.path, creation])).values()],
      };
    },
    [id],
    ['sessions', 'grants'],
  );
  return (
    <QueryView query={query}>
      {({ sessions, grants, created }) => (
        <div class="question">
          <p>{texts.endsWithIt(formatNumber(sessions), formatNumber(grants))}</p>
          {created.length === 0 ? (
            <p>{texts.holdsNothing}</p>
          ) : (
            <>
              <p>{texts.goesOn}</p>
              <ul class="lines">
                {created.map(({ path, event, name }) => (
                  <li key={path}>
                    <Link href={linkTo(path)}>
                      <Name>{name}</Name>
                    </Link>{' '}
                    <span class="quiet-text">{texts[SCREENS[event]]}</span>
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
      )}
    </QueryView>
  );
}
