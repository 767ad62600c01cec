// `new Function` is safe here: it compiles the names of fields in the protos, quoted by JSON.stringify, never a request's text.
//
// Converts messages of the core to JSON. Compiled once per message type.
import { Format } from '../../proto/gen/authservice/rule/v1/rule.ts';
import type { DescMessage } from '../../src/platform/rpc/contract/descriptors.ts';
import { namesOf } from '../../src/platform/rpc/contract/values.ts';
import { amountOf } from '../schema/money.ts';
import { requireField } from '../clients.ts';
import { inlinedMessage, innerMessage, isTime, mapValues, membersOf, type Member, type Message } from './members.ts';
import { specialMember } from './special-members.ts';

/** Converts a message to a JSON object. `apiRoot` is the prefix of record paths: `/shop/api/v1`. */
type Encode = (message: Message, apiRoot: string) => Message;

type EncodeValue = (value: unknown, holder: Message, apiRoot: string) => unknown;

/** Compiles the conversion of a message type. */
export function compileEncode(type: DescMessage): Encode {
  const members = membersOf(type);
  const encoders = members.map(memberEncoder);
  const properties = members.map((member, index) => {
    const value = `encode${index}(message[${JSON.stringify(member.key)}], message, apiRoot)`;
    return inlinedMessage(member) === undefined ? `${JSON.stringify(member.name)}: ${value}` : `...${value}`;
  });
  const names = encoders.map((_encode, index) => `encode${index}`);
  // An object literal takes half the time of a loop over the members.
  // oxlint-disable-next-line typescript/no-implied-eval -- see the first line
  const compile = new Function(...names, `return (message, apiRoot) => ({ ${properties.join(', ')} })`);
  return compile(...encoders) as Encode;
}

/** JSON omits members that are undefined. A missing required member throws TypeError. */
function memberEncoder(member: Member): EncodeValue {
  const { rule, name } = member;
  const encode = valueEncoder(member);
  if (rule.nullable) return (value, holder, apiRoot) => encode(value, holder, apiRoot) ?? null;
  return rule.required ? (value, holder, apiRoot) => requireField(encode(value, holder, apiRoot), name) : encode;
}

function valueEncoder(member: Member): EncodeValue {
  const encode = anyEncoder(member);
  if (!member.rule.nonempty) return encode;
  return (values, holder, apiRoot) =>
    (values as readonly unknown[]).length === 0 ? undefined : encode(values, holder, apiRoot);
}

function anyEncoder({ field, rule }: Member): EncodeValue {
  const special = specialMember(field);
  if (special) return special.encode;
  const one = singleEncoder({ field, rule });
  if (one === undefined) return (value) => value;
  if (field.fieldKind === 'map') {
    return (values, holder, apiRoot) => mapValues(values as Message, (value) => one(value, holder, apiRoot));
  }
  if (field.fieldKind !== 'list') {
    return (value, holder, apiRoot) => (value === undefined ? undefined : one(value, holder, apiRoot));
  }
  return (values, holder, apiRoot) => (values as readonly unknown[]).map((value) => one(value, holder, apiRoot));
}

/** Returns the conversion of a present value. Undefined if the value needs no conversion. */
function singleEncoder({ field, rule }: Pick<Member, 'field' | 'rule'>): EncodeValue | undefined {
  if (field.enum) {
    const names = namesOf(field.enum);
    return (value) => names.get(value as number);
  }
  if (isTime(field)) return (value) => isoTime(value as Date);
  if (rule.format === Format.FORMAT_MONEY) return (value) => amountOf(value as number);
  if (rule.format === Format.FORMAT_JSON_OBJECT) return (text) => JSON.parse(text as string) as unknown;
  const message = innerMessage(field);
  if (message === undefined) return undefined;
  const encode = compileEncode(message);
  return (value, _holder, apiRoot) => encode(value as Message, apiRoot);
}

const DAY_MS = 86_400_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const THREE_DIGITS = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'));

const MAX_DAYS = 1_000;
/** The text of a day up to the `T`. The times of a list are of few days. */
const days = new Map<number, string>();

/** Returns the same text as `toISOString`, in a third of its time. */
export function isoTime(time: Date): string {
  const day = Math.floor(time.getTime() / DAY_MS);
  const milliseconds = time.getTime() - day * DAY_MS;
  const seconds = Math.floor(milliseconds / 1_000);
  const minutes = Math.floor(seconds / 60);
  const clock = `${TWO_DIGITS[Math.floor(minutes / 60)]}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}`;
  return `${days.get(day) ?? addDay(day, time)}${clock}.${THREE_DIGITS[milliseconds % 1_000]}Z`;
}

function addDay(day: number, time: Date): string {
  const text = time.toISOString();
  const date = text.slice(0, text.indexOf('T') + 1);
  if (days.size >= MAX_DAYS) days.clear();
  days.set(day, date);
  return date;
}
