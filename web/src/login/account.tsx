import { getMyAccount, type OwnAccount } from '../../../client/src/operations.ts';
import { useQuery, type Query } from '../query.ts';
import { useService } from '../ui/frame.tsx';
import { Name } from '../ui/name.tsx';
import { loginTexts } from './texts.ts';

/** Loads the account of the session. */
export function useAccount(): Query<OwnAccount> {
  const { session } = useService();
  return useQuery(async (signal) => (await getMyAccount(session, {}, { signal })).data, [session]);
}

/** The account that a screen is about. It takes its place while it is loading, so nothing moves. */
export function AccountLine() {
  const { data } = useAccount();
  return (
    <p class="quiet-text">
      {loginTexts().loggedInAs} {data ? <Name>{data.username}</Name> : '…'}
    </p>
  );
}
