import { useState } from 'preact/hooks';
import { getMyAccount } from '../../../client/src/operations.ts';
import { useQuery } from '../query.ts';
import { useService } from '../ui/frame.tsx';
import { Name } from '../ui/name.tsx';

/** The last loaded name, so that the next screen has it at once. */
let known: { readonly userId: string | undefined; readonly name: string | undefined } | undefined;

/** The name of the user's tenant, if there is one. */
export function TenantName() {
  const { session } = useService();
  const userId = session.getSnapshot().user?.id;
  const [first] = useState(known);
  const query = useQuery(
    async (signal) => {
      if (known?.userId !== userId)
        known = { userId, name: (await getMyAccount(session, {}, { signal })).data.tenantName };
      return known;
    },
    [userId],
  );
  const { name } = query.data ?? (first?.userId === userId ? first : undefined) ?? {};
  return name === undefined ? null : (
    <p class="beside-brand">
      <Name>{name}</Name>
    </p>
  );
}
