import { clientCredentials, connect } from 'authservice-grpc';
import { IdentityServiceDefinition } from 'authservice-grpc/identity/v1';

const credential = clientCredentials('acme-sync', 'demo-secret-acme-sync-0123456789abcdef');
const core = connect('dns:///127.0.0.1:50051', { credential });
const { account } = await core.client(IdentityServiceDefinition).getMe({});
console.log('account:', account.username);
core.close();
