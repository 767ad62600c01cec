// A small service that accepts the credentials of the core, a tour of the core's RPCs, and a machine client: main.ts serve,
// main.ts tour, main.ts machine.
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { IdentityServiceClient, type Principal } from '../gen/authservice/identity/v1/identity_service.ts';
import { type GreeterServiceServer, GreeterServiceService } from '../gen/greeter/v1/greeter.ts';
import { authentication, principalOf } from './authentication.ts';
import { coreCredentials, coreOptions } from './core.ts';
import { machine } from './machine.ts';
import { tour } from './tour.ts';

const greeter: GreeterServiceServer = {
  greet(call, respond) {
    respond(null, { text: greeting(principalOf(call)) });
  },
  greetEach(call) {
    const text = greeting(principalOf(call));
    call.on('data', () => call.write({ text }));
    call.on('end', () => call.end());
  },
};

const greeting = ({ account }: Principal) => `Hello, ${account?.username} of ${account?.tenantId}`;

async function serve(address: string): Promise<void> {
  const identity = new IdentityServiceClient(address, coreCredentials, coreOptions);
  const server = new Server({ interceptors: [authentication(identity)] });
  server.addService(GreeterServiceService, greeter);
  new HealthImplementation({ '': 'SERVING' }).addToServer(server);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });
  console.log(`listening on 127.0.0.1:${port}`);
}

const commands: Readonly<Record<string, (address: string) => Promise<void>>> = { serve, tour, machine };
const command = commands[process.argv[2] ?? ''];
if (!command) throw new Error('usage: main.ts serve | tour | machine');
await command(process.env['CORE_ADDRESS']!);
