// How many connections the file descriptors of the process are enough for.
import { readFileSync } from 'node:fs';

/** For Node itself, listeners, log, database files, refused connections and open files of gRPC calls. */
const RESERVED = 256;
/** An HTTP request may have a file open beside its socket. */
const PER_HTTP_CONNECTION = 2;
/** Of the database, with the second connection that ends a stuck statement. */
const PER_DATABASE_CONNECTION = 2;
/** Below this a service is of no use. */
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
  /** Descriptors that the needs would take. */
  readonly needed: number;
  readonly isLowered: boolean;
}

/** Lowers the numbers of HTTP and gRPC connections, in proportion, to what the limit leaves after everything else. */
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

/** The process's limit of open files (`ulimit -n`), Infinity if the system does not show one. */
export function descriptorLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined || soft === 'unlimited' ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}
