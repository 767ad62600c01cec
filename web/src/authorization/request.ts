// The authorization request that a page continues: `?request=`. It lasts ten minutes, and the page can be left meanwhile.
import { getAuthorizationRequest, type GetAuthorizationRequestResponse } from '../../../client/src/operations.ts';
import { codeOf } from '../errors.ts';
import { preferLanguages } from '../i18n.ts';
import { useQuery, type Query } from '../query.ts';
import { useService } from '../ui/frame.tsx';

export type Application = GetAuthorizationRequestResponse['application'];

/** What is still known of an application when its request is over. */
type KnownApplication = Pick<Application, 'name' | 'homeUrl'>;

/** A request that is over: expired, answered, or never made. */
export const OVER = 'over';

const PARAMETER = 'request';
const FORMAT = /^[\w-]{1,64}$/;

/** The id of the request in the URL of this page; undefined without one. */
export const requestId = (): string | undefined => new URLSearchParams(location.search).get(PARAMETER) || undefined;

/** Returns the path of a page that continues a request: `/login?request=…`. */
export function pathWithRequest(path: string, id: string | undefined): string {
  return path + (id === undefined ? '' : `?${new URLSearchParams({ [PARAMETER]: id })}`);
}

/** Loads a request, and takes the language that its application prefers. */
export function useAuthorizationRequest(id: string | undefined): Query<GetAuthorizationRequestResponse | typeof OVER> {
  const { session } = useService();
  return useQuery(
    async (signal) => {
      if (id === undefined || !FORMAT.test(id)) return OVER;
      try {
        const { data } = await getAuthorizationRequest(session.anonymous, { path: { id } }, { signal });
        preferLanguages((data.uiLocales ?? '').split(' '));
        keepApplication(data.application);
        return data;
      } catch (error) {
        if (codeOf(error) !== 'not-found') throw error;
        return OVER;
      }
    },
    [id],
  );
}

/** The step of the browser's history keeps it, so a reload knows where the request came from. */
function keepApplication({ name, homeUrl }: KnownApplication): void {
  history.replaceState({ application: { name, homeUrl } }, '');
}

/** Returns the application of a request that is over; undefined if this browser does not know it. */
export function knownApplication(id: string): KnownApplication | undefined {
  const { application } = (history.state ?? {}) as { application?: KnownApplication };
  const recovery = readRecovery();
  return application ?? (recovery?.id === id ? recovery.application : undefined);
}

const STORED = 'service:recovery-for-request';
/** The link of a recovery is valid for 30 minutes. After those of the request, the login still says where to start again. */
const KEPT_MS = 40 * 60_000;

interface Recovery {
  readonly id: string;
  readonly application: KnownApplication;
  readonly until: number;
}

/** Keeps the request of a login whose user has forgotten the password. The link of the mail opens another tab. */
export function keepForRecovery(id: string, { name, homeUrl }: KnownApplication): void {
  const recovery: Recovery = {
    id,
    application: { name, ...(homeUrl !== undefined && { homeUrl }) },
    until: Date.now() + KEPT_MS,
  };
  withStorage((storage) => storage.setItem(STORED, JSON.stringify(recovery)));
}

export const forgetRecovery = (): void => withStorage((storage) => storage.removeItem(STORED));

/** The id of the request for which this browser has asked for a recovery; undefined without one. */
export const recoveredRequest = (): string | undefined => readRecovery()?.id;

function readRecovery(): Recovery | undefined {
  const recovery = withStorage((storage) => JSON.parse(storage.getItem(STORED) ?? 'null') as Recovery | null);
  return recovery && recovery.until > Date.now() ? recovery : undefined;
}

/** Without storage, a recovery leads to a login without the request. */
function withStorage<T>(act: (storage: Storage) => T): T | undefined {
  try {
    return act(localStorage);
  } catch {
    return undefined;
  }
}
