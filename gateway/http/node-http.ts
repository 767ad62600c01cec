// Parts of node:http. An import of node:http reads all its exports, one of which loads undici: 70 ms and 5 MB.

export const { createServer, IncomingMessage, METHODS, STATUS_CODES } = process.getBuiltinModule('node:http');
