// Modules that cannot be loaded: the message names the module and the problem. One process loads all of them, because each refusal
// comes before the module takes part in anything.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MODULE, PROTO, writeChanged, writeModule } from '../support/invoices-module.ts';
import { LABELS_PROTO, writeLabelsModule } from '../support/labels-module.ts';
import { endProcesses } from '../support/service-process.ts';

const LOADER = fileURLToPath(new URL('../support/load-modules-process.ts', import.meta.url));

afterAll(endProcesses);

type Case = readonly [problem: string, write: () => string, message: RegExp];

/** A problem of the module of docs/extending.md. */
const INVOICES = (
  [
    [
      'a proto that cannot be parsed',
      PROTO,
      'message Invoice {',
      'message {',
      /illegal type name '\{'.*invoice_service\.proto/,
    ],
    [
      'an unknown option',
      PROTO,
      'access.v1.rule)',
      'access.v1.ruel)',
      /unknown option \(authservice\.access\.v1\.ruel\)/,
    ],
    ['an unknown member of an option', PROTO, 'own_permission:', 'permision:', /CreateInvoice.*permision/],
    [
      'a package of the service',
      PROTO,
      'package invoices.v1',
      'package authservice.session.v1',
      /the package authservice\.session\.v1 is that of other protos/,
    ],
    ['a message of the service', PROTO, /\bInvoice\b/g, 'Order', /invoices\.v1\.Order has the name of/],
    [
      'an RPC of the service',
      PROTO,
      'rpc GetInvoice',
      'rpc GetOrder',
      /InvoiceService\/GetOrder has the name of authservice\.business/,
    ],
    ['no default export', MODULE, 'export default invoices;', '', /its default export needs a name/],
    ['a syntax error', MODULE, 'let created = 0;', 'let created = ;', /app\.modules: .*module\.ts/],
    ['an invalid name', MODULE, "name: 'invoices'", "name: 'Invoices!'", /its default export needs a name/],
    [
      'the name of a module of the service',
      MODULE,
      "name: 'invoices'",
      "name: 'shop'",
      /a module of the service has the name shop/,
    ],
    ['no create', MODULE, 'create({ database', 'make({ database', /its default export needs .* create/],
    ['protos that are not there', MODULE, "'protos/'", "'proto/'", /invoices\/proto has no \*\.proto/],
  ] as readonly [problem: string, file: string, text: RegExp | string, replacement: string, message: RegExp][]
).map(([problem, file, text, replacement, message]): Case => [
  problem,
  () => writeChanged(file, text, replacement),
  message,
]);

/** A part of protos that is not supported. */
const LABELS = (
  [
    ['a type', 'int32 plain = 5', 'double plain = 5', /EchoLabelsRequest\.plain: the type double is not supported/],
    [
      'a message of google.protobuf',
      'int32 plain = 5',
      'google.protobuf.Duration plain = 5',
      /plain: the type google\.protobuf\.Duration is not/,
    ],
    [
      'a list of times',
      'int32 plain = 5',
      'repeated google.protobuf.Timestamp plain = 5',
      /plain: lists and maps of google\.protobuf\.Timestamp/,
    ],
    ['keys of a map', 'map<string, string>', 'map<int32, string>', /texts: keys of the type int32 are not supported/],
  ] as readonly [problem: string, text: string, replacement: string, message: RegExp][]
).map(([problem, text, replacement, message]): Case => [
  problem,
  () => writeLabelsModule(LABELS_PROTO.replace(text, replacement)),
  message,
]);

const ofName = (name: string) => writeChanged(MODULE, "name: 'invoices'", `name: '${name}'`);

/** Another module beside the one of docs/extending.md. */
const COLLISIONS: readonly Case[] = [
  ['the same name', () => writeModule(), /its name invoices collides with the name invoices of .*module\.ts/],
  [
    'a name that begins with the other',
    () => ofName('invoices_paid'),
    /its name invoices_paid collides with the name invoices/,
  ],
  [
    'the same messages',
    () =>
      writeModule((_path, text) =>
        text.replaceAll('invoices.v1', 'bills.v1').replace("name: 'invoices'", "name: 'bills'"),
      ),
    /bills\.v1\.Invoice has the name of invoices\.v1\.Invoice/,
  ],
  ['the same package', () => ofName('bills'), /the package invoices\.v1 is that of other protos; choose another/],
];

describe('a module is refused', () => {
  const first = writeModule();
  const cases: readonly (readonly [problem: string, modules: () => string, message: RegExp])[] = [
    ['a missing file', () => '/nowhere/module.ts', /app\.modules: \/nowhere\/module\.ts: there is no such file/],
    ...INVOICES,
    ...LABELS,
    // The later cases have this module beside the other one.
    ['no problem', () => first, /^loaded$/],
    ...COLLISIONS.map(([problem, write, message]): Case => [problem, () => [first, write()].join(), message]),
    ['the same file', () => [first, first].join(), /app\.modules: .*module\.ts is there twice/],
  ];
  let messages: readonly string[];

  beforeAll(() => {
    const modules = cases.map(([, write]) => write());
    messages = JSON.parse(execFileSync(process.execPath, [LOADER, ...modules], { encoding: 'utf8' }));
  });

  it.each(cases.map(([problem, , message], index) => ({ problem, message, index })))(
    '$problem',
    ({ message, index }) => {
      expect(messages[index]).toMatch(message);
    },
  );
});
