import { formatDateTime, formatExact } from '../format.ts';

/** A time; its title has the seconds and the time zone. */
export function Time({ children: time }: { readonly children: string | undefined }) {
  if (time === undefined) return <>–</>;
  return (
    <time dateTime={time} title={formatExact(time)}>
      {formatDateTime(time)}
    </time>
  );
}
