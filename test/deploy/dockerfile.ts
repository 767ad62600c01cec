// Follows deploy/Dockerfile without Docker: the same files, copied and installed by the same instructions. The base image is
// not there: its Node is that of package.json, the rest is that of this machine.
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { run } from '../languages/commands.ts';
import { PROJECT } from '../support/service-process.ts';

/** A built image. */
export interface Image {
  /** The folder of the files that the Dockerfile adds to its base image. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly healthcheck: readonly string[];
}

interface Stage {
  readonly root: string;
  folder: string;
  user: string;
  readonly env: Record<string, string>;
  entrypoint: readonly string[];
  healthcheck: readonly string[];
}

/** Carries out an instruction with its arguments. One that is missing here cannot be used in the Dockerfile. */
type Instruction = (stage: Stage, text: string, stages: ReadonlyMap<string, Stage>) => unknown;

const INSTRUCTIONS: Readonly<Record<string, Instruction>> = {
  ENV(stage, text) {
    const [, name, value] = /^(\w+)=(\S+)$/.exec(text)!;
    stage.env[name!] = value!;
  },
  WORKDIR(stage, text) {
    stage.folder = text;
    mkdirSync(join(stage.root, text), { recursive: true });
  },
  COPY(stage, text, stages) {
    const [, from, paths] = /^(?:--from=(\w+) )?(.+)$/.exec(text)!;
    const words = paths!.split(' ');
    const target = words.pop()!;
    const source = from === undefined ? PROJECT : stages.get(from)!.root;
    for (const word of words) {
      const to = target.endsWith('/') ? join(target, word) : target;
      cpSync(join(source, word), resolve(stage.root, `.${stage.folder}`, to), {
        recursive: true,
        verbatimSymlinks: true,
      });
    }
  },
  async RUN(stage, text) {
    if (/(^|\s)\//.test(text)) throw new Error(`RUN may use relative paths only: ${text}`);
    await run('sh', ['-c', text], { cwd: join(stage.root, stage.folder) });
  },
  USER(stage, text) {
    stage.user = text;
  },
  ENTRYPOINT(stage, text) {
    stage.entrypoint = JSON.parse(text) as string[];
  },
  HEALTHCHECK(stage, text) {
    stage.healthcheck = JSON.parse(text.slice(text.indexOf('CMD') + 3)) as string[];
  },
  ARG() {},
  EXPOSE() {},
  STOPSIGNAL() {},
  VOLUME() {},
  CMD() {},
};

/** Builds the image below a folder. Needs the network, and root for `chown`. */
export async function buildImage(into: string): Promise<Image> {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const [name, text] of readInstructions()) {
    if (name === 'FROM') {
      const as = / AS (\w+)$/.exec(text)?.[1] ?? 'image';
      stage = { root: join(into, as), folder: '/', user: '0:0', env: {}, entrypoint: [], healthcheck: [] };
      stages.set(as, stage);
    } else {
      const instruction = INSTRUCTIONS[name];
      if (!instruction) throw new Error(`test/deploy/dockerfile.ts does not know the instruction ${name}`);
      await instruction(stage!, text, stages);
    }
  }
  return stage!;
}

function readInstructions(): (readonly [name: string, text: string])[] {
  const lines = readFileSync(join(PROJECT, 'deploy/Dockerfile'), 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  const instructions = lines
    .join('\n')
    .replaceAll(/\s*\\\n\s*/g, ' ')
    .split('\n');
  return instructions
    .filter((line) => line !== '')
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]);
}

/** The folder of the Node that package.json installs. */
export const NODE_FOLDER = dirname(process.execPath);
