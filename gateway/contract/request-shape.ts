// Assigns the fields of an RPC's request to parts of the HTTP request.
import type { DescField, DescMessage, DescMethod } from '../../src/platform/rpc/contract/descriptors.ts';
import { isMask } from '../../src/platform/rpc/contract/values.ts';
import { contracts, rpcOf } from './contracts.ts';
import { innerMessage, memberOf, membersOf, type Member } from './members.ts';

/** The fields of a request message by their part of the HTTP request. */
export interface RequestShape {
  /** The fields that the path contains. */
  readonly record: readonly Member[];
  /** The google.protobuf.FieldMask that selects fields of `fields`. */
  readonly mask: Member | undefined;
  /** The Precondition, sent as If-Match. */
  readonly precondition: Member | undefined;
  /** The PageRequest. */
  readonly page: Member | undefined;
  /** The inlined message: its fields count as fields of the request. */
  readonly fields:
    | { readonly holder: Member; readonly type: DescMessage; readonly members: readonly Member[] }
    | undefined;
  /** The caller's tenant, an optional member of the body. */
  readonly tenant: Member | undefined;
  /** Fields that are sent as headers. */
  readonly headers: readonly Member[];
  /** Fields that are query parameters although the request has a body. */
  readonly query: readonly Member[];
  /** All other fields: members of the body, or query parameters. */
  readonly others: readonly Member[];
}

const PAGE = 'authservice.paging.v1.PageRequest';
const PRECONDITION = 'authservice.record.v1.Precondition';

export function requestShape(method: DescMethod): RequestShape {
  const members = membersOf(method.input);
  const typed = (name: string) => members.find(({ field }) => field.message?.typeName === name);
  const page = typed(PAGE);
  const precondition = typed(PRECONDITION);
  const mask = members.find(({ field }) => isMask(field));
  const holder = members.find((member) => member.rule.inline && member !== page);
  const record = pathFieldsOf(method).map((name) => named(members, name, method));
  const headers = members.filter(({ rule }) => rule.header !== '');
  const tenant = members.find(({ path }) => path === 'tenant_id');
  const query = members.filter(({ rule }) => rule.query);
  const placed: readonly (Member | undefined)[] = [page, precondition, mask, holder, ...record, ...headers, ...query];
  return {
    record,
    mask,
    precondition,
    page,
    tenant,
    fields: holder && { holder, type: holder.field.message!, members: membersOf(holder.field.message!) },
    headers,
    query,
    others: members.filter((member) => !placed.includes(member)),
  };
}

/** The parts of a response message. */
export interface ResponseShape {
  /**
   * Content of the HTTP body. `nothing`: no body. `record`: the only message field. `list`: the items of the only list.
   * `whole`: the whole response message.
   */
  readonly kind: 'nothing' | 'record' | 'list' | 'whole';
  /** The field that becomes the HTTP body. Only for `record` and `list`. */
  readonly shown: Member | undefined;
  /** The member of a whole response that is the HTTP body itself if the other one has no value. */
  readonly sole: Member | undefined;
  /** The PageInfo of a list. */
  readonly page: Member | undefined;
  /** Type of the HTTP body, or of each item of a list. */
  readonly type: DescMessage;
  /** The field with the version of a record. */
  readonly version: DescField | undefined;
}

const PAGE_INFO = 'authservice.paging.v1.PageInfo';

/** Throws if the declared status or the field of the body does not fit the response. */
export function responseShape(method: DescMethod): ResponseShape {
  const members = method.output.fields.map(memberOf);
  const page = members.find(({ field }) => field.message?.typeName === PAGE_INFO);
  const { status, responseBody = '', operation } = contracts().restOf(method) ?? {};
  const sole = operation?.soleMember ? named(members, operation.soleMember, method) : undefined;
  if (sole && (members.length !== 2 || !sole.field.message))
    throw new Error(`${rpcOf(method)}: sole_member must name a message beside one other member`);
  const whole = { shown: undefined, sole, page, type: method.output, version: undefined };
  const isEmpty = status === 204 || status === 202;
  if (status !== undefined && isEmpty !== (members.length === 0))
    throw new Error(`${rpcOf(method)} must have the status 204 or 202 if, and only if, its response is empty`);
  if (isEmpty) return { kind: 'nothing', ...whole };
  if (responseBody === '') return { kind: 'whole', ...whole };
  const shown = named(members, responseBody, method);
  const type = innerMessage(shown.field);
  if (type === undefined || shown.field.fieldKind === 'map')
    throw new Error(`google.api.http of ${rpcOf(method)}: response_body must name a message or a list of messages`);
  if (shown.field.fieldKind === 'list') return { kind: 'list', shown, sole, page, type, version: undefined };
  return { kind: 'record', shown, sole, page, type, version: type.fields.find(isVersion) };
}

/** Returns the names of the request fields in the paths of a method. */
function pathFieldsOf(method: DescMethod): string[] {
  const [binding] = contracts().restOf(method)?.bindings ?? [];
  return [...(binding?.path ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

function named(members: readonly Member[], name: string, method: DescMethod): Member {
  const member = members.find(({ path }) => path === name);
  if (member === undefined) throw new Error(`google.api.http of ${rpcOf(method)} names no field ${name}`);
  return member;
}

function isVersion(field: DescField): boolean {
  return field.name === 'version' && memberOf(field).rule.hidden;
}
