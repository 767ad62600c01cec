// A user, as several screens load it.
import { getUser, getUserFactors, type Factors, type Reply, type User } from '../../../../client/src/operations.ts';
import { useQuery, type Query } from '../../query.ts';
import { useService } from '../../ui/frame.tsx';

/** Loads a user with its version. */
export function useUser(id: string): Query<Reply<User>> {
  const { session } = useService();
  return useQuery((signal) => getUser(session, { path: { userId: id } }, { signal }), [id], ['users']);
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
