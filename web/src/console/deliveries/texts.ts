// The texts of deliveries to webhooks and applications.
import { createTexts } from '../../i18n.ts';

export const deliveryTexts = createTexts({
  en: {
    status: 'Status',
    deliveries: 'Deliveries',
    noDeliveries: 'There is no delivery.',
    kept: 'Successful deliveries are listed for a day, others for 30 days.',
    reload: 'Reload',
    test: 'Send test',
    retry: 'Send again',
    event: 'Event',
    created: 'Created',
    PENDING: 'Waits',
    DELIVERED: 'Delivered',
    FAILED: 'Failed',
    attempts: 'Attempts',
    response: 'Response',
    lastAttempt: 'Last attempt',
    nextAttempt: 'Next attempt',
    actions: 'Actions',
    outcomeAwaited: (event: string) => `${event} is being sent …`,
    outcomeDelivered: (event: string, result: string) => `${event} was delivered. The receiver responded ${result}.`,
    outcomeFailed: (event: string, result: string) =>
      `${event} was not delivered: ${result}. The list shows its next attempt.`,
    outcomeLate: (event: string) => `${event} has not been sent yet. Reload the deliveries in a moment.`,
  },
  de: {
    status: 'Status',
    deliveries: 'Zustellungen',
    noDeliveries: 'Es gibt keine Zustellung.',
    kept: 'Erfolgreiche Zustellungen stehen hier einen Tag lang, andere 30 Tage.',
    reload: 'Neu laden',
    test: 'Test senden',
    retry: 'Erneut senden',
    event: 'Ereignis',
    created: 'Angelegt',
    PENDING: 'Wartet',
    DELIVERED: 'Zugestellt',
    FAILED: 'Gescheitert',
    attempts: 'Versuche',
    response: 'Antwort',
    lastAttempt: 'Letzter Versuch',
    nextAttempt: 'Nächster Versuch',
    actions: 'Aktionen',
    outcomeAwaited: (event: string) => `${event} wird gesendet …`,
    outcomeDelivered: (event: string, result: string) =>
      `${event} wurde zugestellt. Der Empfänger hat mit ${result} geantwortet.`,
    outcomeFailed: (event: string, result: string) =>
      `${event} wurde nicht zugestellt: ${result}. Die Liste zeigt den nächsten Versuch.`,
    outcomeLate: (event: string) => `${event} wurde noch nicht gesendet. Laden Sie die Zustellungen gleich neu.`,
  },
});
