import { listUserGrants, revokeUserGrant, type Grant, type User } from '../../../../client/src/operations.ts';
import { readPage } from '../../../../client/src/index.ts';
import { grantTexts } from '../../authorization/grant-texts.ts';
import { grantColumns, noneIfOff } from '../../authorization/grants.tsx';
import { codeOf } from '../../errors.ts';
import { formatNumber } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Table } from '../../ui/table.tsx';
import { ActButton } from '../act-button.tsx';
import { reasonOf } from '../reason.tsx';

/** An account has at most 20 grants of an application. The page in the URL is that of the sessions. */
const MOST = 100;

/** The applications that have access to the account of the user. */
export function UserGrants({ user: { id } }: { readonly user: User }) {
  const { session } = useService();
  const query = useQuery(
    async (signal) => {
      const parameters = { path: { userId: id }, query: { perPage: MOST } };
      return readPage(await listUserGrants(session, parameters, { signal }).catch(noneIfOff));
    },
    [id],
    ['grants'],
  );
  const columns = grantColumns((grant) => <End userId={id} grant={grant} />, true);
  const { title, none, newest } = grantTexts();
  return (
    <section>
      <div class="title">
        <h2>{title}</h2>
      </div>
      <QueryView query={query}>
        {({ items, totalCount }) =>
          items.length === 0 ? (
            <div class="state">
              <p>{none}</p>
            </div>
          ) : (
            <>
              <Table caption={title} columns={columns} items={items} keyOf={(grant) => grant.id} />
              {totalCount > MOST && <p class="hint">{newest(formatNumber(MOST), formatNumber(totalCount))}</p>}
            </>
          )
        }
      </QueryView>
    </section>
  );
}

function End({ userId, grant: { id, application } }: { readonly userId: string; readonly grant: Grant }) {
  const { session } = useService();
  const texts = grantTexts();
  return (
    <ActButton
      label={texts.end}
      name={texts.endOf(application.name)}
      isDanger
      isSmall
      question={{
        title: texts.endTitle,
        text: (
          <>
            <p>
              <Name>{application.name}</Name>
            </p>
            <p>{texts.endText}</p>
          </>
        ),
        action: texts.endAct,
        hasReason: true,
      }}
      changes={['grants']}
      run={async (values) => {
        const parameters = { path: { userId, grantId: id }, query: reasonOf(values) };
        await revokeUserGrant(session, parameters).catch((error: unknown) => {
          // It has ended meanwhile.
          if (codeOf(error) !== 'not-found') throw error;
        });
        return texts.ended;
      }}
    />
  );
}
