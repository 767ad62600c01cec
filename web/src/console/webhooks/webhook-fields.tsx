import { useRef } from 'preact/hooks';
import type { CreateWebhookRequest, Webhook } from '../../../../client/src/operations.ts';
import { PageError } from '../../errors.ts';
import { CheckField, Field } from '../../ui/field.tsx';
import { useForm, type Values } from '../../ui/form.tsx';
import { eventGroups, textOfEvent } from './events.ts';
import { webhookTexts } from './texts.ts';

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

interface WebhookFieldsProps {
  readonly webhook?: Webhook;
  /** Whether it belongs to a tenant, whose webhooks do not get the events of the service. */
  readonly ofTenant: boolean;
}

/** The fields of a webhook that can change. */
export function WebhookFields({ webhook, ofTenant }: WebhookFieldsProps) {
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
      <EventFields chosen={webhook?.events ?? []} ofTenant={ofTenant} />
    </>
  );
}

interface EventFieldsProps {
  readonly chosen: readonly string[];
  readonly ofTenant: boolean;
}

/** A checkbox for each kind of event, in groups. Kinds that this page does not know stay chosen. */
function EventFields({ chosen, ofTenant }: EventFieldsProps) {
  const fields = useRef<HTMLFieldSetElement>(null);
  const texts = webhookTexts();
  const error = useForm().errors.get('events');
  const choose = (isChosen: boolean, group?: string) => {
    const within = group === undefined ? '' : `[data-group="${group}"] `;
    for (const box of fields.current!.querySelectorAll<HTMLInputElement>(`${within}input`)) box.checked = isChosen;
  };
  const groups = eventGroups(ofTenant);
  const known = new Set(groups.flatMap(([, events]) => events));
  const unknown = chosen.filter((event) => !known.has(event));
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
      {groups.map(([group, events]) => (
        <details key={group} data-group={group} open={events.some((event) => chosen.includes(event))}>
          <summary>{texts[group]}</summary>
          <button type="button" class="small" onClick={() => choose(true, group)}>
            {texts.chooseGroup}
          </button>
          <div class="checks described">
            {[...events, ...(group === 'tenant' ? unknown : [])].map((event) => (
              <CheckField
                key={event}
                name={PREFIX + event}
                label={textOfEvent(event)}
                hint={<code>{event}</code>}
                defaultChecked={chosen.includes(event)}
              />
            ))}
          </div>
        </details>
      ))}
    </fieldset>
  );
}
