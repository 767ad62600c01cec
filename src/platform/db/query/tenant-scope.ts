// The tenant in each WHERE clause: of one tenant, of an administrator's scope, or across tenants with a reason.
import type { Database, Reader, Row, SqlValue, Statements } from '../types.ts';

/** Statements on one tenant's rows only. Every SQL text contains the tenant as `:tenant`. */
export interface TenantStatements {
  /** Like Statements.query; other values are positional (`?`). Throws TypeError if the text lacks `:tenant`. */
  query<R = Row>(sql: string, values?: readonly SqlValue[]): Promise<R[]>;
  /** Like Statements.execute. Throws TypeError if the text lacks `:tenant`. */
  execute(sql: string, values?: readonly SqlValue[]): Promise<number>;
}

interface ScopedText {
  readonly sql: string;
  /** For each placeholder in order, whether it is the tenant. */
  readonly isTenant: readonly boolean[];
}

/** Limits the cache: texts built at run time, such as `IN (?, ?)` of varying length, must not accumulate. */
const MAX_TEXTS = 1_000;
const texts = new Map<string, ScopedText>();

/** Returns the column's value for a tenant; '' for accounts without a tenant. */
export function tenantBytes(tenantId: string | undefined): Buffer {
  if (tenantId !== undefined && (typeof tenantId !== 'string' || tenantId === '')) {
    throw new TypeError('A tenant id is a non-empty string, or undefined for none');
  }
  return Buffer.from(tenantId ?? '');
}

/** Adds a tenant to statements. `undefined` selects the rows without a tenant, never all rows. */
export function tenantScope(statements: Statements, tenantId: string | undefined): TenantStatements {
  const scoped = scopeOf(tenantId);
  return {
    async query<R>(sql: string, values: readonly SqlValue[] = []) {
      const text = scoped(sql, values);
      return statements.query<R>(text.sql, text.values);
    },
    async execute(sql, values = []) {
      const text = scoped(sql, values);
      return statements.execute(text.sql, text.values);
    },
  };
}

/** Adds a tenant to SELECTs that can take long. */
export function tenantReads(
  { queryLong }: Pick<Database, 'queryLong'>,
  tenantId: string,
  reader: Reader,
): Pick<TenantStatements, 'query'> {
  const scoped = scopeOf(tenantId);
  return {
    async query<R>(sql: string, values: readonly SqlValue[] = []) {
      const text = scoped(sql, values);
      return queryLong<R>(text.sql, text.values, reader);
    },
  };
}

/** Returns a function that replaces `:tenant` in a text, and adds its value. */
function scopeOf(tenantId: string | undefined) {
  const tenant = tenantBytes(tenantId);
  return (sql: string, values: readonly SqlValue[]) => {
    const text = compile(sql);
    let next = 0;
    const all = text.isTenant.map((isTenant) => (isTenant ? tenant : values[next++]!));
    if (next !== values.length) throw new TypeError(`${values.length} values for ${next} placeholders`);
    return { sql: text.sql, values: all };
  };
}

function compile(sql: string): ScopedText {
  const known = texts.get(sql);
  if (known) return known;
  const placeholders: readonly string[] = sql.match(/\?|:tenant\b/g) ?? [];
  if (!placeholders.includes(':tenant')) throw new TypeError('A statement on tenant data must contain :tenant');
  const text = { sql: sql.replaceAll(/:tenant\b/g, '?'), isTenant: placeholders.map((found) => found === ':tenant') };
  if (texts.size >= MAX_TEXTS) texts.clear();
  texts.set(sql, text);
  return text;
}

/**
 * The tenants whose rows an administrator can access: one tenant (undefined: rows without one), or every tenant for a
 * SUPER_ADMIN. `withShared`: rows without a tenant serve all tenants, and are read too.
 */
export type AdminScope =
  | { readonly everyTenant: true }
  | { readonly everyTenant: false; readonly tenantId: string | undefined; readonly withShared?: true };

/**
 * Returns the condition of a statement on the rows of all tenants, with the reason. Each WHERE clause contains either a tenant
 * or this condition; test/isolation/tenant-in-statements.test.ts reads the executed statements.
 */
export function acrossTenants(reason: string): string {
  return `1 = 1 /* across tenants: ${reason} */`;
}

/** Returns the condition on a tenant column that restricts a statement to a scope, and its values. */
export function scopeCondition(column: string, scope: AdminScope): { readonly sql: string; readonly values: Buffer[] } {
  if (scope.everyTenant) return { sql: acrossTenants('a SUPER_ADMIN administers all'), values: [] };
  const own = tenantBytes(scope.tenantId);
  if (scope.withShared) return { sql: `${column} IN (?, ?)`, values: [own, tenantBytes(undefined)] };
  return { sql: `${column} = ?`, values: [own] };
}

/** Whether a credential's tenant, undefined for none, is within a scope. */
export function isInScope(scope: AdminScope, tenantId: string | undefined): boolean {
  return scope.everyTenant || scope.tenantId === tenantId;
}
