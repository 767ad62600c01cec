// Debian's Python with gRPC, and stubs that protoc generates from the project's protos.
import { execFileSync, spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PYTHON_GRPC, requireTool } from '../../scripts/test-tools.ts';

/** All protos and their imports, so that Debian's compiler needs no other files. */
const DESCRIPTORS = 'proto/gen/descriptors.binpb';

export interface PythonGrpc {
  /** Runs a program that can import the stubs. Resolves with its standard output, rejects with its standard error. */
  run(program: string, args: readonly string[], input: string): Promise<string>;
  close(): void;
}

/** Generates the stubs into a temporary folder. */
export function openPythonGrpc(): PythonGrpc {
  requireTool('gRPC for Python');
  const stubs = mkdtempSync(join(tmpdir(), 'python-stubs-'));
  const protos = ['proto', 'third_party'].flatMap((root) => globSync('**/*.proto', { cwd: root }));
  const out = [
    `--python_out=${stubs}`,
    `--grpc_python_out=${stubs}`,
    `--plugin=protoc-gen-grpc_python=${PYTHON_GRPC.plugin}`,
  ];
  execFileSync(PYTHON_GRPC.compiler, [`--descriptor_set_in=${DESCRIPTORS}`, ...out, ...protos]);
  return {
    run(program, args, input) {
      const child = spawn(PYTHON_GRPC.python, [program, ...args], {
        env: { PYTHONPATH: stubs, PYTHONDONTWRITEBYTECODE: '1' },
      });
      child.stdin.end(input);
      return new Promise((resolve, reject) => {
        let output = '';
        let errors = '';
        child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
        child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
        child.once('error', reject);
        child.once('close', (code) => (code === 0 ? resolve(output) : reject(new Error(errors))));
      });
    },
    close: () => rmSync(stubs, { recursive: true }),
  };
}
