// Where the fields of an RPC's request come from in an HTTP request.
import type { DescField, DescMessage } from '../../src/rpc/contract/descriptors.ts';
import { isMask } from '../../src/rpc/contract/values.ts';
import { memberOf, membersOf, type Member } from './members.ts';

/** The fields of a request by their places. */
export interface RequestShape {
  /** The names of the record, in the order of the path's parameters. */
  readonly record: readonly Member[];
  /** The google.protobuf.FieldMask that says which fields of `fields` are meant. */
  readonly mask: Member | undefined;
  /** The Precondition, which If-Match carries. */
  readonly precondition: Member | undefined;
  /** The PageRequest. */
  readonly page: Member | undefined;
  /** The message whose fields count as fields of the request. */
  readonly fields: Fields | undefined;
  /** The caller's tenant, which a body may name. */
  readonly tenant: Member | undefined;
  /** Fields that travel in headers. */
  readonly headers: readonly Member[];
  /** All others: members of a body, or parameters of a query. */
  readonly others: readonly Member[];
}

export interface Fields {
  readonly holder: Member;
  readonly type: DescMessage;
  readonly members: readonly Member[];
}

const PAGE = 'authservice.paging.v1.PageRequest';
const PRECONDITION = 'authservice.business.v1.Precondition';

export function requestShape(input: DescMessage): RequestShape {
  const members = membersOf(input);
  const typed = (name: string) => members.find(({ field }) => field.message?.typeName === name);
  const page = typed(PAGE);
  const precondition = typed(PRECONDITION);
  const mask = members.find(({ field }) => isMask(field));
  const holder = members.find((member) => member.rule.inline && member !== page);
  const record = members.filter(({ rule, field }) => rule.record && field.scalar !== undefined);
  const headers = members.filter(({ rule }) => rule.header !== '');
  const tenant = members.find(({ path }) => path === 'tenant_id');
  const placed: readonly (Member | undefined)[] = [page, precondition, mask, holder, ...record, ...headers];
  return {
    record,
    mask,
    precondition,
    page,
    tenant,
    fields: holder && { holder, type: holder.field.message!, members: membersOf(holder.field.message!) },
    headers,
    others: members.filter((member) => !placed.includes(member)),
  };
}

/** What a response shows. */
export interface ResponseShape {
  /** `nothing`: no body; `record`: the one message in it; `list`: the items of a page; `whole`: the response itself. */
  readonly kind: 'nothing' | 'record' | 'list' | 'whole';
  /** The field that is shown, of a record or a list. */
  readonly shown: Member | undefined;
  /** The PageInfo of a list. */
  readonly page: Member | undefined;
  /** The message that is shown, or each item of the list. */
  readonly type: DescMessage;
  /** The field that holds the version of a record. */
  readonly version: DescField | undefined;
}

const PAGE_INFO = 'authservice.paging.v1.PageInfo';

export function responseShape(output: DescMessage): ResponseShape {
  const members = output.fields.map(memberOf);
  const page = members.find(({ field }) => field.message?.typeName === PAGE_INFO);
  const [shown, ...more] = members.filter((member) => member !== page && !member.rule.hidden);
  const whole = { shown: undefined, page, type: output, version: undefined };
  if (shown === undefined) return { kind: 'nothing', ...whole };
  const { message: type, fieldKind } = shown.field;
  if (more.length > 0 || type === undefined) return { kind: 'whole', ...whole };
  if (fieldKind === 'list') return { kind: 'list', shown, page, type, version: undefined };
  return { kind: 'record', shown, page, type, version: type.fields.find(isVersion) };
}

function isVersion(field: DescField): boolean {
  return field.name === 'version' && memberOf(field).rule.hidden;
}
