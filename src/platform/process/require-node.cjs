// Preloaded by the npm scripts and by the program `authservice`. If Node or the packages are missing, it prints one line
// that says how to get them. In JavaScript that Node 12 can parse: an older Node cannot load the TypeScript behind it.
'use strict';

const { existsSync } = require('fs');
const { join } = require('path');

const NODE_MAJOR = 26;
const PROJECT = join(__dirname, '../../..');

/** The systems whose Node the optionalDependencies of package.json install: `platform arch`. */
const BUNDLED = ['linux x64', 'linux arm64', 'darwin x64', 'darwin arm64'];

/** A package without which nothing runs. The folder node_modules alone can be that of a compile cache. */
const FIRST_PACKAGE = join(PROJECT, 'node_modules/fastify');

/** Alpine's C library, for which Node publishes no binaries. */
const isMusl = () =>
  process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined;

/**
 * Returns what is missing and how to get it, or undefined.
 *
 * @param machine version, platform, arch, isMusl, hasPackages, hasScript (whether the script to run is installed)
 */
function findProblem(machine) {
  const isOld = Number.parseInt(machine.version, 10) < NODE_MAJOR;
  const needed = 'authservice needs Node ' + NODE_MAJOR + ' or later, and this is Node ' + machine.version;
  const isBundled = BUNDLED.indexOf(machine.platform + ' ' + machine.arch) >= 0 && !machine.isMusl;
  if (isOld && !isBundled) {
    const from = machine.isMusl ? 'apk or the image node:' + NODE_MAJOR + '-alpine' : 'https://nodejs.org';
    const system = machine.isMusl ? 'Linux with musl' : machine.platform + ' on ' + machine.arch;
    return needed + '. npm ci cannot install it on ' + system + ': install it from ' + from + ', then run npm ci';
  }
  if (!machine.hasPackages)
    return (
      'The npm packages are missing. Run npm ci first' + (isBundled ? '; it also installs Node ' + NODE_MAJOR : '')
    );
  if (isOld) return needed + '. Run npm ci, which installs it, and do not omit optional packages';
  if (!machine.hasScript) return 'The development packages are missing. Run npm ci without --omit=dev';
  return undefined;
}

const isOld = Number.parseInt(process.versions.node, 10) < NODE_MAJOR;
const script = process.argv[1];
const problem = findProblem({
  version: process.versions.node,
  platform: process.platform,
  arch: process.arch,
  isMusl: isOld && isMusl(),
  hasPackages: existsSync(FIRST_PACKAGE),
  hasScript: script === undefined || existsSync(script),
});
if (problem !== undefined) {
  process.stderr.write(problem + '\n');
  process.exit(1);
}

module.exports = { findProblem };
