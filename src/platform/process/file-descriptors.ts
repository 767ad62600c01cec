// Computes how many connections the file descriptors of the process allow.
import { readFileSync } from 'node:fs';

/** Descriptors for Node itself, listeners, log, database files, refused connections and files opened by gRPC calls. */
const RESERVED = 256;
/** Descriptors per HTTP connection: its socket and one open file. */
const PER_HTTP_CONNECTION = 2;
/** Descriptors per database connection: itself and a second one that cancels a stuck statement. */
const PER_DATABASE_CONNECTION = 2;
/** With fewer connections, a service is useless. */
const LEAST = 16;

export interface DescriptorNeeds {
  readonly http: number;
  readonly rpc: number;
  readonly management: number;
  readonly database: number;
}

export interface DescriptorPlan {
  readonly http: number;
  readonly rpc: number;
  /** The number of descriptors needed without lowering. */
  readonly needed: number;
  readonly isLowered: boolean;
}

/** Lowers the numbers of HTTP and gRPC connections proportionally to the descriptors that remain for them. */
export function planDescriptors(limit: number, { http, rpc, management, database }: DescriptorNeeds): DescriptorPlan {
  const others = RESERVED + management + database * PER_DATABASE_CONNECTION;
  const connections = http * PER_HTTP_CONNECTION + rpc;
  const needed = others + connections;
  if (needed <= limit) return { http, rpc, needed, isLowered: false };
  const share = Math.max(0, limit - others) / connections;
  const lowered = (wanted: number) =>
    wanted === 0 ? 0 : Math.max(Math.min(LEAST, wanted), Math.floor(wanted * share));
  return { http: lowered(http), rpc: lowered(rpc), needed, isLowered: true };
}

/** Returns the process's limit of open files (`ulimit -n`); Infinity if the system shows none. */
export function descriptorLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined || soft === 'unlimited' ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}
