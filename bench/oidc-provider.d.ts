// The part of node-oidc-provider that the bench and tests use. The package has no types.
declare module 'oidc-provider' {
  import type { RequestListener, Server } from 'node:http';

  interface Model {
    /** Returns the id. */
    save(seconds: number): Promise<string>;
  }

  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
    listen(port: number, host: string): Server;
    readonly Grant: new (payload: object) => Model & { addOIDCScope(scopes: string): void };
    readonly Session: new (payload: object) => Model;
  }
}
