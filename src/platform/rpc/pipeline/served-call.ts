import type { Logger } from 'pino';
import type { Deadline } from '../../clock.ts';
import type { Principal } from '../../../auth/principal/principal.ts';
import type { Call } from '../types.ts';

/** The call as its handler sees it. A class, because V8 needs 0.7 us for an object literal with a getter. */
export class ServedCall implements Call {
  readonly path: string;
  readonly requestId: string;
  readonly clientAddress: string;
  readonly sharedAddress: boolean;
  readonly deadline: Deadline;
  readonly accessCheckOnly: boolean;
  principal: Principal | undefined;
  recheck: Call['recheck'] = nothingToRecheck;
  readonly #parent: Logger;
  #log: Logger | undefined;

  constructor(facts: Omit<Call, 'principal' | 'recheck' | 'log'>, log: Logger) {
    this.path = facts.path;
    this.requestId = facts.requestId;
    this.clientAddress = facts.clientAddress;
    this.sharedAddress = facts.sharedAddress;
    this.deadline = facts.deadline;
    this.accessCheckOnly = facts.accessCheckOnly;
    this.#parent = log;
  }

  /** Created on demand: most calls log nothing, and a child logger costs more than the other fields together. */
  get log(): Logger {
    return (this.#log ??= this.#parent.child({ requestId: this.requestId, rpc: this.path }));
  }
}

/** For calls without a principal. */
async function nothingToRecheck(): Promise<void> {}
