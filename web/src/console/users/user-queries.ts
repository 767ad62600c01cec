// A user, as several screens load it.
import { getUser, getUserFactors, type Factors, type Reply, type User } from '../../../../client/src/operations.ts';
import { useQuery, type Query } from '../../query.ts';
import { useMailRefresh } from './mail-state.tsx';
import { useService } from '../../ui/frame.tsx';

/** Loads a user with its version, again while a mail to it is queued. */
export function useUser(id: string): Query<Reply<User>> {
  const { session } = useService();
  const user = useQuery((signal) => getUser(session, { path: { userId: id } }, { signal }), [id], ['users']);
  const { invitationMail, recoveryMail } = user.data?.data ?? {};
  useMailRefresh(invitationMail === 'QUEUED' || recoveryMail === 'QUEUED', user.reload);
  return user;
}

/** Loads the second factors of a user. */
export function useFactors(id: string): Query<Factors> {
  const { session } = useService();
  return useQuery(
    async (signal) => (await getUserFactors(session, { path: { userId: id } }, { signal })).data,
    [id],
    ['factors'],
  );
}
