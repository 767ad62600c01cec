// What the core says of itself to callers without its protos, by the standard grpc.reflection, v1 and v1alpha.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { ReflectionService } from '@grpc/reflection';
import { implement } from '../service.ts';
import type { Method, Service } from '../service.ts';
import type { MethodDefinition } from '../types.ts';

/** A google.protobuf.FileDescriptorSet of all protos and their imports; scripts/proto-check.ts makes it. */
const DESCRIPTORS = new URL('../../../proto/gen/descriptors.binpb', import.meta.url);
const PATHS = ['v1', 'v1alpha'].map((version) => `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`);

type AddService = Parameters<ReflectionService['addToServer']>[0]['addService'];
type Implementation = Parameters<AddService>[1];
type Bidirectional = MethodDefinition & { readonly requestStream: true; readonly responseStream: true };

/** The one method of a version. */
interface Reflection {
  readonly definition: MethodDefinition;
  readonly answer: (request: unknown) => unknown;
}

/**
 * The reflection services for a server of these methods; what is declared but not served is not listed. They are put together
 * by the first call, since most servers never get one and it takes a fifth of a second.
 */
export function reflectionServices(methods: readonly Method[]): Service[] {
  let reflections: ReadonlyMap<string, Reflection> | undefined;
  return PATHS.map((path) => {
    const reflection = (): Reflection => (reflections ??= reflect(methods)).get(path)!;
    const serverReflectionInfo: Bidirectional = {
      path,
      requestStream: true,
      responseStream: true,
      requestSerialize: (request) => reflection().definition.requestSerialize(request),
      requestDeserialize: (bytes) => reflection().definition.requestDeserialize(bytes),
      responseSerialize: (response) => reflection().definition.responseSerialize(response),
      responseDeserialize: (bytes) => reflection().definition.responseDeserialize(bytes),
    };
    return implement(
      { serverReflectionInfo },
      {
        async *serverReflectionInfo(requests) {
          for await (const request of requests) yield reflection().answer(request);
        },
      },
    );
  });
}

/** By path. */
function reflect(methods: readonly Method[]): Map<string, Reflection> {
  const library: typeof import('@grpc/reflection') = createRequire(import.meta.url)('@grpc/reflection');
  const files = filesOf(readFileSync(DESCRIPTORS));
  // Made from the package definition of proto-loader it lists services and then fails to describe them.
  const definition = { image: { fileDescriptorProtos: files } };
  const served = new Set(methods.map((method) => method.definition.path.split('/')[1]!));
  const service = new library.ReflectionService(definition as never, { services: [...served] });
  const implementations = Object.values(service) as Implemented[];
  for (const implementation of implementations) {
    hideInherited(implementation);
    tellRules(implementation, files);
  }
  const reflections = new Map<string, Reflection>();
  const addService: AddService = ({ ServerReflectionInfo: method }, implementation) => {
    reflections.set(method!.path, { definition: method as MethodDefinition, answer: answerOf(implementation) });
  };
  service.addToServer({ addService });
  return reflections;
}

/** What the library makes for each version and keeps to itself. */
type Implemented = Record<'files' | 'symbols' | 'extensions', object> & {
  readonly fileEncodings: Map<object, Uint8Array>;
};

/** Its tables are plain objects: what every object has, `constructor`, would be found in them. */
function hideInherited({ files, symbols, extensions }: Implemented): void {
  for (const table of [files, symbols, extensions]) Object.setPrototypeOf(table, null);
}

/** Puts the files themselves in place of what protobufjs makes of them: it drops custom options, our access rules. */
function tellRules({ fileEncodings }: Implemented, files: readonly Buffer[]): void {
  [...fileEncodings.keys()].forEach((file, index) => fileEncodings.set(file, files[index]!));
}

/**
 * The function within an implementation that answers a stream of requests as they come, however slowly the answers are read.
 * Served by our own pipeline it answers no faster than they are, and is bound in time like any other call.
 */
function answerOf(implementation: Implementation): Reflection['answer'] {
  let ask: (request: unknown) => void = () => {};
  let answered: unknown;
  const stream = {
    on(event: string, listener: (request: unknown) => void) {
      if (event === 'data') ask = listener;
    },
    write(response: unknown) {
      answered = response;
    },
    end() {},
  };
  (implementation['ServerReflectionInfo'] as (call: typeof stream) => void)(stream);
  return (request) => {
    ask(request);
    return answered;
  };
}

/** The files of a FileDescriptorSet, still encoded: its field 1. */
function filesOf(set: Uint8Array): Buffer[] {
  const reader = new BinaryReader(set);
  const files: Buffer[] = [];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1) files.push(Buffer.from(reader.bytes()));
    else reader.skip(type);
  }
  return files;
}
