import { formatDateTime, formatExact, formatMoment, formatZoned } from '../format.ts';

interface TimeProps {
  readonly children: string | undefined;
  /** Whether seconds matter, as between attempts. */
  readonly hasSeconds?: boolean;
  /** Whether the reader may be elsewhere, as with times that are told on. */
  readonly hasZone?: boolean;
}

/** A time; its title has the seconds and the time zone. */
export function Time({ children: time, hasSeconds = false, hasZone = false }: TimeProps) {
  if (time === undefined) return <>–</>;
  const format = hasZone ? formatZoned : hasSeconds ? formatMoment : formatDateTime;
  return (
    <time dateTime={time} title={formatExact(time)}>
      {format(time)}
    </time>
  );
}
