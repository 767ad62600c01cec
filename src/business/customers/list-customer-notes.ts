import type {
  ListCustomerNotesRequest,
  ListCustomerNotesResponse,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import type { Database } from '../../platform/db/types.ts';
import { pageInfo, pageOf } from '../../platform/rpc/paging.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { noteMessage } from './customer.ts';
import { selectNotes } from './customer-note-store.ts';
import { createFindCustomer } from './existing-customer.ts';

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
