import { useRef } from 'preact/hooks';
import type { CreateWebhookRequest, Webhook } from '../../../../client/src/operations.ts';
import { PageError } from '../../errors.ts';
import { AUDIT_EVENTS } from '../../generated/audit-events.ts';
import { CheckField, Field } from '../../ui/field.tsx';
import { useForm, type Values } from '../../ui/form.tsx';
import { webhookTexts } from './texts.ts';

/** The head of the audit trail, which is not a record. */
const SEALED = 'audit.sealed';
const EVENTS = [...AUDIT_EVENTS, SEALED].toSorted();
const PREFIX = 'event:';

/** The errors of a form that belong to its events. */
export const fieldOf = (error: unknown): string | undefined => (error instanceof PageError ? 'events' : undefined);

/** Returns the members of a request. Throws if no event is chosen. */
export function bodyOf(values: Values): Pick<CreateWebhookRequest, 'url' | 'events'> {
  const events = Object.keys(values)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length));
  if (events.length === 0) throw new PageError(webhookTexts().noEvent);
  // The boxes have no other names.
  return { url: values['url'] ?? '', events: events as CreateWebhookRequest['events'] };
}

/** The fields of a webhook that can change. */
export function WebhookFields({ webhook }: { readonly webhook?: Webhook }) {
  const texts = webhookTexts();
  return (
    <>
      <Field
        name="url"
        type="url"
        label={texts.url}
        hint={texts.urlHint}
        title={texts.urlInvalid}
        defaultValue={webhook?.url ?? ''}
        required
        maxLength={2_000}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        autofocus
      />
      <EventFields chosen={webhook?.events ?? []} />
    </>
  );
}

/** A checkbox for each kind of event. Kinds that this page does not know stay chosen. */
function EventFields({ chosen }: { readonly chosen: readonly string[] }) {
  const fields = useRef<HTMLFieldSetElement>(null);
  const texts = webhookTexts();
  const error = useForm().errors.get('events');
  const choose = (isChosen: boolean) => {
    for (const box of fields.current!.querySelectorAll('input')) box.checked = isChosen;
  };
  return (
    <fieldset ref={fields} name="events">
      <legend>{texts.events}</legend>
      <p class="actions">
        <button type="button" class="small" onClick={() => choose(true)}>
          {texts.chooseAll}
        </button>
        <button type="button" class="small" onClick={() => choose(false)}>
          {texts.chooseNone}
        </button>
      </p>
      <p class="field-error" role="alert">
        {error}
      </p>
      <div class="checks events">
        {[...new Set([...EVENTS, ...chosen])].map((event) => (
          <CheckField key={event} name={PREFIX + event} label={event} defaultChecked={chosen.includes(event)} />
        ))}
      </div>
    </fieldset>
  );
}
