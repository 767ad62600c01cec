import type * as proto from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { newId } from '../../platform/db/ids.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertOwnTenant } from '../../platform/rpc/tenant.ts';
import { type CustomerNote, noteMessage } from './customer.ts';
import { insertNote, selectNotes } from './customer-note-store.ts';
import { createFindCustomer } from './read-customers.ts';
import { pageInfo, pageOf } from '../../platform/rpc/paging.ts';

/** CustomerService.CreateCustomerNote and ListCustomerNotes. */
export function customerNotes({ database, clock }: Dependencies) {
  const find = createFindCustomer({ database });
  return {
    /** The caller is the author. */
    createCustomerNote: loadThenHandle(
      find,
      async (request: proto.CreateCustomerNoteRequest, call, customer): Promise<proto.CreateCustomerNoteResponse> => {
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
    ),
    listCustomerNotes: loadThenHandle(
      find,
      async (request: proto.ListCustomerNotesRequest, call, customer): Promise<proto.ListCustomerNotesResponse> => {
        const page = pageOf(request, call);
        const { items, total } = await selectNotes(database, customer, page);
        return { notes: items.map(noteMessage), page: pageInfo(page, total) };
      },
    ),
  };
}
