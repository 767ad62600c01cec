// Builders of SQL that several stores share: tenant scope, pages, searches, lookups in batches.
// Imported by stores.
import type { Query } from './builder.ts';
import type { Row, SqlValue, Statements } from '../types.ts';

/** Statements that reach one tenant's rows only: every text names the tenant as `:tenant`. */
export interface TenantStatements {
  /** As Statements.query; other values are positional (`?`). Throws TypeError where the text lacks `:tenant`. */
  query<R = Row>(sql: string, values?: readonly SqlValue[]): Promise<R[]>;
  /** As Statements.execute, likewise. */
  execute(sql: string, values?: readonly SqlValue[]): Promise<number>;
}

interface ScopedText {
  readonly sql: string;
  /** For each placeholder in order, whether the tenant belongs there. */
  readonly isTenant: readonly boolean[];
}

/** Texts composed at run time, of `IN (?, ?)` with changing lengths for example, must not pile up. */
const MAX_TEXTS = 1_000;
const texts = new Map<string, ScopedText>();

/** The column's value for a tenant; '' stands for the accounts that belong to none. */
export function tenantBytes(tenantId: string | undefined): Buffer {
  if (tenantId !== undefined && (typeof tenantId !== 'string' || tenantId === '')) {
    throw new TypeError('A tenant id is a non-empty string, or undefined for none');
  }
  return Buffer.from(tenantId ?? '');
}

/** Puts a tenant into statements; `undefined` reaches the rows that belong to no tenant, never those of all. */
export function tenantScope(statements: Statements, tenantId: string | undefined): TenantStatements {
  const tenant = tenantBytes(tenantId);
  const scoped = (sql: string, values: readonly SqlValue[]) => {
    const text = compile(sql);
    let next = 0;
    const all = text.isTenant.map((isTenant) => (isTenant ? tenant : values[next++]!));
    if (next !== values.length) throw new TypeError(`${values.length} values for ${next} placeholders`);
    return { sql: text.sql, values: all };
  };
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

/** Whose rows an administrator reaches: those of one tenant (undefined: of none), or, for a SUPER_ADMIN, of every tenant. */
export type AdminScope =
  | { readonly everyTenant: true }
  | { readonly everyTenant: false; readonly tenantId: string | undefined };

/** The condition on a tenant's column that keeps a statement within a scope, and its values. */
export function scopeCondition(column: string, scope: AdminScope): { readonly sql: string; readonly values: Buffer[] } {
  return scope.everyTenant
    ? { sql: '1 = 1', values: [] }
    : { sql: `${column} = ?`, values: [tenantBytes(scope.tenantId)] };
}

/** The same for a query under composition: `query.modify(inScope('a.tenant_id', scope))`. */
export function inScope(column: string, scope: AdminScope): (query: Query) => void {
  const { sql, values } = scopeCondition(column, scope);
  return (query) => void query.whereRaw(sql, values);
}

/** Whether a tenant that a credential names, undefined for none, is within a scope. */
export function isInScope(scope: AdminScope, tenantId: string | undefined): boolean {
  return scope.everyTenant || scope.tenantId === tenantId;
}
