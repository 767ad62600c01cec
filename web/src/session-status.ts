import { useEffect, useState } from 'preact/hooks';
import type { SessionSnapshot } from '../../client/src/index.ts';
import { useService } from './ui/frame.tsx';

/** Returns a value of the session's state, also after a login or logout in another tab. */
function useSnapshot<T extends string | undefined>(select: (snapshot: SessionSnapshot) => T): T {
  const { session } = useService();
  const read = () => select(session.getSnapshot());
  const [value, setValue] = useState(read);
  useEffect(() => {
    const update = () => setValue(read());
    const stop = session.subscribe(update);
    // The state can have changed since the rendering.
    update();
    return stop;
  }, [session]);
  return value;
}

/** Returns the state of the session. */
export const useSessionStatus = (): SessionSnapshot['status'] => useSnapshot(({ status }) => status);

/** Returns the id of the session's user; undefined without a session. */
export const useSessionUser = (): string | undefined => useSnapshot(({ user }) => user?.id);
