#!/usr/bin/env node
// The program `authservice`. In JavaScript, so that an older Node shows a plain message instead of a syntax error.
// The default export, because older versions lack some of the names.
import module from 'node:module';

const NODE_MAJOR = 26;

if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR) {
  process.stderr.write(
    `authservice needs Node ${NODE_MAJOR}, but this is Node ${process.versions.node}; ` +
      'in the project, use npm run -s cli -- COMMAND\n',
  );
  process.exitCode = 2;
} else {
  module.enableCompileCache();
  await import('./main.ts');
}
