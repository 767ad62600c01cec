// Loads modules one after the other, and prints the message of each refusal, or `loaded`, as a JSON array. Each argument is a value
// of app.modules. A module that cannot be loaded leaves nothing behind.
import { loadModules } from '../../src/composition/load-modules.ts';

const messages: string[] = [];
for (const paths of process.argv.slice(2)) {
  const loading = loadModules({ 'app.modules': paths.split(',') });
  messages.push(
    await loading.then(
      () => 'loaded',
      (error: Error) => error.message,
    ),
  );
}
process.stdout.write(JSON.stringify(messages));
