import type {
  CreateCustomerNoteRequest,
  CreateCustomerNoteResponse,
  ListCustomerNotesRequest,
  ListCustomerNotesResponse,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/db/ids.ts';
import type { Database } from '../../platform/db/types.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { assertOwnTenant } from '../tenant.ts';
import { type CustomerNote, noteMessage } from './customer.ts';
import { insertNote, selectNotes } from './customer-note-store.ts';
import { createFindCustomer } from './read-customers.ts';
import { pageInfo, pageOf } from '../../platform/rpc/paging.ts';

/** CustomerService.CreateCustomerNote. The caller is the author. */
export function createCreateCustomerNote({ database, clock }: { readonly database: Database; readonly clock: Clock }) {
  return loadThenHandle(
    createFindCustomer({ database }),
    async (request: CreateCustomerNoteRequest, call, customer): Promise<CreateCustomerNoteResponse> => {
      assertOwnTenant(call, request.tenantId);

      const note: CustomerNote = {
        id: newId(),
        tenantId: customer.tenantId,
        customerId: customer.id,
        text: request.text,
        authorId: call.principal!.account.id,
        createdAt: clock(),
      };
      await database.transaction(call.deadline, (tx) => insertNote(tx, note));
      return { note: noteMessage(note) };
    },
  );
}

/** CustomerService.ListCustomerNotes. */
export function createListCustomerNotes({ database }: { readonly database: Database }) {
  return loadThenHandle(
    createFindCustomer({ database }),
    async (request: ListCustomerNotesRequest, call, { tenantId, id }): Promise<ListCustomerNotesResponse> => {
      const page = pageOf(request, call);
      const { items, total } = await selectNotes(database, { tenantId, customerId: id }, page);
      return { notes: items.map(noteMessage), page: pageInfo(page, total) };
    },
  );
}
