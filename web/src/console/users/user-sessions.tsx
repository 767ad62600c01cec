import { listUserSessions, revokeUserSessions, type User } from '../../../../client/src/operations.ts';
import { formatNumber } from '../../format.ts';
import { useList } from '../../list.ts';
import { ActError, useAct } from '../../ui/act.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { useService } from '../../ui/frame.tsx';
import { ListView } from '../../ui/list-view.tsx';
import { notify } from '../../ui/notices.tsx';
import { browserColumn, sessionColumns } from '../sessions/columns.tsx';
import { sessionTexts } from '../sessions/texts.ts';
import { userTexts } from './texts.ts';

/** Where the user is logged in. */
export function UserSessions({ user: { id, name } }: { readonly user: User }) {
  const { session } = useService();
  const list = useList([], ({ place }, signal) =>
    listUserSessions(session, { path: { userId: id }, query: place }, { signal }),
  );
  const texts = userTexts();
  const endAll = useAct(async () => {
    const question = {
      title: texts.endSessionsTitle(name),
      text: texts.endSessionsText,
      action: texts.endSessions,
    };
    if (!(await confirm(question))) return;
    const { data } = await revokeUserSessions(session, { path: { userId: id } });
    notify(texts.endedNotice(formatNumber(data.revoked)));
    list.query.reload();
  });
  return (
    <section>
      <div class="title">
        <h2>{texts.sessions}</h2>
        {(list.query.data?.totalCount ?? 0) > 0 && (
          <button class="danger" aria-disabled={endAll.isBusy} onClick={() => endAll.run()}>
            {texts.endSessions}
          </button>
        )}
      </div>
      <ActError act={endAll} />
      <ListView
        list={list}
        caption={texts.sessions}
        columns={[browserColumn(), ...sessionColumns(list.query.reload)]}
        keyOf={(one) => one.id}
        empty={<p>{sessionTexts().empty}</p>}
      />
    </section>
  );
}
