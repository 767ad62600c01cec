// The account of an explained credential: its name, and what can be done with it.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { Link } from 'wouter-preact';
import {
  getServiceAccount,
  getUser,
  type ExplainCredentialResponse,
  type Reply,
  type User,
} from '../../../../client/src/operations.ts';
import { codeOf } from '../../errors.ts';
import { useQuery } from '../../query.ts';
import { useService } from '../../ui/frame.tsx';
import { useConsole } from '../context.ts';
import { explainTexts } from './texts.ts';

/** An account that the administrator may see. */
export interface ExplainedAccount {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  /** Undefined for a service account. */
  readonly user: Reply<User> | undefined;
}

export const ExplainedAccountContext = createContext<ExplainedAccount | undefined>(undefined);

/** Loads the account of an explanation. Undefined while it is loading, and for those who may not see it. */
export function useExplainedAccount({ accountId: id }: ExplainCredentialResponse): ExplainedAccount | undefined {
  const { session } = useService();
  const { canOpen } = useConsole();
  const { data } = useQuery(
    async (signal): Promise<ExplainedAccount | undefined> => {
      if (id === undefined) return undefined;
      const user = canOpen('/users')
        ? await orMissing(getUser(session, { path: { userId: id } }, { signal }))
        : undefined;
      if (user) return { id, name: user.data.name, path: `/users/${id}`, user };
      const service = canOpen('/service-accounts')
        ? await orMissing(getServiceAccount(session, { path: { id } }, { signal }))
        : undefined;
      return service && { id, name: service.data.name, path: `/service-accounts/${id}`, user: undefined };
    },
    [id],
    ['users', 'service-accounts'],
  );
  return data?.id === id ? data : undefined;
}

/** Returns undefined for a record that does not exist. */
const orMissing = <T,>(loading: Promise<T>): Promise<T | undefined> =>
  loading.catch((error: unknown) => {
    if (codeOf(error) !== 'not-found') throw error;
    return undefined;
  });

/** The name of the account as a link to it. */
export function AccountName({ id }: { readonly id: string }) {
  const { linkTo } = useConsole();
  const account = useContext(ExplainedAccountContext);
  if (account?.id !== id) return <span title={id}>{explainTexts().accountWord}</span>;
  return (
    <Link href={linkTo(account.path)} title={id}>
      <bdi>{account.name}</bdi>
    </Link>
  );
}
