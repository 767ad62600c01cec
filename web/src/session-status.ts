import { useEffect, useState } from 'preact/hooks';
import type { SessionSnapshot } from '../../client/src/index.ts';
import { useService } from './ui/frame.tsx';

/** Returns the state of the session, also after a login or logout in another tab. */
export function useSessionStatus(): SessionSnapshot['status'] {
  const { session } = useService();
  const read = () => session.getSnapshot().status;
  const [status, setStatus] = useState(read);
  useEffect(() => session.subscribe(() => setStatus(read())), [session]);
  return status;
}
