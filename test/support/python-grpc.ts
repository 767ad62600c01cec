// Python with gRPC as Debian packages it, and stubs that protoc makes of the project's protos.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// The distribution's own, whatever else the path offers.
const PYTHON = '/usr/bin/python3';
const PLUGIN = '/usr/bin/grpc_python_plugin';
const COMPILER = '/usr/bin/protoc';
const PACKAGES = ['python3-grpcio', 'protobuf-compiler', 'protobuf-compiler-grpc'];
/** All protos with their imports: Debian's compiler then needs no other files. */
const DESCRIPTORS = 'proto/gen/descriptors.binpb';

export interface PythonGrpc {
  /** Runs a program with the stubs in its reach; resolves with its standard output, rejects with its standard error. */
  run(program: string, args: readonly string[], input: string): Promise<string>;
  close(): void;
}

/** Generates the stubs into a temporary folder. Installs Debian's packages where they are missing and it may. */
export function openPythonGrpc(): PythonGrpc {
  if (!isInstalled()) install();
  const stubs = mkdtempSync(join(tmpdir(), 'python-stubs-'));
  const protos = ['proto', 'third_party'].flatMap((root) => globSync('**/*.proto', { cwd: root }));
  const out = [`--python_out=${stubs}`, `--grpc_python_out=${stubs}`, `--plugin=protoc-gen-grpc_python=${PLUGIN}`];
  execFileSync(COMPILER, [`--descriptor_set_in=${DESCRIPTORS}`, ...out, ...protos]);
  return {
    run(program, args, input) {
      const child = spawn(PYTHON, [program, ...args], { env: { PYTHONPATH: stubs, PYTHONDONTWRITEBYTECODE: '1' } });
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

function isInstalled(): boolean {
  if (![PYTHON, PLUGIN, COMPILER].every((path) => existsSync(path))) return false;
  try {
    execFileSync(PYTHON, ['-c', 'import grpc, google.protobuf'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

function install(): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new Error(`The test needs Python with gRPC. On Debian: apt-get install ${PACKAGES.join(' ')}`);
  }
  console.log(`Python with gRPC is not complete: installing ${PACKAGES.join(', ')} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', ['update', '-qq'], { stdio: 'inherit', env });
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...PACKAGES], { stdio: 'inherit', env });
  if (!isInstalled()) throw new Error(`${PACKAGES.join(', ')} were installed, but Python cannot load gRPC`);
}
