const UNIT_MS: Readonly<Record<string, number>> = { '': 1000, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Parses `900`, `900s`, `15m`, `12h` or `30d` to milliseconds. A bare number means seconds. Returns undefined for any
 * other text.
 */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,15})([smhd]?)$/.exec(text);
  const ms = match ? Number(match[1]) * UNIT_MS[match[2]!]! : Number.NaN;
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/**
 * Formats milliseconds, which must be whole seconds, in the largest unit that divides them. Inverse of `parseDuration`.
 */
export function formatDuration(ms: number): string {
  const divides = (unit: string): boolean => ms % (UNIT_MS[unit] ?? 1) === 0;
  const unit = ms === 0 ? 's' : (['d', 'h', 'm'].find(divides) ?? 's');
  return `${ms / UNIT_MS[unit]!}${unit}`;
}
