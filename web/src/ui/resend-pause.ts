// The pause between two mails with a link.
import { useEffect, useState } from 'preact/hooks';

/** Mails need some seconds, and each new one makes the link of the one before invalid. */
const PAUSE_MS = 60_000;

/** Returns after how many seconds a mail can be sent again, 0 if at once. */
export function useSecondsUntilResend(sentAt: number | undefined): number {
  const [, setNow] = useState(0);
  const end = sentAt === undefined ? 0 : sentAt + PAUSE_MS;
  useEffect(() => {
    const read = () => {
      setNow(Date.now());
      if (Date.now() >= end) clearInterval(timer);
    };
    const timer = setInterval(read, 1_000);
    read();
    return () => clearInterval(timer);
  }, [end]);
  return Math.max(0, Math.ceil((end - Date.now()) / 1_000));
}
