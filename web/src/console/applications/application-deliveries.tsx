// The logout tokens of an application.
import {
  listApplicationDeliveries,
  retryApplicationDelivery,
  type Application,
} from '../../../../client/src/operations.ts';
import { useService } from '../../ui/frame.tsx';
import { DeliveryList } from '../deliveries/delivery-list.tsx';
import { applicationTexts } from './texts.ts';

export function ApplicationDeliveries({ application }: { readonly application: Application }) {
  const { session } = useService();
  const path = { id: application.id };
  return (
    <DeliveryList
      receiverId={application.id}
      load={(query, options) => listApplicationDeliveries(session, { path, query }, options)}
      empty={applicationTexts().noDeliveries}
      retry={(deliveryId) => retryApplicationDelivery(session, { path: { ...path, deliveryId } })}
    />
  );
}
