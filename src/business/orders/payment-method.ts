import { PaymentMethod as MethodMessage } from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { enumNames } from '../../platform/formats/enum-names.ts';

export const PAYMENT_METHOD = enumNames(MethodMessage, 'PAYMENT_METHOD_');
/** The payment methods of orders. */
export const PAYMENT_METHODS = PAYMENT_METHOD.names;

export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

/** Labels for display. */
export const PAYMENT_METHOD_LABELS: Readonly<Record<PaymentMethod, string>> = {
  CASH: 'Cash',
  CARD: 'Card',
  BANK_TRANSFER: 'Bank transfer',
  INVOICE: 'Invoice',
  ONLINE: 'Online payment',
};
