export type TenantStatus = 'ACTIVE' | 'SUSPENDED';

export interface Tenant {
  /** Slug chosen at creation: `[a-z0-9-]{1,63}`. */
  readonly id: string;
  readonly name: string;
  readonly status: TenantStatus;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

export function isTenantId(text: string): boolean {
  return /^[a-z0-9-]{1,63}$/.test(text);
}
