import { listMyGrants, revokeMyGrant } from '../../../client/src/operations.ts';
import { grantTexts } from '../authorization/grant-texts.ts';
import { EndButton, grantColumns, noneIfOff } from '../authorization/grants.tsx';
import { useList } from '../list.ts';
import { useService } from '../ui/frame.tsx';
import { ListView } from '../ui/list-view.tsx';
import { AccountScreen } from './account-screen.tsx';
import { accountTexts } from './texts.ts';

/** The applications that the user has logged in to. */
export default function ApplicationsScreen() {
  const { session } = useService();
  const list = useList([], ({ place }, signal) => listMyGrants(session, { query: place }, { signal }).catch(noneIfOff));
  const end = (id: string) => revokeMyGrant(session, { path: { id } });
  const columns = grantColumns((grant) => <EndButton grant={grant} end={end} onEnd={list.query.reload} />);
  const { title, none } = grantTexts();
  return (
    <AccountScreen title={title}>
      <p class="quiet-text">{accountTexts().applicationsText}</p>
      <ListView list={list} caption={title} columns={columns} keyOf={({ id }) => id} empty={<p>{none}</p>} />
    </AccountScreen>
  );
}
