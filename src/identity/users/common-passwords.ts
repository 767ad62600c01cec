// Passwords that attackers try first, loaded when the first password is chosen: no start needs them.

let loading: Promise<ReadonlySet<string>> | undefined;

/** The most common passwords of at least this length, in lower case. */
export function commonPasswords(minLength: number): Promise<ReadonlySet<string>> {
  return (loading ??= load(minLength));
}

async function load(minLength: number): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].filter((password) => password.length >= minLength));
}
