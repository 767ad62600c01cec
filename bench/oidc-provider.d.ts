// The part of node-oidc-provider that the bench and tests use. The package has no types.
declare module 'oidc-provider' {
  import type { RequestListener, Server } from 'node:http';

  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
    listen(port: number, host: string): Server;
  }
}
