// The demo accounts of app.env=DEV.

/** A demo account for login. */
export interface DemoLogin {
  readonly username: string;
  readonly password: string;
  readonly tenant: string;
  readonly role: string;
}

/** The demo accounts and the demo machine client. */
export interface Demo {
  readonly logins: readonly DemoLogin[];
  readonly client: { readonly clientId: string; readonly clientSecret: string };
}
