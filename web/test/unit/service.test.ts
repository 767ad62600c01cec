import { expect, it } from 'vitest';
import { tagOf } from '../../src/service.ts';

it('a record whose tag a proxy has removed is changed in any version', () => {
  expect(tagOf(new Headers({ etag: 'W/"7"' }))).toBe('W/"7"');
  expect(tagOf(new Headers())).toBe('*');
});
