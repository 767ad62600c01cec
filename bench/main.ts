// `npm run bench -- NAME`: the program of that name. Without a name: ratios.ts.
const PROGRAMS: Readonly<Record<string, string>> = {
  lists: './lists.ts',
  'long-lists': './long-lists.ts',
  workers: './workers.ts',
  'causal-reads': './causal-reads.ts',
  revocations: './revocations.ts',
  webhooks: './webhooks.ts',
  'audit-trail': './audit-trail.ts',
  'audit-streams': './audit-streams.ts',
  definitions: './definitions.ts',
  'background-work': './background-work.ts',
  sizing: './sizing/main.ts',
  grants: './grants/main.ts',
  versions: './versions.ts',
  'distant-database': './distant-database.ts',
  load: './load/main.ts',
};

const [, , name = ''] = process.argv;
const program = PROGRAMS[name];
// The programs read their options from the arguments.
if (program !== undefined) process.argv.splice(2, 1);
await import(program ?? './ratios.ts');
