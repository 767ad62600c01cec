// Converts validated JSON and parameters to messages of the core. Compiled once per route.
import { ScalarType } from '@bufbuild/protobuf';
import { Format } from '../../proto/gen/authservice/rule/v1/rule.ts';
import type { DescMessage } from '../../src/platform/rpc/contract/descriptors.ts';
import { emptyMessage, namesOf } from '../../src/platform/rpc/contract/values.ts';
import { toHundredths } from '../schema/money.ts';
import { beginOf, endOf, parseInstant } from '../schema/time-bounds.ts';
import { innerMessage, isTime, mapValues, membersOf, type Member, type Message } from './members.ts';

/** Converts the members of an object to fields of a message. */
export type Decode = (object: Message) => Message;

type DecodeValue = (value: unknown) => unknown;

/** Compiles the conversion of an object's members. Absent members and null are omitted. */
export function compileDecode(members: readonly Member[]): Decode {
  const decoders = members.map((member) => ({
    name: member.name,
    key: member.key,
    oneof: member.field.oneof?.localName,
    decode: valueDecoder(member),
  }));
  return (object) => {
    const message: Record<string, unknown> = {};
    for (const { name, key, oneof, decode } of decoders) {
      const value = object[name];
      const decoded = value === undefined || value === null ? undefined : decode(value);
      if (decoded === undefined) continue;
      if (oneof === undefined) message[key] = decoded;
      else message[oneof] = { $case: key, value: decoded };
    }
    return message;
  };
}

/** Compiles the conversion of an object to a whole message, with defaults for absent fields. */
export function compileMessageDecode(type: DescMessage, members: readonly Member[]): Decode {
  const empty = emptyMessage(type);
  const decode = compileDecode(members);
  return (object) => ({ ...empty, ...decode(object) });
}

function valueDecoder(member: Member): DecodeValue {
  const one = singleDecoder(member);
  if (one === asItIs) return one;
  if (member.field.fieldKind === 'map') return (values) => mapValues(values as Message, one);
  if (member.field.fieldKind !== 'list') return one;
  return (values) => (values as readonly unknown[]).map(one);
}

function singleDecoder({ field, rule, name }: Member): DecodeValue {
  if (field.enum) return enumDecoder(namesOf(field.enum));
  if (isTime(field)) return timeDecoder(rule.format, name);
  if (rule.format === Format.FORMAT_MONEY) return (amount) => toHundredths(amount as number);
  if (rule.format === Format.FORMAT_JSON_OBJECT) return (object) => JSON.stringify(object);
  // Query parameters are texts.
  if (field.scalar === ScalarType.BOOL) return (flag) => flag === true || flag === 'true';
  const message = innerMessage(field);
  if (message === undefined) return asItIs;
  const decode = compileMessageDecode(message, membersOf(message));
  return (object) => decode(object as Message);
}

function asItIs(value: unknown): unknown {
  return value;
}

function enumDecoder(names: ReadonlyMap<number, string>): DecodeValue {
  const numbers = new Map([...names].map(([number, name]) => [name as unknown, number]));
  return (name) => numbers.get(name);
}

function timeDecoder(format: Format, name: string): DecodeValue {
  if (format === Format.FORMAT_TIME_FROM) return (text) => beginOf(text as string, name);
  if (format === Format.FORMAT_TIME_TO) return (text) => endOf(text as string, name);
  return (text) => parseInstant(text as string, name);
}
