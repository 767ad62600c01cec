// The demo accounts that a start in DEV creates.

/** An account that a newcomer may log in with. */
export interface DemoLogin {
  readonly username: string;
  readonly password: string;
  readonly tenant: string;
  readonly role: string;
}

/** What a newcomer may try. */
export interface Demo {
  readonly logins: readonly DemoLogin[];
  readonly client: { readonly clientId: string; readonly clientSecret: string };
}
