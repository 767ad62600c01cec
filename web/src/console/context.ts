// The account that uses the console, and the tenant that it looks at.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import type { OwnAccount } from '../../../client/src/operations.ts';
import { canOpen, type ScreenPath } from './permissions.ts';
import { SCREENS, type ConsoleScreen } from './screens.ts';

export const AccountContext = createContext<OwnAccount | undefined>(undefined);

export interface Console {
  readonly account: OwnAccount;
  /** Whether the account belongs to no tenant, and so chooses one. */
  readonly choosesTenant: boolean;
  /** The own tenant, or the chosen one; undefined for all tenants. */
  readonly tenantId: string | undefined;
  /** The screens that the account may see. */
  readonly screens: readonly ConsoleScreen[];
  readonly holds: (permission: string) => boolean;
  /** Returns the link to a path of the console, in which the tenant remains chosen. */
  readonly linkTo: (path: string, query?: Readonly<Record<string, string>>) => string;
  /** Whether the account may open a screen. */
  readonly canOpen: (path: ScreenPath) => boolean;
  /** What `linkTo` adds. */
  readonly search: string;
}

/** Returns the state of the console. Only for components of its screens. */
export function useConsole(): Console {
  const account = useContext(AccountContext)!;
  const [search] = useSearchParams();
  const choosesTenant = account.tenantId === undefined;
  const chosen = choosesTenant ? (search.get('tenantId') ?? undefined) : undefined;
  const kept: Readonly<Record<string, string>> = chosen === undefined ? {} : { tenantId: chosen };
  const searchOf = (query: Readonly<Record<string, string>>) => {
    const text = String(new URLSearchParams(query));
    return text && `?${text}`;
  };
  const holds = (permission: string): boolean => account.permissions.includes(permission);
  return {
    account,
    choosesTenant,
    tenantId: account.tenantId ?? chosen,
    screens: SCREENS.filter(({ path }) => canOpen(path, account.permissions)),
    holds,
    linkTo: (path, query = {}) => path + searchOf({ ...kept, ...query }),
    canOpen: (path) => canOpen(path, account.permissions),
    search: searchOf(kept),
  };
}
