// Data of the service in a component.
import { useCallback, useEffect, useState } from 'preact/hooks';
import { useChanges, type Topic } from './changes.ts';

export interface Query<T> {
  /** The last data, also while newer data is loading. */
  readonly data: T | undefined;
  /** The error of the last attempt. */
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Loads again, for example after a change. */
  readonly reload: () => void;
}

/**
 * Loads data when the component appears and when a dependency changes. A response that is no longer wanted is aborted and
 * ignored, so an older one never replaces a newer one.
 *
 * @param shows What the data is about. It is loaded again after each act that changes that.
 */
export function useQuery<T>(
  load: (signal: AbortSignal) => Promise<T>,
  dependencies: readonly unknown[],
  shows: readonly Topic[] = [],
): Query<T> {
  const changes = useChanges(shows);
  const [state, setState] = useState<Omit<Query<T>, 'reload'>>({ data: undefined, error: undefined, isLoading: true });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    setState(({ data }) => ({ data, error: undefined, isLoading: true }));
    load(abort.signal).then(
      (data) => abort.signal.aborted || setState({ data, error: undefined, isLoading: false }),
      (error: unknown) => abort.signal.aborted || setState(({ data }) => ({ data, error, isLoading: false })),
    );
    return () => abort.abort();
  }, [...dependencies, ...changes, attempt]);
  const reload = useCallback(() => setAttempt((count) => count + 1), []);
  return { ...state, reload };
}
