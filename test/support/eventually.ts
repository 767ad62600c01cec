import { vi } from 'vitest';

/** Repeats a check until it does not throw, for at most 10 s: the limit of vitest is too short on a busy machine. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 10_000 });
