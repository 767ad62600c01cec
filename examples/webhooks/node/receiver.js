// Receives webhooks: checks their signatures and prints their events.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
/** A delivery can arrive twice. A service of several processes keeps the ids in its database. */
const processed = new Set();

createServer(async (request, response) => {
  // The signature is of these bytes: do not parse and format them again.
  const body = (await buffer(request)).toString();
  let event;
  try {
    event = webhook.verify(body, request.headers);
  } catch {
    response.writeHead(400).end();
    return;
  }
  const id = request.headers['webhook-id'];
  if (!processed.has(id)) console.log(`event ${event.type}`);
  processed.add(id);
  response.writeHead(204).end();
}).listen(process.env.PORT, '127.0.0.1', () => console.log('listening'));
