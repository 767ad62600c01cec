// The limit of an RPC: an empty grpc-js server that returns an empty message for the same methods.
import { Server, ServerCredentials, type ServiceDefinition } from '@grpc/grpc-js';

const paths = process.argv.slice(2);
const asIs = (bytes: Buffer) => bytes;
const definition: ServiceDefinition = Object.fromEntries(
  paths.map((path) => [
    path,
    {
      path: `/${path}`,
      requestStream: false,
      responseStream: false,
      requestSerialize: asIs,
      requestDeserialize: asIs,
      responseSerialize: asIs,
      responseDeserialize: asIs,
    },
  ]),
);
const EMPTY = Buffer.alloc(0);
const server = new Server({ 'grpc.enable_channelz': 0 });
server.addService(
  definition,
  Object.fromEntries(
    paths.map((path) => [path, (_call: unknown, done: (error: null, value: Buffer) => void) => done(null, EMPTY)]),
  ),
);
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
