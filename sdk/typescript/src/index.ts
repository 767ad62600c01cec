// A gRPC client of the authentication service: a thin layer on the generated code and nice-grpc.
export { connect, type ConnectOptions, type Core, type Tls } from './channel.js';
export { apiKey, bearerToken, clientCredentials, type Credential } from './credentials.js';
export { CoreError, type ReasonName, type Violation } from './errors.js';
export { download, upload, type Download, type Upload } from './files.js';
export { readAll, type Page, type PageQuery } from './pages.js';
export { createTokens, type Issued, type Tokens } from './tokens.js';
