// The operations of the service, at `authservice-client/operations`, with the types of their messages.
export type { Operation, Reply } from './operation.ts';
export * from './generated/operations.ts';
export type * from './generated/types.ts';
