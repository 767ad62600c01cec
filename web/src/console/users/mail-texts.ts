// The texts of mails with links.
import { createTexts } from '../../i18n.ts';

export const mailTexts = createTexts({
  en: {
    invitationMail: 'Mail of the invitation',
    recoveryMail: 'Mail for a new password',
    QUEUED: 'The mail waits to be sent',
    SENT: 'The mail was sent',
    REFUSED: 'The mail was refused',
    NONE: 'No mail, the link was shown',
    invitationRemedy: 'Correct the e-mail address and send the invitation again, or copy the link.',
    recoveryRemedy: 'Correct the e-mail address and send the mail again, or create a temporary password.',
    copyLink: 'Copy invitation link',
    copyLinkTitle: (name: string) => `Create an invitation link for ${name}?`,
    copyLinkText:
      'Anyone with the link can choose the password. Hand it to the user only. The link of an earlier invitation ends. The e-mail address stays unconfirmed.',
    copyLinkAct: 'Create link',
    linkShown: (time: string) => `It is shown only now. Hand it to the user. It is valid once, until ${time}.`,
    link: 'Link',
    copyLinkOf: (name: string) => ` of ${name}`,
    linksInstead: 'Show links instead of sending mails',
    linksInsteadHint: 'Anyone with a link can choose the password. The e-mail addresses stay unconfirmed.',
    createLinks: 'Create links',
    linksShown: 'The links are shown only now. Hand each to its user. They are valid once, for 7 days.',
  },
  de: {
    invitationMail: 'E-Mail der Einladung',
    recoveryMail: 'E-Mail für ein neues Passwort',
    QUEUED: 'Die E-Mail wartet auf den Versand',
    SENT: 'Die E-Mail ist gesendet',
    REFUSED: 'Die E-Mail wurde abgelehnt',
    NONE: 'Keine E-Mail, der Link wurde gezeigt',
    invitationRemedy:
      'Berichtigen Sie die E-Mail-Adresse und senden Sie die Einladung noch einmal, oder kopieren Sie den Link.',
    recoveryRemedy:
      'Berichtigen Sie die E-Mail-Adresse und senden Sie die E-Mail noch einmal, oder erzeugen Sie ein vorläufiges Passwort.',
    copyLink: 'Einladungslink kopieren',
    copyLinkTitle: (name: string) => `Einladungslink für ${name} erzeugen?`,
    copyLinkText:
      'Wer den Link hat, kann das Passwort wählen. Geben Sie ihn nur dem Benutzer. Der Link einer früheren Einladung endet. Die E-Mail-Adresse bleibt unbestätigt.',
    copyLinkAct: 'Link erzeugen',
    linkShown: (time: string) => `Er wird nur jetzt gezeigt. Geben Sie ihn dem Benutzer. Er gilt einmal, bis ${time}.`,
    link: 'Link',
    copyLinkOf: (name: string) => ` von ${name}`,
    linksInstead: 'Links zeigen statt E-Mails senden',
    linksInsteadHint: 'Wer einen Link hat, kann das Passwort wählen. Die E-Mail-Adressen bleiben unbestätigt.',
    createLinks: 'Links erzeugen',
    linksShown: 'Die Links werden nur jetzt gezeigt. Geben Sie jeden seinem Benutzer. Sie gelten einmal, 7 Tage lang.',
  },
});
