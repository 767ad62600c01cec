import type { Command } from '../command.ts';

/** The options of an administrator. Without any of them, the demo accounts of `npm run dev` are used. */
const administrator = (side: 'a' | 'b') => ({
  [`--${side}-username <name>`]: `the administrator of tenant ${side.toUpperCase()}`,
  [`--${side}-password-file <file>`]: `its password; also in ISOLATION_${side.toUpperCase()}_PASSWORD`,
  [`--${side}-token-file <file>`]: `or an access token; also in ISOLATION_${side.toUpperCase()}_TOKEN`,
});

export const ISOLATION: Command = {
  name: 'isolation',
  summary: 'check that a running service isolates its tenants',
  uses: 'nothing',
  options: {
    '--url <url>': 'the gateway (default: http://127.0.0.1:8080)',
    '--rpc <target>': 'the core; without it RPCs are not checked (default without --url: dns:///127.0.0.1:50051)',
    '--rpc-ca <file>': 'connect with TLS, trusting these authorities (PEM)',
    '--rpc-cert <file>': 'certificate to present (PEM)',
    '--rpc-key <file>': 'its key (PEM)',
    ...administrator('a'),
    ...administrator('b'),
    '--ignore-header <name...>': 'a header whose value a proxy changes in every response',
  },
  notes:
    "Calls every route and every RPC as an administrator of tenant A with ids of tenant B's records. It creates " +
    'records in both tenants and deletes them as far as possible. Use two tenants that exist only for this check. ' +
    'Without an administrator, it uses the demo accounts of npm run dev.\n' +
    'Exit code 1 if a check failed or an operation is not covered.',
  run: async (input) => (await import('../isolation/command.ts')).runIsolation(input),
};
