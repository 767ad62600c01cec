// The operations of the service, at `authservice-client/operations`, with the types of their messages.
export type { Operation, Reply } from './operation.ts';
export { readEvents, type ServerEvent } from './event-stream.ts';
export { followAuditRecords, type FollowedAuditRecord, type FollowOptions } from './follow-audit-records.ts';
export * from './generated/operations.ts';
export type * from './generated/types.ts';
