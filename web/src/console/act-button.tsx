// An act of an administrator, as a declaration: its button, what it asks before, what it does, and what that changes.
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { changed, type Topic } from '../changes.ts';
import { formatNumber } from '../format.ts';
import { commonTexts } from '../texts/common.ts';
import { ActError, useAct } from '../ui/act.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import type { FormProps, Values } from '../ui/form.tsx';
import { notify } from '../ui/notices.tsx';
import { useSecondsUntilResend } from '../ui/resend-pause.ts';
import { ReasonField } from './reason.tsx';

/** The notice of an act that has succeeded, or the dialog with what it has returned. */
type Outcome = string | ((close: () => void) => ComponentChildren);

interface ActQuestion extends Pick<FormProps, 'fieldOf'> {
  readonly title: string;
  /** What the act will end, and whether it can be undone. */
  readonly text?: ComponentChildren;
  /** The act, on its button: `Delete tenant`. */
  readonly action: string;
  /** What else the act needs. */
  readonly fields?: ComponentChildren;
  /** Whether the audit record can have a reason. The act gets it as the value `reason`. */
  readonly hasReason?: boolean;
}

export interface Act {
  readonly label: string;
  /** For screen readers, where several buttons have the same label. */
  readonly name?: string;
  /** Whether the act ends something. */
  readonly isDanger?: boolean;
  readonly isSmall?: boolean;
  readonly isPrimary?: boolean;
  /** Whether it sends a mail: the button waits for a while before it can send another one. */
  readonly sendsMail?: boolean;
  /** Asked before the act. Without a question, the button acts at once. */
  readonly question?: ActQuestion;
  readonly run: (values: Values) => Promise<Outcome>;
  readonly changes: readonly Topic[];
}

/** The button of an act, its question, its error and its result. */
export function ActButton(act: Act) {
  const { label, name, isDanger = false, isPrimary = false, isSmall = false, sendsMail = false } = act;
  const { question, run, changes } = act;
  const [isAsking, setAsking] = useState(false);
  const [shown, setShown] = useState<Exclude<Outcome, string>>();
  const [sentAt, setSentAt] = useState<number>();
  const pauseId = useId();
  const seconds = useSecondsUntilResend(sentAt);
  const isWaiting = seconds > 0;
  const perform = async (values: Values) => {
    const outcome = await run(values).catch((error: unknown) => {
      // A refusal says that the page is not up to date, or only a part was done.
      changed(changes);
      throw error;
    });
    setAsking(false);
    if (sendsMail) setSentAt(Date.now());
    // The result would disappear with this button.
    if (typeof outcome === 'function') return setShown(() => outcome);
    notify(outcome);
    changed(changes);
  };
  const atOnce = useAct(perform);
  const close = () => {
    setShown(undefined);
    changed(changes);
  };
  const classes = [isDanger && 'danger', isPrimary && 'primary', isSmall && 'small'].filter(Boolean).join(' ');
  return (
    <>
      <button
        type="button"
        class={classes}
        aria-label={name}
        aria-disabled={atOnce.isBusy || isWaiting}
        aria-describedby={isWaiting ? pauseId : undefined}
        onClick={() => isWaiting || (question ? setAsking(true) : atOnce.run({}))}
      >
        {label}
      </button>
      {isWaiting && (
        <span id={pauseId} class="hint">
          {commonTexts().sendAgainIn(formatNumber(seconds))}
        </span>
      )}
      <ActError act={atOnce} />
      {question && isAsking && (
        <Question question={question} isDanger={isDanger} onSubmit={perform} onClose={() => setAsking(false)} />
      )}
      {shown?.(close)}
    </>
  );
}

interface QuestionProps {
  readonly question: ActQuestion;
  readonly isDanger: boolean;
  readonly onSubmit: (values: Values) => Promise<void>;
  readonly onClose: () => void;
}

function Question({ question, isDanger, onSubmit, onClose }: QuestionProps) {
  const { title, text, action, fields, hasReason = false, ...form } = question;
  return (
    <FormDialog {...form} title={title} action={action} isDanger={isDanger} onClose={onClose} onSubmit={onSubmit}>
      {text !== undefined && <div class="question">{text}</div>}
      {fields}
      {hasReason && <ReasonField />}
    </FormDialog>
  );
}

/** The buttons of several acts. */
export function Acts({ acts, children }: { readonly acts: readonly Act[]; readonly children?: ComponentChildren }) {
  return (
    <div class="actions">
      {children}
      {acts.map((act) => (
        <ActButton key={act.name ?? act.label} {...act} />
      ))}
    </div>
  );
}
