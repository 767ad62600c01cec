// A DNS server (RFC 1035) that knows one name: for programs that find several cores by it.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const HEADER_BYTES = 12;
const TYPE_A = 1;
const TTL_SECONDS = 1;

/** Answers every question for IPv4 addresses with these, and others with none. Resolves with its port and its end. */
export async function startDnsServer(addresses: readonly string[]) {
  const socket = createSocket('udp4', (query, { port, address }) =>
    socket.send(respond(query, addresses), port, address),
  );
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { port: socket.address().port, close: () => void socket.close() };
}

function respond(query: Buffer, addresses: readonly string[]): Buffer {
  // The name ends with an empty label; type and class follow.
  const end = query.indexOf(0, HEADER_BYTES) + 5;
  const isForAddresses = query.readUInt16BE(end - 4) === TYPE_A;
  const found = isForAddresses ? addresses : [];
  const header = Buffer.alloc(HEADER_BYTES);
  query.copy(header, 0, 0, 2);
  // A response, with recursion desired and available, to one question.
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(found.length, 6);
  return Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...found.map(addressRecord)]);
}

function addressRecord(address: string): Buffer {
  // The name is that of the question, by its offset.
  const fixed = Buffer.from([0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, TTL_SECONDS, 0, 4]);
  return Buffer.concat([fixed, Buffer.from(address.split('.').map(Number))]);
}
