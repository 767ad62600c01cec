// Passwords that attackers try first. Loaded when the first password is set, because starting the service does not need
// them.

let loading: Promise<ReadonlySet<string>> | undefined;

/** The most common passwords of at least this length, in lower case. */
export function commonPasswords(minLength: number): Promise<ReadonlySet<string>> {
  return (loading ??= load(minLength));
}

async function load(minLength: number): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].filter((password) => password.length >= minLength));
}
