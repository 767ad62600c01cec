import { listUserSessions, type Reply, type User } from '../../../../client/src/operations.ts';
import { useList } from '../../list.ts';
import { Acts } from '../act-button.tsx';
import { useService } from '../../ui/frame.tsx';
import { ListView } from '../../ui/list-view.tsx';
import { useConsole } from '../context.ts';
import { browserColumn, sessionColumns } from '../sessions/columns.tsx';
import { sessionTexts } from '../sessions/texts.ts';
import { userTexts } from './texts.ts';
import { useUserActs } from './user-acts.tsx';

/** Where the user is logged in. */
export function UserSessions({ versioned }: { readonly versioned: Reply<User> }) {
  const { session } = useService();
  const { holds, linkTo } = useConsole();
  const { id } = versioned.data;
  const list = useList(
    [],
    ({ place }, signal) => listUserSessions(session, { path: { userId: id }, query: place }, { signal }),
    [],
    ['sessions'],
  );
  const { offered } = useUserActs(versioned);
  const texts = userTexts();
  return (
    <section>
      <div class="title">
        <h2>{texts.sessions}</h2>
        {(list.query.data?.totalCount ?? 0) > 0 && <Acts acts={offered('endSessions')} />}
      </div>
      <ListView
        list={list}
        caption={texts.sessions}
        columns={[browserColumn({ holds, linkTo }), ...sessionColumns(holds('MANAGE_SESSIONS'))]}
        keyOf={(one) => one.id}
        empty={<p>{sessionTexts().empty}</p>}
      />
    </section>
  );
}
