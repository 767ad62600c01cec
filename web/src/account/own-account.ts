import { useState } from 'preact/hooks';
import { getMyAccount, type OwnAccount } from '../../../client/src/operations.ts';
import { useQuery } from '../query.ts';
import { useService } from '../ui/frame.tsx';

/** The last loaded account, so that the next screen has it at once. */
let known: OwnAccount | undefined;

/** Returns the account of the user for the frame of a screen; undefined until it is loaded. */
export function useOwnAccount(): OwnAccount | undefined {
  const { session } = useService();
  const userId = session.getSnapshot().user?.id;
  const [first] = useState(known);
  const query = useQuery(
    async (signal) => {
      if (known?.id !== userId) known = (await getMyAccount(session, {}, { signal })).data;
      return known;
    },
    [userId],
  );
  return query.data ?? (first?.id === userId ? first : undefined);
}
