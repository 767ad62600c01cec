// Notes on customers in answers.
import Type from 'typebox';
import type { CustomerNote } from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { Time } from '../fields.ts';
import { sent } from '../sent.ts';

const MEMBERS = {
  id: Type.String(),
  tenantId: Type.String(),
  text: Type.String({ description: 'What is noted.' }),
  authorId: Type.String({ description: 'Account id of who noted it.' }),
  createdAt: Time('When it was noted.'),
};

/** Schema of an answer that shows a note. */
export const Note = (description: string) => Type.Object(MEMBERS, { title: 'CustomerNote', description });

/** Schema of an answer that shows several. */
export const NoteList = (description: string, headers: object) =>
  Type.Array(Type.Object(MEMBERS, { title: 'CustomerNote' }), { description, headers });

/** A note as it is shown. */
export function noteBody(note: CustomerNote) {
  return { ...note, createdAt: sent(note.createdAt, 'time').toISOString() };
}
