// Times in JSON.

const DAY_MS = 86_400_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const THREE_DIGITS = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'));

const MAX_DAYS = 1_000;
/** The text of a day up to the `T`. The times of a list are of few days. */
const days = new Map<number, string>();

/** Returns the same text as `toISOString`, in a third of its time. */
export function isoTime(time: Date): string {
  const day = Math.floor(time.getTime() / DAY_MS);
  const milliseconds = time.getTime() - day * DAY_MS;
  const seconds = Math.floor(milliseconds / 1_000);
  const minutes = Math.floor(seconds / 60);
  const clock = `${TWO_DIGITS[Math.floor(minutes / 60)]}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}`;
  return `${days.get(day) ?? addDay(day, time)}${clock}.${THREE_DIGITS[milliseconds % 1_000]}Z`;
}

function addDay(day: number, time: Date): string {
  const text = time.toISOString();
  const date = text.slice(0, text.indexOf('T') + 1);
  if (days.size >= MAX_DAYS) days.clear();
  days.set(day, date);
  return date;
}
