import type { ContinueAuthorizationRequest } from '../../../client/src/operations.ts';
import type { Application } from '../authorization/request.ts';
import type { Act } from '../ui/act.tsx';

export type Decision = NonNullable<ContinueAuthorizationRequest['decision']>;

/** What the screens of a continuation have in common. */
export interface StepScreenProps {
  readonly application: Application;
  readonly onOther: () => void;
  /** Sends the decision of the user. */
  readonly decide: Act<readonly [decision?: Decision]>;
}

export interface ConfirmationScreenProps extends StepScreenProps {
  /** Those that the service takes from the account. Empty if it first needs a second factor. */
  readonly methods: readonly string[];
  /** The decision that waits for the confirmation. */
  readonly decision: Decision | undefined;
}
