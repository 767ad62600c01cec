import { formatDateTime, formatExact, formatMoment } from '../format.ts';

interface TimeProps {
  readonly children: string | undefined;
  /** Whether seconds matter, as between attempts. */
  readonly hasSeconds?: boolean;
}

/** A time; its title has the seconds and the time zone. */
export function Time({ children: time, hasSeconds = false }: TimeProps) {
  if (time === undefined) return <>–</>;
  return (
    <time dateTime={time} title={formatExact(time)}>
      {hasSeconds ? formatMoment(time) : formatDateTime(time)}
    </time>
  );
}
