// Authentication over REST: Profile A, Profile B, machine clients.
import type { Endpoint } from '../endpoint.ts';

/** The endpoints of a profile. Both profiles have the same paths and RPCs. */
export interface SessionEndpoints {
  readonly login: Endpoint;
  readonly refresh: Endpoint;
  readonly me: Endpoint;
  readonly logout: Endpoint;
}
